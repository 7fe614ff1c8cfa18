//go:build !unix

package stdio

import "os/exec"

func apart(*exec.Cmd) {}

func terminate(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // it may be gone

func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() } // it may be gone
