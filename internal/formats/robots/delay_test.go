package robots_test

import (
	"testing"
	"time"
)

// A delay in decimal seconds is rounded to a nanosecond.
func TestADelayIsRoundedToANanosecond(t *testing.T) {
	for text, want := range map[string]time.Duration{"1.5": 1500 * time.Millisecond, "1.001": 1001 * time.Millisecond, "4.35": 4350 * time.Millisecond} {
		found := false
		for _, p := range read(t, "User-agent: *\nCrawl-delay: "+text+"\n").Policies {
			if p.Limit == nil {
				continue
			}
			if found = true; p.Limit.Per != want {
				t.Errorf("%s is read as %v", text, p.Limit.Per)
			}
		}
		if !found {
			t.Errorf("%s: no limit", text)
		}
	}
}
