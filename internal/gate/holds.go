package gate

import (
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/internal/clock"
)

const (
	// defaultHolds is the default room for holds.
	defaultHolds = 1 << 16
	// defaultTaken is the default room for taken keys. A key may be taken for an
	// hour, and a process that asks a long list takes one for each of its sites.
	defaultTaken = 1 << 22
	// nearTaken of them can be given back: see faded.
	nearTaken = 1 << 12
)

// Holds is an exact table of obligations and their ends. Stores in memory
// implement Acquire and Hold with it. It is bounded, each of Acquire and Hold
// by itself. Where there is no room for a new hold, the hold that ends soonest
// is given up and counted. A key taken by Acquire is never given up: where
// there is no room for more, all keys count as taken until one ends. It is safe
// for concurrent use.
type Holds struct {
	clock  *clock.Clock
	mu     sync.Mutex
	taken  *expiring[taking]
	faded  *faded // those for which taken has no room
	cooled *expiring[cooling]
}

// taking is a key that its taker may give back.
type taking struct {
	end   moment
	token *byte // identity of the taker
}

// cooling is a key that is held for every caller.
type cooling struct {
	end    moment
	reason string
}

// moment is an end by wall time and by monotonic time: a clock that is set
// back must not hold anything for ever.
type moment struct {
	wall time.Time
	mono time.Duration
}

// NewHolds returns an empty table with room for limit keys each; limit <= 0
// means 65,536 holds and 4,194,304 taken keys. A nil clock is the system's.
func NewHolds(limit int, c *clock.Clock) *Holds {
	holds, all := limit, limit
	if limit <= 0 {
		holds, all = defaultHolds, defaultTaken
	}
	near := min(all, nearTaken)
	return &Holds{clock: c, taken: newExpiring[taking](near), faded: newFaded(all - near), cooled: newExpiring[cooling](holds)}
}

// Acquire takes key until the given time, unless it is held: see
// Store.Acquire. release does nothing when thousands of keys were taken since.
func (h *Holds) Acquire(key string, until time.Time) (ok bool, held time.Time, release func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	wall, mono := h.clock.Read()
	if end, _ := h.end(key, wall, mono); !end.IsZero() {
		return false, end, nil
	}
	if !until.After(wall) {
		return true, time.Time{}, func() {}
	}
	h.taken.remove(key) // it has ended
	for h.taken.full(wall) {
		first := h.taken.order[0]
		if end := first.value.end.end(wall, mono); !end.IsZero() && !h.faded.put(first.key, first.value.end.mono, mono) {
			return false, end, nil
		}
		h.taken.remove(first.key) // it fades, or the wall clock was set back
	}
	token := new(byte)
	h.taken.put(wall, key, taking{momentOf(until, wall, mono), token}, until)
	return true, time.Time{}, sync.OnceFunc(func() { h.release(key, token) })
}

// Hold makes Acquire of key fail until the given time: see Store.Hold.
func (h *Holds) Hold(key string, until time.Time) { h.hold(key, until, "") }

// Until returns when the hold of key ends, if it is held.
func (h *Holds) Until(key string) (time.Time, bool) {
	until, _ := h.look(key)
	return until, !until.IsZero()
}

// Evicted counts the holds that were given up because the table was full.
func (h *Holds) Evicted() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.cooled.evicted
}

// Len counts the keys that are held or taken now.
func (h *Holds) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	wall, mono := h.clock.Read()
	h.cooled.expire(wall)
	h.taken.expire(wall)
	h.faded.forget(mono)
	return len(h.cooled.slots) + len(h.taken.slots) + h.faded.n
}

// hold records a cool-down and why.
func (h *Holds) hold(key string, until time.Time, reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	wall, mono := h.clock.Read()
	cur, _ := h.cooled.get(key)
	if !until.After(wall) || !until.After(cur.end.end(wall, mono)) {
		return
	}
	h.cooled.put(wall, key, cooling{momentOf(until, wall, mono), reason}, until)
}

// look returns the end and the reason of a hold; zero when there is none.
func (h *Holds) look(key string) (time.Time, string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	wall, mono := h.clock.Read()
	return h.end(key, wall, mono)
}

// has reports whether the table has a key, ended or not.
func (h *Holds) has(key []byte) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.cooled.slots[string(key)] != nil || h.taken.slots[string(key)] != nil || h.faded.has(key)
}

// release gives back the key that token took; a cool-down stays.
func (h *Holds) release(key string, token *byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if cur, ok := h.taken.get(key); ok && cur.token == token {
		h.taken.remove(key)
	}
}

// end returns the later end of a key's present holds, and its reason.
func (h *Holds) end(key string, wall time.Time, mono time.Duration) (time.Time, string) {
	t, _ := h.taken.get(key)
	c, _ := h.cooled.get(key)
	taken, cooled := t.end.end(wall, mono), c.end.end(wall, mono)
	if left := h.faded.left(key, mono); left > 0 && taken.IsZero() {
		taken = wall.Add(left)
	}
	if taken.After(cooled) {
		return taken, ""
	}
	return cooled, c.reason
}

// end returns the wall time of a moment that is still to come, else zero.
func (m moment) end(wall time.Time, mono time.Duration) time.Time {
	if !m.wall.After(wall) || m.mono <= mono {
		return time.Time{}
	}
	return m.wall
}

func momentOf(until, wall time.Time, mono time.Duration) moment {
	return moment{wall: until, mono: mono + until.Sub(wall)}
}
