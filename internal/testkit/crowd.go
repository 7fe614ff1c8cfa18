package testkit

import "testing"

// Crowd is how many goroutines, callers, hosts or cases a test may start at once: n in
// a plain run, and a handful under the race detector. The detector breaks down, inside
// the Go runtime, when many goroutines of one bubble (testing/synctest) come and go,
// and races show among a few as they do among many.
func Crowd(n int) int { return min(n, most) }

// Stride is for tests of many cases that run one after another, each with few
// goroutines: 1 in a plain run, and under the race detector, which is slow, each
// tenth case must do.
func Stride() int { return stride }

// Large skips a test that measures memory, or reads much in one goroutine: with -short,
// and under the race detector, which takes time and memory itself and sees one
// goroutine race with nothing.
func Large(t testing.TB) {
	t.Helper()
	if testing.Short() || stride > 1 {
		t.Skip("large: neither with -short nor under the race detector")
	}
}
