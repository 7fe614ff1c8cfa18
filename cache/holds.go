package cache

import (
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/internal/clock"
)

// DefaultHolds is how many obligations a table holds when it is not told.
const DefaultHolds = 65536

// Holds is an exact table of obligations: what is held, until when. It is what
// a Store in memory does Acquire and Hold with. It is bounded; a full table
// gives up the one that ends soonest and counts it. It is safe for concurrent
// use.
type Holds struct {
	clock *clock.Clock
	mu    sync.Mutex
	table *expiring[hold]
}

// hold is one key's obligations: taken by one who may give it back, cooled by
// one who may not.
type hold struct {
	taken, cooled moment
	reason        string // of cooled
	token         *byte  // identity of the taker
}

// moment is an end by wall time and by monotonic time: a clock that is set
// back must not hold anything for ever.
type moment struct {
	wall time.Time
	mono time.Duration
}

// NewHolds returns an empty table for at most limit keys; limit <= 0 means
// DefaultHolds, a nil clock the system's.
func NewHolds(limit int, c *clock.Clock) *Holds {
	if limit <= 0 {
		limit = DefaultHolds
	}
	return &Holds{clock: c, table: newExpiring[hold](limit)}
}

// Acquire takes key until the given time, unless it is held: see
// Store.Acquire.
func (h *Holds) Acquire(key string, until time.Time) (ok bool, held time.Time, release func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	wall, mono := h.clock.Read()
	cur, _ := h.table.get(key)
	if end, _ := cur.end(wall, mono); !end.IsZero() {
		return false, end, nil
	}
	if !until.After(wall) {
		return true, time.Time{}, func() {}
	}
	token := new(byte)
	h.table.put(wall, key, hold{taken: momentOf(until, wall, mono), token: token}, until)
	return true, time.Time{}, sync.OnceFunc(func() { h.release(key, token) })
}

// Hold makes Acquire of key fail until the given time: see Store.Hold.
func (h *Holds) Hold(key string, until time.Time) { h.hold(key, until, "") }

// Until returns when the hold of key ends, if it is held.
func (h *Holds) Until(key string) (time.Time, bool) {
	until, _ := h.look(key)
	return until, !until.IsZero()
}

// Evicted counts the obligations that were given up because the table was
// full.
func (h *Holds) Evicted() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.table.evicted
}

// hold records a cool-down and why.
func (h *Holds) hold(key string, until time.Time, reason string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	wall, mono := h.clock.Read()
	cur, _ := h.table.get(key)
	if end := cur.cooled.end(wall, mono); !until.After(wall) || !until.After(end) {
		return
	}
	cur.cooled, cur.reason = momentOf(until, wall, mono), reason
	if cur.taken.wall.After(until) {
		until = cur.taken.wall
	}
	h.table.put(wall, key, cur, until)
}

// look returns the end and the reason of a hold; zero when there is none.
func (h *Holds) look(key string) (time.Time, string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	cur, ok := h.table.get(key)
	if !ok {
		return time.Time{}, ""
	}
	return cur.end(h.clock.Read())
}

// has reports whether the table knows anything of a key, ended or not.
func (h *Holds) has(key []byte) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.table.slots[string(key)] != nil
}

// release gives back what token took; a cool-down stays.
func (h *Holds) release(key string, token *byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	cur, ok := h.table.get(key)
	if !ok || cur.token != token {
		return
	}
	cur.taken, cur.token = moment{}, nil
	if cur.cooled.wall.IsZero() {
		h.table.remove(key)
		return
	}
	h.table.put(h.clock.Now(), key, cur, cur.cooled.wall)
}

// end returns the later end of what is still held, and its reason.
func (h hold) end(wall time.Time, mono time.Duration) (time.Time, string) {
	taken, cooled := h.taken.end(wall, mono), h.cooled.end(wall, mono)
	if taken.After(cooled) {
		return taken, ""
	}
	return cooled, h.reason
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
