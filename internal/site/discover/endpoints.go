package discover

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/site/live"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

const (
	// maxEndpoints bounds the endpoints that are asked in one Resolve.
	maxEndpoints = 8
	// maxTargetRedirects bounds the redirects within the origin between the URL of a
	// target and its server.
	maxTargetRedirects = 5
)

// endpoints asks the endpoints of the origin itself that documents have named, each once. Endpoints
// of other sites and of other hosts of the site, which may have other owners, are left to Describe.
func (r *run) endpoints(ctx context.Context) {
	var wg sync.WaitGroup
	var known []string
	for _, o := range r.done {
		if o.Candidate.Live {
			known = append(append(known, o.Candidate.URL), o.Probe.Redirects...)
		}
	}
	asked, most := 0, min(maxEndpoints, r.budget.Left)
	answers := make([]*Outcome, maxEndpoints)
	for _, o := range r.done {
		for _, f := range o.interfaces() {
			p := r.engine.Live.Prober(f.Protocol)
			if p == nil || !live.AtOrigin(f, r.key.Target.Origin) || slices.Contains(known, f.URL) || asked >= most {
				continue
			}
			i, place := asked, &places.Candidate{URL: f.URL, Depth: 1, From: o.Candidate.URL, Live: true}
			known, asked = append(known, f.URL), asked+1
			wg.Go(func() { answers[i] = r.endpoint(ctx, p, place, f, 0) })
		}
	}
	wg.Wait()
	for _, o := range answers[:asked] {
		r.done = append(r.done, o)
		r.emit(o)
	}
}

// TargetEndpoint returns the URL of a target that consists of more than a site. ok is false if
// there is none, or if no live endpoints are asked.
func (eng *Engine) TargetEndpoint(target resolve.Target) (*places.Candidate, bool) {
	return &places.Candidate{URL: target.String(), Live: true}, target.Base != "" && len(eng.Opts.Live) > 0
}

// target asks the URL of the target itself, before all places: a server with a known protocol needs
// no document that names it. Because the caller named the URL, it may redirect within its origin.
// Every protocol is tried until the server speaks one. If it speaks no known protocol, the answer
// to the first one is used.
func (r *run) target(ctx context.Context) []*Outcome {
	place, ok := r.engine.TargetEndpoint(r.key.Target)
	switch {
	case !ok:
		return nil
	case r.engine.Opts.Offline:
		o := Skipped(place, string(wayfind.CodeOffline))
		r.emit(o)
		return []*Outcome{o}
	}
	r.budget.Left--
	var first *Outcome
	for _, p := range r.engine.Opts.Live {
		o := r.endpoint(ctx, p, place, wayfind.Interface{Protocol: p.Protocol(), URL: place.URL}, maxTargetRedirects)
		if first == nil || o.Probe.Verdict == wayfind.VerdictFound {
			first = o
		}
		if !o.anotherProtocol() {
			break
		}
	}
	r.emit(first)
	return []*Outcome{first}
}

// HTTP implements live.Call.
func (s *Session) HTTP(origin string) *http.Client { return s.Engine.HTTP(origin, s) }

// endpoint asks one endpoint, or returns its remembered reply. The outcome contains the error.
func (r *run) endpoint(ctx context.Context, p live.Prober, place *places.Candidate, f wayfind.Interface, redirects int) *Outcome {
	return r.engine.outcomeOf(place, func() *Outcome {
		eng, start := r.engine, r.engine.Opts.Clock.Now()
		place.Formats = []*parse.Format{eng.Live.Format(p)}
		o := newOutcome(place)
		u, err := eng.Opts.Policy.ParseURL(f.URL, nil)
		if err != nil {
			o.fail(err)
			return o
		}
		o.Fact = Fact{URL: f.URL, From: cache.FromMemory}
		reply := eng.Live.Recall(p, u, redirects)
		if reply == nil || r.key.refresh {
			o.Fact.From = cache.FromNetwork
			reply = eng.Live.Ask(ctx, r.session, p, live.Request{URL: u, Interface: f, Redirects: redirects})
			reply.Err = r.session.orCrowded(f.URL, reply.Err)
			eng.Live.Remember(p, u, reply)
		}
		o.takeReply(eng.Place(u, reply.Final(u)), reply)
		o.Fact.Verdict, o.Fact.FreshUntil, o.Fact.Duration = o.Probe.Verdict, o.FreshUntil, eng.Opts.Clock.Now().Sub(start)
		return o
	})
}

// takeReply adds the reply of an endpoint at a place to the outcome.
func (o *Outcome) takeReply(at reading.At, reply *live.Reply) {
	o.fetchedAt, o.FreshUntil, o.Probe.FreshUntil = reply.At, reply.Until, reply.Until
	for _, u := range reply.Redirects {
		o.Probe.Redirects = append(o.Probe.Redirects, u.String())
	}
	if reply.Reading != nil {
		if o.Candidate.From != "" {
			at.From, _ = url.Parse(o.Candidate.From)
		}
		o.Readings = make([]reading.Located, 1)
		o.Readings[0], o.Diagnostics = reply.Located(at)
	}
	if reply.Err != nil {
		o.fail(reply.Err)
		return
	}
	o.Probe.Verdict, o.Probe.Format = wayfind.VerdictFound, o.Candidate.Formats[0].Name
}

// anotherProtocol reports whether an endpoint may speak another protocol than the protocol of the
// request.
func (o *Outcome) anotherProtocol() bool {
	v := o.Probe.Verdict
	return v != wayfind.VerdictFound && v != wayfind.VerdictSkipped && !verdict.Held(v) && !errors.Is(o.Err, wayfind.ErrBlocked) && !errors.Is(o.Err, wayfind.ErrRefused)
}
