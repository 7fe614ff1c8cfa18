package gate

import (
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/internal/run/clock"
)

const (
	// defaultHolds is the default maximum number of holds, and of taken keys. They may last
	// for an hour, and a process that works through a long list of sites has some for each of
	// them.
	defaultHolds = 1 << 22
	// nearHolds is the number of these keys that are exact and can be given back: see faded.
	nearHolds = 1 << 12
)

// Holds is an exact table of obligations and their ends. Stores in memory implement Acquire
// and Hold with it. Its size is limited separately for Acquire and Hold. If there is no room
// for a new hold, the hold that ends soonest is dropped, and Evicted counts it. A key taken by
// Acquire is never dropped. If there is no room for another taken key, Acquire treats all keys
// as taken until one ends. It is safe for concurrent use.
type Holds struct {
	clock  *clock.Clock
	mu     sync.Mutex
	taken  *expiring[taking]
	faded  *faded // keys for which taken has no room
	cooled *expiring[cooling]
	cold   *faded // keys for which cooled has no room
}

// taking is a key that its taker may give back.
type taking struct {
	end   moment
	token *byte // identity of the taker
}

// cooling is a key that is held for all callers.
type cooling struct {
	end    moment
	reason string
}

// moment is an end in wall time and in monotonic time, so that a clock that is set back does
// not hold a key for ever.
type moment struct {
	wall time.Time
	mono time.Duration
}

// NewHolds returns an empty table with room for limit holds and limit taken keys; limit <= 0
// means 4,194,304. A nil clock is the system's clock.
func NewHolds(limit int, c *clock.Clock) *Holds {
	if limit <= 0 {
		limit = defaultHolds
	}
	near := min(limit, nearHolds)
	return &Holds{
		clock: c, taken: newExpiring[taking](near), faded: newFaded(limit - near),
		cooled: newExpiring[cooling](near), cold: newFaded(limit - near),
	}
}

// Acquire takes key until the given time, unless it is held: see Store.Acquire. release has no
// effect if thousands of keys were taken since.
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
		if end := first.value.end.end(wall, mono); !end.IsZero() && !h.faded.put(first.key, "", first.value.end.mono, mono) {
			return false, end, nil
		}
		h.taken.remove(first.key) // it has moved to faded, or the wall clock was set back
	}
	token := new(byte)
	h.taken.put(wall, key, taking{momentOf(until, wall, mono), token}, until)
	return true, time.Time{}, sync.OnceFunc(func() { h.release(key, token) })
}

// Hold makes Acquire of key fail until the given time: see Store.Hold.
func (h *Holds) Hold(key string, until time.Time) { h.hold(key, until, "") }

// Until returns the end of the hold of key; false if it is not held.
func (h *Holds) Until(key string) (time.Time, bool) {
	until, _ := h.look(key)
	return until, !until.IsZero()
}

// Evicted returns the number of holds that were dropped because the table was full.
func (h *Holds) Evicted() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.cooled.evicted
}

// Len returns the number of keys that are held or taken at present.
func (h *Holds) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	wall, mono := h.clock.Read()
	h.cooled.expire(wall)
	h.taken.expire(wall)
	h.faded.forget(mono)
	h.cold.forget(mono)
	return len(h.cooled.slots) + len(h.taken.slots) + h.faded.n + h.cold.n
}

// hold records a cool-down and its reason.
func (h *Holds) hold(key string, until time.Time, reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	wall, mono := h.clock.Read()
	cur, known := h.cooled.get(key)
	if !until.After(wall) || !until.After(cur.end.end(wall, mono)) {
		return
	}
	if left, _ := h.cold.left(key, mono); !until.After(wall.Add(left)) {
		return
	}
	if !known && h.cooled.full(wall) {
		first := h.cooled.order[0] // moves to cold, or is dropped by put
		if h.cold.put(first.key, first.value.reason, first.value.end.mono, mono) {
			h.cooled.remove(first.key)
		}
	}
	h.cooled.put(wall, key, cooling{momentOf(until, wall, mono), reason}, until)
}

// look returns the end and the reason of a hold; zero if there is none.
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
	return h.cooled.slots[string(key)] != nil || h.taken.slots[string(key)] != nil || h.faded.has(key) || h.cold.has(key)
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
	if left, _ := h.faded.left(key, mono); left > 0 && taken.IsZero() {
		taken = wall.Add(left)
	}
	if left, reason := h.cold.left(key, mono); left > 0 && cooled.IsZero() {
		cooled, c.reason = wall.Add(left), reason
	}
	if taken.After(cooled) {
		return taken, ""
	}
	return cooled, c.reason
}

// end returns the wall time of a moment in the future, otherwise zero.
func (m moment) end(wall time.Time, mono time.Duration) time.Time {
	if !m.wall.After(wall) || m.mono <= mono {
		return time.Time{}
	}
	return m.wall
}

func momentOf(until, wall time.Time, mono time.Duration) moment {
	return moment{wall: until, mono: mono + until.Sub(wall)}
}
