package client

import (
	"context"
	"iter"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/resolve"
)

// Probe asks a domain like Resolve and yields what each place gave as soon as
// it is known, before documents are merged. It shares the requests of a
// Resolve that is under way. Breaking the loop leaves it; the other callers
// go on.
//
// An error is yielded once, with a nil Finding, and ends the loop: the target
// does not parse, ctx ended, or the Client was closed. A place that could not
// be asked is a Finding, not an error.
func (c *Client) Probe(ctx context.Context, domain string) iter.Seq2[*wayfind.Finding, error] {
	return func(yield func(*wayfind.Finding, error) bool) {
		if c.closed.Load() {
			yield(nil, errClosed("probe"))
			return
		}
		target, _, err := resolve.ParseTarget(domain)
		if err != nil {
			yield(nil, err)
			return
		}
		key := flightKey{target: target}
		ticket, _ := c.flights.Join(key, c.fly(key))
		defer ticket.Leave()
		for o := range ticket.All(ctx) {
			if !yield(finding(o, target.Host()), nil) {
				return
			}
		}
		if _, err := ticket.Wait(ctx); err != nil {
			yield(nil, probeError(c, target, err))
		}
	}
}

func probeError(c *Client, target resolve.Target, err error) error {
	if c.closed.Load() {
		return errClosed("probe")
	}
	return &wayfind.Error{Op: "probe", URL: target.Origin, Kind: wayfind.ErrUnreachable, Code: wayfind.CodeCanceled, Err: err}
}

// finding shows one outcome. Keys are unique within it; a Site may give
// another one "~2" where two sources collide.
func finding(o *outcome, host string) *wayfind.Finding {
	f := &wayfind.Finding{Probe: o.Probe, Diagnostics: o.Diagnostics}
	taken := map[string]bool{}
	for i, r := range o.Readings {
		if i == 0 {
			source := r.Source
			f.Source = &source
		}
		for _, s := range resolve.Keyed(r, host, taken) {
			f.Capabilities = append(f.Capabilities, s.Capabilities...)
			s.Capabilities = nil
			f.Services = append(f.Services, s)
		}
	}
	return f
}
