package memory

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/wayfindhq/wayfind/cache"
)

// eras records which entries a Purge has ended.
//
// All entries of a resource in partitions share an epoch, which exists as long as one of them. The
// entry of anonymous callers is deleted by its key. A Purge of more than a URL is rare. Entries
// record the number of such purges at the time when they were saved, and a map contains the last one of
// each origin.
type eras struct {
	purges atomic.Uint64 // the number of purges of more than a URL so far

	mu     sync.Mutex
	epochs map[string]weak.Pointer[epoch] // by resource
	wide   map[cache.Scope]uint64         // the number of the last purge of an origin, or of everything
	floor  uint64                         // entries from before this purge have ended, because the map was full
}

// epoch is the time of a resource until its next Purge.
type epoch struct{ over atomic.Bool }

// maxScopes is the largest number of scopes in the map. If there are more, those of the older half of
// the purges are forgotten, and entries from before them are treated as ended.
const maxScopes = 4096

// stamp is the record in an entry of the purges before it was saved.
type stamp struct {
	epoch  *epoch // nil for anonymous callers
	purges uint64
}

// stamp returns the stamp of an entry that is about to be saved.
func (s *eras) stamp(key string) stamp {
	st := stamp{purges: s.purges.Load()}
	if resource := cache.ResourceOf(key); resource != key {
		st.epoch = s.epoch(resource)
	}
	return st
}

// epoch returns the present epoch of a resource.
func (s *eras) epoch(resource string) *epoch {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.epochs[resource].Value(); e != nil {
		return e
	}
	if s.epochs == nil {
		s.epochs = map[string]weak.Pointer[epoch]{}
	}
	e := &epoch{}
	s.epochs[resource] = weak.Make(e)
	runtime.AddCleanup(e, s.forget, resource)
	return e
}

// forget removes an epoch that no entry uses any more.
func (s *eras) forget(resource string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w, known := s.epochs[resource]; known && w.Value() == nil {
		delete(s.epochs, resource)
	}
}

// over reports whether a Purge has ended an entry.
func (s *eras) over(st stamp, key string) bool {
	if st.epoch != nil && st.epoch.over.Load() {
		return true
	}
	return st.purges != s.purges.Load() && s.purgedSince(st.purges, key)
}

// purgedSince reports whether one of the later Purges covers a key.
func (s *eras) purgedSince(purges uint64, key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if purges < s.floor {
		return true
	}
	scopes := cache.ScopesOf(key)
	return slices.ContainsFunc(scopes[1:], func(scope cache.Scope) bool { return s.wide[scope] > purges })
}

// end ends the entries that a scope covers.
func (s *eras) end(scope cache.Scope) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if resource, one := scope.Resource(); one {
		if e := s.epochs[resource].Value(); e != nil {
			e.over.Store(true)
		}
		delete(s.epochs, resource)
		return
	}
	if s.wide == nil {
		s.wide = map[cache.Scope]uint64{}
	}
	now := s.purges.Load() + 1
	s.wide[scope] = now
	if len(s.wide) > maxScopes {
		last := slices.Sorted(maps.Values(s.wide))
		s.floor = last[len(last)/2]
		maps.DeleteFunc(s.wide, func(_ cache.Scope, n uint64) bool { return n <= s.floor })
	}
	s.purges.Store(now)
}

// Purge implements cache.Purger.
func (s *Store) Purge(_ context.Context, scope cache.Scope) error {
	if err := s.gone(); err != nil {
		return err
	}
	s.eras.end(scope)
	if resource, one := scope.Resource(); one {
		s.forget(resource)
	}
	return nil
}
