package clock

import (
	"sync"
	"sync/atomic"
	"time"
)

const (
	// tick is how long one look at the clocks serves: a look costs more than
	// the rest of a caller's work.
	tick = 10 * time.Millisecond
	// margin is how late the timer that ends a tick may be, with plenty to
	// spare. An end within it is compared with the clocks themselves.
	margin = time.Second
)

// Coarse answers whether something has ended yet, by wall time and by
// monotonic time, for callers that ask very often. Both count: monotonic time
// stands still while the machine is suspended, so that by it alone an answer
// of yesterday evening is fresh in the morning; wall time is set back now and
// then.
//
// Asked twice within ten milliseconds, it looks at the system's clocks once in
// ten milliseconds from then on, and nothing runs while no caller asks. Its
// answers are exact except for jumps of the wall clock, as after a resume,
// which it sees a tick late. A Clock that is not the system's is looked at
// each time. A Coarse is safe for concurrent use.
type Coarse struct {
	clock  *Clock
	tick   time.Duration // 0: look each time
	recent atomic.Bool   // wall and mono are no older than a tick
	wall   atomic.Int64  // of the last look, in nanoseconds since 1970
	mono   atomic.Int64

	mu    sync.Mutex  // held by the caller that arms the timer
	timer *time.Timer // ends recent
}

// NewCoarse returns a Coarse that looks at c. Stop it after use.
func NewCoarse(c *Clock) *Coarse {
	k := &Coarse{clock: c}
	if c == nil {
		k.tick = tick
	}
	k.mono.Store(int64(c.Mono() - tick)) // no caller has looked
	k.timer = time.AfterFunc(time.Hour, func() { k.recent.Store(false) })
	k.timer.Stop()
	return k
}

// Stop frees a timer that may still run. The Coarse can be used all the same.
func (k *Coarse) Stop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tick = 0
	k.timer.Stop()
	k.recent.Store(false)
}

// Ahead reports whether both times are in the future: wall, in nanoseconds
// since 1970, and mono as Clock.Mono counts it.
func (k *Coarse) Ahead(wall int64, mono time.Duration) bool {
	if k.recent.Load() && k.wall.Load() < wall-int64(margin) && k.mono.Load() < int64(mono-margin) {
		return true
	}
	w, m := k.look()
	return w < wall && m < mono
}

// look reads the clocks, and keeps their times if a caller looked a moment ago.
// A kept time is always followed by the timer that ends it.
func (k *Coarse) look() (wall int64, mono time.Duration) {
	now, mono := k.clock.Read()
	wall = now.UnixNano()
	if !k.mu.TryLock() {
		return wall, mono
	}
	defer k.mu.Unlock()
	before := k.mono.Load()
	k.wall.Store(wall)
	k.mono.Store(int64(mono))
	if int64(mono)-before < int64(k.tick) {
		k.recent.Store(true)
		k.timer.Reset(k.tick)
	}
	return wall, mono
}
