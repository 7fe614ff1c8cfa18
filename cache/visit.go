package cache

import (
	"context"
	"errors"
	"strconv"
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
	r, err = bounded(ctx, l.far, reads, func(ctx context.Context) (*Record, error) { return l.records.LoadRecord(ctx, v.key) })
	if r, err = knownRecord(r, err); ctx.Err() != nil {
		return nil, "", err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.has(r, began, at)
	return r, v.stamped, err
}

// save records the answers of a key, which will be written. If too many bytes wait, the caller
// waits for a while. If there is still no room, the answer is given up, and the answer that it
// would have replaced is deleted.
func (v *visit) save(ctx context.Context, key string, answer *Variants, retain time.Duration) error {
	w := &v.layers.writer
	c := change{v: answer, until: time.Now().Add(retain), size: writeSize + int64(len(key))}
	if answer != nil {
		c.size += answer.Size()
	}
	limit := int64(maxQueued)
	if answer == nil {
		limit = maxDeletions
	}
	if !w.quota.try(c.size, limit) {
		v.layers.writeVisits("")
		if answer == nil || !w.quota.take(ctx, c.size, maxQueued, w.patience) {
			w.giveUp(errFull)
			if c = (change{size: writeSize + int64(len(key))}); !w.quota.try(c.size, maxDeletions) {
				v.layers.lost(key, answer)
				return nil
			}
		}
	}
	return v.note(key, c)
}

// note adds a change whose size is taken from the quota.
func (v *visit) note(key string, c change) error {
	l := v.layers
	l.visiting.Lock()
	defer l.visiting.Unlock()
	if l.ended {
		l.writer.quota.give(c.size)
		return ErrClosed
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if before, ok := v.changes[key]; ok {
		l.writer.quota.give(before.size)
	}
	v.changes[key] = c
	if v.timer == nil {
		v.timer = time.AfterFunc(maxUnwritten, v.writeSoon)
	}
	return nil
}

// writeSoon writes in the background.
func (v *visit) writeSoon() {
	l := v.layers
	l.visiting.Lock()
	defer l.visiting.Unlock()
	if !l.ended && l.visits[v.key] == v && v.unwritten() {
		l.writeVisit(v)
	}
}

// write writes the changes. Afterwards the record is known.
func (v *visit) write() {
	v.reading <- struct{}{}
	defer func() { <-v.reading }()
	v.mu.Lock()
	v.underway, v.changes = v.changes, map[string]change{}
	if v.timer != nil {
		v.timer.Stop()
		v.timer = nil
	}
	changes, seen := v.underway, v.record
	v.mu.Unlock()
	if len(changes) == 0 {
		return
	}
	l := v.layers
	began := l.Moment()
	r := l.update(v.key, seen, changes)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.underway = nil
	if v.has(r, began, time.Now()); r == nil {
		v.read = false
	}
	for _, c := range changes {
		l.writer.quota.give(c.size)
	}
}

// knownRecord filters the results of LoadRecord: see known.
func knownRecord(r *Record, err error) (*Record, error) {
	if errors.Is(err, ErrSchema) || errors.Is(err, errOpen) {
		return nil, nil
	}
	return r, err
}

// maxAsking is the longest time between the reading of a record and the writing of its answer.
const maxAsking = time.Hour
