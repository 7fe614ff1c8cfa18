package client

import (
	"context"
	"net/http"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/internal/clock"
)

// siteCache keeps finished Sites by the canonical spelling of their target. A
// hit is one look-up of an immutable pointer. A Site stays here for
// cache.Retention past its freshness: its documents are what the next Resolve
// validates.
type siteCache struct {
	clock *clock.Clock
	table *memory.Cache[*siteEntry]
}

type siteEntry struct {
	key  string
	site *wayfind.Site
	err  error
	expiry
	mono time.Duration // when it was made
	pins pins
}

// pins are the responses that a Site was made of, by URL: whatever the
// response store forgets meanwhile, they can be validated.
type pins map[string]*cache.Entry

// newSiteCache takes its size in bytes, as siteCost estimates them.
func newSiteCache(clk *clock.Clock, size int64) (*siteCache, error) {
	table, err := memory.NewCache[*siteEntry](size)
	if err != nil {
		return nil, err
	}
	return &siteCache{clock: clk, table: table}, nil
}

// fresh finds a Site that still counts. key may be any string: only canonical
// spellings are stored, so a match is a hit.
func (s *siteCache) fresh(key string) (*siteEntry, bool) {
	e, ok := s.table.Get(key)
	return e, ok && e.key == key && e.fresh(s.clock)
}

// pins are the documents of a Site, fresh or not.
func (s *siteCache) pins(key string) pins {
	if e, ok := s.table.Get(key); ok && e.key == key {
		return e.pins
	}
	return nil
}

// store keeps a result. What is not fresh at all replaces what was there.
func (s *siteCache) store(key string, r *resolved) {
	if have, ok := s.table.Get(key); ok && have.mono > r.mono {
		return // a later one was faster
	}
	e := &siteEntry{key: key, site: r.site, err: r.err, expiry: expiryAt(s.clock, r.site.FreshUntil), mono: r.mono, pins: pins{}}
	for _, o := range r.outcomes {
		for _, entry := range o.entries {
			if entry.Storable() {
				e.pins[entry.URL] = entry
			}
		}
	}
	s.table.Set(key, e, siteCost(e), max(e.until.Sub(s.clock.Now()), 0)+cache.Retention)
}

func (s *siteCache) delete(key string) { s.table.Del(key) }

// Close ends the cache.
func (s *siteCache) Close() error {
	s.table.Close()
	return nil
}

// siteCost estimates the bytes of a Site: the model, and the responses that it
// keeps alive, whose text the model's strings are parts of.
func siteCost(e *siteEntry) int64 {
	const perSite, perCapability, perProbe = 1024, 1024, 256
	cost := int64(len(e.key) + perSite + len(e.site.Probes)*perProbe)
	for range e.site.Capabilities() {
		cost += perCapability
	}
	for _, entry := range e.pins {
		cost += entry.Size()
	}
	return cost
}

type pinsKey struct{}

// withPins lets the requests of a context fall back on the documents of the
// Site before.
func withPins(ctx context.Context, p pins) context.Context {
	return context.WithValue(ctx, pinsKey{}, p)
}

// pinned finds the document that a Site has kept (cache.Options.Pinned).
func pinned(req *http.Request) *cache.Entry {
	p, _ := req.Context().Value(pinsKey{}).(pins)
	return p[req.URL.String()]
}
