package soak

import (
	"fmt"
	"slices"
	"testing"
)

// samples are one per round.
type samples []sample

// heapMargin is the amount by which the heap of the last third may exceed the heap of the first:
// less than one document at its cap (4 MiB), which a leak per call would exceed within the first
// minute, and more than the variation of tables of TLS sessions, pools and counters of the race
// detector.
const heapMargin = 4 << 20

// heapRounds is the number of rounds that are needed to judge the heap: in a run of seconds, the
// memory that net/http and pools hold for a while varies by as much as a leak would grow.
const heapRounds = 30

// growth lists the measures that grew.
func (list samples) growth(base sample) (what []string) {
	third := max(1, len(list)/3)
	first, last := list[:third], list[len(list)-third:]
	if low := least(last, func(s sample) uint64 { return uint64(s.goroutines) }); low > uint64(base.goroutines) {
		what = append(what, fmt.Sprintf("%d goroutines, %d at first", low, base.goroutines))
	}
	if low := least(last, func(s sample) uint64 { return uint64(s.descriptors) }); low > uint64(base.descriptors) {
		what = append(what, fmt.Sprintf("%d descriptors, %d at first", low, base.descriptors))
	}
	heap := func(s sample) uint64 { return s.heap }
	if len(list) < heapRounds {
		return what
	}
	if before, after := median(first, heap), median(last, heap); after > before+heapMargin {
		what = append(what, fmt.Sprintf("a heap of %d bytes, %d at first", after, before))
	}
	return what
}

func (list samples) check(t *testing.T, base sample) {
	t.Helper()
	for _, g := range list.growth(base) {
		t.Errorf("grown: %s", g)
	}
}

func least(list samples, of func(sample) uint64) uint64 {
	return of(slices.MinFunc(list, func(a, b sample) int { return int(of(a)) - int(of(b)) }))
}

func median(list samples, of func(sample) uint64) uint64 {
	var values []uint64
	for _, s := range list {
		values = append(values, of(s))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// print gives the figures of the thirds.
func (list samples) print(t *testing.T, base sample) {
	t.Helper()
	third := max(1, len(list)/3)
	heap := func(s sample) uint64 { return s.heap }
	for name, part := range map[string]samples{"first": list[:third], "last": list[len(list)-third:]} {
		t.Logf("%s third: goroutines %d to %d (base %d), descriptors %d to %d (base %d), heap %.1f MiB (median)", name,
			least(part, func(s sample) uint64 { return uint64(s.goroutines) }), greatest(part, func(s sample) uint64 { return uint64(s.goroutines) }), base.goroutines,
			least(part, func(s sample) uint64 { return uint64(s.descriptors) }), greatest(part, func(s sample) uint64 { return uint64(s.descriptors) }), base.descriptors,
			float64(median(part, heap))/(1<<20))
	}
}

func greatest(list samples, of func(sample) uint64) uint64 {
	return of(slices.MaxFunc(list, func(a, b sample) int { return int(of(a)) - int(of(b)) }))
}

// A leak of one per round is found in each measure. A variation is no leak.
func TestGrowth(t *testing.T) {
	base := sample{10, 5, 1 << 20}
	var short samples
	for i := range heapRounds - 1 {
		short = append(short, sample{10, 5, uint64(1+i) << 20})
	}
	if got := short.growth(base); len(got) != 0 {
		t.Errorf("a short run: %q", got)
	}
	for name, row := range map[string]struct {
		of    func(i int) sample
		grown int
	}{
		"flat":        {func(int) sample { return base }, 0},
		"ups, downs":  {func(i int) sample { return sample{10 + i%3, 5 + i%2, 1<<20 + uint64(i%5)<<20} }, 0},
		"goroutines":  {func(i int) sample { return sample{10 + i, 5, 1 << 20} }, 1},
		"descriptors": {func(i int) sample { return sample{10, 5 + i, 1 << 20} }, 1},
		"heap":        {func(i int) sample { return sample{10, 5, uint64(1+i) << 20} }, 1},
		"everything":  {func(i int) sample { return sample{11, 6, uint64(1+i) << 20} }, 3},
	} {
		var list samples
		for i := range heapRounds {
			list = append(list, row.of(i))
		}
		if got := list.growth(base); len(got) != row.grown {
			t.Errorf("%s: %q", name, got)
		}
	}
}
