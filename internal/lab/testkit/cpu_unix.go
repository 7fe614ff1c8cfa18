//go:build unix

package testkit

import (
	"syscall"
	"testing"
	"time"
)

// WithinCPU fails the test as soon as the process has used limit of processor time without work
// returning. It detects work that in practice never ends. It does not measure speed, so choose
// a limit that is many times the expected cost of the work. Work that did not return in time
// runs until the process ends.
func WithinCPU(t *testing.T, limit time.Duration, work func()) {
	t.Helper()
	done := make(chan struct{})
	start := processorTime(t)
	go func() {
		defer close(done)
		work()
	}()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			if used := processorTime(t) - start; used > limit {
				t.Fatalf("not done after %v of processor time", used.Round(time.Second))
			}
		}
	}
}

// processorTime returns the time that this process has used, in user and system
// mode.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
