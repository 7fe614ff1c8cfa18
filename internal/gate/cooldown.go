package gate

import (
	"context"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/urlkey"
)

// Cooldown is the consequence of a request's outcome for later ones. The zero
// value for an answer means success: once its body has been read to its end, it
// resets the back-off of URL and origin. For an error it means nothing.
type Cooldown struct {
	// Reason is repeated in cache.HeldError.
	Reason string
	// URL: only this URL must not be asked; otherwise the whole origin.
	URL bool
	// Until is an exact end, a server's "not before". cache.MaxHold caps it.
	Until time.Time
	// First is how long the first of several failures holds; each later one
	// holds twice as long, up to Max. Failures of requests that were under way
	// together count once. Not used when Until is set.
	First, Max time.Duration
}

// backoff is the state of the doubling of one key.
type backoff struct {
	step time.Duration
	at   time.Duration // monotonic time of the last doubling
}

// cool records the Cooldown that Judge returns for an answer, or for a failure.
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

// hold records a cool-down here and in the store, where its errors are
// ignored: this process obeys anyhow.
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

// double returns how long the next hold lasts. A request that had started
// before the last doubling belongs to the same failure.
func (g *Gate) double(key string, c Cooldown, started time.Duration) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	wall, mono := g.clock.Read()
	limit := min(max(c.Max, c.First), cache.MaxHold)
	if c.First >= limit {
		return limit // there is nothing to double
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

// reset ends the doubling, for the URL and its origin, in the lane of the request.
func (p *Pass) reset() {
	g := p.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.backoffs.slots) == 0 { // as mostly
		return
	}
	for _, name := range [...]string{urlkey.Origin(p.url), urlkey.Of(p.url)} {
		g.backoffs.remove(g.holdKey(p.lane.prefix(), name))
	}
}
