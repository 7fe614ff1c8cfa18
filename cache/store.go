package cache

import (
	"context"
	"errors"
	"time"
)

// Store keeps entries and obligations. It must be safe for concurrent use and
// may forget entries at any time, but not obligations that it has confirmed.
// Its arguments and its results are shared and must not be written to.
// Package cachetest tests a Store.
//
// A call ends soon after its context; it has no other time limit. A caller
// treats every error as "no answer": a miss, an entry not kept, an obligation
// not known.
type Store interface {
	// Load returns the variants that were saved last; nil, nil is a miss.
	Load(ctx context.Context, key string) (*Variants, error)
	// Save replaces the variants of key. The next Load sees them, for about
	// retain; retain <= 0 deletes.
	Save(ctx context.Context, key string, v *Variants, retain time.Duration) error
	// Delete forgets the entries of key; unknown keys are no error.
	Delete(ctx context.Context, key string) error
	// Acquire takes key until the given time, if it is free: ok, and release
	// (never nil then, idempotent) gives it back early. Otherwise held is the
	// end of the holder's time. An until that is not in the future takes
	// nothing: it is a look. Obligations have keys of their own, apart from
	// those of entries.
	Acquire(ctx context.Context, key string, until time.Time) (ok bool, held time.Time, release func(), err error)
	// Hold makes every Acquire of key fail until the given time. It never
	// shortens an earlier hold.
	Hold(ctx context.Context, key string, until time.Time) error
	// Close releases the store's resources. It is safe under load; later calls
	// return ErrClosed.
	Close() error
}

// LeasePrefix begins the keys of obligations that end with the process that
// took them. A store that can tell whether that process lives frees such a key
// when the process has ended. Any other store waits for the end of the time.
const LeasePrefix = "lease\n"

// recentStore is a LocalStore in memory that has the variants saved or loaded lately at
// hand.
type recentStore interface {
	// RecentOf returns a function that finds the variants of a key, also beyond the time
	// for which they were saved. It may find none that Load finds, and does not keep key.
	// It is nil where store is another one: one that embeds this one may have a Load of
	// its own.
	RecentOf(store Store) func(key []byte) *Variants
}

// LocalStore is a Store whose calls need no time limit, and which lets no
// entry with MemoryOnly leave the process.
type LocalStore interface {
	Store
	// Local reports whether that is so.
	Local() bool
}

// GlanceStore is a Store that tells of many obligations at once: nearly always none of
// them holds, and a caller need not ask for each.
type GlanceStore interface {
	Store
	// Taken returns those of some keys that Acquire may not get now. The others were free.
	// of is this store as its caller has it: of another one, which embeds this one and may
	// have an Acquire of its own, it returns errors.ErrUnsupported. So does a store that can
	// only ask another one where that is no GlanceStore.
	Taken(ctx context.Context, of Store, keys []string) ([]string, error)
}

// SharedStore is a Store that processes of more than one user read: a shared
// cache in the terms of RFC 9111.
//
// Behind a LocalStore (see Layered) it never gets a response that is private or
// sets a cookie, nor the answer to a request with credentials, even if its
// header allows more (§3.5); s-maxage shortens an entry's lifetime, and
// proxy-revalidate counts (§5.2.2.8, §5.2.2.10). Of a "no" that is remembered
// (Lifetime.Remembered) it gets the fact. An Engine with a SharedStore alone is
// a shared cache in every respect; Options.Strict says which answers to credentials
// it keeps.
type SharedStore interface {
	Store
	// Shared reports whether that is so.
	Shared() bool
}

// PatientStore is a Store that says how long one call may take, where
// StoreBudget is not right: one that is far away.
type PatientStore interface {
	Store
	// Budget of one call; 0 means StoreBudget.
	Budget() time.Duration
}

// budgetOf bounds one call of a store that a caller waits for.
func budgetOf(s Store) time.Duration {
	if p, ok := s.(PatientStore); ok && p.Budget() > 0 {
		return p.Budget()
	}
	return StoreBudget
}

// Variants are the stored responses of one key, newest first, at most
// MaxVariants. The container is immutable and replaced as a whole, so that a
// store cannot lose one half of it.
type Variants struct {
	// Entries differ in the request fields that their Vary names.
	Entries []*Entry
	// From names where Load found them, for Facts.From: "disk", "redis".
	// Empty means "memory".
	From string
	// Generation of the key's resource when Load looked, of a store that counts
	// them: see Purger. Only the store reads it; Save gets it back.
	Generation string
}

// newerThan reports whether the newest entry of v is newer than that of w.
func (v *Variants) newerThan(w *Variants) bool {
	return len(v.Entries) > 0 && v.Entries[0].ResponseTime.After(w.Entries[0].ResponseTime)
}

// Size returns the bytes that the variants occupy, estimated.
func (v *Variants) Size() int64 {
	n := int64(64)
	for _, e := range v.Entries {
		n += e.Size()
	}
	return n
}

// bounded calls f with at most the budget of the store, unless it is local. A guarded
// store that is left alone is not called, and the error is errOpen. A caller that left
// says nothing about the store.
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

// known filters the variants that Load returned. An entry of another schema is
// none, and a store that is left alone has none.
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
