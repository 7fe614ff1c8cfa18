// Package panics makes errors of the panics of foreign code. A bug in a format, a prober
// or a store must not end the program that resolves a domain: these run on goroutines of
// ours, where no caller could recover. A panic is an error of kind wayfind.ErrInternal with
// code wayfind.CodePanic. Its stack goes into a debug record of Options.Logger and nowhere
// else: it tells about the program, and errors travel.
package panics

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/budget"
)

// guard makes errors of panics. op names the operation, and who the function that
// panicked.
type guard struct {
	log     *slog.Logger
	op, who string
}

// NewGuard makes a guard for the function that who names.
func NewGuard(log *slog.Logger, op, who string) guard { return guard{log: log, op: op, who: who} }

// caught, deferred by a function that calls foreign code, sets its error after a panic.
func (g guard) caught(err *error) {
	if v := recover(); v != nil {
		*err = g.ErrorOf(v, debug.Stack())
	}
}

// ErrorOf is the error of a panic.
func (g guard) ErrorOf(v any, stack []byte) *wayfind.Error {
	err := wayfind.NewError(g.op, "", wayfind.CodePanic, fmt.Errorf("%s: panic: %v", g.who, v))
	Log(g.log, err, stack)
	return err
}

func Log(log *slog.Logger, err error, stack []byte) {
	if log != nil {
		log.Debug("panic", "err", err, "stack", string(stack))
	}
}

// Try calls foreign code.
func Try[T any](g guard, f func() (T, error)) (result T, err error) {
	defer g.caught(&err)
	return f()
}

// Within waits for a hook of the caller until the context ends: a person who does
// not answer must not hold a call beyond its time. If the context has no end, the
// hook runs on the caller's goroutine.
func Within[T any](ctx context.Context, g guard, hook func() (T, error)) (result T, err error) {
	if ctx.Done() == nil {
		return Try(g, hook)
	}
	answered := make(chan func() (T, error), 1)
	go func() {
		result, err := Try(g, hook)
		answered <- func() (T, error) { return result, err }
	}()
	select {
	case answer := <-answered:
		return answer()
	case <-ctx.Done():
		return result, ctx.Err()
	}
}

// safeStore guards a cache.Store. A panic is one of its errors: a miss, or a
// write that failed.
type safeStore struct {
	cache.Store
	guard
	offline bool
}

// NewStore guards a store for a Client, which may be offline.
func NewStore(s cache.Store, log *slog.Logger, offline bool) cache.Store {
	return &safeStore{s, NewGuard(log, "store", "Options.Store"), offline}
}

// offlineBudget is the time for one call of a store if no origin can be asked: there
// is no other way around a slow disk.
const offlineBudget = 5 * time.Second

// The guard hands on every optional interface of a Store.
var (
	_ cache.LocalStore      = (*safeStore)(nil)
	_ cache.SharedStore     = (*safeStore)(nil)
	_ cache.KeyedStore      = (*safeStore)(nil)
	_ cache.PatientStore    = (*safeStore)(nil)
	_ cache.Purger          = (*safeStore)(nil)
	_ cache.RecordStore     = (*safeStore)(nil)
	_ cache.GlanceStore     = (*safeStore)(nil)
	_ cache.GenerationStore = (*safeStore)(nil)
	_ cache.LeaseStore      = (*safeStore)(nil)
	_ cache.ObligationStore = (*safeStore)(nil)
)

func (s *safeStore) Local() bool { return trait(s, cache.LocalStore.Local) }

func (s *safeStore) FreesLeases() bool { return trait(s, cache.LeaseStore.FreesLeases) }

func (s *safeStore) Shared() bool { return trait(s, cache.SharedStore.Shared) }

func (s *safeStore) DigestKeys() [][]byte { return trait(s, cache.KeyedStore.DigestKeys) }

func (s *safeStore) Timed(of any) bool {
	return of == any(s) && trait(s, func(t budget.Timed) bool { return t.Timed(s.Store) })
}

func (s *safeStore) Budget() time.Duration {
	budget := trait(s, cache.PatientStore.Budget)
	if s.offline {
		return max(budget, offlineBudget)
	}
	return budget
}

// trait asks a Store that has an optional interface; the result is zero if it has not.
func trait[I, V any](s *safeStore, ask func(I) V) (v V) {
	defer s.caught(new(error)) // it is logged
	if is, ok := s.Store.(I); ok {
		v = ask(is)
	}
	return v
}

// do calls the Store.
func (s *safeStore) do(f func() error) (err error) {
	defer s.caught(&err)
	return f()
}

func (s *safeStore) Purge(ctx context.Context, scope cache.Scope) error {
	p, ok := s.Store.(cache.Purger)
	if !ok {
		return errors.ErrUnsupported
	}
	return s.do(func() error { return p.Purge(ctx, scope) })
}

func (s *safeStore) Records(cache.Store) bool {
	return trait(s, func(r cache.RecordStore) bool { return r.Records(s.Store) })
}

func (s *safeStore) LoadRecord(ctx context.Context, key string) (*cache.Record, error) {
	r, ok := s.Store.(cache.RecordStore)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return Try(s.guard, func() (*cache.Record, error) { return r.LoadRecord(ctx, key) })
}

func (s *safeStore) UpdateRecord(ctx context.Context, key string, seen *cache.Record, change func(*cache.Record) *cache.Record) error {
	r, ok := s.Store.(cache.RecordStore)
	if !ok {
		return errors.ErrUnsupported
	}
	return s.do(func() error { return r.UpdateRecord(ctx, key, seen, change) })
}

func (s *safeStore) Taken(ctx context.Context, _ cache.Store, keys []string) ([]string, error) {
	g, ok := s.Store.(cache.GlanceStore)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	return Try(s.guard, func() ([]string, error) { return g.Taken(ctx, s.Store, keys) })
}

// Generation is that of the Store, "" if it tells none.
func (s *safeStore) Generation(ctx context.Context, key string) (string, error) {
	g, ok := s.Store.(cache.GenerationStore)
	if !ok {
		return "", nil
	}
	return Try(s.guard, func() (string, error) { return g.Generation(ctx, key) })
}

func (s *safeStore) Load(ctx context.Context, key string) (*cache.Variants, error) {
	return Try(s.guard, func() (*cache.Variants, error) { return s.Store.Load(ctx, key) })
}

func (s *safeStore) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	return s.do(func() error { return s.Store.Save(ctx, key, v, retain) })
}

func (s *safeStore) Delete(ctx context.Context, key string) error {
	return s.do(func() error { return s.Store.Delete(ctx, key) })
}

func (s *safeStore) Hold(ctx context.Context, key string, until time.Time) error {
	o, ok := s.Store.(cache.ObligationStore)
	if !ok {
		return errors.ErrUnsupported
	}
	return s.do(func() error { return o.Hold(ctx, key, until) })
}

func (s *safeStore) Acquire(ctx context.Context, key string, until time.Time) (ok bool, held time.Time, release func(), err error) {
	o, is := s.Store.(cache.ObligationStore)
	if !is {
		return false, time.Time{}, nil, errors.ErrUnsupported
	}
	defer s.caught(&err)
	ok, held, release, err = o.Acquire(ctx, key, until)
	if give := release; give != nil {
		release = func() { _ = s.do(func() error { give(); return nil }) } // a panic is logged
	}
	return ok, held, release, err
}
