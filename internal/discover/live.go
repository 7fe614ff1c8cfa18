package discover

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/internal/clock"
	"github.com/wayfindhq/wayfind/internal/fuel"
	"github.com/wayfindhq/wayfind/internal/merge"
	"github.com/wayfindhq/wayfind/internal/panics"
	"github.com/wayfindhq/wayfind/internal/places"
	"github.com/wayfindhq/wayfind/internal/reading"
	"github.com/wayfindhq/wayfind/internal/verdict"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security"
)

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
	answers := make([]*Outcome, maxLive)
	for _, o := range slices.Clone(r.done) {
		for _, said := range o.Readings {
			for _, f := range interfacesOf(said) {
				p := r.engine.Prober(f.Protocol)
				if p == nil || !AtOrigin(f, r.key.Target.Origin) || slices.Contains(asked, f.URL) || slices.Contains(typed, f.URL) || len(asked) >= most {
					continue
				}
				i := len(asked)
				asked = append(asked, f.URL)
				place := places.Candidate{URL: f.URL, Depth: 1, From: o.Candidate.URL, Live: true}
				wg.Go(func() {
					answers[i] = r.engine.outcomeOf(place, func() *Outcome {
						return (&LiveAsker{Asking: r.asking, Prober: p}).ask(ctx, f, place.From, r.key.refresh)
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

// AtOrigin reports whether an interface that a document of the site names is at
// the origin itself.
func AtOrigin(f wayfind.Interface, origin string) bool {
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

// LiveAsker speaks with endpoints in one protocol, as part of one call.
type LiveAsker struct {
	*Asking
	Prober    Prober
	redirects int // to be followed
}

// Prober returns the one that speaks a protocol, nil when none does.
func (eng *Engine) Prober(protocol string) Prober {
	for _, p := range eng.Opts.Live {
		if p.Protocol() == protocol {
			return p
		}
	}
	return nil
}

// Format is that of the prober's answers, whether it is switched on or not.
func (t *LiveAsker) Format() *parse.Format {
	if f := t.Engine.ByName[t.Prober.Format()]; f != nil {
		return f
	}
	return &parse.Format{Name: t.Prober.Format(), PerSource: true}
}

// liveResult is a live answer, cleaned, or a failure, for as long as it counts.
type liveResult struct {
	url     string
	most    int             // redirects that could be followed
	hops    []*url.URL      // where redirects led
	reading *reading.Detail // nil when there is none
	Err     error
	at      time.Time
	clock.Expiry
	era uint64 // of the endpoint's origin, when it was asked
}

// ask asks one endpoint, or recalls its answer. The outcome has the error.
func (t *LiveAsker) ask(ctx context.Context, f wayfind.Interface, from string, refresh bool) *Outcome {
	eng := t.Engine
	start := eng.Opts.Clock.Now()
	o := NewOutcome(places.Candidate{URL: f.URL, Formats: []*parse.Format{t.Format()}, From: from, Live: true})
	if from != "" {
		o.Candidate.Depth = 1
	}
	u, err := eng.Opts.Policy.ParseURL(f.URL, nil)
	if err != nil {
		o.fail(err)
		return o
	}
	said := t.recall(u)
	o.Fact = Fact{URL: f.URL, From: cache.FromMemory}
	if said == nil || refresh {
		o.Fact.From = cache.FromNetwork
		era := eng.spoken.at(security.Origin(u))
		said = t.Speak(ctx, f, u)
		said.era = era
		t.remember(o, said)
	}
	o.fetchedAt, o.FreshUntil = said.at, said.Until
	for _, hop := range said.hops {
		o.Probe.Redirects = append(o.Probe.Redirects, hop.String())
	}
	if said.reading != nil {
		at := eng.Place(u, said.final(u))
		if from != "" {
			at.From, _ = url.Parse(from)
		}
		o.Readings = []reading.Located{said.Located(o, at)}
	}
	if said.Err != nil {
		o.fail(said.Err)
	} else {
		o.Probe.Verdict, o.Probe.Format = wayfind.VerdictFound, o.Candidate.Formats[0].Name
	}
	o.Probe.FreshUntil = o.FreshUntil
	o.Fact.Verdict, o.Fact.FreshUntil, o.Fact.Duration = o.Probe.Verdict, o.FreshUntil, eng.Opts.Clock.Now().Sub(start)
	return o
}

// Speak asks the endpoint itself. Its answer is kept nowhere.
func (t *LiveAsker) Speak(ctx context.Context, f wayfind.Interface, u *url.URL) *liveResult {
	eng := t.Engine
	answer, err := panics.Try(panics.NewGuard(eng.Opts.Logger, "live", "prober"), func() (*LiveAnswer, error) {
		return t.Prober.Probe(ctx, &LiveRequest{URL: u, Interface: f, HTTP: eng.HTTP(security.Origin(u), t.Asking), Redirects: t.redirects})
	})
	now := eng.Opts.Clock.Now()
	said := &liveResult{url: u.String(), most: t.redirects, at: now, Expiry: clock.ExpiryAt(eng.Opts.Clock, now)}
	switch {
	case err != nil:
		err = reading.CleanError(err)
		if _, ok := errors.AsType[*wayfind.Error](err); !ok {
			err = wayfind.NewError("live", u.String(), wayfind.CodeProtocol, err)
		}
		said.Err = t.notBefore(u, err)
	case answer == nil || answer.Reading == nil:
		said.Err = wayfind.NewError("live", u.String(), wayfind.CodePanic, errors.New("the prober returned nothing"))
	default:
		said.Until = now.Add(max(0, min(answer.Lifetime, verdict.MaxNegative)))
	}
	if answer != nil && answer.Reading != nil {
		said.hops = answer.Redirects
		ended := t.Counted(ctx, func(w *fuel.Counter) {
			said.reading = eng.Reader.Live(w, t.Format(), said.final(u), answer.Digest, answer.Reading)
		})
		if ended != nil {
			said.Err = wayfind.NewError("live", u.String(), wayfind.CodeCanceled, ended)
		}
	}
	return said
}

// notBefore adds to the error of an endpoint that is not to be asked now until
// when, which the gate has heard.
func (t *LiveAsker) notBefore(u *url.URL, err error) error {
	e, ok := err.(*wayfind.Error)
	if !ok || !errors.Is(e.Kind, wayfind.ErrThrottled) || !e.NotBefore.IsZero() {
		return err
	}
	own := *e
	own.NotBefore = t.heldUntil(u, t.Engine.Opts.Clock.Now())
	return &own
}

// remember keeps an answer without a credential: an answer as long as it
// counts, a failure as long as such verdicts do.
func (t *LiveAsker) remember(o *Outcome, said *liveResult) {
	eng := t.Engine
	wall := eng.Opts.Clock.Now()
	if said.Err != nil {
		v, _ := verdict.OfError(said.Err)
		switch {
		case v == wayfind.VerdictSkipped:
			return
		case verdict.Held(v):
			probe := Outcome{Outcome: merge.Outcome{Candidate: o.Candidate, Err: said.Err, Probe: wayfind.Probe{Verdict: v}}}
			said.Until = t.rememberError(&probe, wall, time.Time{})
			if v != wayfind.VerdictThrottled || !said.Until.After(wall) { // otherwise the endpoint has said until when
				said.Until = latestOf(said.Until, wall.Add(verdict.FailureFirst))
			}
		default:
			said.Until = wall.Add(max(verdict.Keep(v, verdict.Freshness{}, 0, 0), verdict.KeepUnknown))
		}
	}
	said.Expiry = clock.ExpiryAt(eng.Opts.Clock, said.Until)
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

// ForgetLive ends the answers of the live endpoints of an origin, of all for "".
func (eng *Engine) ForgetLive(origin string) {
	if origin == "" {
		eng.spoken.nextOfAll()
		return
	}
	eng.spoken.next(origin)
}

// key names an endpoint in the memory of live answers.
func (t *LiveAsker) key(u string) string { return t.Prober.Protocol() + " " + u }

// recall returns the answer of an endpoint as long as it counts, else nil. A redirect
// that was refused does not count where more of them may be followed now.
func (t *LiveAsker) recall(u *url.URL) *liveResult {
	said, ok := t.Engine.live.Get(t.key(u.String()))
	if !ok || said.url != u.String() || said.era != t.Engine.spoken.at(security.Origin(u)) || !said.Fresh(t.Engine.Opts.Clock) {
		return nil
	}
	if e, _ := errors.AsType[*wayfind.Error](said.Err); e != nil && e.Code == wayfind.CodeRedirectLocation && said.most < t.redirects {
		return nil
	}
	return said
}

// Located is the reading as of now, with the trust of the document that named
// the endpoint; diagnostics about it go into o.
func (said *liveResult) Located(o *Outcome, at reading.At) reading.Located {
	at.FetchedAt, at.FreshUntil = said.at, said.Until
	o.Diagnostics = append(o.Diagnostics, at.Diagnostics(said.reading.Diagnostics)...)
	return said.reading.At(at)
}

// newLiveResults makes the memory of live answers.
func newLiveResults() (*memory.Cache[*liveResult], error) {
	return memory.NewCache[*liveResult](liveMemory)
}
