package describe

import (
	"context"
	"errors"
	"iter"
	"net/url"
	"runtime"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/syntax/contract"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
	"github.com/wayfindhq/wayfind/security/pins"
)

// One describes one key of a Site. told is called with each answer.
func One(ctx context.Context, eng *discover.Engine, site *wayfind.Site, key string, told func(discover.Fact)) (*wayfind.Detail, error) {
	if err := describable(eng, site, key); err != nil {
		return nil, err
	}
	made, err := newBatch(ctx, eng, site, told).describeIn(ctx, key)
	return made.whole(), err
}

// All describes several keys of a Site in their order; without a key, all its capabilities.
func All(ctx context.Context, eng *discover.Engine, site *wayfind.Site, keys []string, told func(discover.Fact)) iter.Seq2[*wayfind.Detail, error] {
	return func(yield func(*wayfind.Detail, error) bool) {
		for made, err := range several(ctx, eng, site, keys, told, false) {
			if !yield(made.whole(), err) {
				return
			}
		}
	}
}

// several describes keys of a Site, or only their requests.
func several(ctx context.Context, eng *discover.Engine, site *wayfind.Site, keys []string, told func(discover.Fact), requests bool) iter.Seq2[*Contract, error] {
	return func(yield func(*Contract, error) bool) {
		if err := describable(eng, site, ""); err != nil {
			yield(nil, err)
			return
		}
		s := newBatch(ctx, eng, site, told)
		s.index = indexOf(site)
		s.several, s.requests = true, requests
		asked := keys
		if len(asked) == 0 {
			for _, capability := range site.Capabilities() {
				asked = append(asked, capability.Key)
			}
		}
		// The operations of a document share data that the request of any of them holds. If the
		// caller does not keep a request, it is held here until the next one is made.
		var last *contract.Request
		defer func() { runtime.KeepAlive(last) }()
		for _, key := range asked {
			made, err := s.describeIn(ctx, key)
			if made != nil && made.Request != nil {
				last = made.Request
			}
			if !yield(made, err) {
				return
			}
		}
	}
}

// describable returns the reason why no key can be described, or nil.
func describable(eng *discover.Engine, site *wayfind.Site, key string) error {
	switch {
	case eng.Closed.Load():
		return discover.ErrClosed("describe")
	case site == nil:
		return wayfind.NewError("describe", key, wayfind.CodeUnknownKey, errors.New("no Site was given"))
	}
	return nil
}

// batch is the state that the describers of one call share.
type batch struct {
	engine *discover.Engine
	told   func(discover.Fact) // called with each answer
	site   *wayfind.Site
	report *pins.Report // of the whole Site
	ended  error        // the error if the time ran out before report was made
	index  map[string]place
	first  *discover.Session // all share its robots rules and its bound of foreign requests
	calls  merge.Calls       // of the Site; nil until a describer needs them
	// sources are the credentials of the caller, by the origins that have refused a document.
	sources map[string]discover.CredentialSource

	// If several is true, answers are kept for the next key. If requests is true, requests are
	// enough.
	several, requests bool
	answers           []answered
}

func newBatch(ctx context.Context, eng *discover.Engine, site *wayfind.Site, told func(discover.Fact)) *batch {
	s := &batch{engine: eng, told: told, site: site, report: &pins.Report{}, sources: map[string]discover.CredentialSource{}}
	if eng.Opts.Trust.Pins != nil {
		s.ended = eng.Counted(ctx, eng.Domain(urlref.Host(site.Origin)), nil, func(w *fuel.Counter) { s.report, _ = eng.Opts.Trust.Pins.CheckContext(w.Context(), site) })
	}
	return s
}

// place is the service and the capability of a key in a Site.
type place struct {
	service    *wayfind.Service
	capability *wayfind.Capability
}

// indexOf returns each capability by its key and aliases. If several have one, the first is
// returned.
func indexOf(site *wayfind.Site) map[string]place {
	index := map[string]place{}
	for service, capability := range site.Capabilities() {
		for _, key := range append([]string{capability.Key}, capability.Aliases...) {
			if _, taken := index[key]; !taken {
				index[key] = place{service, capability}
			}
		}
	}
	return index
}

// find returns the capability of a key with its service; nil if there is none.
func (s *batch) find(key string) (*wayfind.Service, *wayfind.Capability) {
	if s.index == nil {
		return s.site.Capability(key)
	}
	at := s.index[key]
	return at.service, at.capability
}

// siteCalls returns the calls of the Site.
func (s *batch) siteCalls(w *fuel.Counter) merge.Calls {
	if s.calls == nil {
		s.calls = merge.CallsOf(w, s.site)
	}
	return s.calls
}

// answered is the answer for a detail document.
type answered struct {
	url     string
	format  *parse.Format
	outcome *discover.Outcome
	carried []security.Credential // by its request
}

// maxAnswers bounds the detail documents that are kept for the next keys. The keys of one document
// follow each other.
const maxAnswers = 4

// answer returns a detail document. It requests the document unless it was kept.
func (d *describer) answer(ctx context.Context, a *discover.Session, u *url.URL) (*discover.Outcome, error) {
	s := d.batch
	for _, known := range s.answers {
		if known.url == u.String() && known.format == d.format {
			d.carried = append(d.carried, known.carried...)
			return known.outcome, nil
		}
	}
	o, err := d.document(ctx, a, u, false, func(work context.Context, a *discover.Session) *discover.Outcome { return d.askDetail(work, a, u) })
	if err != nil {
		return nil, err
	}
	if s.several && o.Doc != nil && o.Probe.Verdict != wayfind.VerdictSkipped {
		s.answers = append(s.answers, answered{u.String(), d.format, o, d.carried})
		s.answers = slices.Delete(s.answers, 0, max(0, len(s.answers)-maxAnswers))
	}
	return o, nil
}

// askDetail requests a detail document in a session.
func (d *describer) askDetail(work context.Context, a *discover.Session, u *url.URL) *discover.Outcome {
	file, candidate := d.detail.Capability.Artifact, detailCandidate(d.format, u.String())
	if file != nil {
		candidate = fileCandidate(d.format, u.String(), file)
	}
	o := a.Ask(work, candidate, false)
	if o.Doc != nil && o.Doc.Input() == nil && verdict.Readable(o.Probe.Verdict) || outdated(o, file) {
		o = a.Ask(work, candidate, true) // only its verdict or an earlier version was kept
	}
	return o
}
