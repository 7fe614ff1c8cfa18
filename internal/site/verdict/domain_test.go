package verdict

import (
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind"
)

// Each pair of a kind of place and a verdict has a line in the table, also for the reasons that differ,
// and a place that may decide has the kind of its error.
func TestEveryPlaceAndVerdictHasAPart(t *testing.T) {
	for _, v := range wayfind.Verdicts() {
		i := slices.IndexFunc(domainRows[:], func(r domainRow) bool { return r.verdict == v })
		if i < 0 {
			t.Errorf("%s has no row", v)
			continue
		}
		reasons := []string{""}
		for _, e := range domainRows[i].but {
			for _, code := range e.codes {
				reasons = append(reasons, string(code))
			}
		}
		for _, kind := range Places() {
			for _, reason := range reasons {
				part := PartOf(kind, v, reason)
				decides := slices.Contains([]Effect{Decides, Wall, Silent, Refuses}, part.Effect)
				known := decides || slices.Contains([]Effect{Offers, Absent, Nothing}, part.Effect)
				if !known || decides && part.Err == nil || part.Effect.String() == "" || kind.String() == "" {
					t.Errorf("%s place, %s (%s): %+v", kind, v, reason, part)
				}
				if part.Lack != Never && (v.Answered() || kind == RobotsTxt || kind == Canary) {
					t.Errorf("%s place, %s (%s) is missing, though it answered or has no offers", kind, v, reason)
				}
			}
		}
	}
	if got, want := PartOf(WellKnown, "of_a_later_version", ""), PartOf(WellKnown, wayfind.VerdictSkipped, ""); got != want {
		t.Errorf("an unknown verdict: %+v, want %+v", got, want)
	}
}
