package client

import (
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/internal/clock"
)

// siteMemory is the size of the Site cache, in bytes as estimated by siteCost.
const siteMemory = 64 << 20

// siteCache keeps finished Sites by the canonical spelling of their target. A
// hit is one look-up of an immutable pointer.
type siteCache struct {
	clock *clock.Clock
	table *memory.Cache[*siteEntry]
}

type siteEntry struct {
	key   string
	site  *wayfind.Site
	err   error
	until time.Time
}

func newSiteCache(clk *clock.Clock) (*siteCache, error) {
	table, err := memory.NewCache[*siteEntry](siteMemory)
	if err != nil {
		return nil, err
	}
	return &siteCache{clock: clk, table: table}, nil
}

// fresh finds a Site that still counts. key may be any string: only canonical
// spellings are stored, so a match is a hit.
func (s *siteCache) fresh(key string) (*siteEntry, bool) {
	e, ok := s.table.Get(key)
	if !ok || e.key != key || !isFresh(e.until, s.clock.Now()) {
		return nil, false
	}
	return e, true
}

// store keeps a result until its end of freshness. What is not fresh at all
// replaces what was there.
func (s *siteCache) store(key string, r *resolved) {
	ttl := r.site.FreshUntil.Sub(s.clock.Now())
	if have, ok := s.table.Get(key); ok && have.site.ResolvedAt.After(r.site.ResolvedAt) {
		return // a later one was faster
	}
	if ttl <= 0 {
		s.table.Del(key)
		return
	}
	s.table.Set(key, &siteEntry{key: key, site: r.site, err: r.err, until: r.site.FreshUntil}, siteCost(key, r), ttl)
}

func (s *siteCache) delete(key string) { s.table.Del(key) }

// Close ends the cache.
func (s *siteCache) Close() error {
	s.table.Close()
	return nil
}

// siteCost estimates the bytes of a Site: the model, and the documents, whose
// text the model's strings are parts of.
func siteCost(key string, r *resolved) int64 {
	const perSite, perCapability, perProbe = 1024, 1024, 256
	cost := int64(len(key) + perSite + len(r.site.Probes)*perProbe)
	for range r.site.Capabilities() {
		cost += perCapability
	}
	for _, o := range r.outcomes {
		if len(o.Readings) > 0 {
			cost += o.doc.Size()
		}
	}
	return cost
}
