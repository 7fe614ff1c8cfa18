package cache

import (
	"context"

	"github.com/wayfindhq/wayfind/internal/run/flight"
)

// takeOff joins a flight, or begins it for a call.
func (t *Engine) takeOff(ctx context.Context, name flightKey, c *call) (ticket *flight.Ticket[outcome, outcome], joined bool) {
	if c.ask.Inline && c.ask.Rules != nil {
		return t.flights.Inline(ctx, name, func(ctx context.Context, _ func(outcome)) (outcome, error) {
			out, err := t.fly(ctx, c)
			out.late = err != nil && ctx.Err() != nil
			return out, err
		})
	}
	return t.flights.Join(name, func(ctx context.Context, emit func(outcome)) (outcome, error) {
		c.tells(emit)
		return t.fly(ctx, c)
	})
}

// fly runs a flight. ctx ends when no caller waits any more.
func (t *Engine) fly(ctx context.Context, c *call) (outcome, error) {
	c.guard = t.guards.enter(ResourceOf(c.key))
	defer t.guards.leave(c.guard)
	// Another flight may have ended between this caller's lookup and its start.
	held := t.lookup(ctx, c)
	out, ok := t.landed(ctx, c, &held)
	if !ok {
		out, ok = t.follow(ctx, c, &held)
	}
	if ok {
		return out, nil
	}
	out, err := t.fetch(ctx, c, held)
	if err == nil {
		t.learn(c, &out)
	}
	return out, err
}

// follow waits while other processes may ask, and reports whether one of them has got the answer.
func (t *Engine) follow(ctx context.Context, c *call, held **Entry) (outcome, bool) {
	turns := c.ask.Turns
	if turns == nil || t.layers == nil || c.ask.Partition != "" || c.demands.noCache {
		return outcome{}, false
	}
	for ctx.Err() == nil {
		turn, since := turns.Turn(ctx)
		if turn == TurnNow {
			break
		}
		c.behind, c.waits = false, turn == TurnWait
		if turn == TurnLook {
			if c.after = since; since == 0 {
				c.after = t.layers.Moment()
			}
		}
		if out, ok := t.landed(ctx, c, held); ok {
			return out, true
		}
		if turn == TurnLook {
			break
		}
	}
	return outcome{}, false
}

// landed reports whether the origin need not be asked any more, because the held entry answers
// after all, or an entry that another process has put into a far store.
func (t *Engine) landed(ctx context.Context, c *call, held **Entry) (outcome, bool) {
	for range 2 {
		if e := *held; e != nil {
			wall, mono := t.clock.Read()
			out, ok := t.use(c, e, wall, mono)
			if !ok && t.renewed(c, e) {
				out, ok = outcome{entry: e, from: c.from}, true
			}
			if ok {
				return out, true
			}
		}
		if t.layers == nil || c.demands.noCache {
			break
		}
		newer := t.lookBehind(ctx, c, *held)
		if newer == nil {
			break
		}
		*held = newer
	}
	return outcome{}, false
}
