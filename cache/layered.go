package cache

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Layered is a near store before a far one: the memory of the process before a
// directory or a server that processes share. It is a LocalStore when the near
// one is. The far one has its budget for each call that a caller waits for, and
// is left alone for a while when it keeps being late. It never gets entries
// with MemoryOnly, nor the key of a partition, nor, as a SharedStore, entries for
// one user. An Engine over
// it keeps the Notes of entries near, and looks into the far store once more
// before it asks the origin, since another process may have asked.
//
// Responses are written to the far store in the background, in order for each
// key. 8 MiB of them may wait. Beyond that a Save waits for room, within the budget
// of the far store. Then the response is not written, and counted.
type Layered struct {
	near, far Store
	local     bool // the near one
	farLocal  bool
	farShared bool
	bars      bars // what the far store may have kept although it should not
	writer    writer

	nearest  Store       // the near one, as it was given
	records  RecordStore // the far one, if it is one; else nil
	order    atomic.Uint64
	began    time.Time
	visiting sync.Mutex
	visits   map[string]*visit // of the calls that are under way, and of writes
	ended    bool              // no more is written
}

// LayeredStats count the results of the writes to the far store.
type LayeredStats struct {
	// Dropped counts writes, including deletions, that were given up because too
	// many others waited or the store was left alone. Failed counts writes that got
	// an error. The entry that such a write was to replace is deleted if the store
	// lets it be; else it counts for other processes until its own lifetime ends.
	Dropped, Failed uint64
}

// NewLayered returns near before far. The caller closes both, after the
// Layered. logger gets a warning for each write that fails; nil is silence.
func NewLayered(near, far Store, logger *slog.Logger) *Layered {
	l := &Layered{near: guardedStore(near), far: guardedStore(far), local: isLocal(near), farLocal: isLocal(far), farShared: isShared(far)}
	l.writer.store, l.writer.logger, l.writer.patience = far, logger, budgetOf(far)
	l.writer.lost = l.lost
	l.nearest = near
	if r, ok := far.(RecordStore); ok && r.Records(far) {
		l.records = r
	}
	l.visits, l.began = map[string]*visit{}, time.Now()
	l.writer.ctx, l.writer.stop = context.WithCancel(context.Background())
	return l
}

func isLocal(s Store) bool {
	l, ok := s.(LocalStore)
	return ok && l.Local()
}

func isShared(s Store) bool {
	sh, ok := s.(SharedStore)
	return ok && sh.Shared()
}

// Local implements LocalStore.
func (l *Layered) Local() bool { return l.local }

// Budget implements PatientStore: each of the two has a budget of its own.
func (l *Layered) Budget() time.Duration { return budgetOf(l.near) + budgetOf(l.far) }

// Stats returns the counts so far.
func (l *Layered) Stats() LayeredStats {
	return LayeredStats{Dropped: l.writer.dropped.Load(), Failed: l.writer.failed.Load()}
}

// Load implements Store: the far store is asked for entries that the near one
// lacks.
func (l *Layered) Load(ctx context.Context, key string) (*Variants, error) {
	near, nearErr := loadFrom(ctx, l.near, key)
	if near != nil && len(near.Entries) > 0 && nearErr == nil {
		return near.inGenerations(near.Generation, ""), nil
	}
	v, err := l.behind(ctx, key)
	switch {
	case v != nil && near != nil:
		v = v.inGenerations(near.Generation, v.Generation)
	case v != nil:
		v = v.inGenerations("", v.Generation)
	case near != nil:
		v = near.inGenerations(near.Generation, "")
	}
	return v, errors.Join(nearErr, err)
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

// behind looks into the far store alone, and into the writes on their way to it.
func (l *Layered) behind(ctx context.Context, key string) (*Variants, error) {
	if isPartitioned(key) {
		return nil, nil
	}
	if v, waiting := l.writer.peek(key); waiting {
		return v, nil
	}
	v, err := loadFrom(ctx, l.far, key)
	return l.fromFar(v), err
}

// behindIn is behind for one of the visits of a call.
func (l *Layered) behindIn(ctx context.Context, vs *Visits, key string, after uint64, longest time.Duration) (*Variants, error) {
	if vs == nil || isPartitioned(key) {
		return l.behind(ctx, key)
	}
	to, done := vs.to(key)
	defer done()
	v, err := to.load(ctx, key, after, longest)
	return l.fromFar(v), err
}

// fromFar returns the part of the far store's variants that counts.
func (l *Layered) fromFar(v *Variants) *Variants {
	v = l.unbarred(v)
	if v != nil && len(v.Entries) == 0 && v.Generation == "" {
		return nil
	}
	if l.farShared && v != nil {
		v = v.fromShared()
	}
	return v
}

// Save implements Store. The error is that of the near store, or ErrClosed.
func (l *Layered) Save(ctx context.Context, key string, v *Variants, retain time.Duration) error {
	return l.saveIn(ctx, nil, key, v, retain)
}

// saveIn is Save for one of the visits of a call.
func (l *Layered) saveIn(ctx context.Context, vs *Visits, key string, v *Variants, retain time.Duration) error {
	if isPartitioned(key) {
		return saveIn(ctx, l.near, key, v, retain)
	}
	shared := v
	if !l.farLocal {
		shared = v.shareable()
	}
	if l.farShared {
		shared = shared.forShared()
	}
	if len(shared.Entries) == 0 || retain <= 0 {
		shared = nil
	} else {
		shared = shared.detached()
	}
	near, farther := cutGenerations(v.Generation)
	if shared != nil {
		shared.Generation = farther
	}
	if v.Generation != near {
		own := *v
		own.Generation, v = near, &own
	}
	return errors.Join(saveIn(ctx, l.near, key, v, retain), l.writeFar(ctx, vs, key, shared, retain))
}

// writeFar saves variants in the far store; without any it deletes the old ones.
func (l *Layered) writeFar(ctx context.Context, vs *Visits, key string, v *Variants, retain time.Duration) error {
	if vs != nil {
		to, done := vs.to(key)
		defer done()
		return to.save(ctx, key, v, retain)
	}
	if v == nil {
		return l.writer.delete(key)
	}
	return l.writer.put(ctx, key, v, retain)
}

// Delete implements Store.
func (l *Layered) Delete(ctx context.Context, key string) error { return l.deleteIn(ctx, nil, key) }

// deleteIn is Delete for one of the visits of a call.
func (l *Layered) deleteIn(ctx context.Context, vs *Visits, key string) error {
	if isPartitioned(key) {
		return deleteFrom(ctx, l.near, key)
	}
	return errors.Join(deleteFrom(ctx, l.near, key), l.writeFar(ctx, vs, key, nil, 0))
}

// Acquire implements Store: both must agree. A far store that fails counts as
// one that agrees: its failure must not keep callers from the origin. The near
// one still decides.
func (l *Layered) Acquire(ctx context.Context, key string, until time.Time) (ok bool, held time.Time, release func(), err error) {
	mine, err := bounded(ctx, l.near, func(ctx context.Context) (acquired, error) { return acquire(ctx, l.near, key, until) })
	if !mine.ok || err != nil {
		return mine.ok, mine.held, mine.release, err
	}
	near := mine.release
	other, err := bounded(ctx, l.far, func(ctx context.Context) (acquired, error) { return acquire(ctx, l.far, key, until) })
	switch {
	case err != nil:
		return true, time.Time{}, near, nil
	case !other.ok:
		near()
		return false, other.held, nil, nil
	}
	return true, time.Time{}, func() { near(); other.release() }, nil
}

// Hold implements Store: both are told.
func (l *Layered) Hold(ctx context.Context, key string, until time.Time) error {
	_, err := bounded(ctx, l.far, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, l.far.Hold(ctx, key, until)
	})
	if errors.Is(err, errOpen) {
		err = nil
	}
	_, nearErr := bounded(ctx, l.near, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, l.near.Hold(ctx, key, until)
	})
	return errors.Join(nearErr, err)
}

// Flush waits until all earlier saves and deletions are written, or given up.
// The error is that of ctx.
func (l *Layered) Flush(ctx context.Context) error {
	return errors.Join(l.flushVisits(ctx, ""), l.writer.flush(ctx))
}

// Close waits for the writes that are waiting, for at most two seconds, and
// leaves both stores to their owner. Later writes return ErrClosed.
func (l *Layered) Close() error {
	l.endVisits()
	l.writer.close()
	return nil
}

// Limits of the writes to a far store.
const (
	// writeBudget bounds one write: no caller waits for it.
	writeBudget = 5 * time.Second
	// closeBudget is how long Close waits for pending writes.
	closeBudget = 2 * time.Second
)

// acquired holds the results of Acquire.
type acquired struct {
	ok      bool
	held    time.Time
	release func()
}

// acquire calls Acquire; the release is never nil.
func acquire(ctx context.Context, s Store, key string, until time.Time) (a acquired, err error) {
	a.ok, a.held, a.release, err = s.Acquire(ctx, key, until)
	if a.release == nil {
		a.release = func() {}
	}
	return a, err
}
