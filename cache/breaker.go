package cache

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Limits of a breaker.
const (
	// breakAfter calls in a row that ran out of time end the asking: one may
	// be an accident, three are a store that hangs.
	breakAfter = 3
	// breakFor is how long the store is left alone; then one call tries it.
	breakFor = 10 * time.Second
)

// errOpen is the error of a call that was not made.
var errOpen = errors.New("cache: the far store did not answer in time and is not asked for a while")

// breaker keeps callers away from a store that does not answer: each of them
// would wait for StoreBudget in vain. Other errors come fast and count as an
// answer.
type breaker struct {
	mu      sync.Mutex
	late    int       // calls in a row that ran out of time
	retryAt time.Time // when the next call may try
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
	b.retryAt = now.Add(breakFor) // this call tries; the others go on waiting
	return true
}

// done judges a call that was made.
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

// far calls the far store with at most StoreBudget, unless the breaker is
// open. A caller that left says nothing about the store.
func far[R any](ctx context.Context, l *Layered, f func(ctx context.Context) (R, error)) (R, error) {
	if !l.breaker.allow() {
		var none R
		return none, errOpen
	}
	r, err := bounded(ctx, l.far, f)
	if ctx.Err() == nil {
		l.breaker.done(err)
	}
	return r, err
}
