package testkit

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"
)

// MaxGrowth is the maximum exponent of the growth for a hostile document. The cost must be
// proportional to the size, with an allowance for tables that double.
const MaxGrowth = 1.2

// Allocated returns the number of bytes that work allocates, whether or not they have been
// freed. It includes the allocations of other goroutines, so nothing else should run.
func Allocated(work func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	work()
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}

// Live returns by how many bytes the reachable memory grows during work, including other
// goroutines. The caller must keep the results of work alive.
func Live(work func()) int64 {
	before := reachable()
	work()
	return reachable() - before
}

// reachable returns the size of the heap when it no longer decreases. Pools survive one
// collection, and goroutines of earlier tests end after some time.
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

// measurements is the number of times that a limit must be exceeded in a row.
const measurements = 5

// Measurement fails the test if measure returns an error five times in a row. What earlier tests
// leave behind (a goroutine that ends late, a pool) moves one measurement; a fault moves all.
func Measurement(t testing.TB, measure func() error) {
	t.Helper()
	var err error
	for range measurements {
		if err = measure(); err == nil {
			return
		}
		t.Logf("measured again: %v", err)
	}
	t.Fatal(err)
}

// BoundAllocs fails the test if work allocates more than base bytes, plus perByte for each byte
// of its input. It ignores costs of the first run (a table that is built) and rare costs (a
// goroutine of an earlier test, a pool that was emptied), as [Measurement] does. work must therefore
// do the same each time.
func BoundAllocs(t testing.TB, size int, perByte, base float64, work func()) {
	t.Helper()
	most := base + perByte*float64(size)
	Measurement(t, func() error {
		if n := Allocated(work); n > most {
			return fmt.Errorf("%.0f bytes were allocated for an input of %d bytes, the maximum is %.0f", n, size, most)
		}
		return nil
	})
}

// BoundGrowth compares the costs of inputs of two sizes, by name. It fails the test if the cost
// grows faster than size to the power of MaxGrowth. cost may return anything that can be
// counted: bytes, nodes, steps. It skips a test like Large, so call it last.
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
