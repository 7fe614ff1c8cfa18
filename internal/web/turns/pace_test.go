package turns

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
)

// Long pauses take limited room: pauses that end first are removed first.
func TestLongPausesTakeABoundedRoom(t *testing.T) {
	for n, bounded := range map[int]bool{2000: false, 100_000: true} {
		most, first, last := pacedSites(n)
		if most > min(n, 1<<16) || !errors.Is(last, wayfind.ErrThrottled) || (first == nil) != bounded {
			t.Errorf("of %d sites %d are remembered; the first: %v, the last: %v", n, most, first, last)
		}
	}
}

// pacedSites returns the maximum number of sites in memory while n of them pause one after
// another with increasing pauses, and whether the first and the last site are still protected.
func pacedSites(n int) (most int, first, last error) {
	p := NewPace(nil, 0, 0)
	enter := func(i int) (*lane, error) { return p.Enter(context.Background(), fmt.Sprintf("s%d.com", i)) }
	for i := range n {
		if l, err := enter(i); err == nil {
			p.Leave(l, time.Hour+time.Duration(i)*time.Second, 0)
		}
		most = max(most, len(p.lanes))
	}
	_, last = enter(n - 1)
	_, first = enter(0)
	return most, first, last
}
