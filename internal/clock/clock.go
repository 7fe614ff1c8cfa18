// Package clock reads wall time and monotonic time.
//
// Production code uses the system's clock, a nil *[Clock]. Tests of time use
// testing/synctest and a nil Clock as well; a Clock of their own is for what a
// bubble cannot do: pulling wall time and monotonic time apart ([New]), and for
// a command that must print the same twice ([Fixed]).
package clock

import "time"

// start is the arbitrary origin of the system's monotonic time. It is never
// written again.
var start = time.Now()

// Clock tells wall time and monotonic time. The nil Clock is the system's.
// A Clock is safe for concurrent use when its functions are.
type Clock struct {
	wall  func() time.Time
	mono  func() time.Duration
	fixed bool
}

// Fixed returns a clock that always shows t and whose monotonic time stands
// still.
func Fixed(t time.Time) *Clock {
	t = t.Round(0)
	return &Clock{
		wall:  func() time.Time { return t },
		mono:  func() time.Duration { return 0 },
		fixed: true,
	}
}

// New returns a clock made of two functions. A nil function means the
// system's.
func New(wall func() time.Time, mono func() time.Duration) *Clock {
	return &Clock{wall: wall, mono: mono}
}

// Now returns the wall time, without a monotonic reading: differences between
// two such times are differences of wall time.
func (c *Clock) Now() time.Time {
	if c == nil || c.wall == nil {
		return time.Now().Round(0)
	}
	return c.wall().Round(0)
}

// Mono returns the monotonic time since an arbitrary start. It never goes
// back, and it may stand still while the machine sleeps.
func (c *Clock) Mono() time.Duration {
	if c == nil || c.mono == nil {
		return time.Since(start)
	}
	return c.mono()
}

// Read returns what Now and Mono return, for the price of one reading where
// the clock is the system's.
func (c *Clock) Read() (wall time.Time, mono time.Duration) {
	if c == nil {
		now := time.Now()
		return now.Round(0), now.Sub(start)
	}
	return c.Now(), c.Mono()
}

// IsFixed reports whether c was made by [Fixed].
func (c *Clock) IsFixed() bool { return c != nil && c.fixed }
