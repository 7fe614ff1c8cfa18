package client

import (
	"time"

	"github.com/wayfindhq/wayfind/internal/clock"
)

// expiry is when something in a table of this Client stops to count: by wall
// time, and by monotonic time for when the wall clock is set back.
type expiry struct {
	until time.Time
	ends  time.Duration
}

// expiryAt returns the expiry of something that counts until a wall time.
func expiryAt(clk *clock.Clock, until time.Time) expiry {
	wall, mono := clk.Read()
	return expiry{until: until, ends: mono + until.Sub(wall)}
}

// fresh reports whether it still counts.
func (e expiry) fresh(clk *clock.Clock) bool {
	wall, mono := clk.Read()
	return wall.Before(e.until) && mono < e.ends
}
