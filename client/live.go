package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/internal/clock"
	"github.com/wayfindhq/wayfind/internal/merge"
	"github.com/wayfindhq/wayfind/internal/panics"
	"github.com/wayfindhq/wayfind/internal/places"
	"github.com/wayfindhq/wayfind/internal/reading"
	"github.com/wayfindhq/wayfind/internal/verdict"
	"github.com/wayfindhq/wayfind/internal/work"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

// LiveProber asks an endpoint itself for its offers, in its own protocol.
// Package client/livemcp has one. It must be safe for concurrent use.
type LiveProber interface {
	// Protocol of the interfaces that it speaks: "mcp".
	Protocol() string
	// Format names the format whose keys and codes its answers use: "mcp".
	Format() string
	// Probe asks one endpoint. Errors are *wayfind.Error where the prober knows
	// a cause better than "unreachable". An answer beside an error is the
	// content of the refusal: an interface with its Auth, for example.
	Probe(ctx context.Context, req *LiveRequest) (*LiveAnswer, error)
}

// LiveRequest is a request to a LiveProber.
type LiveRequest struct {
	// URL of the endpoint in canonical form.
	URL *url.URL
	// Interface as the documents describe it.
	Interface wayfind.Interface
	// HTTP is pinned to the endpoint's origin: see Client.HTTP. Nothing else
	// may be used to send. It is for this Probe alone: it ends with the call.
	HTTP *http.Client
	// Redirects is the number of redirects within the origin that may be
	// followed: none where a document names the URL, some where the caller has.
	Redirects int
}

// LiveAnswer is the answer of an endpoint.
type LiveAnswer struct {
	// Reading as a format would make it of a document; its authority is live.
	Reading *parse.Reading
	// Digest is the SHA-256 of the bytes read, in hexadecimal.
	Digest string
	// Redirects are the URLs that redirects led to, in canonical form; the last one
	// has answered.
	Redirects []*url.URL
	// Lifetime is how long the endpoint says that the answer counts; 0 is
	// DefaultLiveLifetime, and a negative one means not at all. It is capped at
	// 24 hours.
	Lifetime time.Duration
}

// StatusError is a cause of a LiveProber's error: the endpoint refused with an
// HTTP status, which the Probe then shows.
type StatusError struct{ Status int }

// Error names the status.
func (e *StatusError) Error() string {
	return fmt.Sprintf("the endpoint answered %d %s", e.Status, http.StatusText(e.Status))
}

// HTTPStatus is the status.
func (e *StatusError) HTTPStatus() int { return e.Status }

// DefaultLiveLifetime is the lifetime of a live answer that states none.
const DefaultLiveLifetime = 5 * time.Minute

// Limits of live probing.
const (
	// maxLive bounds the endpoints that are asked in one Resolve.
	maxLive = 8
	// liveMemory is the size of the memory of live answers, in bytes.
	liveMemory = 16 << 20
	// liveCost is the assumed size of one answer, without its capabilities.
	liveCost = 4 << 10
)

// live asks the endpoints of the origin itself that documents have named, each
// once. Those of other sites, and of other hosts of the site, which may have
// other owners, are left to Describe.
func (r *run) live(ctx context.Context) {
	var wg sync.WaitGroup
	var asked, typed []string
	for _, o := range r.done {
		if o.Candidate.Live {
			typed = append(typed, o.spoke()...)
		}
	}
	most := min(maxLive, r.budget.Left)
	answers := make([]*outcome, maxLive)
	for _, o := range slices.Clone(r.done) {
		for _, said := range o.Readings {
			for _, f := range interfacesOf(said) {
				p := r.engine.prober(f.Protocol)
				if p == nil || !atOrigin(f, r.key.target.Origin) || slices.Contains(asked, f.URL) || slices.Contains(typed, f.URL) || len(asked) >= most {
					continue
				}
				i := len(asked)
				asked = append(asked, f.URL)
				place := places.Candidate{URL: f.URL, Depth: 1, From: o.Candidate.URL, Live: true}
				wg.Go(func() {
					answers[i] = r.engine.outcomeOf(place, func() *outcome {
						return (&liveAsker{asking: r.asking, prober: p}).ask(ctx, f, place.From, r.key.refresh)
					})
				})
			}
		}
	}
	wg.Wait()
	for _, o := range answers[:len(asked)] {
		r.done = append(r.done, o)
		r.emit(o)
	}
}

// atOrigin reports whether an interface that a document of the site names is at
// the origin itself.
func atOrigin(f wayfind.Interface, origin string) bool {
	u, err := security.DevGuard(origin).ParseURL(f.URL, nil)
	return err == nil && security.Origin(u) == origin && (f.Trust == wayfind.TrustSameOrigin || f.Trust == wayfind.TrustSameSite)
}

func interfacesOf(r reading.Located) []wayfind.Interface {
	var list []wayfind.Interface
	for i := range r.Services {
		list = append(list, r.Services[i].Interfaces...)
	}
	return list
}

// liveAsker speaks with endpoints in one protocol, as part of one call.
type liveAsker struct {
	*asking
	prober    LiveProber
	redirects int // to be followed
}

// prober returns the one that speaks a protocol, nil when none does.
func (eng *engine) prober(protocol string) LiveProber {
	for _, p := range eng.opts.Live {
		if p.Protocol() == protocol {
			return p
		}
	}
	return nil
}

// format is that of the prober's answers, whether it is switched on or not.
func (t *liveAsker) format() *parse.Format {
	if f := t.engine.byName[t.prober.Format()]; f != nil {
		return f
	}
	return &parse.Format{Name: t.prober.Format(), PerSource: true}
}

// liveResult is a live answer, cleaned, or a failure, for as long as it counts.
type liveResult struct {
	url     string
	most    int             // redirects that could be followed
	hops    []*url.URL      // where redirects led
	reading *reading.Detail // nil when there is none
	err     error
	at      time.Time
	clock.Expiry
	age uint64 // of the memory of Sites, when it was kept
}

// ask asks one endpoint, or recalls its answer. The outcome has the error.
func (t *liveAsker) ask(ctx context.Context, f wayfind.Interface, from string, refresh bool) *outcome {
	eng := t.engine
	start := eng.opts.clock.Now()
	o := newOutcome(places.Candidate{URL: f.URL, Formats: []*parse.Format{t.format()}, From: from, Live: true})
	if from != "" {
		o.Candidate.Depth = 1
	}
	u, err := eng.opts.Policy.ParseURL(f.URL, nil)
	if err != nil {
		o.fail(err)
		return o
	}
	said := t.recall(u)
	o.fact = Fetch{URL: f.URL, From: cache.FromMemory}
	if said == nil || refresh {
		o.fact.From = cache.FromNetwork
		said = t.speak(ctx, f, u)
		t.remember(o, said)
	}
	o.fetchedAt, o.FreshUntil = said.at, said.Until
	for _, hop := range said.hops {
		o.Probe.Redirects = append(o.Probe.Redirects, hop.String())
	}
	if said.reading != nil {
		at := eng.place(u, said.final(u))
		if from != "" {
			at.From, _ = url.Parse(from)
		}
		o.Readings = []reading.Located{said.located(o, at)}
	}
	if said.err != nil {
		o.fail(said.err)
	} else {
		o.Probe.Verdict, o.Probe.Format = wayfind.VerdictFound, o.Candidate.Formats[0].Name
	}
	o.Probe.FreshUntil = o.FreshUntil
	o.fact.Verdict, o.fact.FreshUntil, o.fact.Duration = o.Probe.Verdict, o.FreshUntil, eng.opts.clock.Now().Sub(start)
	return o
}

// speak asks the endpoint itself. Its answer is kept nowhere.
func (t *liveAsker) speak(ctx context.Context, f wayfind.Interface, u *url.URL) *liveResult {
	eng := t.engine
	answer, err := panics.Try(panics.NewGuard(eng.opts.Logger, "live", "prober"), func() (*LiveAnswer, error) {
		return t.prober.Probe(ctx, &LiveRequest{URL: u, Interface: f, HTTP: eng.httpFor(security.Origin(u), t.asking), Redirects: t.redirects})
	})
	now := eng.opts.clock.Now()
	said := &liveResult{url: u.String(), most: t.redirects, at: now, Expiry: clock.ExpiryAt(eng.opts.clock, now)}
	switch {
	case err != nil:
		err = reading.CleanError(err)
		if _, ok := errors.AsType[*wayfind.Error](err); !ok {
			err = wayfind.NewError("live", u.String(), wayfind.CodeProtocol, err)
		}
		said.err = t.notBefore(u, err)
	case answer == nil || answer.Reading == nil:
		said.err = wayfind.NewError("live", u.String(), wayfind.CodePanic, errors.New("the prober returned nothing"))
	default:
		said.Until = now.Add(max(0, min(cmp.Or(answer.Lifetime, DefaultLiveLifetime), verdict.MaxNegative)))
	}
	if answer != nil && answer.Reading != nil {
		said.hops = answer.Redirects
		ended := t.counted(ctx, func(w *work.Counter) {
			said.reading = eng.reader.Live(w, t.format(), said.final(u), answer.Digest, answer.Reading)
		})
		if ended != nil {
			said.err = wayfind.NewError("live", u.String(), wayfind.CodeCanceled, ended)
		}
	}
	return said
}

// notBefore adds to the error of an endpoint that is not to be asked now until
// when, which the gate has heard.
func (t *liveAsker) notBefore(u *url.URL, err error) error {
	e, ok := err.(*wayfind.Error)
	if !ok || !errors.Is(e.Kind, wayfind.ErrThrottled) || !e.NotBefore.IsZero() {
		return err
	}
	own := *e
	own.NotBefore = t.heldUntil(u, t.engine.opts.clock.Now())
	return &own
}

// remember keeps an answer without a credential: an answer as long as it
// counts, a failure as long as such verdicts do.
func (t *liveAsker) remember(o *outcome, said *liveResult) {
	eng := t.engine
	wall := eng.opts.clock.Now()
	if said.err != nil {
		v, _ := verdict.OfError(said.err)
		switch {
		case v == wayfind.VerdictSkipped:
			return
		case verdict.Held(v):
			probe := outcome{Outcome: merge.Outcome{Candidate: o.Candidate, Err: said.err, Probe: wayfind.Probe{Verdict: v}}}
			said.Until = t.rememberError(&probe, wall, time.Time{})
			if v != wayfind.VerdictThrottled || !said.Until.After(wall) { // otherwise the endpoint has said until when
				said.Until = latestOf(said.Until, wall.Add(verdict.FailureFirst))
			}
		default:
			said.Until = wall.Add(max(verdict.Keep(v, verdict.Freshness{}, 0, 0), verdict.KeepUnknown))
		}
	}
	said.Expiry, said.age = clock.ExpiryAt(eng.opts.clock, said.Until), eng.sites.age.Load()
	cost := int64(liveCost)
	if said.reading != nil {
		cost += liveCost * int64(said.reading.Capabilities())
	}
	eng.live.Set(t.key(said.url), said, cost, said.Until.Sub(wall))
}

func latestOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// final is the URL that has answered for u.
func (said *liveResult) final(u *url.URL) *url.URL {
	if n := len(said.hops); n > 0 {
		return said.hops[n-1]
	}
	return u
}

// key names an endpoint in the memory of live answers.
func (t *liveAsker) key(u string) string { return t.prober.Protocol() + " " + u }

// recall returns the answer of an endpoint as long as it counts, else nil. A redirect
// that was refused does not count where more of them may be followed now.
func (t *liveAsker) recall(u *url.URL) *liveResult {
	said, ok := t.engine.live.Get(t.key(u.String()))
	if !ok || said.url != u.String() || said.age != t.engine.sites.age.Load() || !said.Fresh(t.engine.opts.clock) {
		return nil
	}
	if e, _ := errors.AsType[*wayfind.Error](said.err); e != nil && e.Code == wayfind.CodeRedirectLocation && said.most < t.redirects {
		return nil
	}
	return said
}

// located is the reading as of now, with the trust of the document that named
// the endpoint; diagnostics about it go into o.
func (said *liveResult) located(o *outcome, at reading.At) reading.Located {
	at.FetchedAt, at.FreshUntil = said.at, said.Until
	o.Diagnostics = append(o.Diagnostics, at.Diagnostics(said.reading.Diagnostics)...)
	return said.reading.At(at)
}

// describeLive asks an endpoint on another site or another host that a service
// names, if the caller approves, and completes the service with its answer.
func (d *drill) describeLive(ctx context.Context) error {
	service := d.detail.Service
	for _, f := range service.Interfaces {
		p := d.prober(f.Protocol)
		if p == nil || f.URL == "" || atOrigin(f, d.site.Origin) {
			continue
		}
		u, err := d.approved(ctx, f.URL, speaks(p))
		if err != nil {
			return err
		}
		a, end := d.begin(ctx) // now: the caller may have taken long to approve
		defer end()
		t := &liveAsker{asking: a, prober: p}
		said := t.speak(a.work, f, u) // with the caller's credential, if there is one
		if said.err != nil {
			return said.err
		}
		o := newOutcome(places.Candidate{URL: u.String(), Formats: []*parse.Format{t.format()}})
		at := d.place(u, u)
		at.From, at.Foreign = d.from.Requested, d.from.Foreign
		located := said.located(o, at)
		located.Source.From = d.named(u.String())
		d.detail.Source, d.detail.Diagnostics = &located.Source, append(d.detail.Diagnostics, o.Diagnostics...)
		return d.working(ctx, u.String(), func(w *work.Counter) { d.takeLive(w, located) })
	}
	return nil
}

// takeLive completes the service with its server's answer.
func (d *drill) takeLive(w *work.Counter, located reading.Located) {
	service := d.detail.Service
	for _, s := range merge.NewKeys(w, hostOf(d.site)).Services(located) {
		service.Capabilities = merge.AddCapabilities(w, service, &s, located.Source.Trust == wayfind.TrustCrossSite)
		service.Features = cmp.Or(service.Features, s.Features)
	}
	for i := range service.Capabilities {
		c := &service.Capabilities[i] // AddCapabilities gave the service a list of its own
		w.Add(1 + len(c.Sources))
		if slices.ContainsFunc(c.Sources, func(r wayfind.Ref) bool { return r.Source == located.Source.URL }) {
			c.Claimed = false // the server itself says so now
		}
	}
}

// newLiveResults makes the memory of live answers.
func newLiveResults() (*memory.Cache[*liveResult], error) {
	return memory.NewCache[*liveResult](liveMemory)
}
