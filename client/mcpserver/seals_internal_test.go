package mcpserver

import (
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/call"
)

// An agreement is not valid if the clock was set back after it was given.
func TestAnAgreementToOpenIsNotProlongedByAClock(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for since, counts := range map[time.Duration]bool{0: true, time.Second: true, -time.Second: false, -time.Hour: false, call.TicketLifetime - time.Second: true, call.TicketLifetime: false} {
		s := newSeals()
		if got := s.redeem(s.seal("shop.example", now), "shop.example", now.Add(since)); got != counts {
			t.Errorf("%v later: %t", since, got)
		}
	}
}
