//go:build unix

package redistest

import "syscall"

// Stall stops the process until Resume: connections are accepted by the
// kernel, and the server does not answer.
func (s *Server) Stall() { s.signal(syscall.SIGSTOP) }

// Resume ends a Stall.
func (s *Server) Resume() { s.signal(syscall.SIGCONT) }

func (s *Server) signal(sig syscall.Signal) {
	s.tb.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.tb.Fatalf("redistest: %v", err)
	}
}
