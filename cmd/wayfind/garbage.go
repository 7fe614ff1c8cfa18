package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// sweepHeap is the room for the heap and the stacks of a sweep, with garbage.
	sweepHeap = 36 << 20
	// leastGarbage may come to it: the collector must not run all the time.
	leastGarbage = 10 << 20
	// heapInterval is the time between two looks at the heap.
	heapInterval = time.Second / 2
	// firstPercent is the setting of the collector before the first look: a sweep
	// begins with all its domains at the same step.
	firstPercent = 40
)

// limitGarbage leaves less room for garbage as the records of a long sweep take more,
// until ctx ends. The collector otherwise waits until the heap has doubled, so each
// byte of a record would count twice. Records hold no pointers: to collect earlier
// costs little. $GOGC is left alone.
func limitGarbage(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	defer debug.SetGCPercent(debug.SetGCPercent(firstPercent))
	ticker := time.NewTicker(heapInterval)
	defer ticker.Stop()
	now := firstPercent
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if percent := percentFor(liveBytes()); percent != now {
			now = percent
			debug.SetGCPercent(now)
		}
	}
}

// percentFor is the setting of the collector for so many bytes in use: in steps,
// because each change stops the program for a moment.
func percentFor(live uint64) int {
	garbage := uint64(leastGarbage)
	if live+garbage < sweepHeap {
		garbage = sweepHeap - live
	}
	return min(max(int(100*garbage/max(live, 1))/5*5, 10), 100)
}

// liveBytes is the memory that the last collection found in use: the collector lets
// the program allocate a part of it before the next one.
func liveBytes() (n uint64) {
	samples := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(samples)
	for _, s := range samples {
		if s.Value.Kind() == metrics.KindUint64 {
			n += s.Value.Uint64()
		}
	}
	return n
}
