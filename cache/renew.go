package cache

import "context"

// renew asks for the entry of a call in the background (RFC 5861 §3): once for
// all who are served what is stale, as a flight that others may join. Close
// ends it.
func (t *Transport) renew(c *call) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.req.Context()), RenewTimeout)
	if t.opts.Background != nil {
		ctx = t.opts.Background(ctx)
	}
	own := *c
	own.req, own.flying = c.req.Clone(ctx), true
	ticket, joined := t.flights.Join(c.key, func(flight context.Context, _ func(struct{})) (outcome, error) {
		return t.fly(flight, &own)
	})
	if joined {
		ticket.Leave()
		cancel()
		return
	}
	go func() { // ends with the flight, which Close waits for
		defer cancel()
		defer ticket.Leave()
		if out, err := ticket.Wait(context.Background()); err == nil {
			t.counters.count(&out, false)
		}
	}()
}
