package cache

import (
	"context"
	"maps"
	"slices"
	"time"
)

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
			w.giveUp()
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

// update writes changes of a record, and returns the new record, or nil if that is not known. If
// the record cannot be written, it is deleted.
func (l *Layered) update(key string, seen *Record, changes map[string]change) *Record {
	w := &l.writer
	if !w.breaker.allow() {
		changes = maps.Clone(changes)
		for own, c := range changes {
			if c.v != nil {
				w.giveUp()
				l.lost(own, c.v)
				delete(changes, own)
			}
		}
		if len(changes) == 0 {
			return nil
		}
	}
	ctx, cancel := context.WithTimeout(w.ctx, writeBudget)
	defer cancel()
	r, err := l.updateWithin(ctx, key, seen, changes)
	if err == nil {
		return r
	}
	if err := l.writer.store.Delete(ctx, key); err != nil {
		for own, c := range changes {
			l.lost(own, c.v)
		}
	}
	return nil
}

func (l *Layered) updateWithin(ctx context.Context, key string, seen *Record, changes map[string]change) (out *Record, err error) {
	w := &l.writer
	alone := map[string][8]byte{} // sums of the variants that are written under their own keys
	for own, c := range changes {
		if c.v == nil || c.v.Size() <= maxPart {
			continue
		}
		v := *c.v
		v.Generation = "" // only the record decides whether it is valid
		err := w.store.Save(ctx, own, &v, time.Until(c.until))
		w.report(ctx, "save", err)
		if err == nil {
			alone[own] = sumOf(c.v)
		}
	}
	var left []string // keys that the record no longer refers to
	err = l.records.UpdateRecord(ctx, key, seen, func(r *Record) *Record {
		left = left[:0]
		out = l.changed(r, changes, alone)
		for own, p := range r.Parts {
			if now, ok := out.Parts[own]; p.Variants == nil && (!ok || now.Variants != nil) {
				left = append(left, own)
			}
		}
		return out
	})
	w.report(ctx, "save", err)
	for _, own := range left {
		if err == nil {
			w.report(ctx, "delete", w.store.Delete(ctx, own))
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

// maxAsking is the longest time between the reading of a record and the writing of its answer.
const maxAsking = time.Hour

// shrink removes the parts that end first, if there are more than maxParts.
func (r *Record) shrink() {
	if len(r.Parts) <= maxParts {
		return
	}
	keys := slices.SortedFunc(maps.Keys(r.Parts), func(a, b string) int { return r.Parts[a].Until.Compare(r.Parts[b].Until) })
	for _, key := range keys[:len(keys)-maxParts] {
		delete(r.Parts, key)
	}
}
