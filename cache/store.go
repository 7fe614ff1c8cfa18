package cache

import (
	"context"
	"errors"
	"time"
)

// Store keeps entries and obligations. It must be safe for concurrent use. It may forget entries at
// any time, but not obligations that it has confirmed. Its arguments and its results are shared and
// must not be written to. Package cachetest tests a Store.
//
// A call must end soon after its context. It has no other time limit. A caller treats every error
// as "no answer": a miss, an entry that is not kept, or an unknown obligation.
type Store interface {
	// Load returns the variants that were saved last. It returns nil, nil for a miss.
	Load(ctx context.Context, key string) (*Variants, error)
	// Save replaces the variants of key. Later calls of Load return them, for about retain. If
	// retain <= 0, Save deletes them.
	Save(ctx context.Context, key string, v *Variants, retain time.Duration) error
	// Delete forgets the entries of key. An unknown key is no error.
	Delete(ctx context.Context, key string) error
	// Acquire takes key until the given time, if it is free. Then ok is true, and release, which is
	// not nil and is idempotent, gives the key back early. Otherwise held is the end of the
	// holder's time. If until is not in the future, Acquire takes nothing and only reports whether
	// the key is free. The keys of obligations are separate from the keys of entries.
	Acquire(ctx context.Context, key string, until time.Time) (ok bool, held time.Time, release func(), err error)
	// Hold makes every Acquire of key fail until the given time. It never
	// shortens an earlier hold.
	Hold(ctx context.Context, key string, until time.Time) error
	// Close releases the store's resources. It may be called while other calls are running. Later
	// calls return ErrClosed.
	Close() error
}

// LeasePrefix begins the keys of obligations that end with the process that took them. A store that
// knows whether that process is running frees such a key when the process has ended. Any other
// store waits for the end of the time.
const LeasePrefix = "lease\n"

// recentStore is a LocalStore in memory with fast access to the variants that were saved or loaded
// lately.
type recentStore interface {
	// RecentOf returns a function that returns the variants of a key, even after the time for which
	// they were saved. It may return nil although Load finds variants. It does not keep key.
	// RecentOf returns nil if store only embeds this one, because it may have its own Load.
	RecentOf(store Store) func(key []byte) *Variants
}

// LocalStore is a Store whose calls need no time limit, and whose entries do not leave the process.
type LocalStore interface {
	Store
	// Local reports whether that is so.
	Local() bool
}

// GlanceStore is a Store that can check many obligations at once. Nearly always none of them holds,
// so that a caller need not ask for each one.
type GlanceStore interface {
	Store
	// Taken returns the keys that Acquire may not get now. The others were free. of is the store
	// that the caller uses. If it only embeds this one, Taken returns errors.ErrUnsupported,
	// because it may have its own Acquire. A store that wraps another one also returns
	// errors.ErrUnsupported if the other one is no GlanceStore.
	Taken(ctx context.Context, of Store, keys []string) ([]string, error)
}

// SharedStore is a Store that processes of more than one user read: a shared
// cache in the terms of RFC 9111.
//
// Behind a LocalStore (see Layered) it never gets a response that is private or sets a cookie, nor
// the answer to a request with credentials, even if its header allows more (§3.5). s-maxage
// shortens an entry's lifetime, and proxy-revalidate is obeyed (§5.2.2.8, §5.2.2.10). If a "no" is
// remembered (Lifetime.Remembered), it gets only the fact. An Engine with a SharedStore alone is a
// shared cache in every respect. See Options.Strict for the answers to credentials that it keeps.
type SharedStore interface {
	Store
	// Shared reports whether that is so.
	Shared() bool
}

// PatientStore is a Store with its own time limit for one call, because StoreBudget is too short
// for it, for example a store that is far away.
type PatientStore interface {
	Store
	// Budget returns the time limit for one call. Zero means StoreBudget.
	Budget() time.Duration
}

// budgetOf returns the time limit for one call of a store that a caller waits for.
func budgetOf(s Store) time.Duration {
	if p, ok := s.(PatientStore); ok && p.Budget() > 0 {
		return p.Budget()
	}
	return StoreBudget
}

// Variants are the stored responses of one key, newest first, at most MaxVariants. They are
// immutable and replaced as a whole, so that a store cannot lose a part of them.
type Variants struct {
	// Entries differ in the request fields that their Vary names.
	Entries []*Entry
	// From is the place where Load found them, for Facts.From, such as "disk" or "redis". Empty
	// means "memory".
	From string
	// Generation is the generation of the key's resource at the time of Load, in a store that
	// counts generations: see Purger. Only the store reads it, and Save gets it back.
	Generation string
}

// newerThan reports whether the newest entry of v is newer than that of w.
func (v *Variants) newerThan(w *Variants) bool {
	return len(v.Entries) > 0 && v.Entries[0].ResponseTime.After(w.Entries[0].ResponseTime)
}

// Size returns the estimated number of bytes that the variants occupy.
func (v *Variants) Size() int64 {
	n := int64(64)
	for _, e := range v.Entries {
		n += e.Size()
	}
	return n
}

// bounded calls f with the budget of the store as time limit, unless the store is local. While the
// breaker of a guarded store is open, f is not called and the error is errOpen. If the caller has
// left, the result of the call is not recorded in the breaker.
func bounded[R any](ctx context.Context, s Store, f func(ctx context.Context) (R, error)) (R, error) {
	if isLocal(s) {
		return f(ctx)
	}
	g, _ := s.(*guarded)
	if g != nil && !g.breaker.allow() {
		var none R
		return none, errOpen
	}
	within, cancel := context.WithTimeout(ctx, budgetOf(s))
	defer cancel()
	r, err := f(within)
	if g != nil && ctx.Err() == nil {
		g.breaker.done(err)
	}
	return r, err
}

// loadFrom is Load within the budget of the store.
func loadFrom(ctx context.Context, s Store, key string) (*Variants, error) {
	return known(bounded(ctx, s, func(ctx context.Context) (*Variants, error) { return s.Load(ctx, key) }))
}

// known filters the results of Load. An entry of another schema is a miss, and so is a call that
// was not made because the breaker is open.
func known(v *Variants, err error) (*Variants, error) {
	if errors.Is(err, ErrSchema) || errors.Is(err, errOpen) {
		return nil, nil
	}
	return v, err
}

// saveIn is Save within the budget of the store.
func saveIn(ctx context.Context, s Store, key string, v *Variants, retain time.Duration) error {
	_, err := bounded(ctx, s, func(ctx context.Context) (struct{}, error) { return struct{}{}, s.Save(ctx, key, v, retain) })
	return err
}

// deleteFrom is Delete within the budget of the store.
func deleteFrom(ctx context.Context, s Store, key string) error {
	_, err := bounded(ctx, s, func(ctx context.Context) (struct{}, error) { return struct{}{}, s.Delete(ctx, key) })
	return err
}
