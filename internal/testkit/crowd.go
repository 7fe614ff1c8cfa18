package testkit

// Crowd is how many goroutines, callers, hosts or cases a test may start at once: n in
// a plain run, and a handful under the race detector. The detector breaks down, inside
// the Go runtime, when many goroutines of one bubble (testing/synctest) come and go,
// and races show among a few as they do among many.
func Crowd(n int) int { return min(n, most) }

// Stride is for tests of many cases that run one after another, each with few
// goroutines: 1 in a plain run, and under the race detector, which is slow, each
// tenth case must do.
func Stride() int { return stride }
