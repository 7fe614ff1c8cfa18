package discover

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"sync/atomic"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/fairshare"
	"github.com/wayfindhq/wayfind/internal/fetch"
	"github.com/wayfindhq/wayfind/internal/lease"
	"github.com/wayfindhq/wayfind/internal/pausable"
	"github.com/wayfindhq/wayfind/internal/places"
	"github.com/wayfindhq/wayfind/internal/verdict"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

// Asking is the state that the requests of one call share. It does not change
// once they have begun.
type Asking struct {
	Engine  *Engine
	budget  *fetch.Budget     // of retries
	Work    *pausable.Context // of the whole call; nil: that of the request alone
	share   *fairshare.Share  // of the bytes that documents may occupy
	domain  string            // whose turn it is to read and to take room
	callers context.Context   // ends when the last caller has left; nil: none can
	Books   *rulebooks        // robots rules, each asked for once
	pins    EntryPins         // documents of the Site before
	lease   *lease.Lease      // of the fleet; nil: agree with no other process
	home    string            // the host that the call is about
	Foreign *atomic.Int64     // requests to other sites that the call may still make
	sent    *atomic.Int64     // counts requests on connections; nil: nothing asks for their number

	// credential is sent with requests to its origin; partition names whose
	// answers are kept apart. Both are zero for public answers.
	Credential []fetch.AuthPart
	Partition  string
}

// retryBudget is the number of retries in one call, over all its requests.
const retryBudget = 6

// NewAsking begins a call about a host, whose requests end with ctx, with
// Options.Timeout, and with end, which must be called. refresh asks again for
// robots rules that are fresh.
func (eng *Engine) NewAsking(ctx context.Context, home string, refresh bool) (a *Asking, end func()) {
	work, cancel := pausable.WithTimeout(ctx, eng.Opts.Timeout)
	a = &Asking{Engine: eng, Work: work, budget: fetch.NewBudget(retryBudget), Books: newRulebooks(refresh), home: home, domain: eng.Domain(home), Foreign: new(atomic.Int64)}
	a.Foreign.Store(int64(eng.Opts.Limits.Foreign))
	a.share = eng.Bytes.Open(a.domain, work.Pause)
	return a, func() {
		cancel()
		a.share.Close()
	}
}

// errForeign: the call has made as many requests to other sites as it may.
var errForeign = errors.New("too many requests to other sites")

// mayAsk counts a request to another site than the one that the call is about:
// a site whose places all redirect would have us ask others for it. Answers of
// a cache count as well, so that the bound does not depend on it.
func (a *Asking) mayAsk(u *url.URL) error {
	if a.home == "" || a.home == u.Hostname() || a.Engine.SameSite(a.home, u.Hostname()) || a.Foreign.Add(-1) >= 0 {
		return nil
	}
	return errForeign
}

// HostOfURL is the host of a URL in canonical form.
func HostOfURL(ref string) string {
	u, err := url.Parse(ref)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// anonymous is the asking without the caller's credential, for answers that
// belong to the origin.
func (a *Asking) anonymous() *Asking {
	if a.Partition == "" {
		return a
	}
	own := *a
	own.Credential, own.Partition = nil, ""
	return &own
}

// background is the asking for a request for which no caller waits: none can
// leave it, and it has retries of its own. Its part in the lease lasts until
// ctx ends.
func (a *Asking) background(ctx context.Context) *Asking {
	own := *a
	own.budget, own.Work, own.callers = fetch.NewBudget(retryBudget), nil, nil
	own.share = a.Engine.Bytes.Open(a.domain, nil)
	context.AfterFunc(ctx, own.share.Close)
	if a.lease != nil {
		own.lease = a.lease.Again()
		context.AfterFunc(ctx, own.lease.Leave)
	}
	return &own
}

// joinLease takes part in the lease of an origin; l is nil if there is no other process
// to agree with. leave ends that.
func (eng *Engine) joinLease(origin string) (l *lease.Lease, leave func()) {
	if eng.Layers == nil || eng.Opts.Offline {
		return nil, func() {}
	}
	l = eng.leases.Join(origin)
	return l, l.Leave
}

// Turn implements cache.Turns.
func (a *Asking) Turn(ctx context.Context) cache.Turn {
	return a.lease.Turn(ctx, a.left())
}

var ruleRefreshFailed = parse.Rule{Code: "refresh.failed", Severity: wayfind.SeverityWarning,
	Means: "The site could not be asked again. The result is an earlier answer.",
	Mend:  "The document needs no change. Ask again when the site answers."}

// Ask requests one candidate and reads the answer. refresh asks again even for
// fresh answers; when that fails, known and fresh ones are used all the same.
// It never fails: the outcome has the error.
func (a *Asking) Ask(ctx context.Context, candidate places.Candidate, refresh bool) *Outcome {
	o := a.AskOnce(ctx, candidate, refresh)
	if !refresh || !verdict.Held(o.Probe.Verdict) {
		return o
	}
	known := a.AskOnce(ctx, candidate, false) // the gate lets nothing through now
	if !known.Probe.Verdict.Answered() {
		return o
	}
	known.Diagnostics = append(known.Diagnostics, ruleRefreshFailed.Diagnostic(candidate.URL,
		"it could not be asked again (%s); this is an earlier answer", o.Probe.Verdict))
	return known
}

// AskOnce is ask without a second chance.
func (a *Asking) AskOnce(ctx context.Context, candidate places.Candidate, refresh bool) *Outcome {
	eng, o := a.Engine, NewOutcome(candidate)
	start := eng.Opts.Clock.Now()
	u, err := url.Parse(candidate.URL)
	if err != nil {
		o.fail(wayfind.NewError("resolve", candidate.URL, wayfind.CodeHostSyntax, nil))
		return o
	}
	t := &trip{
		Asking: a, candidate: &o.Candidate, directives: a.directives(&o.Candidate, refresh), most: eng.most(candidate),
		// Each attempt counts where a format has a floor.
		once: slices.ContainsFunc(candidate.Formats, func(f *parse.Format) bool { return f.Cache.Floor > 0 }),
		walk: fetch.Walk{URL: u, Redirects: candidate.Limits.Redirects, SameSiteOnly: candidate.Limits.SameSiteOnly, Sites: eng.Opts.Policy.SuffixList},
	}
	if failure, ok := eng.failures.recall(t); ok && !refresh {
		t.walk.Chain = failure.chain
		t.digest(o, failure.err)
		o.FreshUntil, o.Probe.FreshUntil = failure.Until, failure.Until
		o.Fact = t.fact(o, start)
		return o
	}
	err = t.run(ctx)
	if errors.Is(err, errForeign) {
		o := Skipped(candidate, resolve.ReasonForeign)
		o.Probe.Redirects = t.walk.Chain
		return o
	}
	if eng.Opts.Offline && t.entry == nil {
		return Skipped(candidate, string(wayfind.CodeOffline))
	}
	t.digest(o, err)
	if err != nil {
		eng.failures.remember(t, err, o.FreshUntil)
	}
	t.holdAbsence(ctx, o)
	o.Fact = t.fact(o, start)
	t.log(ctx, o)
	return o
}
