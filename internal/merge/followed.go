package merge

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/places"
	"github.com/wayfindhq/wayfind/internal/verdict"
	"github.com/wayfindhq/wayfind/security"
)

// followed holds the results for documents that were asked for, by the key of
// their URL. Those that a redirect led to are among them: an entry for such a URL is
// not asked for again.
type followed map[string]*Outcome

func newFollowed(outcomes []*Outcome) followed {
	f := make(followed, len(outcomes))
	for _, o := range outcomes {
		if !o.Candidate.Canary {
			f[places.KeyOf(o.Candidate.URL)] = o
		}
	}
	for _, o := range outcomes {
		if o.Candidate.Canary {
			continue
		}
		for _, u := range o.Probe.Redirects {
			if key := places.KeyOf(u); f[key] == nil {
				f[key] = o
			}
		}
	}
	return f
}

// tell records in each entry of an index the result for its document. A
// document that failed affects no other. The entries are a copy.
func (m *merger) tell(entries []wayfind.Document) []wayfind.Document {
	if len(entries) == 0 {
		return entries
	}
	if m.followed == nil {
		m.followed = newFollowed(m.ordered)
	}
	m.work.Add(len(entries))
	own := slices.Clone(entries)
	for i := range own {
		whole, _, inside := strings.Cut(own[i].URL, "#")
		u, err := security.ParseURL(whole, nil)
		if err != nil || inside && len(own[i].Sources) > 0 && u.String() == own[i].Sources[0].Source {
			continue // it stands in the index itself
		}
		o := m.followed[places.Key(u)]
		if o == nil {
			continue
		}
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
		return // none of these is a fault of the entry
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
