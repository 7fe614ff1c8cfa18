package cache

import "context"

// renew asks for the entry of a call in the background (RFC 5861 §3). It asks once for all callers
// that get the stale entry, as a flight that others may join. Close ends it.
func (t *Engine) renew(c *call) {
	own, origin := *c, c.ask.kept().Origin
	own.flying = true
	g := t.guards.enter(c.guard.resource) // until the flight has its own
	ticket, joined := t.flights.Join(c.flightOf(), func(ctx context.Context, emit func(outcome)) (outcome, error) {
		ctx, cancel := context.WithTimeout(ctx, renewTimeout)
		own.set(origin.Background(ctx), t.identity)
		own.tells(emit)
		out, err := t.fly(ctx, &own)
		out.late = err != nil && ctx.Err() == context.DeadlineExceeded
		if out.stream == nil {
			cancel()
		} else { // a stream needs its context until it is closed
			context.AfterFunc(ctx, cancel)
		}
		return out, err
	})
	if joined {
		ticket.Leave()
		t.guards.leave(g)
		return
	}
	go func() { // ends with the flight, which Close waits for
		defer t.guards.leave(g)
		defer ticket.Leave()
		if out, err := ticket.Wait(context.Background()); err == nil {
			t.counters.count(&out, false)
		}
	}()
}
