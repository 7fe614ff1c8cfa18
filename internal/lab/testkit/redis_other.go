//go:build !unix

package testkit

// Stall skips the test: a process can be stopped on Unix only.
func (s *Redis) Stall() {
	s.tb.Helper()
	s.tb.Skip("a process can be stopped on Unix only")
}

// Resume ends a Stall.
func (s *Redis) Resume() {}
