package suites

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// watchRSS measures the resident memory of this process in bytes, if /proc/self/statm exists.
// stop waits until peak no longer changes.
func watchRSS() (peak *atomic.Int64, stop func()) {
	peak = new(atomic.Int64)
	end := make(chan struct{})
	var work sync.WaitGroup
	work.Go(func() {
		ticker := time.NewTicker(10 * time.Millisecond)
		defer ticker.Stop()
		for {
			peak.Store(max(peak.Load(), rss()))
			select {
			case <-end:
				return
			case <-ticker.C:
			}
		}
	})
	return peak, func() { close(end); work.Wait() }
}

func rss() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, resident int64
	if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
		return 0
	}
	return resident * int64(os.Getpagesize())
}
