//go:build unix

package stdio

import (
	"os/exec"
	"syscall"
)

// apart puts the process into its own process group. Signals that a terminal sends to this command
// do not reach it, and the processes that it starts are ended with it.
func apart(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func terminate(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) } // it may be gone

func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) } // it may be gone
