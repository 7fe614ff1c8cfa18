//go:build unix

package stdio

import (
	"os/exec"
	"syscall"
)

// apart gives the process a group of its own: what a terminal sends to this command does not
// reach it, and the processes that it starts end with it.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func terminate(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) } // it may be gone

func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // it may be gone
