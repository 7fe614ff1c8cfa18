package cache

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/wayfindhq/wayfind/internal/run/flight"
)

// slowAfter returns the time after which a caller gets the held entry if the origin has not answered,
// or 0 if the caller waits: see Options.StaleAfter. Directives that forbid a stale answer have
// precedence.
func (t *Engine) slowAfter(c *call, held *Entry) time.Duration {
	if t.opts.StaleAfter <= 0 || t.opts.Strict || held == nil || c.ask.Rules != nil {
		return 0
	}
	age := held.age(t.clock.Read())
	if age < held.Lifetime.For || !held.mayStandIn(&c.demands, age, cmp.Or(t.opts.StaleIfError, maxStale), false) {
		return 0
	}
	return t.opts.StaleAfter
}

// atHeadWithin is atHead for a caller that waits for a time only, if it is not 0. slow reports that
// neither a header nor the end came by then.
func atHeadWithin(ctx context.Context, ticket *flight.Ticket[outcome, outcome], within time.Duration) (head outcome, begun, slow bool) {
	if within == 0 {
		head, begun = atHead(ctx, ticket)
		return head, begun, false
	}
	soon, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	if head, begun = atHead(soon, ticket); begun {
		return head, true, false
	}
	if _, err := ticket.Wait(soon); soon.Err() != nil && errors.Is(err, soon.Err()) && ctx.Err() == nil {
		return outcome{}, false, true
	}
	head, begun = atHead(ctx, ticket) // it may have come with the end
	return head, begun, false
}

// isSlow reports whether a request of a queue goes on for which a caller has waited for StaleAfter.
// The next callers need not wait as long, and send no request of their own.
func (t *Engine) isSlow(queue string) bool {
	_, is := t.slow.Load(queue)
	return is
}

// goOn lets the request of a caller that does not wait any more go on, until it ends or renewTimeout
// is over. There is one such request for a queue.
func (t *Engine) goOn(ticket *flight.Ticket[outcome, outcome], queue string) {
	if _, is := t.slow.LoadOrStore(queue, true); is {
		ticket.Leave()
		return
	}
	go func() { // ends with the flight, which Close waits for
		ctx, cancel := context.WithTimeout(context.Background(), renewTimeout)
		defer cancel()
		defer ticket.Leave()
		defer t.slow.Delete(queue)
		_, _ = ticket.Wait(ctx)
	}()
}

// slowAnswer is the answer with the held entry in place of one that has not come.
func (t *Engine) slowAnswer(c *call, held *Entry) Answer {
	return t.answer(&outcome{entry: held, from: FromStale, reason: StaleSlow, forward: t.forward(c, held)}, false)
}
