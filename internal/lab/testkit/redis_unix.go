//go:build unix

package testkit

import "syscall"

// Stall stops the process until Resume is called: the kernel accepts connections, but the
// server does not respond.
func (s *Redis) Stall() { s.signal(syscall.SIGSTOP) }

// Resume ends a Stall.
func (s *Redis) Resume() { s.signal(syscall.SIGCONT) }

func (s *Redis) signal(sig syscall.Signal) {
	s.tb.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.tb.Fatalf("redis: %v", err)
	}
}
