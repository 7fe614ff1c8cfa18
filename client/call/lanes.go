package call

import (
	"context"
	"sync"

	"github.com/wayfindhq/wayfind/internal/quota"
)

// lanes bound how many calls run at a time. Those that wait for the whole Caller
// take turns by origin.
type lanes struct {
	all *quota.Quota

	mu      sync.Mutex
	origins map[string]*originLane
}

// originLane are the calls of one origin.
type originLane struct {
	slots *quota.Quota
	users int // guarded by lanes.mu
}

func newLanes() *lanes {
	return &lanes{all: quota.New(PerCaller), origins: make(map[string]*originLane)}
}

// enter waits for room. The wait ends with ctx, whose error it returns.
func (l *lanes) enter(ctx context.Context, origin string) (leave func(), err error) {
	l.mu.Lock()
	lane := l.origins[origin]
	if lane == nil {
		lane = &originLane{slots: quota.New(PerOrigin)}
		l.origins[origin] = lane
	}
	lane.users++
	l.mu.Unlock()
	own, all := lane.slots.Open(origin, nil), l.all.Open(origin, nil)
	leave = func() {
		all.Close()
		own.Close()
		l.mu.Lock()
		defer l.mu.Unlock()
		if lane.users--; lane.users == 0 {
			delete(l.origins, origin)
		}
	}
	if err = own.Take(ctx, 1, nil); err == nil {
		err = all.Take(ctx, 1, nil)
	}
	if err != nil {
		leave()
		return nil, err
	}
	return leave, nil
}
