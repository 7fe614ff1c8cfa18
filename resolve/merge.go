package resolve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/reading"
)

// Outcome is all that came of one Candidate.
type Outcome struct {
	Candidate Candidate
	Probe     wayfind.Probe
	// Readings that came of its document; only package reading makes them.
	Readings []reading.Located
	// Diagnostics about the document as a whole, for all formats.
	Diagnostics []wayfind.Diagnostic
	// Err is why there is no answer, nil when there is one.
	Err error
	// FreshUntil is until when the answer counts.
	FreshUntil time.Time
}

// Input is what a Site is made of.
type Input struct {
	Target Target
	// Diagnostics about the target, as the caller spelled it. They come first.
	Diagnostics []wayfind.Diagnostic
	Plan        []Candidate
	Outcomes    []*Outcome
	// Now becomes ResolvedAt.
	Now time.Time
	// CutShort: something was not asked that the next call shall ask, so the Site
	// is fresh no longer than Now.
	CutShort bool
	// Robots is what the origin's robots.txt says to the client; nil when it was
	// not asked for.
	Robots *Robots
	// Cautions are what is to be said of the caller's own choices.
	Cautions []wayfind.Diagnostic
	// Pins looks at the finished Site and says what is not as it was pinned. It
	// must not change the Site. May be nil.
	Pins func(*wayfind.Site) []wayfind.Diagnostic
}

// Robots is what a robots.txt says to one client.
type Robots struct {
	// Policies of its groups that the format does not list.
	Policies []wayfind.Policy
	// Forbids reports whether the rules forbid to go to a URL of the origin.
	Forbids func(url string) bool
	// Diagnostics about the file.
	Diagnostics []wayfind.Diagnostic
}

// Merge makes one Site of the outcomes, which it does not change. The result
// does not depend on their order: they are put into the order of the plan
// first. It is the last word: nothing changes the Site afterwards.
func Merge(in Input) *wayfind.Site {
	m := &merger{
		site: &wayfind.Site{Origin: in.Target.Origin, Base: in.Target.Base, ResolvedAt: in.Now, Diagnostics: slices.Clone(in.Diagnostics)},
		keys: NewKeys(in.Target.Host()), aliased: map[string]bool{},
	}
	ordered := inPlanOrder(in.Plan, in.Outcomes)
	for _, o := range ordered {
		m.site.Probes = append(m.site.Probes, o.Probe)
		m.site.Diagnostics = append(m.site.Diagnostics, o.Diagnostics...)
	}
	sources := m.rank(ordered)
	for i := range sources {
		m.add(&sources[i])
	}
	m.unite(sources)
	uniteLiving(sources)
	for _, s := range sources {
		m.site.Services = append(m.site.Services, s.services...)
	}
	m.site.FreshUntil = in.Now
	if !in.CutShort {
		m.site.FreshUntil = earliest(ordered, in.Now)
	}
	m.obey(in.Robots)
	m.site.Diagnostics = append(m.site.Diagnostics, in.Cautions...)
	if in.Pins != nil {
		m.site.Diagnostics = append(m.site.Diagnostics, in.Pins(m.site)...)
	}
	return m.site
}

// obey notes what robots.txt says: which of the origin's own places it forbids.
// Other origins have rules of their own.
func (m *merger) obey(r *Robots) {
	if r == nil {
		return
	}
	m.site.Policies = append(m.site.Policies, r.Policies...)
	m.site.Diagnostics = append(m.site.Diagnostics, r.Diagnostics...)
	forbids := func(u string) bool {
		return (u == m.site.Origin || strings.HasPrefix(u, m.site.Origin+"/")) && r.Forbids(u)
	}
	for i := range m.site.Probes {
		p := &m.site.Probes[i]
		p.RobotsDisallowed = p.Reason == ReasonRobots || p.Reason == ReasonRobotsUnreachable || forbids(p.URL)
	}
	for i := range m.site.Services {
		for j := range m.site.Services[i].Capabilities {
			c := &m.site.Services[i].Capabilities[j]
			if c.Invocation != nil {
				c.RobotsDisallowed = forbids(c.Invocation.URL + c.Invocation.Template)
			}
		}
	}
}

// inPlanOrder sorts outcomes by the place of their candidate in the plan.
// Candidates that joined later (links, the canary) come in order of depth and
// URL.
func inPlanOrder(plan []Candidate, outcomes []*Outcome) []*Outcome {
	at := make(map[string]int, len(plan))
	for i := range plan {
		at[plan[i].URL] = i
	}
	place := func(o *Outcome) int {
		if i, ok := at[o.Candidate.URL]; ok {
			return i
		}
		return len(plan)
	}
	sorted := slices.Clone(outcomes)
	slices.SortStableFunc(sorted, func(a, b *Outcome) int {
		return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a.Candidate.Depth, b.Candidate.Depth),
			strings.Compare(a.Candidate.URL, b.Candidate.URL))
	})
	return sorted
}

// earliest is the end of freshness of all probes together.
func earliest(outcomes []*Outcome, now time.Time) time.Time {
	var t time.Time
	for _, o := range outcomes {
		until := o.FreshUntil
		if o.Candidate.Canary {
			continue // it only serves to judge the others
		}
		switch o.Probe.Reason {
		case ReasonBudget, ReasonFirstMatch, ReasonRobots, ReasonRobotsUnreachable:
			continue // the next call would not ask either
		}
		if until.Before(now) {
			until = now
		}
		if t.IsZero() || until.Before(t) {
			t = until
		}
	}
	if t.IsZero() {
		return now
	}
	return t
}

type merger struct {
	site *wayfind.Site
	keys *Keys
	// aliased are keys that live on as aliases only.
	aliased map[string]bool
}

// rank lists all readings by authority of their source; within one, in the
// order of the plan. The same bytes read by the same format are one source.
func (m *merger) rank(outcomes []*Outcome) []source {
	var all []source
	seen := map[string]int{}
	for _, o := range outcomes {
		for _, r := range o.Readings {
			id := fmt.Sprintf("%s %s %s %s", r.Format.Name, r.Source.SHA256, r.Source.Trust, r.Source.Authority)
			if i, ok := seen[id]; ok {
				all[i].Source.AlsoAt = append(slices.Clone(all[i].Source.AlsoAt), r.Source.URL)
				continue
			}
			seen[id] = len(all)
			s := source{Located: r, prefix: m.keys.prefix(r)}
			if o.Candidate.Auth {
				s.authFrom = o.Candidate.From
			}
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b source) int {
		return cmp.Compare(a.Source.Authority.Rank(), b.Source.Authority.Rank())
	})
	return all
}

// add takes a reading into the Site and gives its services their keys.
func (m *merger) add(s *source) {
	m.site.Sources = append(m.site.Sources, s.Source)
	m.site.Policies = append(m.site.Policies, s.Policies...)
	m.site.Documents = append(m.site.Documents, s.Documents...)
	s.services = m.keys.services(s.Located, s.prefix)
}
