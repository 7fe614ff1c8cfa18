package discover

import (
	"context"
	"errors"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/places"
	"github.com/wayfindhq/wayfind/internal/verdict"
)

// maxLiveRedirects bounds the redirects within the origin between the URL of a
// target and its server.
const maxLiveRedirects = 5

// typed asks the URL of the target itself, before all places: a server of a
// protocol that is spoken here needs no document that names it. It was named by
// the caller, so it may redirect within its origin. Every protocol is tried
// until the server speaks one. If it speaks none, the answer to the first
// counts.
func (r *run) typed(ctx context.Context) []*Outcome {
	place, ok := TypedPlace(r.key.Target.Base, r.key.Target.String(), r.engine.Opts.Live)
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
		said := r.engine.outcomeOf(place, func() *Outcome {
			f := wayfind.Interface{Protocol: p.Protocol(), URL: place.URL}
			return (&LiveAsker{Asking: r.asking, Prober: p, redirects: maxLiveRedirects}).ask(ctx, f, "", r.key.refresh)
		})
		if first == nil || said.Probe.Verdict == wayfind.VerdictFound {
			first = said
		}
		if !anotherProtocol(said) {
			break
		}
	}
	r.emit(first)
	return []*Outcome{first}
}

// anotherProtocol reports whether an endpoint may speak another protocol than it was
// asked in.
func anotherProtocol(o *Outcome) bool {
	v := o.Probe.Verdict
	return v != wayfind.VerdictFound && v != wayfind.VerdictSkipped && !verdict.Held(v) && !errors.Is(o.Err, wayfind.ErrBlocked) && !errors.Is(o.Err, wayfind.ErrRefused)
}

// TypedPlace is the URL of a target that names more than a site, where live endpoints
// are asked at all.
func TypedPlace(base, url string, live []Prober) (places.Candidate, bool) {
	return places.Candidate{URL: url, Live: true}, base != "" && len(live) > 0
}

// spoke are the URLs that an outcome has asked.
func (o *Outcome) spoke() []string {
	return append([]string{o.Candidate.URL}, o.Probe.Redirects...)
}
