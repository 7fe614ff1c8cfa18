package cache

import (
	"fmt"
	"time"
)

// MaxHold is the longest obligation, even if Retry-After is longer.
const MaxHold = 30 * 24 * time.Hour

// reasonFloor means that the shortest time between two requests has not passed.
const reasonFloor = "floor"

// HeldError is the error that an Origin returns instead of asking.
type HeldError struct {
	// Key is the origin, URL or name of the obligation that is held.
	Key string
	// Reason is "floor" if the shortest time between two requests has not passed, "held" for a
	// cool-down that another process has recorded, or another word.
	Reason string
	// Until is the earliest time to ask again.
	Until time.Time
}

// Error returns a text with key, reason and time.
func (e *HeldError) Error() string {
	return fmt.Sprintf("%q is held until %s (%s)", e.Key, e.Until.UTC().Format(time.RFC3339), e.Reason)
}
