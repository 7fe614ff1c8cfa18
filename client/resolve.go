package client

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/merge"
	"github.com/wayfindhq/wayfind/internal/places"
	"github.com/wayfindhq/wayfind/internal/work"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security/pins"
)

// Resolve asks a domain and returns all that was found, merged. domain is a
// domain or an https URL (see resolve.ParseTarget). With Options.Live a URL with a
// path is asked itself, before all places: no document needs to name it.
//
// The Site is non-nil whenever the target parsed, also beside an error, until
// the Client is closed. The error is nil when at least one usable document was found. Otherwise it is a
// *wayfind.Error of kind ErrInvalid (the target, or nothing but broken
// documents), ErrRefused, ErrThrottled, ErrBlocked, ErrUnreachable,
// ErrNotFound or ErrClosed; it wraps ctx.Err() when ctx ended before anything
// was found.
//
// When ctx ends early, the findings so far are returned, the other places
// are marked skipped, and the next call asks only for those.
func (c *Client) Resolve(ctx context.Context, domain string) (*wayfind.Site, error) {
	return c.resolve(ctx, domain, nil)
}

// resolve is Resolve; to is that of fly.
func (c *Client) resolve(ctx context.Context, domain string, to *listener) (*wayfind.Site, error) {
	if c.engine.closed.Load() {
		return nil, errClosed("resolve")
	}
	if hit, ok := c.engine.sites.known(domain); ok {
		c.hit(ctx, hit)
		return hit.site, hit.err
	}
	target, diags, err := c.target(domain)
	if err != nil {
		return nil, err
	}
	if hit, ok := c.engine.sites.fresh(target.Key()); ok {
		c.hit(ctx, hit)
		return withDiagnostics(hit.site, diags), hit.err
	}
	return c.join(ctx, c.engine.flightKey(target, false), diags, to)
}

// target reads the domain or the URL of a call.
func (c *Client) target(s string) (resolve.Target, []wayfind.Diagnostic, error) {
	return resolve.ParseTargetFor(s, &c.engine.opts.Policy)
}

// Refresh asks a domain again, with conditional requests where there are
// validators, also when all that is known is fresh. An obligation (a
// Retry-After, a format's own pause) is respected. It has the results of
// Resolve.
func (c *Client) Refresh(ctx context.Context, domain string) (*wayfind.Site, error) {
	if c.engine.closed.Load() {
		return nil, errClosed("refresh")
	}
	target, diags, err := c.target(domain)
	if err != nil {
		return nil, err
	}
	return c.join(ctx, c.engine.flightKey(target, true), diags, nil)
}

// Peek returns the Site of the last Resolve as long as it is fresh, and sends
// no request. ok is false when there is none, and when Options.Trust.Pins refuse it.
func (c *Client) Peek(domain string) (site *wayfind.Site, ok bool) {
	hit, ok := c.engine.sites.known(domain)
	if !ok {
		target, _, err := c.target(domain)
		if err != nil {
			return nil, false
		}
		if hit, ok = c.engine.sites.fresh(target.Key()); !ok {
			return nil, false
		}
	}
	if hit.err != nil {
		if _, refused := errors.AsType[*pins.Error](hit.err); refused {
			return nil, false
		}
	}
	return hit.site, true
}

// hit counts and tells of a call that the memory of Sites has answered.
func (c *Client) hit(ctx context.Context, hit *siteEntry) {
	c.engine.sites.hit(hit)
	traceHit(ctx)
	if c.engine.opts.Observe != nil {
		e := Event{Kind: EventResolve, Target: hit.site.Origin}
		_, end := c.engine.observe(ctx, e)
		e.From, e.Error = cache.FromMemory, wayfind.ErrorClass(hit.err)
		end(e)
	}
}

// join takes part in the flight for a target, starting it if need be.
func (c *Client) join(ctx context.Context, key flightKey, diags []wayfind.Diagnostic, to *listener) (site *wayfind.Site, failure error) {
	ctx, end := c.engine.observe(ctx, Event{Kind: EventResolve, Target: key.target.Origin})
	told := Event{Kind: EventResolve, Target: key.target.Origin}
	defer func() {
		told.Error = wayfind.ErrorClass(failure)
		end(told)
	}()
	if err := ctx.Err(); err != nil {
		return c.partial(ctx, key, diags, nil)
	}
	start := c.engine.opts.clock.Now()
	ticket, joined := c.flights.Join(key, c.engine.fly(key, observedBy(ctx), to))
	told.Joined = joined
	c.engine.counters.asked(joined)
	defer ticket.Leave()
	result, err := ticket.Wait(ctx)
	switch {
	case c.engine.closed.Load():
		return nil, errClosed("resolve")
	case err == nil:
		if joined {
			told.Leader = result.leader
		}
		traceFlight(ctx, result.outcomes, joined, c.engine.opts.clock.Now().Sub(start))
		return withDiagnostics(result.site, diags), result.err
	case ctx.Err() != nil:
		found := ticket.Findings()
		traceFlight(ctx, found, joined, c.engine.opts.clock.Now().Sub(start))
		return c.partial(ctx, key, diags, found)
	}
	return c.partial(ctx, key, diags, nil, c.engine.landed(key.target.Origin, err))
}

// partial makes a Site of the findings when the caller's time was up. Its
// FreshUntil is its ResolvedAt: the next call asks for the missing places.
func (c *Client) partial(ctx context.Context, key flightKey, diags []wayfind.Diagnostic, found []*outcome, failure ...error) (*wayfind.Site, error) {
	plan := places.Plan(key.target, c.engine.opts.Formats)
	outcomes := latest(found)
	if typed, ok := typedPlace(key.target.Base, key.target.String(), c.engine.opts.Live); ok && outcomeAt(outcomes, typed.URL) == nil {
		outcomes = append(outcomes, skipped(typed, string(wayfind.CodeDeadline)))
	}
	for _, candidate := range plan {
		if may, open := permitted(candidate, outcomes); (may || open) && outcomeAt(outcomes, candidate.URL) == nil {
			outcomes = append(outcomes, skipped(candidate, string(wayfind.CodeDeadline)))
		}
	}
	in := merge.Input{Target: key.target, Diagnostics: diags, Plan: plan, Now: c.engine.opts.clock.Now(), CutShort: true}
	site, pins, ended := c.engine.merge(work.Within(partialSteps), in, outcomes)
	if len(failure) > 0 {
		return site, failure[0]
	}
	if ended != nil {
		return site, endedBy(ctx.Err(), key.target, "the findings could not be merged before the time was up")
	}
	if merge.Failure(site, inner(outcomes)) == nil {
		return site, pins
	}
	return site, cutShort(key.target, ctx.Err())
}

// merge makes the Site of some outcomes, with this Client's own diagnostics.
// pinned is the error of a Site that differs from its pins; ended reports that
// w ended the work early, as merge.SiteWithin does.
func (eng *engine) merge(w *work.Counter, in merge.Input, outcomes []*outcome) (site *wayfind.Site, pinned, ended error) {
	in.Outcomes, in.Cautions = inner(outcomes), eng.cautions(outcomes)
	if eng.opts.Trust.Pins != nil {
		in.Pins = func(site *wayfind.Site) []wayfind.Diagnostic {
			report, _ := eng.opts.Trust.Pins.CheckContext(w.Context(), site) // it ends with the merge
			pinned = eng.pinError("resolve", site.Origin, report)
			return sitePins(site, report)
		}
	}
	_ = w.Do(func() { in.Robots = eng.robotsNotes(w, outcomes) }) // a call that has ended here ends there too
	site, ended = merge.SiteWithin(w, in)
	eng.counters.steps.Add(uint64(w.Steps()))
	return site, pinned, ended
}

// latest keeps the last outcome of each place.
func latest(found []*outcome) []*outcome {
	last := make(map[string]int, len(found))
	for i, o := range found {
		last[o.Candidate.URL] = i
	}
	var outcomes []*outcome
	for i, o := range found {
		if last[o.Candidate.URL] == i {
			outcomes = append(outcomes, o)
		}
	}
	return outcomes
}

// cutShort is the error of a call that ended before anything was found.
func cutShort(target resolve.Target, cause error) error {
	return endedBy(cause, target, "nothing was found before the time was up")
}

func endedBy(cause error, target resolve.Target, what string) error {
	code := wayfind.CodeTimeout
	if errors.Is(cause, context.Canceled) {
		code = wayfind.CodeCanceled
	}
	return wayfind.NewError("resolve", target.Origin, code, fmt.Errorf("%s: %w", what, cause))
}

// inner strips the parts that only a Trace shows.
func inner(outcomes []*outcome) []*merge.Outcome {
	list := make([]*merge.Outcome, len(outcomes))
	for i, o := range outcomes {
		list[i] = &o.Outcome
	}
	return list
}

// resolved is the result of a flight.
type resolved struct {
	site     *wayfind.Site
	err      error
	outcomes []*outcome
	leader   context.Context // that Observe has for the call that began the work
}

// withDiagnostics returns the Site with the diagnostics of one caller's
// spelling, which are not shared.
func withDiagnostics(site *wayfind.Site, diags []wayfind.Diagnostic) *wayfind.Site {
	if len(diags) == 0 {
		return site
	}
	own := *site
	own.Diagnostics = append(slices.Clone(diags), site.Diagnostics...)
	return &own
}
