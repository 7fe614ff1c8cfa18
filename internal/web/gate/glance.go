package gate

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/syntax/urlkey"
)

// Glance checks the cool-downs of many URLs at once, in a store that supports this. With a
// Glance, a gate asks the store only for the keys of these URLs that are held. A nil Glance
// has no effect.
type Glance struct {
	gate  *Gate
	store cache.GlanceStore

	mu   sync.Mutex
	held map[string]bool // the keys; true for keys that may be held
	at   time.Time       // time of the last check; zero if there was none
}

// glanceFor is the time for which a check is valid. Holds that other processes record in the
// meantime take effect afterwards.
const glanceFor = 250 * time.Millisecond

// Glance returns a Glance for some URLs of a lane; nil if the store does not support it.
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

// look checks all keys in the store. gl.mu is held. After an error the store is asked for each
// key separately.
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
