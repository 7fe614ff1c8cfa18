package disk

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// Stats describes the content and the work of a Store.
type Stats struct {
	// Entries is the number of entry files. Bytes is their total size.
	Entries int
	Bytes   int64
	// Obligations is the number of obligations that have not ended.
	Obligations int
	// Oldest and Newest are the times when the first and the last of the entries were saved. They
	// are zero if there are no entries.
	Oldest, Newest time.Time
	// Evictions is the number of entries that this process has removed to make room. Corrupt is the
	// number of files that it found damaged.
	Evictions, Corrupt uint64
}

// Info describes the entry of one key.
type Info struct {
	// URL is the requested URL, and Key is the whole key.
	URL, Key string
	// Location is the field Location of the newest answer, if that is a redirect.
	Location string
	// Bytes is the size of the file.
	Bytes int64
	// Saved is the time when it was written. Retain is the time until which it is kept.
	Saved, Retain time.Time
}

// Stats returns the state of the store. It reads the whole directory.
func (s *Store) Stats() (Stats, error) {
	var st Stats
	err := s.guarded(context.Background(), func() {
		for a := range s.walk(s.entries) {
			st.Entries++
			st.Bytes += a.size
			saved, ok := s.savedOf(a.path)
			if ok && (st.Oldest.IsZero() || saved.Before(st.Oldest)) {
				st.Oldest = saved
			}
			st.Newest = latest(st.Newest, saved)
		}
		now := s.clock.Now()
		for _, hash := range s.obligations() {
			v, _ := s.look(hash, false)
			for range v.held(now) {
				st.Obligations++
			}
		}
	})
	st.Evictions, st.Corrupt = s.evictions.Load(), s.corrupt.Load()
	return st, err
}

// Entries yields the entries that Load would return, ordered by hash. Corrupt files are removed and
// skipped. It yields an error for a file that cannot be read. If ctx is done or the store is
// closed, it yields an error and stops.
func (s *Store) Entries(ctx context.Context) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		for r, err := range s.found(ctx) {
			infos := []Info{{}}
			switch {
			case err == nil && (r.generation != s.generation(r.key) || !s.current(r)):
				continue
			case err == nil:
				infos = r.infos()
			}
			for _, info := range infos {
				if !yield(info, err) {
					return
				}
			}
		}
	}
}

// Remove deletes the entries for whose URL match returns true, and returns their number. If match
// is nil, it deletes all entries. It keeps obligations. When ctx is done, it stops between two
// files. If a file cannot be removed, Remove goes on and returns the error at the end.
func (s *Store) Remove(ctx context.Context, match func(url string) bool) (n int, err error) {
	n, err = s.removeParts(ctx, match)
	more, failed := s.remove(ctx, func(r *record) bool { return r.origin == nil && (match == nil || match(r.url())) })
	return n + more, errors.Join(err, failed)
}

// remove deletes the entries that match.
func (s *Store) remove(ctx context.Context, match func(r *record) bool) (n int, err error) {
	var failures []error
	for r, err := range s.found(ctx) {
		if err == nil && !match(r) {
			continue
		}
		if err == nil {
			err = s.replace(ctx, r.path, func() error { return s.erase(r.path) })
		}
		if err != nil {
			failures = append(failures, err)
			continue
		}
		n++
	}
	return n, errors.Join(failures...)
}

// url returns the requested URL of the newest variant.
func (r *record) url() string {
	if r.variants == nil || len(r.variants.Entries) == 0 {
		return ""
	}
	return r.variants.Entries[0].URL
}

// found yields all entries, including expired ones. No operation is running while it yields, so the
// caller may use the store, and close it.
func (s *Store) found(ctx context.Context) iter.Seq2[*record, error] {
	return func(yield func(*record, error) bool) {
		var paths []string
		if err := s.guarded(ctx, func() {
			for a := range s.walk(s.entries) {
				paths = append(paths, a.path)
			}
		}); err != nil {
			yield(nil, err)
			return
		}
		slices.Sort(paths)
		for _, path := range paths {
			var r *record
			var err error
			if end := s.guarded(ctx, func() { r, err = s.read(path) }); end != nil {
				yield(nil, end)
				return
			}
			if r == nil && err == nil || errors.Is(err, cache.ErrCorrupt) {
				continue
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// guarded does work as one of the running operations.
func (s *Store) guarded(ctx context.Context, work func()) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.places.Give()
	work()
	return nil
}

// savedOf returns the time when a file was written. It reads only the head of the file.
func (s *Store) savedOf(path string) (time.Time, bool) {
	file, err := s.files.open(path)
	if err != nil {
		return time.Time{}, false
	}
	defer file.Close()
	head := make([]byte, headSize)
	if err := s.files.read(path, file, head); err != nil || string(head[:sumAt]) != entryMagic {
		return time.Time{}, false
	}
	return timeAt(head[savedAt:]), true
}
