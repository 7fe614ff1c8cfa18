package testkit

import "testing"

// Crowd returns the number of goroutines, callers, hosts or cases that a test may start at
// once: n in a normal run, and a few under the race detector. The detector fails inside the Go
// runtime if many goroutines of one bubble (testing/synctest) start and end. It finds races
// among a few goroutines as well as among many.
func Crowd(n int) int { return min(n, most) }

// Stride is for tests with many cases that run one after another, each with few goroutines. It
// returns 1 in a normal run. Under the race detector, which is slow, only every tenth case
// runs.
func Stride() int { return stride }

// Large skips a test that measures memory or reads much in one goroutine, with -short and under
// the race detector. The detector takes time and memory itself, and one goroutine has no races.
func Large(t testing.TB) {
	t.Helper()
	if testing.Short() || stride > 1 {
		t.Skip("large: neither with -short nor under the race detector")
	}
}
