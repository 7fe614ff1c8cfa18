package merge

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
)

// Judgement is what the answers of all places say about a domain.
type Judgement struct {
	// Err is nil if a document was found.
	Err error
	// Known is true if most of the places that are named for agents have answered.
	Known bool
	// Place is the URL of the place that decided Err, or empty if no single place did.
	Place string
	// Incomplete is nil if all places were asked, or if Err is about the whole domain.
	Incomplete *wayfind.Incomplete
}

// Judge adds up the outcomes of an origin by the table of package verdict: a domain is the sum of its
// places. Places that are asked only for links, for keys, or to find the site's own host are no part of
// it. host is that host, or "" if it is the host of origin.
func Judge(origin, host string, outcomes []*Outcome) *Judgement {
	s := &sum{origin: origin, host: host, outcomes: outcomes}
	s.alias = s.elsewhere()
	s.count()
	j := &Judgement{Known: s.answered > s.silent}
	if !s.found {
		s.choose(j.Known)
		j.Err = j.failure(s)
	}
	s.untold = s.untold && errors.Is(j.Err, wayfind.ErrNotFound)
	if j.Err == nil || errors.Is(j.Err, wayfind.ErrNotFound) || errors.Is(j.Err, wayfind.ErrInvalid) {
		j.Incomplete = s.incomplete()
	}
	return j
}

// sum adds up outcomes.
type sum struct {
	origin   string
	host     string // the site's own, or ""
	outcomes []*Outcome
	alias    string // the host to which everything redirects, or ""

	only             bool // there are no places but ordinary ones, so they speak for the domain
	found            bool
	untold           bool // no place says that nothing is there
	answered, silent int  // places that are named for agents
	asked            bool // one of these, whatever it answered
	walls            int
	silences         map[error]int           // places that gave no answer, by the kind of the error
	verdicts         map[wayfind.Verdict]int // of places without an answer

	chosen *Outcome // the outcome that decides
	kind   error    // of chosen
}

// placeOf returns the kind of a place. ok is false if the place is no part of the sum.
func (s *sum) placeOf(c *places.Candidate) (kind verdict.Place, ok bool) {
	switch {
	case c.Aside || c.Keys || c.Lead:
		return 0, false
	case c.Canary:
		return verdict.Canary, true
	case c.Robots:
		return verdict.RobotsTxt, true
	case c.IsChosen():
		return verdict.Chosen, true
	case c.Depth > 0 || c.Detail:
		return verdict.Linked, true
	case c.IsOrdinary() && !s.only:
		return verdict.Ordinary, true
	case strings.HasSuffix(c.URL, "/agent.json") && !strings.HasSuffix(c.URL, "/.well-known/agent.json") && !s.only:
		return verdict.Shared, true
	}
	return verdict.WellKnown, true
}

// isNamed reports whether places of a kind are named for agents.
func isNamed(kind verdict.Place) bool { return kind == verdict.WellKnown || kind == verdict.Shared }

// partOf returns what an outcome adds to the sum, and the kind of its place.
func (s *sum) partOf(o *Outcome) (part verdict.Part, kind verdict.Place, ok bool) {
	kind, ok = s.placeOf(o.Candidate)
	if ok {
		part = verdict.PartOf(kind, o.Probe.Verdict, o.Probe.Reason)
	}
	return part, kind, ok
}

// count adds up all outcomes.
func (s *sum) count() {
	s.verdicts, s.silences = map[wayfind.Verdict]int{}, map[error]int{}
	s.only = !slices.ContainsFunc(s.outcomes, func(o *Outcome) bool {
		kind, ok := s.placeOf(o.Candidate)
		return ok && isNamed(kind)
	})
	s.untold = true
	for _, o := range s.outcomes {
		part, kind, ok := s.partOf(o)
		if !ok {
			continue
		}
		s.untold = s.untold && part.Effect != verdict.Absent
		if part.Lack != verdict.Never {
			s.verdicts[o.Probe.Verdict]++
		}
		switch {
		case part.Effect == verdict.Offers:
			s.found = true
		case part.Effect == verdict.Silent:
			s.silences[part.Err]++
		case part.Effect == verdict.Wall, kind == verdict.Canary && o.Probe.Verdict == wayfind.VerdictBlocked:
			s.walls++
		}
		if isNamed(kind) && part.Effect != verdict.Refuses && o.Probe.Verdict != wayfind.VerdictSkipped && !leadsAway(o) {
			s.asked = true
		}
		switch {
		case !isNamed(kind) || leadsAway(o):
		case o.Probe.Verdict.Answered():
			s.answered++
		case part.Effect == verdict.Silent || part.Effect == verdict.Wall:
			s.silent++
		}
	}
}

// choose chooses the outcome that decides. known is Judgement.Known.
func (s *sum) choose(known bool) {
	kinds := verdict.Kinds()
	best := len(kinds)
	for _, o := range s.outcomes {
		part, kind, ok := s.partOf(o)
		if !ok || kind == verdict.RobotsTxt || !s.decides(part, known) || s.alias != "" && leadsAway(o) {
			continue
		}
		rank := slices.IndexFunc(kinds, func(k verdict.Kind) bool { return k.Err == part.Err })
		if rank >= 0 && (rank < best || rank == best && telling(o) > telling(s.chosen)) {
			best, s.chosen, s.kind = rank, o, part.Err
		}
	}
}

// decides reports whether a place with a part may be the answer of the domain.
func (s *sum) decides(p verdict.Part, known bool) bool {
	switch p.Effect {
	case verdict.Absent, verdict.Decides:
		return true
	case verdict.Wall:
		return s.walls > 1 || !known
	case verdict.Silent: // and it is the failure of the most
		return !known && s.silences[p.Err] == slices.Max(slices.Collect(maps.Values(s.silences)))
	case verdict.Refuses:
		return !s.asked
	}
	return false
}

// incomplete returns the places without an answer, by verdict and reason, or nil if there are none.
func (s *sum) incomplete() *wayfind.Incomplete {
	var in wayfind.Incomplete
	now := false
	for _, o := range s.outcomes {
		part, kind, ok := s.partOf(o)
		if !ok || !s.isMissing(o, part.Lack) && !(s.untold && o.Probe.Verdict == wayfind.VerdictEndpointLike && kind <= verdict.Ordinary) {
			continue
		}
		i := slices.IndexFunc(in.Missing, func(m wayfind.Missing) bool { return m.Verdict == o.Probe.Verdict && m.Reason == o.Probe.Reason })
		if i < 0 {
			i = len(in.Missing)
			in.Missing = append(in.Missing, wayfind.Missing{Verdict: o.Probe.Verdict, Reason: o.Probe.Reason})
		}
		in.Missing[i].URLs = append(in.Missing[i].URLs, o.Probe.URL)
		now = now || o.FreshUntil.IsZero()
		if in.NotBefore.IsZero() || o.FreshUntil.Before(in.NotBefore) {
			in.NotBefore = o.FreshUntil
		}
	}
	if now {
		in.NotBefore = time.Time{}
	}
	if len(in.Missing) == 0 {
		return nil
	}
	return &in
}

// isMissing reports whether a place leaves the Site incomplete.
func (s *sum) isMissing(o *Outcome, lack verdict.Lack) bool {
	silent := o.Probe.Status == 0 && len(o.Probe.Redirects) == 0
	return lack == verdict.Always || lack == verdict.WithOthers && (silent || s.verdicts[o.Probe.Verdict] > 1)
}
