package cache

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind/internal/run/warned"
)

// Layered is a near store in front of a far one: the memory of the process in front of a directory
// or a server that processes share. It is a LocalStore if the near store is one. The far store has
// its budget for each call that a caller waits for, and is not called for a while if it keeps
// running out of time. It never gets entries that must not leave the process, nor keys with a
// partition. If it is a SharedStore, it does not get entries for one user, either. An Engine with a
// Layered keeps the Notes of entries in the near store. It looks into the far store once more
// before it asks the origin, because another process may have asked.
//
// Responses are written to the far store in the background, in order for each key. Up to 8 MiB of
// them may wait. If there are more, a Save waits for room, within the budget of the far store. If
// there is none by then, the response is not written, which is counted.
type Layered struct {
	near, far Store
	local     bool // whether the near store is local
	farLocal  bool
	farShared bool
	bars      bars // entries that the far store may have kept although it should not
	writer    writer

	nearest  Store       // the near store without a breaker
	records  RecordStore // the far store, if it keeps records; otherwise nil
	order    atomic.Uint64
	began    time.Time
	visiting sync.Mutex
	visits   map[string]*visit // the visits of the calls and writes that are under way
	ended    bool              // nothing is written any more
}

// LayeredStats contains counts of the writes to the far store.
type LayeredStats struct {
	// Dropped is the number of writes, including deletions, that were given up because too many
	// others waited or the store was not called for a while. Failed is the number of writes that
	// returned an error. The entry that such a write was to replace is deleted if possible.
	// Otherwise other processes may use it until its lifetime ends.
	Dropped, Failed uint64
	// Resting is true if the far store did not answer in time and is not called for a while, to
	// read or to write.
	Resting bool
}

// NewLayered returns a Layered of near and far. The caller must close both stores after the
// Layered. logger gets a warning for each write that fails. If it is nil, nothing is logged.
func NewLayered(near, far Store, logger *slog.Logger) *Layered {
	needStore(near)
	needStore(far)
	needLogger(logger)
	l := &Layered{near: guardedStore(near), far: guardedStore(far), local: isLocal(near), farLocal: isLocal(far), farShared: isShared(far)}
	l.writer.store, l.writer.logger, l.writer.warned, l.writer.patience = far, logger, warned.To(logger), budgetOf(far)
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

// othersRead reports whether a store, or one of its layers, is a SharedStore.
func othersRead(s Store) bool {
	if l, ok := s.(*Layered); ok {
		return othersRead(l.nearest) || othersRead(l.writer.store)
	}
	return isShared(s)
}

// digestKeysOf returns the keys of a KeyedStore, or those of the far one of layers. There is at
// least one, which may be nil.
func digestKeysOf(s Store) [][]byte {
	if l, ok := s.(*Layered); ok {
		return digestKeysOf(l.writer.store)
	}
	if keyed, ok := s.(KeyedStore); ok {
		if keys := keyed.DigestKeys(); len(keys) > 0 {
			return keys
		}
	}
	return [][]byte{nil}
}

// Local implements LocalStore.
func (l *Layered) Local() bool { return l.local }

// Budget implements PatientStore. It is the sum of the budgets of both stores.
func (l *Layered) Budget() time.Duration { return budgetOf(l.near) + budgetOf(l.far) }

// Timed reports that each of both stores has its own budget.
func (l *Layered) Timed(of any) bool { return of == any(l) }

// Stats returns the counts so far.
func (l *Layered) Stats() LayeredStats {
	return LayeredStats{Dropped: l.writer.dropped.Load(), Failed: l.writer.failed.Load(), Resting: isOpen(l.far) || l.writer.breaker.open()}
}

// Load implements Store. It asks the far store for entries that the near one lacks.
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

// behind looks only into the far store, and into the writes on their way to it.
func (l *Layered) behind(ctx context.Context, key string) (*Variants, error) {
	if isPartitioned(key) {
		return nil, nil
	}
	if v, waiting := l.writer.peek(key); waiting {
		return v, nil
	}
	v, err := loadFrom(ctx, l.far, key)
	return l.fromFar(key, v), err
}

// behindIn is behind for one of the visits of a call.
func (l *Layered) behindIn(ctx context.Context, vs *Visits, key string, after uint64, longest time.Duration) (*Variants, error) {
	if vs == nil || isPartitioned(key) {
		return l.behind(ctx, key)
	}
	to, done := vs.to(key)
	defer done()
	v, err := to.load(ctx, key, after, longest)
	return l.fromFar(key, v), err
}

// fromFar returns the part of the far store's variants that may be used.
func (l *Layered) fromFar(key string, v *Variants) *Variants {
	v = l.unbarred(v)
	if v != nil && len(v.Entries) == 0 && v.Generation == "" {
		return nil
	}
	if l.farShared && v != nil && !hasPrincipal(key) {
		v = v.fromShared()
	}
	return v
}

// Save implements Store. It returns the error of the near store, or ErrClosed.
func (l *Layered) Save(ctx context.Context, key string, v *Variants, retain time.Duration) error {
	return l.saveIn(ctx, nil, key, v, retain, false)
}

// saveIn is Save for one of the visits of a call. If nearOnly is set, only an entry was added that must not
// leave the process: the far store has the others already, perhaps newer ones.
func (l *Layered) saveIn(ctx context.Context, vs *Visits, key string, v *Variants, retain time.Duration, nearOnly bool) error {
	if isPartitioned(key) {
		return saveIn(ctx, l.near, key, v, retain)
	}
	shared := v
	if !l.farLocal {
		shared = v.shareable()
	}
	if l.farShared && !hasPrincipal(key) {
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
	if nearOnly && !l.farLocal && retain > 0 {
		return saveIn(ctx, l.near, key, v, retain)
	}
	return errors.Join(saveIn(ctx, l.near, key, v, retain), l.writeFar(ctx, vs, key, shared, retain))
}

// writeFar saves variants in the far store. If v is nil, it deletes the old ones.
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

// Moment returns the present moment in the order of the reads of the far store. It is never zero.
func (l *Layered) Moment() uint64 { return l.order.Add(1) }

// Delete implements Store.
func (l *Layered) Delete(ctx context.Context, key string) error { return l.deleteIn(ctx, nil, key) }

// deleteIn is Delete for one of the visits of a call.
func (l *Layered) deleteIn(ctx context.Context, vs *Visits, key string) error {
	if isPartitioned(key) {
		return deleteFrom(ctx, l.near, key)
	}
	return errors.Join(deleteFrom(ctx, l.near, key), l.writeFar(ctx, vs, key, nil, 0))
}

// Acquire implements ObligationStore. Both stores must permit it. If the far store fails, the near one
// decides alone, because a failure must not keep callers from the origin. A store that keeps no
// obligations permits everything.
func (l *Layered) Acquire(ctx context.Context, key string, until time.Time) (ok bool, held time.Time, release func(), err error) {
	mine, nearErr := acquire(ctx, l.near, l.nearest, key, until)
	keeps := !errors.Is(nearErr, errors.ErrUnsupported)
	if keeps && (!mine.ok || nearErr != nil) {
		return mine.ok, mine.held, mine.release, nearErr
	}
	other, err := acquire(ctx, l.far, l.writer.store, key, until)
	switch {
	case err != nil && !keeps:
		return false, time.Time{}, nil, err
	case err != nil:
		return true, time.Time{}, mine.release, nil
	case !other.ok:
		mine.release()
		return false, other.held, nil, nil
	}
	return true, time.Time{}, func() { mine.release(); other.release() }, nil
}

// Hold implements ObligationStore. It holds the key in both stores.
func (l *Layered) Hold(ctx context.Context, key string, until time.Time) error {
	err := hold(ctx, l.far, l.writer.store, key, until)
	nearErr := hold(ctx, l.near, l.nearest, key, until)
	near, far := !errors.Is(nearErr, errors.ErrUnsupported), !errors.Is(err, errors.ErrUnsupported)
	if !near && far {
		nearErr = nil
	}
	if !far && near || errors.Is(err, errOpen) {
		err = nil
	}
	return errors.Join(nearErr, err)
}

// FreesLeases implements LeaseStore. It is so if the far store does it, because only the far store has
// leases of other processes.
func (l *Layered) FreesLeases() bool {
	s, ok := l.writer.store.(LeaseStore)
	return ok && s.FreesLeases()
}

// Flush waits until all earlier saves and deletions are written or given up. It returns only the
// error of ctx.
func (l *Layered) Flush(ctx context.Context) error {
	return errors.Join(l.flushVisits(ctx, ""), l.writer.flush(ctx))
}

// Close waits at most two seconds for the waiting writes. It does not close the two stores. Later
// writes return ErrClosed.
func (l *Layered) Close() error {
	l.endVisits()
	l.writer.close()
	return nil
}

// Taken implements GlanceStore. It returns errors.ErrUnsupported unless both stores are
// GlanceStores.
func (l *Layered) Taken(ctx context.Context, _ Store, keys []string) ([]string, error) {
	near, _ := l.nearest.(GlanceStore)
	far, _ := l.writer.store.(GlanceStore)
	if near == nil || far == nil {
		return nil, errors.ErrUnsupported
	}
	taken, err := bounded(ctx, l.near, obliges, func(ctx context.Context) ([]string, error) { return near.Taken(ctx, l.nearest, keys) })
	if err != nil {
		return nil, err
	}
	more, err := bounded(ctx, l.far, obliges, func(ctx context.Context) ([]string, error) { return far.Taken(ctx, l.writer.store, keys) })
	if errors.Is(err, errOpen) {
		err = nil // as in Acquire
	}
	return append(taken, more...), err
}

// Purge implements Purger. It purges both stores. While the far store is not called, its error is
// returned at once.
func (l *Layered) Purge(ctx context.Context, s Scope) error {
	ended, nearErr := purgeIn(ctx, l.near, s)
	if !ended && nearErr == nil {
		nearErr = errNoPurger
	}
	return errors.Join(nearErr, l.purgeFar(ctx, s))
}

// purgeFar ends the entries of a scope in the far store, and those on their way to it.
func (l *Layered) purgeFar(ctx context.Context, s Scope) error {
	if resource, one := s.Resource(); one {
		if err := l.forgetPart(ctx, resource); err != nil {
			return err
		}
		if err := l.writer.delete(resource); err != nil || !isPurger(l.writer.store) {
			return err
		}
	} else if err := l.Flush(ctx); err != nil {
		return err
	}
	_, err := purgeIn(ctx, l.far, s)
	l.forgetVisits()
	return err
}

// lost bars the entries that the far store may have kept although a write was to replace or end
// them. Entries of other processes that were asked for later may be used.
func (l *Layered) lost(key string, v *Variants) {
	m := moment{wall: time.Now()}
	if v != nil && len(v.Entries) > 0 {
		m.wall = v.Entries[0].RequestTime
	}
	l.bars.add(scopeOfKey(key), m)
}

// unbarred returns the entries that are not barred. v may be nil.
func (l *Layered) unbarred(v *Variants) *Variants {
	if v == nil || !slices.ContainsFunc(v.Entries, l.bars.bar) {
		return v
	}
	out := *v
	out.Entries = slices.DeleteFunc(slices.Clone(v.Entries), l.bars.bar)
	return &out
}

// Visits returns the Visits of a call. The caller must close them. It returns nil if the far store
// keeps no records.
func (l *Layered) Visits() *Visits {
	if l == nil || l.records == nil {
		return nil
	}
	return &Visits{layers: l, of: map[string]*visit{}}
}

// visit joins the visit with the key of a record, or begins it.
func (l *Layered) visit(name string) *visit {
	l.visiting.Lock()
	defer l.visiting.Unlock()
	v := l.visits[name]
	if v == nil {
		v = &visit{layers: l, key: name, reading: make(chan struct{}, 1), changes: map[string]change{}}
		l.visits[name] = v
	}
	v.users++
	return v
}

// leave leaves a visit. The last call of leave begins to write its answers.
func (l *Layered) leave(v *visit) {
	l.visiting.Lock()
	defer l.visiting.Unlock()
	if v.users--; v.users > 0 {
		return
	}
	if l.ended || !v.unwritten() {
		delete(l.visits, v.key)
		return
	}
	l.writeVisit(v)
}

// writeVisit writes the answers of a visit in the background, and closes done afterwards. The
// caller holds l.visiting.
func (l *Layered) writeVisit(v *visit) (done <-chan struct{}) {
	v.users++ // until it is written
	written := make(chan struct{})
	l.writer.running.Go(func() {
		v.write()
		close(written)
		l.leave(v)
	})
	return written
}

// writeVisits writes the answers of all visits, or of the visit with the key of one record.
func (l *Layered) writeVisits(key string) (done []<-chan struct{}) {
	l.visiting.Lock()
	defer l.visiting.Unlock()
	for _, v := range l.visits {
		if !l.ended && (key == "" || key == v.key) && v.unwritten() {
			done = append(done, l.writeVisit(v))
		}
	}
	return done
}

// flushVisits waits until the answers so far are written or given up.
func (l *Layered) flushVisits(ctx context.Context, key string) error {
	for _, done := range l.writeVisits(key) {
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// FlushOrigin waits like Flush, but only for the answers of one origin ("https://example.com") in a
// view.
func (l *Layered) FlushOrigin(ctx context.Context, view, origin string) error {
	if l.records == nil {
		return l.Flush(ctx)
	}
	return l.flushVisits(ctx, RecordKey(view+noView+origin+"/"))
}

// endVisits begins the last writes. After them, nothing is written.
func (l *Layered) endVisits() {
	l.writeVisits("")
	l.visiting.Lock()
	defer l.visiting.Unlock()
	l.ended = true
}

// counts reports whether an answer that was asked for in a stamped generation may be written in the
// present one. If stamped is empty, it may.
func (l *Layered) counts(stamped, present string) bool {
	if stamped == "" {
		return true
	}
	i := strings.LastIndex(stamped, stampedAt)
	if i < 0 || stamped[:i] != present {
		return false
	}
	second, err := strconv.ParseInt(stamped[i+len(stampedAt):], 36, 64)
	return err == nil && time.Since(l.began)-time.Duration(second)*time.Second <= maxAsking
}

// forgetVisits makes the next callers read the records again.
func (l *Layered) forgetVisits() {
	l.visiting.Lock()
	defer l.visiting.Unlock()
	for _, v := range l.visits {
		v.mu.Lock()
		v.read, v.record = false, nil
		v.mu.Unlock()
	}
}

// forgetPart deletes the part of a key from its record.
func (l *Layered) forgetPart(ctx context.Context, key string) error {
	if l.records == nil || isPartitioned(key) {
		return nil
	}
	v := l.visit(RecordKey(key))
	defer l.leave(v)
	return v.save(ctx, key, nil, 0)
}

// update writes changes of a record, and returns the new record, or nil if that is not known. If
// the record cannot be written, it is deleted.
func (l *Layered) update(key string, seen *Record, changes map[string]change) *Record {
	w := &l.writer
	if !w.breaker.allow() {
		changes = maps.Clone(changes)
		for own, c := range changes {
			if c.v != nil {
				w.giveUp(errOpen)
				l.lost(own, c.v)
				delete(changes, own)
			}
		}
		if len(changes) == 0 {
			return nil
		}
	}
	r, err := l.tryUpdate(w.ctx, key, seen, changes)
	if err == nil {
		return r
	}
	if err := w.erase(key, writeBudget); err != nil {
		for own, c := range changes {
			l.lost(own, c.v)
		}
	}
	return nil
}

func (l *Layered) tryUpdate(ctx context.Context, key string, seen *Record, changes map[string]change) (out *Record, err error) {
	w := &l.writer
	alone := map[string][8]byte{} // sums of the variants that are written under their own keys
	for own, c := range changes {
		if c.v == nil || c.v.Size() <= maxPart {
			continue
		}
		v := *c.v
		v.Generation = "" // only the record decides whether it is valid
		err := w.call(writeBudget, func(ctx context.Context) error { return w.store.Save(ctx, own, &v, time.Until(c.until)) })
		w.report(ctx, "save", err)
		if err == nil {
			alone[own] = sumOf(c.v)
		}
	}
	var left []string // keys that the record no longer refers to
	change := func(r *Record) *Record {
		left = left[:0]
		out = l.changed(r, changes, alone)
		for own, p := range r.Parts {
			if now, ok := out.Parts[own]; p.Variants == nil && (!ok || now.Variants != nil) {
				left = append(left, own)
			}
		}
		return out
	}
	err = w.call(writeBudget, func(ctx context.Context) error { return l.records.UpdateRecord(ctx, key, seen, change) })
	w.report(ctx, "save", err)
	for _, own := range left {
		if err == nil {
			w.report(ctx, "delete", w.erase(own, writeBudget))
		}
	}
	return out, err
}

// changed returns a record with changes. It leaves out answers that were asked for in an earlier
// generation, and answers that another process has replaced by newer ones.
func (l *Layered) changed(r *Record, changes map[string]change, alone map[string][8]byte) *Record {
	now := time.Now()
	out := &Record{Parts: maps.Clone(r.Parts), Generation: r.Generation, From: r.From, Version: r.Version}
	if out.Parts == nil {
		out.Parts = map[string]Part{}
	}
	maps.DeleteFunc(out.Parts, func(_ string, p Part) bool { return !p.Until.After(now) })
	for key, c := range changes {
		sum, isAlone := alone[key]
		have := out.Parts[key]
		switch {
		case c.v == nil, !isAlone && c.v.Size() > maxPart:
			delete(out.Parts, key)
		case !l.counts(c.v.Generation, r.Generation):
		case have.Variants != nil && have.Variants.newerThan(c.v) && !have.Variants.Entries[0].ResponseTime.After(now.Add(futureSlack)):
		case isAlone:
			out.Parts[key] = Part{sum: sum, Until: c.until}
		default:
			out.Parts[key] = Part{Variants: &Variants{Entries: c.v.Entries}, Until: c.until}
		}
	}
	out.shrink()
	return out
}

// Limits of the writes to a far store.
const (
	// writeBudget is the longest time for one write, for which no caller waits.
	writeBudget = 5 * time.Second
	// closeBudget is the time that Close waits for pending writes.
	closeBudget = 2 * time.Second
)

// acquired contains the results of Acquire.
type acquired struct {
	ok      bool
	held    time.Time
	release func()
}

// acquire calls Acquire of a store within its budget. s is the store with its breaker. The release in
// the result is never nil.
func acquire(ctx context.Context, s, bare Store, key string, until time.Time) (acquired, error) {
	none := func() {}
	o, ok := bare.(ObligationStore)
	if !ok {
		return acquired{release: none}, errors.ErrUnsupported
	}
	a, err := bounded(ctx, s, obliges, func(ctx context.Context) (a acquired, err error) {
		a.ok, a.held, a.release, err = o.Acquire(ctx, key, until)
		return a, err
	})
	if a.release == nil {
		a.release = none
	}
	return a, err
}

// hold calls Hold of a store within its budget.
func hold(ctx context.Context, s, bare Store, key string, until time.Time) error {
	o, ok := bare.(ObligationStore)
	if !ok {
		return errors.ErrUnsupported
	}
	_, err := bounded(ctx, s, obliges, func(ctx context.Context) (struct{}, error) { return struct{}{}, o.Hold(ctx, key, until) })
	return err
}

func isPurger(s Store) bool {
	_, is := s.(Purger)
	return is
}
