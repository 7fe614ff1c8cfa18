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

// Map is a cache.Store in a map. It keeps no obligations (cache.ObligationStore), so each Client keeps
// its own. It drops no entry before its time, so it is suitable for a few
// domains.
type Map struct {
	mu      sync.Mutex
	closed  bool
	entries map[string]kept
}

// kept contains the variants of a key, and the time until which they are kept.
type kept struct {
	variants *cache.Variants
	until    time.Time
}

// NewMap returns an empty store.
func NewMap() *Map { return &Map{entries: map[string]kept{}} }

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

// Close implements cache.Store.
func (m *Map) Close() error {
	_ = m.locked(context.Background(), func() { m.closed = true })
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
