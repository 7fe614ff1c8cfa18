package clock

import (
	"time"
)

// Expiry is the time at which an entry of a table expires: by wall time, and by monotonic time
// in case the wall clock is set back.
type Expiry struct {
	nanos int64 // the end, since 1970
	ends  time.Duration
	Until time.Time
}

// maxExpiry is longer than anything is kept, and keeps sums of times inside the range of their
// types.
const maxExpiry = 100 * 365 * 24 * time.Hour

// ExpiryAt returns the expiry for a wall time.
func ExpiryAt(clk *Clock, until time.Time) Expiry {
	wall, mono := clk.Read()
	left := min(max(until.Sub(wall), 0), maxExpiry)
	return Expiry{nanos: wall.UnixNano() + int64(left), ends: mono + left, Until: until}
}

// Fresh reports whether the expiry is in the future.
func (e Expiry) Fresh(clk *Clock) bool {
	wall, mono := clk.Read()
	return wall.Before(e.Until) && mono < e.ends
}

// FreshBy is Fresh for callers that ask very often.
func (e Expiry) FreshBy(k *Coarse) bool { return k.Ahead(e.nanos, e.ends) }
