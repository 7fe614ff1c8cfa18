package client

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/flight"
	"github.com/wayfindhq/wayfind/internal/places"
	"github.com/wayfindhq/wayfind/security"
)

// A bug in a format, a prober or a store must not end the program that resolves
// a domain: these run on goroutines of ours, where no caller could recover. A
// panic is an error of kind
// wayfind.ErrInternal with code wayfind.CodePanic. Its stack goes into a debug
// record of Options.Logger and nowhere else: it tells about the program, and
// errors travel.

// guard calls f and makes an error of its panic. who names the function that
// panicked.
func guard[T any](log *slog.Logger, op, who string, f func() (T, error)) (result T, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = caught(log, op, who, v, debug.Stack())
		}
	}()
	return f()
}

// caught is the error of a panic.
func caught(log *slog.Logger, op, who string, v any, stack []byte) *wayfind.Error {
	err := wayfind.NewError(op, "", wayfind.CodePanic, fmt.Errorf("%s: panic: %v", who, v))
	logPanic(log, err, stack)
	return err
}

func logPanic(log *slog.Logger, err error, stack []byte) {
	if log != nil {
		log.Debug("panic", "err", err, "stack", string(stack))
	}
}

// guarded puts a guard around the functions of the caller that decide about a
// site: Approve, Credentials and Store. Those of formats and probers are
// guarded where they are called. Loggers, dialers, resolvers, recorders and key
// logs have no guard, as in net/http.
func (o *Options) guarded() {
	log := o.Logger
	if approve := o.Approve; approve != nil {
		o.Approve = func(ctx context.Context, r security.ApprovalRequest) error {
			_, err := within(ctx, func() (struct{}, error) {
				return guard(log, "approve", "Options.Approve", func() (struct{}, error) { return struct{}{}, approve(ctx, r) })
			})
			return err
		}
	}
	if credentials := o.Credentials; credentials != nil {
		o.Credentials = func(ctx context.Context, r security.CredentialRequest) (security.Credential, error) {
			return within(ctx, func() (security.Credential, error) {
				return guard(log, "credentials", "Options.Credentials", func() (security.Credential, error) { return credentials(ctx, r) })
			})
		}
	}
	if o.Store != nil {
		o.Store = &safeStore{Store: o.Store, log: log, offline: o.Offline}
	}
}

// within waits for a hook of the caller until the context ends: a person who does
// not answer must not hold a call beyond its time. Without an end it is called on
// the caller's goroutine.
func within[T any](ctx context.Context, hook func() (T, error)) (T, error) {
	if ctx.Done() == nil {
		return hook()
	}
	type answer struct {
		value T
		err   error
	}
	answered := make(chan answer, 1)
	go func() {
		value, err := hook()
		answered <- answer{value, err}
	}()
	select {
	case a := <-answered:
		return a.value, a.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// safeStore guards a cache.Store. A panic is one of its errors: a miss, or a
// write that failed.
type safeStore struct {
	cache.Store
	log     *slog.Logger
	offline bool
}

// offlineBudget is the patience with a store when no origin can be asked: an
// origin that is not there is no way past a slow disk.
const offlineBudget = 5 * time.Second

const theStore = "Options.Store"

// A Store keeps its optional interfaces as a part of this one.
var (
	_ cache.LocalStore   = (*safeStore)(nil)
	_ cache.SharedStore  = (*safeStore)(nil)
	_ cache.PatientStore = (*safeStore)(nil)
	_ cache.Purger       = (*safeStore)(nil)
)

// Local implements cache.LocalStore for a Store that does.
func (s *safeStore) Local() bool {
	return trait(s, func(is cache.LocalStore) bool { return is.Local() })
}

// Shared implements cache.SharedStore for a Store that does.
func (s *safeStore) Shared() bool {
	return trait(s, func(is cache.SharedStore) bool { return is.Shared() })
}

// Budget implements cache.PatientStore for a Store that does.
func (s *safeStore) Budget() time.Duration {
	budget := trait(s, func(is cache.PatientStore) time.Duration { return is.Budget() })
	if s.offline {
		return max(budget, offlineBudget)
	}
	return budget
}

// trait asks a Store that has an optional interface; zero is the answer of one
// that has not.
func trait[I, V any](s *safeStore, ask func(I) V) V {
	v, _ := guard(s.log, "store", theStore, func() (v V, _ error) {
		if is, ok := s.Store.(I); ok {
			v = ask(is)
		}
		return v, nil
	})
	return v
}

// Purge implements cache.Purger for a Store that does.
func (s *safeStore) Purge(ctx context.Context, scope cache.Scope) error {
	p, ok := s.Store.(cache.Purger)
	if !ok {
		return errors.ErrUnsupported
	}
	return s.do(func() error { return p.Purge(ctx, scope) })
}

// Load implements cache.Store.
func (s *safeStore) Load(ctx context.Context, key string) (*cache.Variants, error) {
	return guard(s.log, "store", theStore, func() (*cache.Variants, error) { return s.Store.Load(ctx, key) })
}

// Save implements cache.Store.
func (s *safeStore) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	return s.do(func() error { return s.Store.Save(ctx, key, v, retain) })
}

// Delete implements cache.Store.
func (s *safeStore) Delete(ctx context.Context, key string) error {
	return s.do(func() error { return s.Store.Delete(ctx, key) })
}

// Hold implements cache.Store.
func (s *safeStore) Hold(ctx context.Context, key string, until time.Time) error {
	return s.do(func() error { return s.Store.Hold(ctx, key, until) })
}

// Acquire implements cache.Store.
func (s *safeStore) Acquire(ctx context.Context, key string, until time.Time) (ok bool, held time.Time, release func(), err error) {
	err = s.do(func() (err error) {
		ok, held, release, err = s.Store.Acquire(ctx, key, until)
		return err
	})
	if give := release; give != nil {
		release = func() { _ = s.do(func() error { give(); return nil }) } // it is logged
	}
	return ok, held, release, err
}

func (s *safeStore) do(f func() error) error {
	_, err := guard(s.log, "store", theStore, func() (struct{}, error) { return struct{}{}, f() })
	return err
}

// landed is the error of a flight: of a panic in it, the error that others
// have too.
func (c *Client) landed(url string, err error) error {
	p, ok := errors.AsType[*flight.PanicError](err)
	if !ok {
		return err
	}
	e := caught(c.opts.Logger, "resolve", "flight", p.Value, p.Stack)
	e.URL = redact(url)
	return e
}

// outcomeOf is the result of f, or the outcome of its panic: no caller above
// the goroutine of one place could recover it.
func (c *Client) outcomeOf(candidate places.Candidate, f func() *outcome) *outcome {
	o, err := guard(c.opts.Logger, "resolve", candidate.URL, func() (*outcome, error) { return f(), nil })
	if err != nil {
		o = newOutcome(candidate)
		o.fail(err)
		o.FreshUntil = c.opts.clock.Now()
		o.Probe.FreshUntil = o.FreshUntil
	}
	return o
}
