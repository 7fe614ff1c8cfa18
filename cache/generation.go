package cache

import (
	"cmp"
	"hash/maphash"
	"net/http"
	"sync/atomic"
	"time"
)

// guard is shared by the writers of a key, and of the keys that hash alike. The
// lock is held from reading the variants of a key to writing them.
//
// The generation rises with each invalidation. An answer that was read or asked
// for under an earlier one is not written: it may be older than the unsafe
// request that has invalidated it (RFC 9111 §4.4). Flights of different
// generations are not shared. Another key with the same hash loses at most an
// entry.
type guard struct {
	locked     chan struct{} // a mutex whose waiters package synctest sees
	generation atomic.Uint64
}

func (g *guard) lock()   { g.locked <- struct{}{} }
func (g *guard) unlock() { <-g.locked }

// guards are the guards of all keys.
type guards [64]guard

func newGuards() *guards {
	g := new(guards)
	for i := range g {
		g[i].locked = make(chan struct{}, 1)
	}
	return g
}

// guardOf returns the guard of a key.
func (t *Engine) guardOf(key string) *guard {
	return &t.guards[maphash.String(t.seed, key)%uint64(len(t.guards))]
}

// begins notes the generation before a call reads. Knowledge of an earlier
// generation no longer counts.
func (g *guard) begins(c *call) {
	if now := g.generation.Load(); now != c.generation {
		c.generation, c.known = now, nil
	}
}

// current reports whether an answer that a call has read or asked for may be
// written.
func (g *guard) current(c *call) bool { return g.generation.Load() == c.generation }

// hasNewer reports whether one of the variants that a request would get is newer
// than the answer to it.
func (v *Variants) hasNewer(e *Entry, request http.Header) bool {
	if v == nil {
		return false
	}
	for _, stored := range v.Entries {
		if stored.matches(request) && e.olderThan(stored) {
			return true
		}
	}
	return false
}

// olderThan reports whether an answer is older than a stored one although it
// came later. That can only be so where it was asked for before the stored one
// arrived. The origin's Date says it, as RFC 9111 §4 has it, or else the order
// of the requests. Of two events at one instant of the clock the Engine's own
// order says which was first.
func (e *Entry) olderThan(stored *Entry) bool {
	if !before(e.RequestTime.Compare(stored.ResponseTime), e.asked, stored.came) {
		return false
	}
	own, err := http.ParseTime(e.Header.Get("Date"))
	theirs, failed := http.ParseTime(stored.Header.Get("Date"))
	if err == nil && failed == nil && !own.Equal(theirs) {
		return own.Before(theirs)
	}
	return e.hasMono && stored.hasMono && before(cmp.Compare(e.sent(), stored.sent()), e.asked, stored.asked)
}

// before reports whether an event came before another one: by the clock, and at
// one instant of it by their places in the order of an Engine.
func before(byClock int, place, other uint64) bool {
	return byClock < 0 || byClock == 0 && place < other
}

// sent is the monotonic time at which the request of an entry with hasMono was
// sent.
func (e *Entry) sent() time.Duration { return e.mono - e.ResponseTime.Sub(e.RequestTime) }
