// Package measure compares pieces of code in one process on a machine that may be busy.
//
// Cases run in short slices, one after another, in a new random order in each round. A ratio is
// the median of the ratios of all rounds, with an interval. Process CPU is measured in addition
// to wall time. Counts (allocations, requests, connections) are stable and are hard goals. A
// ratio fails only if its whole interval exceeds the goal.
package measure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"
)

// Config is the extent of a measurement.
type Config struct {
	// Rounds is the number of slices for each case, and Slice their approximate duration.
	Rounds int
	Slice  time.Duration
	// ByCPU compares process CPU instead of wall time, which is more stable on a busy machine.
	ByCPU bool
	// Quick only checks that everything runs and that the counts keep their goals.
	Quick bool
}

// Default returns the configuration for a full measurement.
func Default() Config { return Config{Rounds: 31, Slice: 10 * time.Millisecond} }

// Quick returns the configuration for continuous integration, which checks counts and roughly
// measures times.
func Quick() Config { return Config{Rounds: 3, Slice: time.Millisecond, Quick: true} }

// leastRuns is the number of operations, at least, over which allocations are counted. What is
// slower than a slice allocates so much that two operations are enough in a quick run.
func (c Config) leastRuns() int {
	if c.Quick {
		return 2
	}
	return 10
}

// Case is one piece of code.
type Case struct {
	Name string
	// Run does the work n times.
	Run func(n int)
	// Reference is the name of the case with which this one is compared, or "".
	Reference string
	// Goal is the maximum ratio to Reference, or 0.
	Goal float64
	// AtLeast makes Goal the minimum ratio.
	AtLeast bool
	// MaxAllocs is the maximum number of allocations per operation, which is a hard goal. A
	// negative value means no goal.
	MaxAllocs float64
	// AllocsOf is the maximum number of allocations as a share of the allocations of Reference,
	// which is a hard goal. 0 means no goal.
	AllocsOf float64
	// MoreAllocs is the maximum number of allocations in addition to the allocations of
	// Reference, which is a hard goal. MoreCPU is the maximum additional processor time. 0
	// means no goal.
	MoreAllocs float64
	MoreCPU    time.Duration
}

// result contains the measurements of one case per operation, one value for each round.
type result struct {
	wall, cpu []float64 // in seconds
	allocs    float64
}

// Compare measures the cases side by side and returns their table.
func Compare(title string, c Config, cases ...Case) (*Table, error) {
	counts := make([]int, len(cases))
	results := make([]result, len(cases))
	for i, k := range cases {
		counts[i] = calibrate(k.Run, c.Slice)
		results[i].allocs = allocations(k.Run, max(counts[i], c.leastRuns()))
	}
	order := make([]int, len(cases))
	for i := range order {
		order[i] = i
	}
	for range c.Rounds {
		rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			wall, cpu, err := slice(cases[i].Run, counts[i])
			if err != nil {
				return nil, err
			}
			results[i].wall = append(results[i].wall, wall)
			results[i].cpu = append(results[i].cpu, cpu)
		}
	}
	return tabulate(title, c.ByCPU, cases, results)
}

// calibrate returns the number of operations that fill a slice. It uses the fastest of three
// tries, because one preemption makes a case look ten times slower. One operation that alone takes
// ten slices is not tried again.
func calibrate(run func(int), slice time.Duration) int {
	for n := 1; ; {
		fastest := time.Duration(1<<63 - 1)
		for range 3 {
			start := time.Now()
			run(n)
			fastest = min(fastest, time.Since(start))
			if n == 1 && fastest >= 10*slice {
				return 1
			}
		}
		if fastest >= slice {
			return n
		}
		if fastest*10 >= slice {
			return max(n, int(float64(n)*float64(slice)/float64(fastest)))
		}
		n *= 10
	}
}

// slice runs a case once and returns seconds per operation.
func slice(run func(int), n int) (wall, cpu float64, err error) {
	runtime.GC()
	before, err := ProcessCPU()
	if err != nil {
		return 0, 0, err
	}
	start := time.Now()
	run(n)
	took := time.Since(start)
	after, err := ProcessCPU()
	if err != nil {
		return 0, 0, err
	}
	return took.Seconds() / float64(n), (after - before).Seconds() / float64(n), nil
}

// allocationRuns is the number of runs in which allocations are counted.
const allocationRuns = 5

// allocations returns the allocations per operation in the run with the fewest, because the
// collector empties pools, and the runtime allocates, in addition to the case.
func allocations(run func(int), n int) float64 {
	fewest := uint64(math.MaxUint64)
	for range allocationRuns {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		run(n)
		runtime.ReadMemStats(&after)
		fewest = min(fewest, after.Mallocs-before.Mallocs)
	}
	return float64(fewest) / float64(n)
}

// find returns the index of a case.
func find(cases []Case, name string) (int, error) {
	for i, k := range cases {
		if k.Name == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("no case %q to compare with", name)
}
