package gate

import (
	"context"
	"errors"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// floor is the pause between two requests of one name, while a request is under way. Other processes
// see it as a lease until there is an answer, and as a hold from then on. So the floor of a process
// that was killed in between does not remain.
type floor struct {
	gate  *Gate
	key   string
	until time.Time // the end of the pause
	here  func()    // releases the gate's own table
	there func()    // releases the lease
}

// underWay is the longest time for which a request under way holds up other processes, if the store
// does not free the lease of a process that has ended.
const underWay = 10 * time.Second

// abandonedPrefix begins the keys of floors that were given back because the caller had left.
const abandonedPrefix = "abandoned\n"

// take takes a floor in the gate's own table and in the store.
func (g *Gate) take(ctx context.Context, key, name string, every time.Duration) (*floor, error) {
	now := g.clock.Now()
	f := &floor{gate: g, key: key, until: now.Add(every)}
	ok, held, here := g.holds.Acquire(key, f.until)
	if !ok {
		return nil, &cache.HeldError{Key: name, Reason: reasonFloor, Until: held}
	}
	lease := every
	if l, frees := g.store.(cache.LeaseStore); !frees || !l.FreesLeases() {
		lease = min(every, underWay)
	}
	ok, held, there := g.acquire(ctx, cache.LeasePrefix+key, now.Add(lease), lease)
	if ok { // an answer of another process is held by now
		if ok, held, _ = g.acquire(ctx, key, time.Time{}, every); !ok {
			there()
		}
	}
	if !ok {
		here() // do not remember it: the holder may give it back
		return nil, &cache.HeldError{Key: name, Reason: reasonFloor, Until: held}
	}
	f.here, f.there = here, there
	return f, nil
}

// end keeps the floor for its time, or gives it back.
func (f *floor) end(p *Pass, err error, written bool) {
	left := err != nil && written && (p.ctx.Err() != nil || errors.Is(err, context.Canceled))
	if err != nil && !written || left && f.gate.firstAbandoned(f) {
		f.here()
	} else {
		f.gate.keep(p.ctx, f.key, f.until)
	}
	f.there()
}

// firstAbandoned reports whether no other request of the floor was abandoned in its time: a caller that
// leaves again and again must not ask a slow site more often than others.
func (g *Gate) firstAbandoned(f *floor) bool {
	key := abandonedPrefix + f.key
	if ok, _, _ := g.holds.Acquire(key, f.until); !ok {
		return false
	}
	ok, _, _ := g.acquire(context.Background(), key, f.until, f.until.Sub(g.clock.Now()))
	return ok
}

func (g *Gate) floorKey(lane Lane, name string) string {
	prefix := floorPrefix
	if lane == Led {
		prefix = ledFloorPrefix
	}
	return prefix + g.opts.View + "\n" + name
}
