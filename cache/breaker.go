package cache

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/internal/run/budget"
)

// Limits of a breaker.
const (
	// breakAfter is the number of calls in a row that must run out of time before the store is not
	// called any more. One may be an accident, three mean that the store hangs.
	breakAfter = 3
	// breakFor is the time for which the store is not called. Then one call tries it.
	breakFor = time.Second
)

// errOpen is the error of a call that was not made.
var errOpen = errors.New("cache: the store did not answer in time and is not asked for a while")

// guarded is a store that is not called for a while if it gives no sign, because each caller would
// wait for its budget in vain. See bounded.
type guarded struct {
	Store
	breaker breaker
	lost    [obliges + 1]losses // by use
}

// guardedStore returns the store with a breaker. It returns the store itself if its calls need no
// time limit, or if its layers have breakers of their own.
func guardedStore(s Store) Store {
	if _, layered := s.(*Layered); layered || isLocal(s) {
		return s
	}
	return &guarded{Store: s}
}

// Shared implements SharedStore.
func (g *guarded) Shared() bool { return isShared(g.Store) }

// Budget implements PatientStore.
func (g *guarded) Budget() time.Duration { return budgetOf(g.Store) }

// Timed reports whether the store counts its budget by itself.
func (g *guarded) Timed(of any) bool { return of == any(g) && budget.TimesItself(g.Store) }

// Purge implements Purger. It returns errors.ErrUnsupported if the store is no Purger.
func (g *guarded) Purge(ctx context.Context, s Scope) error {
	if p, ok := g.Store.(Purger); ok {
		return p.Purge(ctx, s)
	}
	return errors.ErrUnsupported
}

// breaker keeps callers away from a store that does not answer. Other errors are treated as
// answers, also budget.ErrBusy: the store has answered others.
type breaker struct {
	mu      sync.Mutex
	late    int       // calls in a row that ran out of time
	retryAt time.Time // the time when the next call may try
}

// allow reports whether a call may be made.
func (b *breaker) allow() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.late < breakAfter {
		return true
	}
	now := time.Now()
	if now.Before(b.retryAt) {
		return false
	}
	b.retryAt = now.Add(breakFor) // this call tries the store, and others are still refused
	return true
}

// open reports whether calls are refused now.
func (b *breaker) open() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.late >= breakAfter && time.Now().Before(b.retryAt)
}

// isOpen reports whether the breaker of a guarded store is open.
func isOpen(s Store) bool {
	g, ok := s.(*guarded)
	return ok && g.breaker.open()
}

// done records the result of a call that was made.
func (b *breaker) done(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !errors.Is(err, context.DeadlineExceeded) {
		b.late = 0
		return
	}
	b.late++
	b.retryAt = time.Now().Add(breakFor)
}
