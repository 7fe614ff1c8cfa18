package gate

import (
	"context"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/budget"
)

// acquired holds the results of a store's Acquire.
type acquired struct {
	ok      bool
	held    time.Time
	release func()
}

// acquire calls Acquire of a store. The release in the result is never nil.
func acquire(ctx context.Context, s cache.ObligationStore, key string, until time.Time) (a acquired, err error) {
	a.ok, a.held, a.release, err = s.Acquire(ctx, key, until)
	if a.release == nil {
		a.release = func() {}
	}
	return a, err
}

// bounded calls a store within its time budget: see cache.PatientStore.
func bounded[R any](ctx context.Context, s cache.Store, f func(ctx context.Context) (R, error)) (R, error) {
	if l, ok := s.(cache.LocalStore); ok && l.Local() {
		return f(ctx)
	}
	limit := cache.StoreBudget
	if p, ok := s.(cache.PatientStore); ok && p.Budget() > 0 {
		limit = p.Budget()
	}
	return budget.Call(ctx, s, budget.Limit{Silence: limit, Longest: limit}, f)
}

// log writes a warning about a call of the store that failed.
func (g *Gate) log(ctx context.Context, op string, err error) {
	g.warned.Warn(ctx, "cache store failed", op, err)
}
