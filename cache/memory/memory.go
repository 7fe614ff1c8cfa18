// Package memory keeps responses and other values in the memory of one
// process, on ristretto.
//
// [New] gives a [Store] for cache.NewTransport and gate.New; [NewCache] a
// cache of any values:
//
//	store, err := memory.New(64 << 20)
//	if err != nil { ... }
//	defer store.Close()
//
// # Promises
//
// The next Get sees a set value at once, and the memory stays within the given
// number of bytes, counted by the cost of the values. Beyond that it may forget
// any value at any time: when it is full, the values that are used least go,
// and a new one that is not admitted stays for a short while only. Obligations
// (Acquire, Hold) are in an exact table and are not forgotten.
//
// Values are shared and must not be written to. Close is safe under load.
package memory

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/gate"
)

// DefaultBytes is the capacity that 0 stands for.
const DefaultBytes = 64 << 20

// Store implements [cache.Store] in memory.
type Store struct {
	entries *Cache[kept]
	holds   *gate.Holds
	eras    eras
	once    sync.Once
	common  any // of all Engines: see Common
}

// kept is the stored form of variants: for a single "no", its small form.
type kept struct {
	variants *cache.Variants
	folded   *cache.Folded
	stamp    stamp
}

func keep(v *cache.Variants) (kept, int64) {
	if len(v.Entries) == 1 && v.From == "" {
		if f := v.Entries[0].Folded(); f != nil {
			return kept{folded: f}, f.Size()
		}
	}
	return kept{variants: v}, v.Size()
}

func (k kept) unfolded() *cache.Variants {
	if k.folded == nil {
		return k.variants
	}
	return &cache.Variants{Entries: []*cache.Entry{k.folded.Entry()}}
}

// New returns a store that keeps entries of at most maxBytes in all; 0 means
// DefaultBytes, less is an error.
func New(maxBytes int64) (*Store, error) {
	entries, err := NewCache[kept](maxBytes)
	if err != nil {
		return nil, err
	}
	return &Store{entries: entries, holds: gate.NewHolds(0, nil)}, nil
}

// Stats returns how full the store is, obligations apart.
func (s *Store) Stats() Stats { return s.entries.Stats() }

// Local implements cache.LocalStore: no call waits for anything outside.
func (*Store) Local() bool { return true }

// Common returns the value that make returned to the first caller. Engines keep there
// what all Engines over this store must know.
func (s *Store) Common(make func() any) any {
	s.once.Do(func() { s.common = make() })
	return s.common
}

// Load implements cache.Store.
func (s *Store) Load(_ context.Context, key string) (*cache.Variants, error) {
	k, ok := s.entries.Get(key)
	if !ok && s.entries.isClosed() {
		return nil, cache.ErrClosed
	}
	if ok && s.eras.over(k.stamp, key) {
		return nil, nil
	}
	return k.unfolded(), nil
}

// RecentOf returns a function for the variants of a key that were saved or loaded lately,
// else nil. It is Load without its string and its reading of the clock, for entries that
// know their own time. There is none for a store that embeds this one, and may have a
// Load of its own.
func (s *Store) RecentOf(store cache.Store) func(key []byte) *cache.Variants {
	if store != cache.Store(s) {
		return nil
	}
	return s.recent
}

func (s *Store) recent(key []byte) *cache.Variants {
	k := s.entries.RecentBytes(key)
	if k == nil || k.stamp.epoch != nil && k.stamp.epoch.over.Load() || k.stamp.purges != s.eras.purges.Load() {
		return nil
	}
	if rand.Uint32()%touchEvery == 0 {
		s.entries.Touch(string(key))
	}
	return k.variants
}

// Save implements cache.Store. Variants that are larger than the whole store
// are not kept, and neither are those they replace.
func (s *Store) Save(_ context.Context, key string, v *cache.Variants, retain time.Duration) error {
	if s.entries.isClosed() {
		return cache.ErrClosed
	}
	k, cost := keep(v)
	k.stamp = s.eras.stamp(key)
	s.entries.Set(key, k, cost, retain)
	return nil
}

// Delete implements cache.Store.
func (s *Store) Delete(_ context.Context, key string) error {
	if s.entries.isClosed() {
		return cache.ErrClosed
	}
	s.entries.Del(key)
	return nil
}

// Acquire implements cache.Store.
func (s *Store) Acquire(_ context.Context, key string, until time.Time) (ok bool, held time.Time, release func(), err error) {
	if s.entries.isClosed() {
		return false, time.Time{}, nil, cache.ErrClosed
	}
	ok, held, release = s.holds.Acquire(key, until)
	return ok, held, release, nil
}

// Taken implements cache.GlanceStore.
func (s *Store) Taken(_ context.Context, of cache.Store, keys []string) (taken []string, err error) {
	if of != cache.Store(s) {
		return nil, errors.ErrUnsupported
	}
	if s.entries.isClosed() {
		return nil, cache.ErrClosed
	}
	for _, key := range keys {
		if _, held := s.holds.Until(key); held {
			taken = append(taken, key)
		}
	}
	return taken, nil
}

// Hold implements cache.Store.
func (s *Store) Hold(_ context.Context, key string, until time.Time) error {
	if s.entries.isClosed() {
		return cache.ErrClosed
	}
	s.holds.Hold(key, until)
	return nil
}

// Close frees the memory and ends the goroutines. It may be called more than
// once and while other calls are running.
func (s *Store) Close() error {
	s.entries.Close()
	return nil
}
