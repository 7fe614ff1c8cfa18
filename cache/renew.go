package cache

import (
	"context"
	"hash/maphash"
	"net/http"
	"time"
)

// renewPause is the time after a failed request in the background until the next one.
const renewPause = 5 * time.Second

// renew asks for the entry of a call in the background (RFC 5861 §3). It asks once for all callers
// that get the stale entry, as a flight that others may join. Close ends it. After a failure it asks no
// more for a while, however many callers get the entry.
func (t *Engine) renew(c *call) {
	queue := maphash.String(t.seed, c.queue)
	if t.failing.has(queue, t.clock.Mono()) {
		return
	}
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
		out, err := ticket.Wait(context.Background())
		if err == nil {
			t.counters.count(&out, false)
		}
		if c.ask.Rules == nil && (err != nil || out.from == FromStale || isServerError(out.status) || out.status == http.StatusTooManyRequests) {
			t.failing.add(queue, t.clock.Mono()+renewPause)
		}
	}()
}
