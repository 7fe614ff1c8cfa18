package gate

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/urlkey"
)

// Glance is a look at the cool-downs of many URLs at once, in a store that has them. A
// gate looks by it at each of those URLs, and has to ask the store for the ones alone that are
// held. Nil is none.
type Glance struct {
	gate  *Gate
	store cache.GlanceStore

	mu   sync.Mutex
	held map[string]bool // the keys, and which of them may be held
	at   time.Time       // when it was; zero: not yet
}

// glanceFor is how long a glance counts. What other processes learn of the origin
// meanwhile counts after that.
const glanceFor = 250 * time.Millisecond

// Glance returns one for some URLs of a lane; nil where the store cannot do that.
func (g *Gate) Glance(urls []*url.URL, lane Lane) *Glance {
	store, ok := g.store.(cache.GlanceStore)
	if !ok {
		return nil
	}
	gl := &Glance{gate: g, store: store, held: map[string]bool{}}
	for _, prefix := range lane.obeys() {
		for _, u := range urls {
			name := urlkey.Of(u)
			gl.held[g.holdKey(prefix, urlkey.Origin(u))] = true
			gl.held[g.holdKey(prefix, name)] = true
			for _, reason := range g.opts.Reasons {
				gl.held[g.holdKey(prefix, reasonName(name, reason))] = true
			}
		}
	}
	return gl
}

// free reports whether the store need not be asked for a key.
func (gl *Glance) free(ctx context.Context, key string) bool {
	if gl == nil {
		return false
	}
	gl.mu.Lock()
	defer gl.mu.Unlock()
	if _, known := gl.held[key]; !known {
		return false
	}
	if gl.at.IsZero() || time.Since(gl.at) > glanceFor {
		gl.look(ctx)
	}
	return !gl.held[key]
}

// look asks the store. gl.mu is held. After an error each key is asked for alone.
func (gl *Glance) look(ctx context.Context) {
	keys := make([]string, 0, len(gl.held))
	for key := range gl.held {
		keys = append(keys, key)
		gl.held[key] = true
	}
	gl.at = time.Now()
	taken, err := bounded(ctx, gl.gate.store, func(ctx context.Context) ([]string, error) { return gl.store.Taken(ctx, gl.store, keys) })
	if err != nil {
		if !errors.Is(err, errors.ErrUnsupported) {
			gl.gate.log(ctx, "acquire", err)
		}
		return
	}
	clear(gl.held)
	for _, key := range keys {
		gl.held[key] = false
	}
	for _, key := range taken {
		gl.held[key] = true
	}
}
