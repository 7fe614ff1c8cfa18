package cache

import (
	"slices"
	"sync"
	"sync/atomic"
)

// guard is shared by the calls that are under way for a resource, in any partition. It exists as
// long as there is such a call.
//
// Each invalidation begins a new generation. An answer that was read or asked for in an earlier
// generation is not written, because it may be older than the unsafe request that has invalidated
// it (RFC 9111 §4.4). Flights of different generations are not shared.
type guard struct {
	resource string
	locked   chan struct{} // a mutex whose waiters package synctest sees

	generation atomic.Uint64 // the present generation, unique among all guards
	writes     atomic.Uint64 // counts what calls have written
	calls      int           // under guards.mu
}

// lock locks the guard. The lock is held from reading the variants of a key to writing them.
func (g *guard) lock()   { g.locked <- struct{}{} }
func (g *guard) unlock() { <-g.locked }

// begins records the generation before a call reads. What the call knows from an earlier generation
// is dropped.
func (g *guard) begins(c *call) {
	if now := g.generation.Load(); now != c.generation {
		c.generation, c.known = now, nil
	}
}

// current reports whether an answer that a call has read or asked for may be
// written.
func (g *guard) current(c *call) bool { return g.generation.Load() == c.generation }

// guards are the guards of the resources of all calls that are under way.
type guards struct {
	wide chan struct{} // held by a purge of more than one resource

	mu      sync.Mutex
	of      map[string]*guard
	spare   []*guard // without calls, for the next resources
	last    uint64   // generation
	purging Scope    // the scope of the wide purge; zero if there is none
	held    []*guard // the guards that it has locked
}

func newGuards() *guards {
	return &guards{wide: make(chan struct{}, 1), of: map[string]*guard{}}
}

// commonStore is a store in memory that several Engines of a process may be over.
type commonStore interface {
	// Common returns the value that make returned to the first caller.
	Common(make func() any) any
}

// guardsOf returns the guards of all Engines over a store, so that each of them knows when another
// one has invalidated an answer that it is asking for.
func guardsOf(store Store) *guards {
	if layers, ok := store.(*Layered); ok {
		store = layers.near
	}
	if s, ok := store.(commonStore); ok {
		if g, ok := s.Common(func() any { return newGuards() }).(*guards); ok {
			return g
		}
	}
	return newGuards()
}

// enter returns the guard of a resource. The caller must call leave afterwards.
func (s *guards) enter(resource string) *guard {
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.of[resource]
	if g == nil {
		if n := len(s.spare); n > 0 {
			g, s.spare = s.spare[n-1], s.spare[:n-1]
			g.resource = resource
		} else {
			g = &guard{resource: resource, locked: make(chan struct{}, 1)}
		}
		s.of[resource] = g
		s.renew(g)
		if s.purging.Covers(resource) {
			g.lock()
			s.hold(g)
		}
	}
	g.calls++
	return g
}

func (s *guards) leave(g *guard) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left(g)
}

// left is leave, with s.mu held.
func (s *guards) left(g *guard) {
	if g.calls--; g.calls == 0 {
		delete(s.of, g.resource)
		if len(s.spare) < maxSpare {
			s.spare = append(s.spare, g)
		}
	}
}

// maxSpare is the largest number of guards that wait for a resource. A sweep has some 2,000 calls
// under way; a guard takes 150 bytes.
const maxSpare = 512

// renew begins a generation. s.mu is held.
func (s *guards) renew(g *guard) {
	s.last++
	g.generation.Store(s.last)
}

// hold makes the wide purge one of the calls of a guard. s.mu is held.
func (s *guards) hold(g *guard) {
	g.calls++
	s.held = append(s.held, g)
}

// purge calls forget while no call writes entries that the scope covers. Answers that such a call
// has read or asked for before the end of purge are not written afterwards. The new generation
// begins at the end, so that entries stored until then are deleted.
func (s *guards) purge(scope Scope, forget func() error) error {
	resource, one := scope.Resource()
	if !one {
		s.wide <- struct{}{}
		defer func() { <-s.wide }()
		s.lock(scope)
		defer s.unlock()
		return forget()
	}
	g := s.enter(resource)
	defer s.leave(g)
	g.lock()
	defer g.unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.renew(g)
	}()
	return forget()
}

// lock begins the wide purge.
func (s *guards) lock(scope Scope) {
	s.mu.Lock()
	s.purging = scope
	for _, g := range s.of {
		if scope.Covers(g.resource) {
			s.hold(g)
		}
	}
	running := slices.Clone(s.held)
	s.mu.Unlock()
	for _, g := range running {
		g.lock()
	}
}

// unlock ends the wide purge.
func (s *guards) unlock() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.held {
		s.renew(g)
		g.unlock()
		s.left(g)
	}
	s.purging, s.held = Scope{}, nil
}
