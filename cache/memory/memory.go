// Package memory keeps responses and other values in the memory of one
// process, on ristretto.
//
// [New] returns a [Store] for cache.NewTransport and gate.New. [NewCache] returns a cache for
// values of any type:
//
//	store, err := memory.New(64 << 20)
//	if err != nil { ... }
//	defer store.Close()
//
// # Promises
//
// The next Get sees a set value at once, and the memory stays within the given number of bytes,
// measured by the cost of the values. Apart from that, it may forget any value at any time. When it
// is full, the values that are used least are removed, and a new value that is not admitted stays
// only for a short while. Obligations (Acquire, Hold) are in an exact table and are not forgotten.
//
// Values are shared and must not be written to. Close may be called while other calls are running.
package memory

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/web/gate"
)

// DefaultBytes is the default capacity, in bytes.
const DefaultBytes = 64 << 20

// Store implements [cache.Store] in memory.
type Store struct {
	entries *Cache[kept]
	holds   *gate.Holds
	eras    eras
	once    sync.Once
	common  any // shared by all Engines: see Common
	saving  [savers]sync.Mutex
}

// kept is a value of the table: the variants of a key, or the absences of an origin.
type kept struct {
	variants *cache.Variants
	stamp    stamp
	absences *absences
}

// New returns a store whose entries take at most maxBytes in total. Zero means DefaultBytes, and a
// negative value is an error.
func New(maxBytes int64) (*Store, error) {
	entries, err := NewCache[kept](maxBytes)
	if err != nil {
		return nil, err
	}
	return &Store{entries: entries, holds: gate.NewHolds(0, nil)}, nil
}

// errUnmade is the error of a Store that New did not make.
var errUnmade = errors.New("memory: this Store is nil or zero: memory.New makes one")

func (s *Store) unmade() bool { return s == nil || s.entries == nil }

// gone returns the reason why the store cannot be used, or nil.
func (s *Store) gone() error {
	switch {
	case s.unmade():
		return errUnmade
	case s.entries.isClosed():
		return cache.ErrClosed
	}
	return nil
}

// Stats returns the present state of the store, without obligations.
func (s *Store) Stats() Stats {
	if s.unmade() {
		return Stats{}
	}
	return s.entries.Stats()
}

// Local implements cache.LocalStore. It returns true, because no call waits for anything outside
// the process.
func (*Store) Local() bool { return true }

// Common returns the value that make returned to the first caller. Engines use it to share state
// with all other Engines over this store.
func (s *Store) Common(make func() any) any {
	s.once.Do(func() { s.common = make() })
	return s.common
}

// Load implements cache.Store.
func (s *Store) Load(_ context.Context, key string) (*cache.Variants, error) {
	if s.unmade() {
		return nil, errUnmade
	}
	k, ok := s.entries.Get(key)
	switch {
	case ok && s.eras.over(k.stamp, key):
		return nil, nil
	case ok:
		return k.variants, nil
	case s.entries.isClosed():
		return nil, cache.ErrClosed
	}
	return s.absent(key), nil
}

// RecentOf returns a function that returns the variants of a key if they were saved or loaded
// lately, otherwise nil. The function is like Load, but it allocates no string and does not read
// the clock. It is for entries that contain their own times. RecentOf returns nil if store only
// embeds this one, because it may have its own Load.
func (s *Store) RecentOf(store cache.Store) func(key []byte) *cache.Variants {
	if store != cache.Store(s) || s.unmade() {
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

// Save implements cache.Store. Variants that are larger than the whole store are not kept, and
// neither are the variants that they replace.
func (s *Store) Save(_ context.Context, key string, v *cache.Variants, retain time.Duration) error {
	if err := s.gone(); err != nil {
		return err
	}
	origin, place := cache.CutOrigin(key)
	defer s.lock(origin).Unlock()
	if f := folded(v); f != nil && retain > 0 && place != "" {
		s.addAbsence(origin, absence{folded: f, stamp: s.eras.stamp(key)}, retain)
		if _, ok := s.entries.Get(key); ok {
			s.entries.Del(key)
		}
		return nil
	}
	s.entries.Set(key, kept{variants: v, stamp: s.eras.stamp(key)}, v.Size(), retain)
	s.dropAbsence(origin, place)
	return nil
}

// Delete implements cache.Store.
func (s *Store) Delete(_ context.Context, key string) error {
	if err := s.gone(); err != nil {
		return err
	}
	s.forget(key)
	return nil
}

// forget deletes the variants and the absence under a key.
func (s *Store) forget(key string) {
	origin, place := cache.CutOrigin(key)
	defer s.lock(origin).Unlock()
	s.entries.Del(key)
	s.dropAbsence(origin, place)
}

// Acquire implements cache.ObligationStore.
func (s *Store) Acquire(_ context.Context, key string, until time.Time) (ok bool, held time.Time, release func(), err error) {
	if err := s.gone(); err != nil {
		return false, time.Time{}, nil, err
	}
	ok, held, release = s.holds.Acquire(key, until)
	return ok, held, release, nil
}

// Taken implements cache.GlanceStore.
func (s *Store) Taken(_ context.Context, of cache.Store, keys []string) (taken []string, err error) {
	if of != cache.Store(s) {
		return nil, errors.ErrUnsupported
	}
	if err := s.gone(); err != nil {
		return nil, err
	}
	for _, key := range keys {
		if _, held := s.holds.Until(key); held {
			taken = append(taken, key)
		}
	}
	return taken, nil
}

// Hold implements cache.ObligationStore.
func (s *Store) Hold(_ context.Context, key string, until time.Time) error {
	if err := s.gone(); err != nil {
		return err
	}
	s.holds.Hold(key, until)
	return nil
}

// Close frees the memory and ends the goroutines. It may be called more than
// once and while other calls are running.
func (s *Store) Close() error {
	if !s.unmade() {
		s.entries.Close()
	}
	return nil
}
