package gate

import (
	"context"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/syntax/urlkey"
)

// Cooldown is the consequence of a request's outcome for later requests. The zero value for an
// answer means success: after its body has been read to its end, the back-off of the URL and
// the origin is reset. For an error, the zero value has no effect.
type Cooldown struct {
	// Reason is the reason in the cache.HeldError.
	Reason string
	// URL is true if only this URL must not be requested; otherwise no URL of the origin may
	// be.
	URL bool
	// Until is an exact end, from a server's "not before". cache.MaxHold limits it.
	Until time.Time
	// First is the duration of the hold after the first of several failures. Each later
	// failure doubles it, up to Max. Failures of requests that were in progress at the same
	// time are one failure. First and Max are not used if Until is set.
	First, Max time.Duration
}

// backoff is the state of the back-off of one key.
type backoff struct {
	step time.Duration
	at   time.Duration // monotonic time of the last doubling
}

// cool records the Cooldown that Judge returned for an answer or for an error.
func (p *Pass) cool(c Cooldown, answered bool) {
	g := p.gate
	c = p.consequence(c, answered)
	name := urlkey.Origin(p.url)
	if c.URL {
		name = urlkey.Of(p.url)
	}
	key := g.holdKey(p.lane.prefix(), name)
	now := g.clock.Now()
	until := c.Until
	if until.IsZero() && c.First > 0 {
		until = now.Add(g.double(key, c, p.started))
	}
	if limit := now.Add(cache.MaxHold); until.After(limit) {
		until = limit
	}
	if !until.After(now) {
		return
	}
	g.hold(context.Background(), key, until, c.Reason)
}

// hold records a cool-down in the gate's own table and in the store. Errors of the store are
// only logged, because the gate obeys its own table anyway.
func (g *Gate) hold(ctx context.Context, key string, until time.Time, reason string) {
	g.holds.hold(key, until, reason)
	if g.store == nil {
		return
	}
	_, err := bounded(context.WithoutCancel(ctx), g.store, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, g.store.Hold(ctx, key, until)
	})
	if err != nil {
		g.log(ctx, "hold", err)
	}
}

// double returns the duration of the next hold. If the request started before the last
// doubling, its failure is part of the earlier one.
func (g *Gate) double(key string, c Cooldown, started time.Duration) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	wall, mono := g.clock.Read()
	limit := min(max(c.Max, c.First), cache.MaxHold)
	if c.First >= limit {
		return limit // no room for a doubling
	}
	b, ok := g.backoffs.get(key)
	switch {
	case !ok, mono-b.at > b.step+limit: // long ago
		b = backoff{step: min(c.First, limit), at: mono}
	case started > b.at:
		b = backoff{step: min(max(2*b.step, c.First), limit), at: mono}
	}
	g.backoffs.put(wall, key, b, wall.Add(b.step+limit))
	return b.step
}

// reset ends the back-off of the URL and its origin, in the lane of the request.
func (p *Pass) reset() {
	g := p.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.backoffs.slots) == 0 { // the usual case
		return
	}
	for _, name := range [...]string{urlkey.Origin(p.url), urlkey.Of(p.url)} {
		g.backoffs.remove(g.holdKey(p.lane.prefix(), name))
	}
}
