// Package merge joins the answers: [Site] makes one wayfind.Site of all readings, and [Complete]
// adds a detail document to it. It is pure: it has no I/O and no clock, and the result depends on
// the order of the plan, never on the order of arrival.
package merge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/resolve"
)

// Outcome is the result for one Candidate.
type Outcome struct {
	Candidate *places.Candidate
	Probe     wayfind.Probe
	// Readings are the readings of its document; only package reading makes them.
	Readings []reading.Located
	// Beside are readings of the things beside the document, or beside the page if there is no
	// document.
	Beside []reading.Located
	// Diagnostics are about the document as a whole, for all formats.
	Diagnostics []wayfind.Diagnostic
	// Away is the host of another site to which the place redirects, and which was not asked.
	Away string
	// Err is the reason why there is no answer; nil if there is one.
	Err error
	// FreshUntil is the time until which the answer is fresh.
	FreshUntil time.Time
}

// Input contains the parts that a Site is made of.
type Input struct {
	Target resolve.Target
	// Host is the site's own host, or "" if it is the host of Target.
	Host string
	// Diagnostics are about the target in the caller's spelling. They come first.
	Diagnostics []wayfind.Diagnostic
	Plan        []places.Candidate
	Outcomes    []*Outcome
	// Now becomes ResolvedAt.
	Now time.Time
	// CutShort is true if a place was not asked that the next call should ask. Then the Site is not
	// fresh beyond Now.
	CutShort bool
	// Robots contains the rules of the origin's robots.txt for the client; nil if it was not
	// requested.
	Robots *Robots
	// Cautions are diagnostics about the caller's own choices.
	Cautions []wayfind.Diagnostic
	// Judgement is what the outcomes say about the domain; nil if no caller asks for it.
	Judgement *Judgement
	// Notes are diagnostics about places that were not asked.
	Notes []wayfind.Diagnostic
	// Pins reports the differences between the finished Site and its pins. It must not change the
	// Site. It may be nil.
	Pins func(*wayfind.Site) []wayfind.Diagnostic
}

// Robots contains the rules of a robots.txt for one client.
type Robots struct {
	// Policies are the policies of its groups that the format does not list.
	Policies []wayfind.Policy
	// Forbids reports whether the rules forbid a request for a URL of the origin.
	Forbids func(url string) bool
	// Steps returns a bound on the work of Forbids for a URL. A step is a rule that is tried, or a
	// part of the URL. If Steps is nil, each URL takes one step.
	Steps func(url string) int
	// Diagnostics are about the file.
	Diagnostics []wayfind.Diagnostic
}

// Site makes one wayfind.Site of the outcomes, which it does not change. The result does not depend
// on their order, because they are sorted in the order of the plan first. The Site is not changed
// afterwards.
func Site(in Input) *wayfind.Site {
	site, _ := SiteWithin(nil, in) // nothing ends it
	return site
}

// SiteWithin is [Site] with counted work. It returns an error if the work had to end early. Then
// the Site has the probes and the diagnostics about their documents, but no offers, because a
// partial merge may be less cautious than the whole.
func SiteWithin(w *fuel.Counter, in Input) (*wayfind.Site, error) {
	ordered := inPlanOrder(in.Plan, in.Outcomes)
	m := &merger{work: w, auths: newAuths(w), keys: NewKeys(w, cmp.Or(in.Host, in.Target.Host())), aliased: map[string]bool{}, told: map[string]bool{}}
	m.site = begin(in, ordered)
	if err := w.Do(func() { m.merge(in, ordered) }); err != nil {
		site := begin(in, ordered)
		site.Diagnostics = append(site.Diagnostics, ruleUnfinished.Diagnostic(site.Origin,
			"the time was up before the documents could be merged; only the probes are here"))
		return site, err
	}
	return m.site, nil
}

// begin makes the Site from the facts that are known without the documents' content.
func begin(in Input, ordered []*Outcome) *wayfind.Site {
	site := &wayfind.Site{
		Origin: in.Target.Origin, Host: in.Host, Base: in.Target.Base + in.Target.Tail, ResolvedAt: in.Now, FreshUntil: in.Now, Diagnostics: slices.Clone(in.Diagnostics),
	}
	site.Probes = slices.Grow(site.Probes, len(ordered))
	for _, o := range ordered {
		site.Probes = append(site.Probes, o.Probe)
		site.Diagnostics = append(site.Diagnostics, o.Diagnostics...)
	}
	if j := in.Judgement; j != nil {
		site.Incomplete = j.Incomplete
		for i := range site.Probes {
			site.Probes[i].Decides = site.Probes[i].URL == j.Place
		}
	}
	return site
}

// merge adds the readings to the Site.
func (m *merger) merge(in Input, ordered []*Outcome) {
	m.work.Add(len(m.site.Probes) + len(m.site.Diagnostics))
	sources := m.rank(ordered)
	m.ordered = ordered
	for i := range sources {
		m.add(&sources[i])
	}
	m.addBeside(ordered)
	for _, o := range ordered {
		for _, r := range o.Readings {
			m.lead(o.Candidate.URL, r.Links)
		}
		for _, r := range o.Beside {
			m.lead(o.Candidate.URL, r.Links)
		}
	}
	m.unite(sources)
	m.uniteLiving(sources)
	for _, s := range sources {
		m.site.Services = append(m.site.Services, s.services...)
	}
	if !in.CutShort {
		m.site.FreshUntil = earliest(ordered, in.Now)
	}
	m.alike()
	m.obey(in.Robots)
	m.site.Diagnostics = append(m.site.Diagnostics, in.Notes...)
	m.site.Diagnostics = append(m.site.Diagnostics, in.Cautions...)
	m.site.Diagnostics = append(m.site.Diagnostics, m.cuts...)
	if in.Pins != nil {
		m.site.Diagnostics = append(m.site.Diagnostics, in.Pins(m.site)...)
	}
}

// maxRobotsSteps bounds the work of comparing the places of one Site with the rules of a
// robots.txt. Thousands of rules with stars and thousands of places would be millions of
// comparisons, and no real site has as many.
const (
	maxRobotsSteps = 500_000
	// The context is not checked while one place is compared with all rules.
	maxRobotsStepsOfOne = 1 << 15
)

// obey records which of the origin's own places robots.txt forbids. Other origins have rules of
// their own. A place that cannot be compared with the rules in time is treated as forbidden.
func (m *merger) obey(r *Robots) {
	if r == nil {
		return
	}
	m.site.Policies = append(m.site.Policies, r.Policies...)
	m.site.Diagnostics = append(m.site.Diagnostics, r.Diagnostics...)
	left, known, origin := maxRobotsSteps, map[string]bool{}, m.site.Asked()
	forbids := func(u string) bool {
		if u != origin && !strings.HasPrefix(u, origin+"/") {
			m.work.Add(1)
			return false
		}
		forbidden, ok := known[u]
		if ok {
			m.work.Add(1)
			return forbidden
		}
		steps := 1
		if r.Steps != nil {
			steps = r.Steps(u)
		}
		if left -= min(steps, maxRobotsStepsOfOne); left < 0 || steps > maxRobotsStepsOfOne {
			m.cut("robots", "robots.txt has too many rules with stars to compare all places with them; the other places count as forbidden")
			return true
		}
		m.work.Add(1 + steps)
		known[u] = r.Forbids(u)
		return known[u]
	}
	for i := range m.site.Probes {
		p := &m.site.Probes[i]
		p.RobotsDisallowed = p.Reason == string(wayfind.CodeRobots) || p.Reason == string(wayfind.CodeRobotsUnreachable) || forbids(p.URL)
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

// inPlanOrder sorts outcomes by the position of their candidate in the plan. Candidates that were
// added later (links, the canary) are sorted by depth and URL.
func inPlanOrder(plan []places.Candidate, outcomes []*Outcome) []*Outcome {
	at := make(map[string]int, len(plan))
	for i := range plan {
		at[plan[i].URL] = i
	}
	place := func(o *Outcome) int {
		switch {
		case o.Candidate.IsChosen():
			return -2
		case o.Candidate.Lead:
			return -1
		}
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

// earliest returns the earliest end of freshness of the probes.
func earliest(outcomes []*Outcome, now time.Time) time.Time {
	var t time.Time
	for _, o := range outcomes {
		until := o.FreshUntil
		if o.Candidate.Canary || o.Candidate.Aside {
			continue // it only serves to judge the others, or to find more
		}
		switch o.Probe.Reason {
		case resolve.ReasonBudget, resolve.ReasonDepth, resolve.ReasonRefused, string(wayfind.CodeCrossSite), resolve.ReasonForeign, resolve.ReasonFirstMatch, string(wayfind.CodeRobots), string(wayfind.CodeRobotsUnreachable):
			continue // the next call would not ask it either
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
	site  *wayfind.Site
	keys  *Keys
	work  *fuel.Counter
	auths *auths
	// aliased contains keys that remain only as aliases.
	aliased map[string]bool
	// cuts reports omissions of parts that were too large, each once.
	cuts []wayfind.Diagnostic
	told map[string]bool
	// ordered contains the outcomes in the order of the plan.
	ordered []*Outcome
	// followed contains the results for the documents that indexes list. It is made for the first
	// index.
	followed followed
}

// cut reports an omission once.
func (m *merger) cut(what, message string) {
	if m.told[what] {
		return
	}
	m.told[what] = true
	m.cuts = append(m.cuts, ruleCut.Diagnostic(m.site.Origin, "%s", message))
}

// maxJoined bounds the versions or header fields that an interface gets from several documents,
// because each of its declarations gets all of them.
const maxJoined = 100

// joinFew is joinStrings for lists that are short on real sites.
func (m *merger) joinFew(a, b []string) []string {
	both := joinStrings(m.work, a, b)
	if most := max(maxJoined, len(a)); len(both) > most {
		m.cut("lists", "sources declare too many versions or header fields of one interface; those after the first 100 are left out")
		return both[:most:most]
	}
	return both
}

// rank returns all readings sorted by the authority of their source, and within one authority in
// the order of the plan. The same bytes read by the same format are one source.
func (m *merger) rank(outcomes []*Outcome) []source {
	var all []source
	seen := map[string]int{}
	for _, o := range outcomes {
		for _, r := range o.Readings {
			m.work.Add(1)
			s := source{Located: r}
			if o.Candidate.Auth {
				s.authFrom = o.Candidate.From
			}
			id := fmt.Sprintf("%s %s %s", r.Format.Name, r.Source.SHA256, r.Source.Trust)
			i, ok := seen[id]
			switch {
			case !ok:
				seen[id] = len(all)
				all = append(all, s)
			case r.Source.Authority.Rank() < all[i].Source.Authority.Rank():
				s.Source.AlsoAt = append(slices.Clone(all[i].Source.AlsoAt), all[i].Source.URL)
				s.authFrom = cmp.Or(s.authFrom, all[i].authFrom)
				all[i] = s
			default:
				all[i].Source.AlsoAt = append(slices.Clone(all[i].Source.AlsoAt), r.Source.URL)
				all[i].authFrom = cmp.Or(all[i].authFrom, s.authFrom)
			}
		}
	}
	for i := range all {
		all[i].prefix = m.keys.prefix(all[i].Located)
	}
	slices.SortStableFunc(all, func(a, b source) int {
		return cmp.Compare(a.Source.Authority.Rank(), b.Source.Authority.Rank())
	})
	return all
}

// add adds a reading to the Site and gives its services their keys.
func (m *merger) add(s *source) {
	m.site.Sources = append(m.site.Sources, s.Source)
	m.site.Policies = append(m.site.Policies, s.Policies...)
	documents := s.Documents
	if s.Format.Index {
		documents = m.tell(documents)
	}
	m.site.Documents = append(m.site.Documents, documents...)
	s.services = m.keys.services(s.Located, s.prefix)
}
