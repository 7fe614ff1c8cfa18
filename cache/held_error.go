package cache

import (
	"fmt"
	"time"
)

// MaxHold caps every obligation, even against a longer Retry-After.
const MaxHold = 24 * time.Hour

// reasonFloor: the shortest time between two requests has not passed.
const reasonFloor = "floor"

// HeldError is the error that an Origin returns instead of asking.
type HeldError struct {
	// Key is the origin, URL or name of the obligation that is held.
	Key string
	// Reason is "floor" where the shortest time between two requests has not
	// passed, "held" for a cool-down that another process has recorded, or
	// another word.
	Reason string
	// Until is the earliest time to ask again.
	Until time.Time
}

// Error names key, reason and time.
func (e *HeldError) Error() string {
	return fmt.Sprintf("%q is held until %s (%s)", e.Key, e.Until.UTC().Format(time.RFC3339), e.Reason)
}
