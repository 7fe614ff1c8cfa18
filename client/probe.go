package client

import (
	"context"
	"iter"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/merge"
	"github.com/wayfindhq/wayfind/internal/work"
)

// Probe asks a domain like Resolve and yields the result of each place as soon
// as it is known, before documents are merged. It shares the requests of a
// Resolve that is under way. Breaking the loop leaves it; the other callers go
// on.
//
// An error is yielded once, with a nil Finding, and ends the loop: the target
// does not parse, ctx ended, or the Client was closed. A place that could not
// be asked is a Finding, not an error.
func (c *Client) Probe(ctx context.Context, domain string) iter.Seq2[*wayfind.Finding, error] {
	return func(yield func(*wayfind.Finding, error) bool) {
		if c.engine.closed.Load() {
			yield(nil, errClosed("probe"))
			return
		}
		target, _, err := c.target(domain)
		if err != nil {
			yield(nil, err)
			return
		}
		if err := ctx.Err(); err != nil {
			yield(nil, cutShort(target, err))
			return
		}
		start := c.engine.opts.clock.Now()
		key := c.engine.flightKey(target, false)
		ctx, end := c.engine.observe(ctx, Event{Kind: EventResolve, Target: target.Origin})
		told := Event{Kind: EventResolve, Target: target.Origin}
		defer func() { end(told) }()
		ticket, joined := c.flights.Join(key, c.engine.fly(key, observedBy(ctx), nil))
		told.Joined = joined
		c.engine.counters.asked(joined)
		defer ticket.Leave()
		var ended error
		for o := range ticket.All(ctx) {
			if o.doubtful() {
				continue // it comes again when the canary has had its say
			}
			var f *wayfind.Finding
			if ended = c.engine.counted(ctx, c.engine.domain(target.Host()), nil, func(w *work.Counter) { f = finding(w, o, target.Host()) }); ended != nil {
				break
			}
			if !yield(f, nil) {
				return
			}
		}
		_, err = ticket.Wait(ctx)
		traceFlight(ctx, latest(ticket.Findings()), joined, c.engine.opts.clock.Now().Sub(start))
		switch {
		case c.engine.closed.Load():
			yield(nil, errClosed("probe"))
		case ended != nil || err != nil && ctx.Err() != nil:
			yield(nil, cutShort(target, ctx.Err()))
		case err != nil:
			yield(nil, c.engine.landed(target.Origin, err))
		}
	}
}

// finding shows one outcome. Keys are unique within it; a Site may give
// another one "~2" where two sources collide.
func finding(w *work.Counter, o *outcome, host string) *wayfind.Finding {
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
