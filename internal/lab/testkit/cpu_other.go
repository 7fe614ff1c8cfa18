//go:build !unix

package testkit

import (
	"testing"
	"time"
)

// WithinCPU skips the test: the processor time of a process is measured on Unix only.
func WithinCPU(t *testing.T, _ time.Duration, _ func()) {
	t.Helper()
	t.Skip("the processor time of a process is measured on Unix only")
}
