package discover

import (
	"context"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/security"
)

// Credentialed asks a place again with a credential of one caller. o is the answer without one. ask
// sends the request in a session. If the caller has no credential, it returns o.
type Credentialed func(o *Outcome, ask func(context.Context, *Session) *Outcome) *Outcome

// ForCaller returns what one caller gets beyond a public result: it asks the places again that
// demand a credential, and follows the links of the documents there. Neither the result nor what
// its requests learn about the site is kept for others.
func (eng *Engine) ForCaller(ctx context.Context, key FlightKey, public *Result, with Credentialed) *Result {
	site := AskedFor(key.Target, public.Outcomes)
	r := &run{
		engine: eng, key: key, site: site, emit: func(*Outcome) {}, plan: eng.Plan(site),
		budget: places.Budget{Left: eng.Opts.Limits.Budget}, done: slices.Clone(public.Outcomes), canaried: true, with: with,
	}
	var opened []*Outcome
	for i, o := range r.done {
		own := r.forCaller(o)
		if own != o && own.Private {
			opened = append(opened, own)
		}
		r.done[i] = own
	}
	var end func()
	r.session, end = eng.NewSession(ctx, site.Host(), key.refresh) // because the caller may have taken long to answer
	defer end()
	r.session.callers, r.session.pace = fetch.NewCallers(ctx), eng.pace(key.Target, eng.KnownPace(key.Target), PaceTime)
	if len(opened) > 0 && !(eng.Opts.FirstMatch && r.found()) {
		r.waves(ctx, r.follow(opened))
	}
	if len(opened) > 0 && len(eng.Opts.Live) > 0 && !eng.Opts.Offline {
		r.endpoints(ctx)
	}
	return r.result()
}

// forCaller returns the outcome of a place, with a credential of the caller if the place demands one.
func (r *run) forCaller(o *Outcome) *Outcome {
	if r.with == nil || !r.demands(o) {
		return o
	}
	return r.with(o, func(work context.Context, own *Session) *Outcome {
		if own.Partition == "" {
			return o
		}
		return own.Ask(work, o.Candidate, r.key.refresh)
	})
}

// demands reports whether a document of the site's own hosts demands a credential. Links to other
// hosts are left to Describe, which asks for approval.
func (r *run) demands(o *Outcome) bool {
	c := o.Candidate
	if o.Probe.Verdict != wayfind.VerdictProtected || o.Private || o.led || c.Robots || c.Canary || c.Keys || c.Live || c.Aside {
		return false
	}
	u, err := c.Parse()
	return err == nil && (security.Origin(u) == r.key.Target.Origin || security.Origin(u) == r.site.Origin)
}
