package client

import (
	"context"
	"iter"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/site/merge"
)

// Probe asks a domain like Resolve and yields the result of each place as soon as it is known,
// before documents are merged. It shares the requests of a Resolve that is under way. Breaking the
// loop ends the share of this caller; the other callers go on.
//
// If the target does not parse, ctx ends or the Client is closed, an error is yielded once, with a
// nil Finding, and ends the loop. A place that could not be asked is a Finding, not an error.
func (c *Client) Probe(ctx context.Context, domain string) iter.Seq2[*wayfind.Finding, error] {
	return func(yield func(*wayfind.Finding, error) bool) {
		leave, err := c.enter("probe")
		if err != nil {
			yield(nil, err)
			return
		}
		defer leave()
		target, _, err := c.target(domain)
		if err != nil {
			yield(nil, err)
			return
		}
		if err := ctx.Err(); err != nil {
			yield(nil, discover.CutShort(target, err))
			return
		}
		start := c.engine.Opts.Clock.Now()
		key := c.engine.FlightKey(target, false)
		told := discover.Event{Kind: EventResolve, Target: target.Origin}
		ctx, part := c.engine.Observe(ctx, told)
		defer func() { part.End(told) }()
		ticket, joined := c.flights.Join(key, c.engine.Fly(key, discover.ObservedBy(ctx), nil))
		told.Joined = joined
		c.counters.asked(joined)
		defer ticket.Leave()
		var ended error
		for o := range ticket.All(ctx) {
			if o.Doubtful() {
				continue // it comes again after the canary was answered
			}
			var f *wayfind.Finding
			if ended = c.engine.Counted(ctx, c.engine.Domain(target.Host()), nil, func(w *fuel.Counter) { f = finding(w, o, target.Host()) }); ended != nil {
				break
			}
			if !yield(f, nil) {
				return
			}
		}
		_, err = ticket.Wait(ctx)
		traceFlight(ctx, latest(ticket.Findings()), joined, c.engine.Opts.Clock.Now().Sub(start))
		switch {
		case c.engine.Closed.Load():
			yield(nil, discover.ErrClosed("probe"))
		case ended != nil || err != nil && ctx.Err() != nil:
			yield(nil, discover.CutShort(target, ctx.Err()))
		case err != nil:
			yield(nil, c.engine.Landed(target.Origin, err))
		}
	}
}

// finding returns one outcome as a Finding. Keys are unique within it. If two sources collide, a
// Site may give another key the suffix "~2".
func finding(w *fuel.Counter, o *discover.Outcome, host string) *wayfind.Finding {
	f := &wayfind.Finding{Probe: o.Probe, Diagnostics: o.Diagnostics}
	keys := merge.NewKeys(w, host)
	for i, r := range o.Readings {
		if i == 0 {
			source := r.Source
			f.Source = &source
		}
		for _, s := range keys.Services(r) {
			f.Capabilities = append(f.Capabilities, s.Capabilities...)
			s.Capabilities = nil
			f.Services = append(f.Services, s)
		}
	}
	return f
}
