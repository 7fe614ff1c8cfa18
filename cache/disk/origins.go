package disk

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/filelock"
)

// The record of an origin is one file with its own key, so that a domain is read at once and
// written with one sync. The file is replaced by one rename under an exclusive lock of all
// processes, and only if it is still the file that was read, so that no change is lost. A Purge of
// a URL also begins a generation of the record.

// unPurged is a prefix of the generation in a record, because the generation is empty before the
// first Purge.
const unPurged = "="

// Records implements cache.RecordStore. It returns true unless another store embeds this one.
func (s *Store) Records(of cache.Store) bool { return of == cache.Store(s) }

// LoadRecord implements cache.RecordStore.
func (s *Store) LoadRecord(ctx context.Context, key string) (*cache.Record, error) {
	return run(ctx, s, nil, func() (*cache.Record, error) {
		generation := s.generation(key)
		r, err := s.readRecord(key)
		if err != nil {
			return nil, err
		}
		return s.recordOf(r, generation), nil
	})
}

// readRecord reads the file of a record. It returns nil if there is none.
func (s *Store) readRecord(key string) (*record, error) {
	path := s.pathOf(key)
	r, err := s.read(path)
	if r == nil || err != nil {
		return nil, err
	}
	if r.key != key || r.origin == nil {
		return nil, s.reject(path, r.file, "the file of another key")
	}
	s.age(r)
	return r, nil
}

// recordOf returns the record in a file. It has no parts if the file is not valid in the
// generation.
func (s *Store) recordOf(r *record, generation string) *cache.Record {
	out := &cache.Record{From: From, Generation: unPurged + generation}
	if r != nil && r.generation == generation && s.current(r) {
		out.Parts = r.origin.Parts
	}
	return out
}

// UpdateRecord implements cache.RecordStore. It reads the file again, because another process may
// have replaced it.
func (s *Store) UpdateRecord(ctx context.Context, key string, _ *cache.Record, change func(*cache.Record) *cache.Record) error {
	return s.updateRecord(ctx, key, func(r *record, generation string) *cache.Record {
		return change(s.recordOf(r, generation))
	})
}

// updateRecord replaces the file of a record.
func (s *Store) updateRecord(ctx context.Context, key string, change func(r *record, generation string) *cache.Record) error {
	k := s.turns.join(s.pathOf(key))
	_, err := run(ctx, s, k, func() (struct{}, error) {
		k.Lock()
		defer k.Unlock()
		for range maxTries {
			generation := s.generation(key)
			r, err := s.readRecord(key)
			if err != nil && !errors.Is(err, cache.ErrCorrupt) { // a damaged file is gone
				return struct{}{}, err
			}
			err = s.replaceRecord(key, r, generation, change(r, generation))
			if !errors.Is(err, errLost) {
				return struct{}{}, err
			}
			pause()
		}
		return struct{}{}, failed("change", s.pathOf(key), errBusy)
	})
	return err
}

// replaceRecord replaces the file of a record. It returns errLost if the file has changed since it
// was read.
func (s *Store) replaceRecord(key string, old *record, generation string, next *cache.Record) error {
	path := s.pathOf(key)
	within := func(work func() error) error {
		s.order.Lock()
		defer s.order.Unlock()
		lock, err := s.lock(filelock.Exclusive)
		if err != nil {
			return err
		}
		defer lock.Close()
		if s.generation(key) != generation || !s.isStill(path, old) {
			return errLost
		}
		return work()
	}
	if len(next.Parts) == 0 {
		if old == nil {
			return nil
		}
		return within(func() error { return s.erase(path) })
	}
	data, err := next.MarshalBinary()
	if err != nil {
		return failed("save", path, err)
	}
	wall, mono := s.clock.Read()
	h := &head{key: key, generation: generation, saved: wall, retain: wall.Add(retainOf(next)), by: s.id, mono: mono}
	before := h.before(data)
	if int64(len(before)+len(data)) > min(s.max, maxFile) {
		return within(func() error { return s.erase(path) })
	}
	return s.put(path, before, data, h.retain, within)
}

// isStill reports whether the file at path is still the one that was read.
func (s *Store) isStill(path string, old *record) bool {
	file, _, err := s.opened(path)
	if file == nil {
		return err == nil && old == nil
	}
	defer file.Close()
	var head [savedAt]byte
	return old != nil && s.files.read(path, file, head[:]) == nil && string(head[sumAt:]) == old.sum
}

// retainOf returns the time until the last of the parts ends.
func retainOf(r *cache.Record) (retain time.Duration) {
	for _, p := range r.Parts {
		retain = max(retain, time.Until(p.Until))
	}
	return min(retain, maxRetain)
}

// purgePart ends the part of a key in the record of its origin, and makes later saves of earlier
// answers fail. Until the file is written again, the whole record is not valid.
func (s *Store) purgePart(ctx context.Context, key string) error {
	name := cache.RecordKey(key)
	before := s.generation(name)
	if err := s.begin(ctx, cache.ScopesOf(name)[0]); err != nil {
		return err
	}
	return s.dropParts(ctx, name, before, func(own string) bool { return own == key })
}

// dropParts removes parts of a record that was saved in a generation, and keeps the others.
func (s *Store) dropParts(ctx context.Context, name, generation string, match func(key string) bool) error {
	return s.updateRecord(ctx, name, func(r *record, _ string) *cache.Record {
		out := &cache.Record{}
		if r != nil && r.generation == generation {
			out.Parts = maps.Clone(r.origin.Parts)
		}
		maps.DeleteFunc(out.Parts, func(key string, _ cache.Part) bool { return match(key) })
		return out
	})
}

// removeParts removes the parts for whose URL match returns true.
func (s *Store) removeParts(ctx context.Context, match func(url string) bool) (n int, err error) {
	var failures []error
	for r, err := range s.found(ctx) {
		if err != nil || r.origin == nil || r.generation != s.generation(r.key) {
			continue // remove returns the error
		}
		gone := map[string]bool{}
		for _, info := range r.infos() {
			if match == nil || match(info.URL) {
				gone[info.Key] = true
			}
		}
		if len(gone) == 0 {
			continue
		}
		if err = s.dropParts(ctx, r.key, r.generation, func(key string) bool { return gone[key] }); err != nil {
			failures = append(failures, err)
			continue
		}
		n += len(gone)
	}
	return n, errors.Join(failures...)
}

// entries returns the entries in a file.
func (r *record) entries() (all []*cache.Entry) {
	if r.origin == nil {
		return r.variants.Entries
	}
	for _, p := range r.origin.Parts {
		if p.Variants != nil {
			all = append(all, p.Variants.Entries...)
		}
	}
	return all
}

// infos returns descriptions of the entries in a file. The bytes of a record are divided among its
// entries.
func (r *record) infos() (list []Info) {
	if r.origin == nil {
		return []Info{{Key: r.key, URL: r.url(), Location: locationIn(r.variants), Bytes: r.size, Saved: r.saved, Retain: r.retain}}
	}
	for _, key := range slices.Sorted(maps.Keys(r.origin.Parts)) {
		if p := r.origin.Parts[key]; p.Variants != nil { // otherwise it has its own file
			list = append(list, Info{Key: key, URL: p.Variants.Entries[0].URL, Location: locationIn(p.Variants), Saved: r.saved, Retain: p.Until})
		}
	}
	rest := r.size
	for i := range list {
		list[i].Bytes = rest / int64(len(list)-i)
		rest -= list[i].Bytes
	}
	return list
}

// locationIn returns the field Location of the newest answer, if that is a redirect.
func locationIn(v *cache.Variants) string {
	if v == nil || len(v.Entries) == 0 || v.Entries[0].Status/100 != 3 {
		return ""
	}
	return v.Entries[0].Header.Get("Location")
}
