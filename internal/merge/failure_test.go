package merge_test

import (
	"errors"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/merge"
)

func TestFailurePrecedence(t *testing.T) {
	site := &wayfind.Site{Origin: "https://example.com"}
	outcome := func(v wayfind.Verdict) *merge.Outcome { return &merge.Outcome{Probe: wayfind.Probe{Verdict: v}} }
	order := []wayfind.Verdict{wayfind.VerdictRefused, wayfind.VerdictThrottled, wayfind.VerdictBlocked,
		wayfind.VerdictUnreachable, wayfind.VerdictMalformed, wayfind.VerdictAbsent}
	for i, v := range order {
		var list []*merge.Outcome
		for _, weaker := range order[i:] {
			list = append([]*merge.Outcome{outcome(weaker)}, list...)
		}
		if err := merge.Failure(site, list); !errors.Is(err, v.Kind()) {
			t.Errorf("with %v: %v, want %v", order[i:], err, v.Kind())
		}
	}
	if err := merge.Failure(site, []*merge.Outcome{outcome(wayfind.VerdictUnreachable), outcome(wayfind.VerdictFound)}); err != nil {
		t.Errorf("one usable document is enough: %v", err)
	}
	canary := outcome(wayfind.VerdictUnreachable)
	canary.Candidate.Canary = true
	if err := merge.Failure(site, []*merge.Outcome{canary, outcome(wayfind.VerdictAbsent)}); !errors.Is(err, wayfind.ErrNotFound) {
		t.Errorf("a canary counts: %v", err)
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	throttled := outcome(wayfind.VerdictThrottled)
	throttled.FreshUntil = at
	var e *wayfind.Error
	if err := merge.Failure(site, []*merge.Outcome{throttled}); !errors.As(err, &e) || !e.NotBefore.Equal(at) {
		t.Errorf("throttled: %v, want not before %v", err, at)
	}
}
