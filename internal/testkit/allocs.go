package testkit

import (
	"math"
	"runtime"
	"testing"
	"time"
)

// MaxGrowth is the exponent that no hostile document may exceed: cost grows in
// proportion to size, with room for tables that double.
const MaxGrowth = 1.2

// Allocated returns how many bytes work allocates, together with those of other
// goroutines, whether or not they have been freed since. Nothing else should run
// meanwhile.
func Allocated(work func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// Live returns how many bytes more are reachable after work than before, together with
// those of other goroutines. The caller must keep alive what work made.
func Live(work func()) int64 {
	before := reachable()
	work()
	return reachable() - before
}

// reachable is the size of the heap when it no longer falls: pools survive one
// collection, and goroutines that an earlier test has left end after some time.
func reachable() int64 {
	const small, enough, most = 64 << 10, 3, 50
	least := int64(math.MaxInt64)
	for quiet, n := 0, 0; quiet < enough && n < most; n++ {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		last := least
		least = min(least, int64(m.HeapAlloc))
		if quiet++; last-least >= small {
			quiet = 0
		}
		time.Sleep(20 * time.Millisecond)
	}
	return least
}

// allocTries is how often work may run for BoundAllocs.
const allocTries = 5

// BoundAllocs fails the test when work allocates more than base bytes and perByte
// more for each byte of its input. Costs of the first time only (a table that
// is built) and rare ones (a goroutine that an earlier test has left, a pool
// that was emptied) are not counted: work runs again when it took too much, so
// it must do the same every time, and the least counts.
func BoundAllocs(t testing.TB, size int, perByte, base float64, work func()) {
	t.Helper()
	most, least := base+perByte*float64(size), math.Inf(1)
	for range allocTries {
		if least = min(least, Allocated(work)); least <= most {
			return
		}
	}
	t.Fatalf("%.0f bytes were allocated for an input of %d, at most %.0f may be", least, size, most)
}

// BoundGrowth compares the costs of inputs of two sizes, by name, and fails the test
// where the cost grows faster than size to the power of MaxGrowth. cost may be
// anything that is counted: bytes, nodes, steps. It skips a test as Large does: call
// it last.
func BoundGrowth(t testing.TB, small, large map[string]string, cost func(input string) float64) {
	t.Helper()
	Large(t)
	if len(large) == 0 {
		t.Fatal("there are no inputs")
	}
	for name, big := range large {
		little := small[name]
		low, high := cost(little), cost(big)
		exponent := math.Log(high/low) / math.Log(float64(len(big))/float64(len(little)))
		if exponent > MaxGrowth || math.IsNaN(exponent) {
			t.Errorf("%s: %.0f for %d bytes, %.0f for %d: exponent %.2f", name, low, len(little), high, len(big), exponent)
		}
	}
}
