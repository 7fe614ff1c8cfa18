package cache

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Visits are the origins that one call asks. The record of an origin in the far store of a Layered
// is read once, and the answers to the call are written together, within a second or, at the
// latest, after Close. If Visits are nil, or if the far store keeps no records, each key is read
// and written alone.
//
// Visits are for callers with few URLs of an origin. Such a caller finds only the answers to other
// callers with Visits.
type Visits struct {
	layers *Layered

	mu     sync.Mutex
	of     map[string]*visit // by the key of the record
	closed bool
}

// visit is the record of an origin that this process knows while calls ask the origin.
type visit struct {
	layers *Layered
	key    string
	users  int // guarded by Layered.visiting

	reading chan struct{} // full while a goroutine reads or writes the record

	mu       sync.Mutex
	read     bool
	record   *Record // nil if it could not be read
	began    uint64  // the moment before the record was read, in Layered.order
	at       time.Time
	stamped  string // the generation of the record, and at
	changes  map[string]change
	underway map[string]change // the changes that are being written
	timer    *time.Timer       // writes the changes
}

// change contains the new answers of a key. Nil variants mean that there are none.
type change struct {
	v     *Variants
	until time.Time
	size  int64
}

const (
	// maxSeen is the time for which a record that was read is used, unless a newer one is required.
	maxSeen = time.Second
	// pollSeen is this time for a caller that waits for another process.
	pollSeen = 25 * time.Millisecond
	// maxUnwritten is the time that answers wait for others, to be written together.
	maxUnwritten = time.Second
)

// Visits returns the Visits of a call. The caller must close them. It returns nil if the far store
// keeps no records.
func (l *Layered) Visits() *Visits {
	if l == nil || l.records == nil {
		return nil
	}
	return &Visits{layers: l, of: map[string]*visit{}}
}

// Close ends the visits.
func (vs *Visits) Close() {
	if vs == nil {
		return
	}
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.closed = true
	for _, v := range vs.of {
		vs.layers.leave(v)
	}
	clear(vs.of)
}

// to returns the visit of the origin of a key, and a function to call after its use.
func (vs *Visits) to(key string) (v *visit, done func()) {
	name := RecordKey(key)
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if v = vs.of[name]; v != nil {
		return v, func() {}
	}
	v = vs.layers.visit(name)
	if vs.closed { // a request that others wait for may outlive the call
		return v, func() { vs.layers.leave(v) }
	}
	vs.of[name] = v
	return v, func() {}
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

// load returns the answers of a key that the far store has or will have. It reads the record if it
// was not read yet, was not read after the moment after, or was read longer than longest ago.
func (v *visit) load(ctx context.Context, key string, after uint64, longest time.Duration) (*Variants, error) {
	if c, waits := v.waiting(key); waits {
		return c.v, nil
	}
	r, stamped, err := v.seen(ctx, after, longest)
	if r == nil {
		return nil, err
	}
	p, ok := r.Parts[key]
	switch {
	case !ok:
		return &Variants{Generation: stamped}, nil
	case p.Variants == nil:
		own, err := loadFrom(ctx, v.layers.far, key)
		if own == nil || len(own.Entries) == 0 || sumOf(own) != p.sum {
			return &Variants{Generation: stamped}, err
		}
		out := *own
		out.Generation = stamped
		return &out, err
	}
	return &Variants{Entries: p.Variants.Entries, From: r.From, Generation: stamped}, nil
}

// has sets the record that was read after a moment. The caller holds v.mu.
func (v *visit) has(r *Record, began uint64, at time.Time) {
	v.read, v.record, v.began, v.at, v.stamped = true, r, began, at, ""
	if r != nil {
		v.stamped = r.Generation + stampedAt + strconv.FormatInt(int64(at.Sub(v.layers.began)/time.Second), 36)
	}
}

// stampedAt separates a generation from the second in which it was read.
const stampedAt = "@"

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

// waiting returns the answers of a key that are on their way to the store.
func (v *visit) waiting(key string) (c change, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if c, ok = v.changes[key]; !ok {
		c, ok = v.underway[key]
	}
	return c, ok
}

func (v *visit) unwritten() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.changes)+len(v.underway) > 0
}

// seen returns the record. If there are several callers, only one of them reads it.
func (v *visit) seen(ctx context.Context, after uint64, longest time.Duration) (r *Record, stamped string, err error) {
	select {
	case v.reading <- struct{}{}:
	case <-ctx.Done():
		return nil, "", ctx.Err()
	}
	defer func() { <-v.reading }()
	v.mu.Lock()
	if v.read && v.began > after && time.Since(v.at) <= longest {
		defer v.mu.Unlock()
		return v.record, v.stamped, nil
	}
	v.mu.Unlock()
	l := v.layers
	began, at := l.Moment(), time.Now()
	r, err = bounded(ctx, l.far, func(ctx context.Context) (*Record, error) { return l.records.LoadRecord(ctx, v.key) })
	if r, err = knownRecord(r, err); ctx.Err() != nil {
		return nil, "", err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.has(r, began, at)
	return r, v.stamped, err
}

// knownRecord filters the results of LoadRecord: see known.
func knownRecord(r *Record, err error) (*Record, error) {
	if errors.Is(err, ErrSchema) || errors.Is(err, errOpen) {
		return nil, nil
	}
	return r, err
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

// longest returns the time for which a call uses a record that was read.
func (c *call) longest() time.Duration {
	if c.waits {
		return pollSeen
	}
	return maxSeen
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
