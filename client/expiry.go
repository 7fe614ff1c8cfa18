package client

import (
	"time"

	"github.com/wayfindhq/wayfind/internal/clock"
)

// expiry is when something in a table of this Client stops to count: by wall
// time, and by monotonic time for when the wall clock is set back.
type expiry struct {
	nanos int64 // until, since 1970
	ends  time.Duration
	until time.Time
}

// maxExpiry is longer than anything is kept, and keeps sums of times within
// their types.
const maxExpiry = 100 * 365 * 24 * time.Hour

// expiryAt returns the expiry of something that counts until a wall time.
func expiryAt(clk *clock.Clock, until time.Time) expiry {
	wall, mono := clk.Read()
	left := min(max(until.Sub(wall), 0), maxExpiry)
	return expiry{nanos: wall.UnixNano() + int64(left), ends: mono + left, until: until}
}

// fresh reports whether it still counts.
func (e expiry) fresh(clk *clock.Clock) bool {
	wall, mono := clk.Read()
	return wall.Before(e.until) && mono < e.ends
}

// freshBy is fresh for callers that ask very often.
func (e expiry) freshBy(k *clock.Coarse) bool { return k.Ahead(e.nanos, e.ends) }
