package bulk

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// sweepHeap is the size that the heap and the stacks of a sweep may reach, with garbage, in
	// bytes.
	sweepHeap = 36 << 20
	// leastGarbage is the amount of garbage that is always allowed, in bytes, so that the collector
	// does not run all the time.
	leastGarbage = 10 << 20
	// heapInterval is the time between two measurements of the heap.
	heapInterval = time.Second / 2
	// firstPercent is the setting of the collector before the first measurement. A sweep begins
	// with all its domains at the same step.
	firstPercent = 40
)

// limitGarbage reduces the garbage that is allowed as the records of a long sweep grow, until ctx
// ends. Otherwise the collector would wait until the heap has doubled, so each byte of a record
// would take two. Records contain no pointers, so collecting earlier costs little. If $GOGC is set,
// limitGarbage does nothing.
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

// percentFor returns the setting of the collector for a number of bytes in use. It changes in steps
// of five, because each change stops the program for a moment.
func percentFor(live uint64) int {
	garbage := uint64(leastGarbage)
	if live+garbage < sweepHeap {
		garbage = sweepHeap - live
	}
	return min(max(int(100*garbage/max(live, 1))/5*5, 10), 100)
}

// liveBytes returns the memory that the last collection found in use. The collector lets the
// program allocate a percentage of it before the next collection.
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
