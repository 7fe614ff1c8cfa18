// Package clock reads wall time and monotonic time.
//
// Production code uses the system's clock, a nil *[Clock]. Tests of time use
// testing/synctest and a nil Clock as well. A Clock of a function ([Of]) is for
// tests that need more than a bubble, such as to move the wall clock, and for a
// command that must print the same twice. [New] pulls wall time and monotonic
// time apart.
package clock

import "time"

// start is the arbitrary origin of the system's monotonic time. It is never
// written again.
var start = time.Now()

// Clock returns wall time and monotonic time. The nil Clock is the system's. A Clock is safe
// for concurrent use if its functions are.
type Clock struct {
	wall func() time.Time
	mono func() time.Duration
}

// New returns a clock with two functions. A nil function means the function of the system.
func New(wall func() time.Time, mono func() time.Duration) *Clock {
	return &Clock{wall: wall, mono: mono}
}

// Now returns the wall time without a monotonic reading, so the difference of two such times is
// a difference of wall time.
func (c *Clock) Now() time.Time {
	if c == nil || c.wall == nil {
		return time.Now().Round(0)
	}
	return c.wall().Round(0)
}

// Mono returns the monotonic time since an arbitrary start. It never decreases, and it may not
// advance while the machine sleeps.
func (c *Clock) Mono() time.Duration {
	if c == nil || c.mono == nil {
		return time.Since(start)
	}
	return c.mono()
}

// Read returns the results of Now and Mono. If the clock is the system's, it reads the time
// only once.
func (c *Clock) Read() (wall time.Time, mono time.Duration) {
	if c == nil {
		now := time.Now()
		return now.Round(0), now.Sub(start)
	}
	return c.Now(), c.Mono()
}

// Of returns a clock that uses a function like [time.Now]. It uses the monotonic readings of
// its times, or the system's monotonic time if they have none. Its wall time is in UTC. A nil
// function means the system's clock.
func Of(now func() time.Time) *Clock {
	if now == nil {
		return nil
	}
	return &Clock{wall: func() time.Time { return now().UTC() }, mono: func() time.Duration {
		if t := now(); t != t.Round(0) {
			return t.Sub(start)
		}
		return time.Since(start)
	}}
}
