package gate

import (
	"context"
	"net/url"
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

// cool records the Cooldown that Judge returns for an outcome.
func (g *Gate) cool(u *url.URL, c Cooldown, started time.Duration) {
	name := urlkey.Origin(u)
	if c.URL {
		name = urlkey.Of(u)
	}
	now := g.clock.Now()
	until := c.Until
	if until.IsZero() && c.First > 0 {
		until = now.Add(g.double(name, c, started))
	}
	if limit := now.Add(cache.MaxHold); until.After(limit) {
		until = limit
	}
	if !until.After(now) {
		return
	}
	g.hold(context.Background(), name, until, c.Reason)
}

// hold records a cool-down here and in the store, where its errors are
// ignored: this process obeys anyhow.
func (g *Gate) hold(ctx context.Context, name string, until time.Time, reason string) {
	key := g.holdKey(name)
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
func (g *Gate) double(name string, c Cooldown, started time.Duration) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	wall, mono := g.clock.Read()
	limit := min(max(c.Max, c.First), cache.MaxHold)
	if c.First >= limit {
		return limit // there is nothing to double
	}
	b, ok := g.backoffs.get(name)
	switch {
	case !ok, mono-b.at > b.step+limit: // long ago
		b = backoff{step: min(c.First, limit), at: mono}
	case started > b.at:
		b = backoff{step: min(max(2*b.step, c.First), limit), at: mono}
	}
	g.backoffs.put(wall, name, b, wall.Add(b.step+limit))
	return b.step
}

// reset ends the doubling, for a URL and its origin.
func (g *Gate) reset(u *url.URL) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.backoffs.slots) == 0 { // as mostly
		return
	}
	g.backoffs.remove(urlkey.Origin(u))
	g.backoffs.remove(urlkey.Of(u))
}
