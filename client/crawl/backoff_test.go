package crawl

import (
	"math"
	"testing"
	"time"
)

// The time between two attempts doubles up to an hour and stays there, however many
// attempts there are.
func TestBackoffStaysAnHour(t *testing.T) {
	for attempt, want := range map[int]time.Duration{
		math.MinInt: time.Minute, 0: time.Minute, 1: time.Minute, 2: 2 * time.Minute, 6: 32 * time.Minute, 7: time.Hour, 28: time.Hour, 29: time.Hour, 64: time.Hour, math.MaxInt: time.Hour,
	} {
		if got := backoff(time.Minute, attempt); got != want {
			t.Errorf("after attempt %d: %v, want %v", attempt, got, want)
		}
	}
	if got := backoff(2*time.Hour, 1); got != time.Hour {
		t.Errorf("a first backoff of two hours: %v", got)
	}
}
