// Package measure compares pieces of code in one process on a machine that
// does other work too.
//
// Cases run in short slices, one after the other in an order that is drawn
// anew for each round. A ratio is the median over the rounds of the ratio
// within a round, with an interval; process CPU is taken beside wall time.
// Counts (allocations, requests, connections) do not flake and are hard goals;
// a ratio fails only when its whole interval lies past the goal.
package measure

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"
)

// Config says how long to measure.
type Config struct {
	// Rounds and Slice: so many slices of about so long for each case.
	Rounds int
	Slice  time.Duration
	// ByCPU compares process CPU instead of wall time: steadier on a machine
	// that has other work.
	ByCPU bool
	// Quick: only see that everything runs and that the counts hold.
	Quick bool
}

// Default and Quick are the two ways to measure.
func Default() Config { return Config{Rounds: 31, Slice: 10 * time.Millisecond} }

// Quick measures for continuous integration: counts, and a first look.
func Quick() Config { return Config{Rounds: 3, Slice: time.Millisecond, Quick: true} }

// Case is one piece of code.
type Case struct {
	Name string
	// Run does the work n times.
	Run func(n int)
	// Reference names the case that this one is compared with; "" for none.
	Reference string
	// Goal for the ratio to Reference; 0 for none.
	Goal float64
	// AtLeast turns the goal around: the ratio must not be smaller.
	AtLeast bool
	// MaxAllocs is the hard goal for allocations per operation; negative for
	// none.
	MaxAllocs float64
	// AllocsOf is the hard goal as a share of the allocations of Reference; 0
	// for none.
	AllocsOf float64
	// MoreAllocs is the hard goal for allocations beyond those of Reference, and
	// MoreCPU the goal for processor time beyond its; 0 for none.
	MoreAllocs float64
	MoreCPU    time.Duration
}

// result is what one case came to, per operation, one value for each round.
type result struct {
	wall, cpu []float64 // seconds
	allocs    float64
}

// Compare measures the cases side by side and returns their table.
func Compare(title string, c Config, cases ...Case) (*Table, error) {
	counts := make([]int, len(cases))
	results := make([]result, len(cases))
	for i, k := range cases {
		counts[i] = calibrate(k.Run, c.Slice)
		results[i].allocs = allocations(k.Run, counts[i])
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

// calibrate finds how many operations fill a slice. Of three tries the fastest
// counts: one preemption makes a case look ten times slower.
func calibrate(run func(int), slice time.Duration) int {
	for n := 1; ; {
		fastest := time.Duration(1<<63 - 1)
		for range 3 {
			start := time.Now()
			run(n)
			fastest = min(fastest, time.Since(start))
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

// allocations per operation; the rest of the process is quiet.
func allocations(run func(int), n int) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	run(n)
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / float64(n)
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
