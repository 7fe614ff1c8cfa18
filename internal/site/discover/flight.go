package discover

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/resolve"
)

// FlightKey identifies the flight that concurrent callers share. Data of one caller (approvals,
// traces, spelling) is not in it and never enters a flight.
type FlightKey struct {
	Target  resolve.Target
	refresh bool
	epoch   uint64 // see siteCache.epoch
}

// pointers returns pointers to the candidates of a plan, which all steps of a run share.
func pointers(plan []places.Candidate) []*places.Candidate {
	list := make([]*places.Candidate, len(plan))
	for i := range plan {
		list[i] = &plan[i]
	}
	return list
}

// Permitted reports whether a candidate may be asked: at once, or because a place before it was
// absent or had no document. open reports whether an answer is missing that may still permit the candidate.
func Permitted(candidate *places.Candidate, done []*Outcome) (may, open bool) {
	if candidate.Conventional && slices.ContainsFunc(done, func(o *Outcome) bool { return o.Candidate.From != "" && o.readAs(candidate.Names()) }) {
		return false, false // the owner has named the documents of the format
	}
	if candidate.Conventional && slices.ContainsFunc(done, func(o *Outcome) bool { return o.linksTo(candidate.URL) }) {
		return false, false // it is a link, with the limits of links
	}
	if len(candidate.Unless) > 0 && len(done) > 0 {
		return worthwhile(candidate, done), false
	}
	if candidate.Else != "" {
		o := OutcomeAt(done, candidate.Else)
		return o != nil && o.Probe.Verdict != wayfind.VerdictFound, o == nil
	}
	for _, u := range candidate.After {
		o := OutcomeAt(done, u)
		open = open || o == nil
		may = may || o != nil && o.Probe.Verdict == wayfind.VerdictAbsent
	}
	may = may || len(candidate.After) == 0
	if may && candidate.Beside { // the place before it is asked after all places that are asked at once
		may = slices.ContainsFunc(done, (*Outcome).isDocument)
	}
	return may, open
}

// worthwhile reports whether a candidate that is only asked last is asked. It is not if a document
// was read as one of the formats that make it needless, or if the origin has answered no request so
// far.
func worthwhile(candidate *places.Candidate, done []*Outcome) bool {
	spoke := slices.ContainsFunc(done, func(o *Outcome) bool { return o.Probe.Status != 0 && !verdict.Held(o.Probe.Verdict) })
	return spoke && !slices.ContainsFunc(done, func(o *Outcome) bool { return o.readAs(candidate.Unless) })
}
