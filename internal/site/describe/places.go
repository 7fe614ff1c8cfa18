package describe

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/security"
)

// MayOpen reports whether a caller has a credential, or can be asked for one, for a place of a Site
// that demands one. A caller who had none a short time ago is asked again by Refresh only.
func MayOpen(ctx context.Context, eng *discover.Engine, site *wayfind.Site, refresh bool) bool {
	asked := eng.Opts.Credentials != nil || discover.CredentialProviderOf(ctx) != nil
	if !asked && discover.CredentialSourceOf(ctx) == nil {
		return false
	}
	own := eng.OwnOrigin(site)
	return slices.ContainsFunc(site.Probes, func(p wayfind.Probe) bool {
		if p.Verdict != wayfind.VerdictProtected {
			return false
		}
		u, err := security.ParseURL(p.URL, nil)
		if err != nil {
			u, err = eng.Opts.Policy.ParseURL(p.URL, nil)
		}
		if err != nil || security.Origin(u) != site.Origin && security.Origin(u) != own {
			return false
		}
		if discover.HasCredential(ctx, security.Origin(u)) {
			return true
		}
		who, known := discover.AskerOf(ctx)
		return asked && (refresh || !known || !eng.Declined(who, security.Origin(u)))
	})
}

// Open asks the places of a domain that demand a credential, with those of the caller. The caller is
// asked once for each origin. If the result repeats a credential, it is the public one with an error.
func Open(ctx context.Context, eng *discover.Engine, key discover.FlightKey, public *discover.Result) *discover.Result {
	site := public.Site
	b := &batch{engine: eng, told: func(discover.Fact) {}, site: site, sources: map[string]discover.CredentialSource{}}
	who, known := discover.AskerOf(ctx)
	var mu sync.Mutex // the places of an origin share what the caller answers
	var carried []security.Credential
	own := eng.ForCaller(ctx, key, public, func(o *discover.Outcome, ask func(context.Context, *discover.Session) *discover.Outcome) *discover.Outcome {
		mu.Lock()
		defer mu.Unlock()
		origin := ""
		if u, err := o.Candidate.Parse(); err == nil {
			origin = security.Origin(u)
		}
		given := discover.HasCredential(ctx, origin)
		if known && !given && !key.Refreshes() && eng.Declined(who, origin) {
			return o
		}
		d := &describer{Engine: eng, batch: b, detail: &wayfind.Detail{Service: &wayfind.Service{}}, key: site.Origin, place: true}
		answer := d.placeOf(ctx, o, ask)
		carried = append(carried, d.carried...)
		_, asked := b.sources[origin]
		switch {
		case !known || !asked || given || ctx.Err() != nil || answer.Probe.Verdict != wayfind.VerdictProtected:
		case answer.Err == o.Err:
			eng.Decline(who, origin, site.FreshUntil)
		default: // the caller gave an error, which may pass sooner than the Site
			eng.Decline(who, origin, time.Time{})
		}
		return answer
	})
	if len(carried) > 0 && repeats(carried, own.Err, own.Site) {
		return &discover.Result{Site: site, Err: wayfind.NewError("resolve", site.Origin, wayfind.CodeSecret, errRepeats), Outcomes: public.Outcomes}
	}
	return own
}

// placeOf asks a place with a credential. If there is none, it returns the answer without one, with
// the reason.
func (d *describer) placeOf(ctx context.Context, o *discover.Outcome, ask func(context.Context, *discover.Session) *discover.Outcome) *discover.Outcome {
	u, err := o.Candidate.Parse()
	if err != nil {
		return o
	}
	d.from = d.Place(u, u)
	a, end := d.begin(ctx)
	defer end()
	answer, err := d.document(ctx, a, u, false, func(work context.Context, a *discover.Session) *discover.Outcome { return ask(work, a) })
	if err == nil && answer != nil {
		return answer
	}
	refused := *o
	refused.Err = err
	verdict.Explain(&refused.Probe, err)
	return &refused
}
