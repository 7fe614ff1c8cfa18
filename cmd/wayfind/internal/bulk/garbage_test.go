package bulk

import (
	"runtime"
	"testing"
)

func TestPercentFor(t *testing.T) {
	for live, want := range map[uint64]int{0: 100, sweepHeap / 2: 100, sweepHeap * 4 / 7: 75, sweepHeap: 25, 2 * sweepHeap: 10, 100 * sweepHeap: 10} {
		if got := percentFor(live); got != want {
			t.Errorf("a heap of %d bytes: %d, want %d", live, got, want)
		}
	}
	if runtime.GC(); liveBytes() == 0 {
		t.Error("the runtime does not tell the size of the heap")
	}
}
