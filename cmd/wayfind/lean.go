package main

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// garbage is how much a sweep may leave to the collector.
	garbage = 20 << 20
	// leanEvery is the time between two looks at the heap.
	leanEvery = 2 * time.Second
)

// keepLean lets the garbage of a long sweep take no more room than at its beginning,
// until ctx ends. The collector otherwise waits until the heap has doubled, so each
// byte that is remembered about a domain would count twice. Those bytes hold no
// pointers: an earlier collection costs nothing more. $GOGC is left alone.
func keepLean(ctx context.Context) {
	if os.Getenv("GOGC") != "" {
		return
	}
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	ticker := time.NewTicker(leanEvery)
	defer ticker.Stop()
	now := 100
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
	if live <= garbage {
		return 100
	}
	return max(int(100*garbage/live)/5*5, 10)
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
