package cache

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// bars identify entries that must not be used although a store may still have them: an invalidation
// has ended them, but the store did not write it.
type bars struct {
	any atomic.Bool // false if there are no bars, so that readers need no lock

	mu    sync.Mutex
	of    map[Scope]moment
	order []Scope // oldest first
	floor moment  // older entries are barred, because there was no room for their bars
}

// moment is a point in time, in the three forms that entries have.
type moment struct {
	wall  time.Time
	mono  time.Duration
	place uint64 // in the Engine's order of requests and answers
}

// maxBars is the largest number of bars. If there are more, all entries from before the oldest bar
// are barred.
const maxBars = 1024

// add bars the entries that a scope covers and that were asked for until now.
func (b *bars) add(s Scope, now moment) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.of == nil {
		b.of = map[Scope]moment{}
	}
	if _, again := b.of[s]; again {
		b.order = slices.DeleteFunc(b.order, func(other Scope) bool { return other == s })
	}
	b.of[s] = now
	b.order = append(b.order, s)
	if len(b.order) > maxBars {
		b.floor = b.of[b.order[0]]
		delete(b.of, b.order[0])
		b.order = b.order[1:]
	}
	b.any.Store(true)
}

// bar reports whether an entry must not be used.
func (b *bars) bar(e *Entry) bool {
	if !b.any.Load() {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range ScopesOf(e.Key) {
		if m, barred := b.of[s]; barred && !e.askedAfter(m) {
			return true
		}
	}
	return !b.floor.wall.IsZero() && !e.askedAfter(b.floor)
}

// before reports whether an event came before another one by the clock or, at the same instant, by
// their places in the order of an Engine.
func before(byClock int, place, other uint64) bool {
	return byClock < 0 || byClock == 0 && place < other
}
