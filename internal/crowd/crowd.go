// Package crowd is for tests: it says how many goroutines, callers, hosts or cases a
// test may let loose at once. Plain runs get the crowd that the test is about.
// Under the race detector a few must do: the detector breaks down, inside the
// Go runtime, where many goroutines of one bubble (testing/synctest) come and
// go, and races show among few as they do among many.
package crowd

// Of returns n in a plain run, and a handful under the race detector.
func Of(n int) int { return min(n, most) }

// Stride is for tests of many cases that run one after another, each with few
// goroutines: 1 in a plain run, and under the race detector, which is slow, each
// tenth case must do.
func Stride() int { return stride }
