package gate

import (
	"context"
	"log/slog"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// acquired holds the results of a store's Acquire.
type acquired struct {
	ok      bool
	held    time.Time
	release func()
}

// acquire calls Acquire of a store. The release in the result is never nil.
func acquire(ctx context.Context, s cache.Store, key string, until time.Time) (a acquired, err error) {
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
	budget := cache.StoreBudget
	if p, ok := s.(cache.PatientStore); ok && p.Budget() > 0 {
		budget = p.Budget()
	}
	ctx, cancel := context.WithTimeout(ctx, budget)
	defer cancel()
	return f(ctx)
}

// log writes a warning about a call of the store that failed.
func (g *Gate) log(ctx context.Context, op string, err error) {
	if g.opts.Logger != nil {
		g.opts.Logger.LogAttrs(ctx, slog.LevelWarn, "cache store failed", slog.String("op", op), slog.Any("err", err))
	}
}
