package cache

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind/internal/run/budget"
)

// Store keeps entries. It must be safe for concurrent use. It may forget entries at any time. Its
// arguments and its results are shared and must not be written to. Package cachetest tests a Store.
//
// A call must end soon after its context. It has no other time limit. A caller treats every error
// as "no answer": a miss, or an entry that is not kept.
//
// An answer that this process has ended is not used again, whatever the store does. A Purge or an unsafe
// request of another process ends it only if the store is a [Purger] that counts generations.
type Store interface {
	// Load returns the variants that were saved last. It returns nil, nil for a miss.
	Load(ctx context.Context, key string) (*Variants, error)
	// Save replaces the variants of key. Later calls of Load return them, for about retain. If
	// retain <= 0, Save deletes them.
	Save(ctx context.Context, key string, v *Variants, retain time.Duration) error
	// Delete forgets the entries of key. An unknown key is no error.
	Delete(ctx context.Context, key string) error
	// Close releases the store's resources. It may be called while other calls are running. Later
	// calls return ErrClosed.
	Close() error
}

// ObligationStore is a Store that also keeps obligations, and does not forget one that it has
// confirmed. The keys of obligations are separate from the keys of entries. Without it, each Client
// keeps them for itself: two Clients over the same Store may both ask a site that wants a pause. A
// caller treats an error as an unknown obligation. A store that wraps another one returns
// errors.ErrUnsupported if the other one keeps none.
type ObligationStore interface {
	Store
	// Acquire takes key until the given time, if it is free. Then ok is true, and release, which is
	// not nil and is idempotent, gives the key back early. Otherwise held is the end of the
	// holder's time. If until is not in the future, Acquire takes nothing and only reports whether
	// the key is free.
	Acquire(ctx context.Context, key string, until time.Time) (ok bool, held time.Time, release func(), err error)
	// Hold makes every Acquire of key fail until the given time. It never
	// shortens an earlier hold.
	Hold(ctx context.Context, key string, until time.Time) error
}

// LeasePrefix begins the keys of obligations that end with the process that took them. A LeaseStore
// frees such a key when the process has ended. Any other store waits for the end of the time, and
// the process that has such a key shows with another one that it is running.
const LeasePrefix = "lease\n"

// LeaseStore is an ObligationStore that frees the keys with LeasePrefix of a process when the process
// has ended.
type LeaseStore interface {
	ObligationStore
	// FreesLeases reports whether that is so.
	FreesLeases() bool
}

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

// GlanceStore is an ObligationStore that can check many obligations at once. Nearly always none of them holds,
// so that a caller need not ask for each one.
type GlanceStore interface {
	ObligationStore
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

// KeyedStore is a Store with a secret that all processes that read its entries have.
type KeyedStore interface {
	Store
	// DigestKeys returns keys for digests of request fields and of the name of a principal, so that
	// a reader of the store does not find them by trying. The first is used. The others are those
	// that a process with the same store may use, before or after a change of the key: answers with
	// their digests are not found, but Purge and unsafe requests end them. The result must always be
	// the same, and it is not changed. Nil means that there is no key.
	DigestKeys() [][]byte
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

// hasNewer reports whether one of the variants that match a request is newer than the answer to it.
func (v *Variants) hasNewer(e *Entry, request *requestHeader) bool {
	if v == nil {
		return false
	}
	for _, stored := range v.Entries {
		if stored.matches(request) && e.olderThan(stored) {
			return true
		}
	}
	return false
}

// inGenerations returns variants with the generations of two layers.
func (v *Variants) inGenerations(near, far string) *Variants {
	if near == "" && far == "" {
		return v
	}
	out := *v
	out.Generation = joinGenerations(near, far)
	return &out
}

// forShared returns the part of the variants that a shared store may have.
func (v *Variants) forShared() *Variants {
	out := &Variants{From: v.From, Generation: v.Generation}
	for _, e := range v.Entries {
		if s := e.forShared(); s != nil {
			out.Entries = append(out.Entries, s)
		}
	}
	return out
}

// fromShared returns variants of a shared store. The rules of a shared cache apply to them until
// this cache validates them.
func (v *Variants) fromShared() *Variants {
	if !slices.ContainsFunc(v.Entries, func(e *Entry) bool { return !e.Shared }) {
		return v
	}
	out := &Variants{Entries: make([]*Entry, len(v.Entries)), From: v.From, Generation: v.Generation}
	for i, e := range v.Entries {
		s := e.copied()
		s.Shared = true
		s.derive()
		out.Entries[i] = s
	}
	return out
}

// choose returns the newest entry that matches, or nil. An entry with Vary has precedence over one
// without (RFC 9111 §4.1).
func (v *Variants) choose(request *requestHeader) *Entry {
	var plain *Entry
	for _, e := range v.Entries {
		switch {
		case !e.matches(request):
		case len(e.Vary) > 0:
			return e
		case plain == nil:
			plain = e
		}
	}
	return plain
}

// with returns new variants that begin with e. They lack the entries that e replaces, which are
// those that match the request. If there are too many, the oldest is dropped; for an entry that must not
// leave the process, the oldest of its kind: what one caller asks pushes out no answer that all can have.
func (v *Variants) with(e *Entry, request *requestHeader) *Variants {
	out := only(e)
	if v != nil {
		out.Entries = append(out.Entries, v.without(request).Entries...)
	}
	if n := len(out.Entries); n > MaxVariants {
		last := n - 1
		if e.memoryOnly {
			for last > 0 && !out.Entries[last].memoryOnly {
				last--
			}
		}
		out.Entries = slices.Delete(out.Entries, last, last+1)
	}
	return out
}

// shared returns the number of entries that may leave the process.
func (v *Variants) shared() (n int) {
	if v == nil {
		return 0
	}
	for _, e := range v.Entries {
		if !e.memoryOnly {
			n++
		}
	}
	return n
}

// without returns the variants that do not match a request.
func (v *Variants) without(request *requestHeader) *Variants {
	out := &Variants{}
	if v == nil {
		return out
	}
	for _, e := range v.Entries {
		if !e.matches(request) {
			out.Entries = append(out.Entries, e)
		}
	}
	return out
}

// swap returns variants with one entry in place of another.
func (v *Variants) swap(old, replacement *Entry) *Variants {
	out := &Variants{Entries: slices.Clone(v.Entries), From: v.From, Generation: v.Generation}
	for i, e := range out.Entries {
		if e == old {
			out.Entries[i] = replacement
		}
	}
	return out
}

// detached returns the variants without their Notes, which the Rules of one
// caller made.
func (v *Variants) detached() *Variants {
	out := &Variants{Entries: make([]*Entry, len(v.Entries)), From: v.From, Generation: v.Generation}
	for i, e := range v.Entries {
		own := e.copied()
		own.Note, own.read = nil, false
		out.Entries[i] = own
	}
	return out
}

// shareable returns the entries that may leave the process.
func (v *Variants) shareable() *Variants {
	confined := func(e *Entry) bool { return e.memoryOnly }
	if !slices.ContainsFunc(v.Entries, confined) {
		return v
	}
	return &Variants{Entries: slices.DeleteFunc(slices.Clone(v.Entries), confined), From: v.From, Generation: v.Generation}
}

// MarshalBinary returns the serialised form for a store outside the process. It contains all
// exported fields of each entry except Note, and the facts of net/http about the response:
// protocol, trailer, whether the content was decoded, and the version of TLS, the cipher suite and
// the digests of the certificates. The same variants give the same bytes. MarshalBinary returns an
// error if they could not be read back: more than MaxVariants, a status of more than three digits,
// thousands of header lines, or times outside the years 1 to 9999.
func (v *Variants) MarshalBinary() ([]byte, error) {
	if len(v.Entries) > MaxVariants {
		return nil, fmt.Errorf("cache: %d variants, more than %d", len(v.Entries), MaxVariants)
	}
	size := 0
	for _, e := range v.Entries {
		bare := Entry{Key: e.Key, URL: e.URL, Header: e.Header, Vary: e.Vary, Body: e.Body}
		size += int(bare.Size())
	}
	out := append(make([]byte, 0, size+16), wireMagic...)
	out = append(out, Schema)
	out = binary.AppendUvarint(out, uint64(len(v.Entries)))
	var fields []byte
	for _, e := range v.Entries {
		if err := e.writable(); err != nil {
			return nil, err
		}
		fields = e.appendFields(fields[:0])
		out = appendText(out, fields)
		out = appendText(out, e.Body)
	}
	return out, nil
}

// purpose is what a call of a store is for.
type purpose int

const (
	reads purpose = iota
	writes
	obliges // takes or reads obligations, not answers
)

// limitOf returns the time limit for a call of a store that a caller waits for. A store that times
// itself has longer for a write, because the answer would be lost, and a write with a sync is slow.
func limitOf(s Store, u purpose) budget.Limit {
	b := budgetOf(s)
	if u == writes && budget.TimesItself(s) {
		return budget.Limit{Silence: 4 * b, Longest: 10 * b}
	}
	return budget.Limit{Silence: b, Longest: b}
}

// bounded calls f with the budget of the store as time limit, unless the store is local. While the
// breaker of a guarded store is open, f is not called and the error is errOpen. If the caller has
// left, the result of the call is not recorded in the breaker.
func bounded[R any](ctx context.Context, s Store, u purpose, f func(ctx context.Context) (R, error)) (R, error) {
	if isLocal(s) {
		return f(ctx)
	}
	g, _ := s.(*guarded)
	if g != nil && !g.breaker.allow() {
		g.lost[u].note(errOpen)
		var none R
		return none, errOpen
	}
	r, err := budget.Call(ctx, s, limitOf(s, u), f)
	if g != nil && ctx.Err() == nil {
		g.breaker.done(err)
		g.lost[u].note(err)
	}
	return r, err
}

// loadFrom is Load within the budget of the store.
func loadFrom(ctx context.Context, s Store, key string) (*Variants, error) {
	return known(bounded(ctx, s, reads, func(ctx context.Context) (*Variants, error) { return s.Load(ctx, key) }))
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
	_, err := bounded(ctx, s, writes, func(ctx context.Context) (struct{}, error) { return struct{}{}, s.Save(ctx, key, v, retain) })
	return err
}

// deleteFrom is Delete within the budget of the store.
func deleteFrom(ctx context.Context, s Store, key string) error {
	_, err := bounded(ctx, s, writes, func(ctx context.Context) (struct{}, error) { return struct{}{}, s.Delete(ctx, key) })
	return err
}
