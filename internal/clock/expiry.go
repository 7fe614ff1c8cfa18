package clock

import (
	"time"
)

// Expiry is when something in a table stops to count: by wall
// time, and by monotonic time for when the wall clock is set back.
type Expiry struct {
	nanos int64 // until, since 1970
	ends  time.Duration
	Until time.Time
}

// maxExpiry is longer than anything is kept, and keeps sums of times within
// their types.
const maxExpiry = 100 * 365 * 24 * time.Hour

// ExpiryAt returns the expiry of something that counts until a wall time.
func ExpiryAt(clk *Clock, until time.Time) Expiry {
	wall, mono := clk.Read()
	left := min(max(until.Sub(wall), 0), maxExpiry)
	return Expiry{nanos: wall.UnixNano() + int64(left), ends: mono + left, Until: until}
}

// Fresh reports whether it still counts.
func (e Expiry) Fresh(clk *Clock) bool {
	wall, mono := clk.Read()
	return wall.Before(e.Until) && mono < e.ends
}

// FreshBy is Fresh for callers that ask very often.
func (e Expiry) FreshBy(k *Coarse) bool { return k.Ahead(e.nanos, e.ends) }
