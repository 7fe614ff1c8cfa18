package cache

import "context"

// fly is the run of a flight.
func (t *Transport) fly(flight context.Context, c *call) (outcome, error) {
	ctx, end := flown(flight, c)
	// Another flight may have ended between this caller's look and its start.
	held := t.lookup(ctx, c)
	out, ok := t.landed(ctx, c, &held)
	if !ok {
		out, ok = t.follow(ctx, c, &held)
	}
	if ok {
		end()
		return out, nil
	}
	out, err := t.fetch(ctx, c, held)
	if out.stream == nil { // a stream needs its context until it is closed
		end()
	}
	return out, err
}

// flown returns the context of a call in its flight, which is cancelled when
// nobody waits any more. It has the values of the caller; one in the background
// has a time limit besides.
func flown(flight context.Context, c *call) (ctx context.Context, end func()) {
	if c.caller != nil {
		return valued{flight, c.caller}, func() {}
	}
	ctx, cancel := context.WithCancel(c.req.Context())
	stop := context.AfterFunc(flight, cancel)
	return ctx, func() { stop(); cancel() }
}

// valued is a context with the values of another one besides.
type valued struct {
	context.Context
	values context.Context
}

// Value asks the context itself first, which is how package context finds what
// it hangs on.
func (v valued) Value(key any) any {
	if value := v.Context.Value(key); value != nil {
		return value
	}
	return v.values.Value(key)
}

// follow lets other processes ask, for as long as it is their turn, and reports
// whether one of them has got the answer.
func (t *Transport) follow(ctx context.Context, c *call, held **Entry) (outcome, bool) {
	if t.opts.Turn == nil || t.layers == nil || c.partition != "" || c.demands.noCache {
		return outcome{}, false
	}
	for ctx.Err() == nil {
		turn := t.opts.Turn(c.req.WithContext(ctx))
		if turn == TurnNow {
			break
		}
		c.behind = false
		if out, ok := t.landed(ctx, c, held); ok {
			return out, true
		}
		if turn == TurnLook {
			break
		}
	}
	return outcome{}, false
}

// landed reports whether there is no need to ask any more: what is held
// answers after all, or what another process has put into a far store does.
func (t *Transport) landed(ctx context.Context, c *call, held **Entry) (outcome, bool) {
	for range 2 {
		if e := *held; e != nil {
			wall, mono := t.opts.Clock.Read()
			out, ok := t.use(c, e, wall, mono)
			if !ok && c.renewed(e) {
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
