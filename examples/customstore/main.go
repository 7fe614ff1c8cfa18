// Customstore keeps answers in a store of its own. Here it is a map, but it could be a
// database.
//
//	go run ./examples/customstore
//
// The test runs the conformance tests of package cachetest.
package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// Map is a cache.Store in a map. It drops no entry before its time, so it is suitable for a few
// domains.
type Map struct {
	mu      sync.Mutex
	closed  bool
	entries map[string]kept
	holds   map[string]hold
	taken   int // the number of calls that took an obligation
}

// kept contains the variants of a key, and the time until which they are kept.
type kept struct {
	variants *cache.Variants
	until    time.Time
}

// hold is an obligation. A call takes it and may return it, and other calls may cool it down.
type hold struct {
	by            int
	taken, cooled time.Time
}

// NewMap returns an empty store.
func NewMap() *Map { return &Map{entries: map[string]kept{}, holds: map[string]hold{}} }

// locked runs work with the lock, unless the store is closed or ctx has ended.
func (m *Map) locked(ctx context.Context, work func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return cache.ErrClosed
	}
	work()
	return nil
}

// Load implements cache.Store.
func (m *Map) Load(ctx context.Context, key string) (v *cache.Variants, err error) {
	err = m.locked(ctx, func() {
		if k, ok := m.entries[key]; ok && k.until.After(time.Now()) {
			v = &cache.Variants{Entries: k.variants.Entries, From: "map"}
		}
	})
	return v, err
}

// Save implements cache.Store.
func (m *Map) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	return m.locked(ctx, func() {
		if delete(m.entries, key); retain > 0 {
			m.entries[key] = kept{v, time.Now().Add(retain)}
		}
	})
}

// Delete implements cache.Store.
func (m *Map) Delete(ctx context.Context, key string) error {
	return m.locked(ctx, func() { delete(m.entries, key) })
}

// Acquire implements cache.Store.
func (m *Map) Acquire(ctx context.Context, key string, until time.Time) (ok bool, held time.Time, release func(), err error) {
	err = m.locked(ctx, func() {
		now, h := time.Now(), m.holds[key]
		held = h.taken
		if h.cooled.After(held) {
			held = h.cooled
		}
		if held.After(now) {
			return
		}
		ok, held, release = true, time.Time{}, func() {}
		if until.After(now) {
			m.taken++
			h.by, h.taken = m.taken, until
			m.holds[key] = h
			release = func() { m.release(key, h.by) }
		}
	})
	return ok, held, release, err
}

// release releases the obligation that a call took. A later cool-down remains.
func (m *Map) release(key string, by int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if h := m.holds[key]; h.by == by {
		h.taken = time.Time{}
		m.holds[key] = h
	}
}

// Hold implements cache.Store.
func (m *Map) Hold(ctx context.Context, key string, until time.Time) error {
	return m.locked(ctx, func() {
		if h := m.holds[key]; until.After(h.cooled) {
			h.cooled = until
			m.holds[key] = h
		}
	})
}

// Close implements cache.Store.
func (m *Map) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run asks a site in memory from two Clients that share the store.
func run() error {
	internet, stop := clienttest.Start()
	defer stop()
	host := internet.Host("docs.example.com", clienttest.Pages{"/llms.txt": "# Docs\n\n> All about it.\n\n- [One](/one.md)\n"})
	store := NewMap()
	defer store.Close()
	for i := range 2 {
		opts, before := internet.Options(), len(host.Requests())
		opts.Store = store
		c, err := client.New(opts)
		if err != nil {
			return err
		}
		site, err := c.Resolve(context.Background(), "docs.example.com")
		if err != nil {
			return err
		}
		if err := c.Close(); err != nil {
			return err
		}
		fmt.Printf("client %d read %s; it asked the site: %t\n", i+1, site.Sources[0].URL, len(host.Requests()) > before)
	}
	return nil
}
