package client

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/describe"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security/pins"
)

// Resolve asks a domain and returns all findings, merged. domain is a domain or an https URL (see
// resolve.ParseTarget).
//
// A URL with a path or a query is requested itself first, by GET. If a format reads the answer, the URL is
// a document: it is read with its links, and no other place is asked. Otherwise the URL is the directory
// for the places below it. If the answer has a sign of a server and Options.Live is set, the URL is asked
// in the protocols of Live too. Signs are a 401 that names the metadata of the resource (RFC 9728 §5.1), a
// stream of events, and a refusal with a message of JSON-RPC or a field of MCP; Options.Targets adds or removes some.
// A target with resolve.ServerPrefix is asked in any case, and alone. If only Live is missing, the code of
// the error is CodeServer.
//
// A query may contain a secret. The Site, events and recordings have the query without it.
//
// The Site is non-nil if the target parsed and the Client is not closed, even if there is an error.
// The error is nil if at least one usable document was found. Otherwise it is a *wayfind.Error of
// kind ErrInvalid (the target is invalid, or all documents are broken), ErrRefused, ErrThrottled,
// ErrBlocked, ErrUnreachable, ErrNotFound or ErrClosed. It wraps ctx.Err() if ctx was canceled before
// anything was found, or if its deadline passed before most of the places had answered. A domain is the sum of its places (docs/FORMATS.md): Site.Incomplete lists those
// that gave no answer, also beside ErrNotFound and without an error.
//
// If ctx ends early, the findings so far are returned, the other places are marked skipped, and the
// next call asks only for those.
func (c *Client) Resolve(ctx context.Context, domain string) (*wayfind.Site, error) {
	return c.resolve(ctx, domain, nil)
}

// resolve is Resolve; to is passed to fly.
func (c *Client) resolve(ctx context.Context, domain string, to *discover.PaceObserver) (*wayfind.Site, error) {
	if err := c.open("resolve"); err != nil {
		return nil, err
	}
	if hit, ok := c.known(domain); ok {
		return c.answer(ctx, hit, nil)
	}
	target, diags, err := c.target(domain)
	if err != nil {
		return nil, err
	}
	if hit, ok := c.fresh(target); ok {
		return c.answer(ctx, hit, diags)
	}
	return c.ask(ctx, target, false, diags, to)
}

// answer returns a Site from memory. Only the places that a credential of the caller may open are asked.
func (c *Client) answer(ctx context.Context, hit *discover.SiteEntry, diags []wayfind.Diagnostic) (site *wayfind.Site, failure error) {
	if hit.Public == nil || !describe.MayOpen(ctx, c.engine, hit.Site, false) {
		c.hit(ctx, hit)
		return withDiagnostics(hit.Site, diags), hit.Err
	}
	leave, err := c.enter("resolve")
	if err != nil {
		return nil, err
	}
	defer leave()
	c.engine.Sites.Hit(hit)
	told := discover.Event{Kind: EventResolve, Target: hit.Site.Origin}
	ctx, part := c.engine.Observe(ctx, told)
	defer func() {
		told.Error = wayfind.ErrorClass(failure)
		part.End(told)
	}()
	start := c.engine.Opts.Clock.Now()
	result := describe.Open(ctx, c.engine, c.engine.FlightKey(hit.Public.Target, false), hit.Public)
	own := slices.DeleteFunc(slices.Clone(result.Outcomes), func(o *discover.Outcome) bool { return !o.Private })
	traceFlight(ctx, own, false, c.engine.Opts.Clock.Now().Sub(start))
	return withDiagnostics(result.Site, diags), result.Err
}

// known returns the Site of a target in this spelling from memory. An error about a server under development
// may not be the answer: see discover.Engine.Order.
func (c *Client) known(domain string) (*discover.SiteEntry, bool) {
	hit, ok := c.engine.Sites.Known(domain)
	return hit, ok && (hit.Err == nil || len(c.opts.Policy.AllowDev) == 0)
}

// fresh returns the Site of a target from memory.
func (c *Client) fresh(target resolve.Target) (*discover.SiteEntry, bool) {
	order := c.engine.Order(target)
	for i, t := range order {
		hit, ok := c.engine.Sites.Fresh(t.Key())
		if !ok || i == len(order)-1 || !errors.Is(hit.Err, wayfind.ErrNotFound) {
			return hit, ok
		}
	}
	return nil, false
}

// ask asks a target, by the targets of discover.Engine.Order: the first that is found, or the last, is the
// answer.
func (c *Client) ask(ctx context.Context, target resolve.Target, refresh bool, diags []wayfind.Diagnostic, to *discover.PaceObserver) (*wayfind.Site, error) {
	order := c.engine.Order(target)
	for _, t := range order[:len(order)-1] {
		site, err := c.join(ctx, c.engine.FlightKey(t, refresh), diags, to)
		if !errors.Is(err, wayfind.ErrNotFound) || ctx.Err() != nil {
			return site, err
		}
		refresh = refresh && t.Tail == "" && target.Tail == "" // else the places were asked just now
	}
	return c.join(ctx, c.engine.FlightKey(order[len(order)-1], refresh), diags, to)
}

// target parses the domain or the URL of a call, and hides the secrets of its query.
func (c *Client) target(s string) (resolve.Target, []wayfind.Diagnostic, error) {
	target, diags, err := resolve.ParseTargetFor(s, &c.engine.Opts.Policy)
	return c.engine.Hide(target), diags, err
}

// Refresh asks a domain again, even if all stored answers are fresh. It sends conditional requests
// if there are validators. An obligation (a Retry-After, a format's own pause) is respected. The
// results are the results of Resolve.
func (c *Client) Refresh(ctx context.Context, domain string) (*wayfind.Site, error) {
	if err := c.open("refresh"); err != nil {
		return nil, err
	}
	target, diags, err := c.target(domain)
	if err != nil {
		return nil, err
	}
	return c.ask(ctx, target, true, diags, nil)
}

// Peek returns the Site of the last Resolve as long as it is fresh, and sends no request. ok is
// false if there is no such Site, or if Options.Trust.Pins refuse it.
func (c *Client) Peek(domain string) (site *wayfind.Site, ok bool) {
	if c.unmade() {
		return nil, false
	}
	hit, ok := c.known(domain)
	if !ok {
		target, _, err := c.target(domain)
		if err != nil {
			return nil, false
		}
		if hit, ok = c.fresh(target); !ok {
			return nil, false
		}
	}
	if hit.Err != nil {
		if _, refused := errors.AsType[*pins.Error](hit.Err); refused {
			return nil, false
		}
	}
	return hit.Site, true
}

// hit counts and reports a call that the memory of Sites has answered.
func (c *Client) hit(ctx context.Context, hit *discover.SiteEntry) {
	c.engine.Sites.Hit(hit)
	if t := traceOf(ctx); t != nil {
		*t = Trace{FromMemory: true}
	}
	if c.opts.Observe != nil {
		e := discover.Event{Kind: EventResolve, Target: hit.Site.Origin}
		_, part := c.engine.Observe(ctx, e)
		e.From, e.Error = cache.FromMemory, wayfind.ErrorClass(hit.Err)
		part.End(e)
	}
}

// join takes part in the flight for a target and starts it if necessary.
func (c *Client) join(ctx context.Context, key discover.FlightKey, diags []wayfind.Diagnostic, to *discover.PaceObserver) (site *wayfind.Site, failure error) {
	leave, err := c.enter("resolve")
	if err != nil {
		return nil, err
	}
	defer leave()
	told := discover.Event{Kind: EventResolve, Target: key.Target.Origin}
	ctx, part := c.engine.Observe(ctx, told)
	defer func() {
		told.Error = wayfind.ErrorClass(failure)
		part.End(told)
	}()
	if err := ctx.Err(); err != nil {
		return c.partial(ctx, key, diags, nil)
	}
	start := c.engine.Opts.Clock.Now()
	ticket, joined := c.flights.Join(key, c.engine.Fly(key, discover.ObservedBy(ctx), to))
	told.Joined = joined
	c.counters.asked(joined)
	defer ticket.Leave()
	result, err := ticket.Wait(ctx)
	switch {
	case c.engine.Closed.Load():
		return nil, discover.ErrClosed("resolve")
	case err == nil:
		if joined {
			told.Leader = result.Leader
		}
		if describe.MayOpen(ctx, c.engine, result.Site, key.Refreshes()) {
			result = describe.Open(ctx, c.engine, key, result)
		}
		traceFlight(ctx, result.Outcomes, joined, c.engine.Opts.Clock.Now().Sub(start))
		return withDiagnostics(result.Site, diags), result.Err
	case ctx.Err() != nil:
		found := ticket.Findings()
		traceFlight(ctx, found, joined, c.engine.Opts.Clock.Now().Sub(start))
		return c.partial(ctx, key, diags, found)
	}
	return c.partial(ctx, key, diags, nil, c.engine.Landed(key.Target.Origin, err))
}

// partial makes a Site of the findings if the caller's time ran out. Its FreshUntil is its
// ResolvedAt, so the next call asks for the missing places.
func (c *Client) partial(ctx context.Context, key discover.FlightKey, diags []wayfind.Diagnostic, found []*discover.Outcome, failure ...error) (*wayfind.Site, error) {
	why := string(wayfind.CodeDeadline)
	if errors.Is(ctx.Err(), context.Canceled) {
		why = string(wayfind.CodeCanceled)
	}
	outcomes := latest(discover.SinceMove(found))
	asked := discover.AskedFor(key.Target, outcomes)
	plan, host := c.engine.Plan(asked), discover.HostOf(key.Target, asked)
	named := discover.NamedBy(key.Target, outcomes)
	if entry := c.engine.Entry(key.Target, plan); entry != nil && discover.EntryIn(key.Target, outcomes) == nil {
		outcomes = append(outcomes, discover.Skipped(entry, why))
	} else if entry != nil && named == key.Target {
		plan = nil
	}
	for i := range plan {
		if may, open := discover.Permitted(&plan[i], outcomes); (may || open) && discover.OutcomeAt(outcomes, plan[i].URL) == nil {
			outcomes = append(outcomes, discover.Skipped(&plan[i], why))
		}
	}
	judged := merge.Judge(key.Target.Origin, host, discover.Merged(outcomes))
	in := merge.Input{Target: named, Host: host, Diagnostics: diags, Plan: plan, Now: c.engine.Opts.Clock.Now(), CutShort: true, Judgement: judged}
	site, pins, ended := c.engine.Merge(fuel.Within(discover.PartialSteps), in, outcomes)
	if len(failure) > 0 {
		return site, failure[0]
	}
	if ended != nil {
		return site, discover.EndedBy(ctx.Err(), key.Target, "the findings could not be merged before the time was up")
	}
	if judged.Err == nil || judged.Known && !errors.Is(ctx.Err(), context.Canceled) {
		return site, cmp.Or(judged.Err, pins)
	}
	return site, discover.CutShort(key.Target, ctx.Err())
}

// latest keeps the last outcome of each place.
func latest(found []*discover.Outcome) []*discover.Outcome {
	last := make(map[string]int, len(found))
	for i, o := range found {
		last[o.Candidate.URL] = i
	}
	var outcomes []*discover.Outcome
	for i, o := range found {
		if last[o.Candidate.URL] == i {
			outcomes = append(outcomes, o)
		}
	}
	return outcomes
}

// withDiagnostics returns the Site with the diagnostics about one caller's spelling, which are not
// shared.
func withDiagnostics(site *wayfind.Site, diags []wayfind.Diagnostic) *wayfind.Site {
	if len(diags) == 0 {
		return site
	}
	own := *site
	own.Diagnostics = append(slices.Clone(diags), site.Diagnostics...)
	return &own
}
