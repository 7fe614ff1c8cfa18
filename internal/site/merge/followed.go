package merge

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// followed contains the places of requested documents in the order of the plan, by the key of their
// URL. It includes the targets of redirects: an index entry with such a URL is not requested again.
type followed map[string]int

func newFollowed(outcomes []*Outcome) followed {
	f := make(followed, len(outcomes))
	for i, o := range outcomes {
		if !o.Candidate.Canary {
			f[places.KeyOf(o.Candidate.URL)] = i
		}
	}
	for i, o := range outcomes {
		if o.Candidate.Canary {
			continue
		}
		for _, u := range o.Probe.Redirects {
			if key := places.KeyOf(u); !f.has(key) {
				f[key] = i
			}
		}
	}
	return f
}

func (f followed) has(key string) bool {
	_, ok := f[key]
	return ok
}

// followedPlaces returns the places of all documents that were requested.
func (m *merger) followedPlaces() followed {
	if m.followed == nil {
		m.followed = newFollowed(m.ordered)
	}
	return m.followed
}

// lead records in probes which document leads to them. If one of several alternatives was read,
// none of the others is recorded.
func (m *merger) lead(from string, links []parse.Link) {
	m.work.Add(len(links))
	for i := range links {
		var asked []int
		read := false
		for _, u := range links[i].URLs {
			if at, ok := m.followedPlaces()[places.KeyOf(u)]; ok {
				asked = append(asked, at)
				read = read || m.ordered[at].Probe.Verdict == wayfind.VerdictFound
			}
		}
		for _, at := range asked {
			if p := &m.site.Probes[at]; p.From == "" && p.URL != from && (!read || p.Verdict == wayfind.VerdictFound) {
				p.From = from
			}
		}
	}
}

// tell records the result for the linked document in each entry of an index, and in each link
// beside a document. A document that failed affects no other. The returned entries are a copy.
func (m *merger) tell(entries []wayfind.Document) []wayfind.Document {
	if len(entries) == 0 {
		return entries
	}
	known := m.followedPlaces()
	m.work.Add(len(entries))
	guard := security.DevGuard(m.site.Origin)
	own := slices.Clone(entries)
	for i := range own {
		whole, _, inside := strings.Cut(own[i].URL, "#")
		u, err := guard.ParseURL(whole, nil)
		if err != nil || inside && len(own[i].Sources) > 0 && u.String() == own[i].Sources[0].Source {
			continue // it is part of the index itself
		}
		at, ok := known[places.Key(u)]
		if !ok {
			continue
		}
		o := m.ordered[at]
		own[i].Verdict = o.Probe.Verdict
		m.report(&own[i], o)
	}
	return own
}

// report adds one diagnostic for each listing of a URL whose document failed.
func (m *merger) report(entry *wayfind.Document, o *Outcome) {
	said, why := ruleFollowFailed, string(o.Probe.Verdict)
	switch v := o.Probe.Verdict; {
	case v == wayfind.VerdictFound:
		if entry.Digest == "" || len(o.Readings) == 0 || entry.Digest == "sha256:"+o.Readings[0].Source.SHA256 {
			return
		}
		said, why = ruleFollowDigest, "its bytes have another digest"
	case verdict.Readable(v), v == wayfind.VerdictSkipped, v == wayfind.VerdictEndpointLike:
		return // these are no faults of the entry
	case o.Probe.Reason != "":
		why += " (" + o.Probe.Reason + ")"
	}
	if len(entry.Sources) == 0 || m.told[said.Code+entry.Sources[0].Source+o.Candidate.URL] {
		return
	}
	m.told[said.Code+entry.Sources[0].Source+o.Candidate.URL] = true
	d := said.Diagnostic(entry.Sources[0].Source, "the document at %q was not read as the entry says: %s", o.Candidate.URL, why)
	d.Pointer, d.Line = entry.Sources[0].Pointer, entry.Sources[0].Line
	m.site.Diagnostics = append(m.site.Diagnostics, d)
}
