package resolve

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// Outcome is all that came of one Candidate.
type Outcome struct {
	Candidate Candidate
	Probe     wayfind.Probe
	Readings  []Reading
	// Diagnostics about the document as a whole, whoever reads it.
	Diagnostics []wayfind.Diagnostic
	// Err is why there is no answer, nil when there is one.
	Err error
	// FreshUntil is until when the answer counts.
	FreshUntil time.Time
}

// Reading is one format's reading of a document, cleaned and with trust.
type Reading struct {
	Format *parse.Format
	Source wayfind.Source
	*parse.Reading
}

// Merge makes one Site of the outcomes, which it does not change. The result
// does not depend on their order: they are put into the order of plan first.
// now becomes ResolvedAt.
func Merge(t Target, targetDiags []wayfind.Diagnostic, plan []Candidate, outcomes []*Outcome, now time.Time) *wayfind.Site {
	m := &merger{
		site: &wayfind.Site{Origin: t.Origin, Base: t.Base, ResolvedAt: now, Diagnostics: slices.Clone(targetDiags)},
		host: t.Host(),
		keys: map[string]bool{},
	}
	ordered := inPlanOrder(plan, outcomes)
	for _, o := range ordered {
		m.site.Probes = append(m.site.Probes, o.Probe)
		m.site.Diagnostics = append(m.site.Diagnostics, o.Diagnostics...)
	}
	for _, r := range m.rank(ordered) {
		m.add(r)
	}
	m.site.FreshUntil = earliest(ordered, now)
	return m.site
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
		if o.Candidate.Canary && until.IsZero() {
			continue // it only serves to judge the others
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
	host string
	keys map[string]bool
}

// rank lists all readings by authority of their source; within one, in the
// order of the plan. The same bytes read by the same format are one source.
func (m *merger) rank(outcomes []*Outcome) []Reading {
	var all []Reading
	seen := map[string]int{}
	for _, o := range outcomes {
		for _, r := range o.Readings {
			id := r.Format.Name + " " + r.Source.SHA256
			if i, ok := seen[id]; ok {
				all[i].Source.AlsoAt = append(slices.Clone(all[i].Source.AlsoAt), r.Source.URL)
				continue
			}
			seen[id] = len(all)
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b Reading) int {
		return cmp.Compare(a.Source.Authority.Rank(), b.Source.Authority.Rank())
	})
	return all
}

// add takes a reading into the Site.
func (m *merger) add(r Reading) {
	m.site.Sources = append(m.site.Sources, r.Source)
	m.site.Diagnostics = append(m.site.Diagnostics, r.Diagnostics...)
	m.site.Policies = append(m.site.Policies, r.Policies...)
	m.site.Documents = append(m.site.Documents, r.Documents...)
	m.site.Services = append(m.site.Services, Keyed(r, m.host, m.keys)...)
}

// Keyed returns the services of a reading with IDs and keys, unique among
// taken, which it extends. host is the Site's. A second capability with the
// same key gets "~2".
func Keyed(r Reading, host string, taken map[string]bool) []wayfind.Service {
	prefix := r.Format.Name
	if r.Format.PerSource {
		prefix += ":" + Slug(r.Source.URL, host)
	}
	services := slices.Clone(r.Services)
	for i := range services {
		s := &services[i]
		own, sep := prefix, ":"
		if strings.Contains(prefix, ":") {
			sep = "/"
		}
		if s.ID != "" {
			own += sep + s.ID
		}
		s.ID = unique(own, taken)
		s.Capabilities = slices.Clone(s.Capabilities)
		ids := make(map[string]string, len(s.Capabilities))
		for j := range s.Capabilities {
			c := &s.Capabilities[j]
			c.Key = unique(prefix+sep+c.ID, taken)
			if _, ok := ids[c.ID]; !ok {
				ids[c.ID] = c.Key
			}
		}
		for j := range s.Capabilities {
			s.Capabilities[j].DependsOn = toKeys(s.Capabilities[j].DependsOn, ids)
		}
		if s.Status != nil {
			status := *s.Status
			status.Degraded = toKeys(status.Degraded, ids)
			s.Status = &status
		}
	}
	return services
}

// toKeys replaces the IDs a document uses by keys; unknown ones stay.
func toKeys(list []string, ids map[string]string) []string {
	if len(list) == 0 {
		return list
	}
	keys := make([]string, len(list))
	for i, id := range list {
		keys[i] = cmp.Or(ids[id], id)
	}
	return keys
}

// unique reserves a key, with ~2, ~3 … when it is taken.
func unique(key string, taken map[string]bool) string {
	name := key
	for n := 2; taken[name]; n++ {
		name = fmt.Sprintf("%s~%d", key, n)
	}
	taken[name] = true
	return name
}

// Slug names a source within keys: the path of its URL without leading "/",
// ".well-known/" and extension, in [a-z0-9-], after the host when that is not
// the Site's.
func Slug(source, host string) string {
	u, err := url.Parse(source)
	if err != nil {
		return "source"
	}
	path := strings.TrimPrefix(strings.TrimPrefix(u.Path, "/"), ".well-known/")
	if dot := strings.LastIndexByte(path, '.'); dot > strings.LastIndexByte(path, '/') {
		path = path[:dot]
	}
	if u.Hostname() != host {
		path = u.Hostname() + "-" + path
	}
	words := strings.FieldsFunc(strings.ToLower(path), func(r rune) bool {
		return !('a' <= r && r <= 'z' || '0' <= r && r <= '9')
	})
	return cmp.Or(strings.Join(words, "-"), "root")
}
