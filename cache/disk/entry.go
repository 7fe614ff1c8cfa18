package disk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

const (
	// maxFile is the largest entry file: MaxVariants bodies of DefaultMaxBody
	// fit twice. A larger file is neither written nor read.
	maxFile = 128 << 20
	// maxRetain is the longest time for which an entry is kept. A later end was written with
	// another clock.
	maxRetain = 366 * 24 * time.Hour
	// futureSlack is the tolerated lead of another process's clock.
	futureSlack = 60 * time.Second
	// setBack is the smallest difference of two clocks that means that one was set.
	setBack = time.Second
	// maxOpens is the largest number of times that Load tries to open a file that was replaced
	// after lstat.
	maxOpens = 8
)

// pathOf returns the path of the entry of a key.
func (s *Store) pathOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	path := append(make([]byte, 0, len(s.entries)+4+hex.EncodedLen(len(sum))), s.entries...)
	path = append(hex.AppendEncode(append(path, '/'), sum[:1]), '/')
	return string(hex.AppendEncode(path, sum[:]))
}

func hashOf(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

func dirOf(path string) string { return path[:strings.LastIndexByte(path, '/')] }

// Load implements cache.Store. A file that differs from the entry that was
// saved under the key is removed, and the error wraps cache.ErrCorrupt.
func (s *Store) Load(ctx context.Context, key string) (*cache.Variants, error) {
	return run(ctx, s, nil, func() (*cache.Variants, error) {
		path := s.pathOf(key)
		r, err := s.read(path)
		switch {
		case err != nil:
			return nil, err
		case r != nil && r.origin != nil: // a record of an origin, not an entry
			return nil, nil
		case r == nil || r.key == key && (!s.current(r) || s.isOver(r)):
			return &cache.Variants{Generation: s.stamped(s.generation(key))}, nil
		case r.key != key:
			return nil, s.reject(path, r.file, "the file of another key")
		}
		s.age(r)
		r.variants.Generation = s.stamped(r.generation)
		return r.variants, nil
	})
}

// Save implements cache.Store. An entry that is larger than the store is not kept, and neither is
// the entry that it replaces. Other failures return an *Error and leave the old entry in place.
func (s *Store) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	path := s.pathOf(key)
	return s.replace(ctx, path, func() error {
		if retain <= 0 || len(v.Entries) == 0 {
			return s.erase(path)
		}
		err := s.save(path, key, v, min(retain, maxRetain))
		for range maxOpens {
			if !errors.Is(err, errOver) || v.Generation != "" {
				break
			}
			err = s.save(path, key, v, min(retain, maxRetain)) // in the next generation
		}
		if errors.Is(err, errOver) || errors.Is(err, errSize) {
			return s.erase(path)
		}
		return err
	})
}

// errSize reports that an entry is larger than the store.
var errSize = errors.New("larger than the store")

// save makes one attempt to save in the present generation.
func (s *Store) save(path, key string, v *cache.Variants, retain time.Duration) error {
	wall, mono := s.clock.Read()
	h := &head{key: key, generation: s.generation(key), saved: wall, retain: wall.Add(retain), by: s.id, mono: mono}
	if !s.counts(v.Generation, h.generation) {
		return errOver
	}
	limit := min(s.max, maxFile)
	if apart(v) && v.Size() <= limit {
		return s.saveApart(path, h, v)
	}
	data, err := v.MarshalBinary()
	if err != nil {
		return failed("save", path, err)
	}
	before := h.before(data)
	if int64(len(before)+len(data)) > limit {
		return errSize
	}
	return s.publish(path, h, before, data, nil)
}

// publish writes the file of a key in its generation, and removes the parts that it does not name.
func (s *Store) publish(path string, h *head, before, data []byte, parts []string) error {
	err := s.put(path, before, data, h.retain, func(rename func() error) error {
		return s.within(h.key, h.generation, rename)
	})
	if err == nil {
		s.clear(path, parts)
	}
	return err
}

// age sets back the times of the entries to match the monotonic clock, if this store has saved them
// and the wall clock was set back.
func (s *Store) age(r *record) {
	if r.by != s.id {
		return
	}
	wall, mono := s.clock.Read()
	back := mono - r.mono - wall.Sub(r.saved)
	if back < setBack {
		return
	}
	for _, e := range r.entries() {
		e.RequestTime, e.ResponseTime = e.RequestTime.Add(-back), e.ResponseTime.Add(-back)
	}
}

// Delete implements cache.Store.
func (s *Store) Delete(ctx context.Context, key string) error {
	path := s.pathOf(key)
	return s.replace(ctx, path, func() error { return s.erase(path) })
}

// replace runs changes to the entry at path in the order of the calls.
func (s *Store) replace(ctx context.Context, path string, work func() error) error {
	k := s.turns.join(path)
	_, err := run(ctx, s, k, func() (struct{}, error) { return struct{}{}, k.inOrder(work) })
	return err
}

// read returns the entry at path, without checking its key or its times. It returns nil, nil if
// there is none or if it is not complete.
func (s *Store) read(path string) (*record, error) {
	var part fs.FileInfo
	for range maxOpens {
		file, fi, err := s.opened(path)
		if file == nil {
			return nil, err
		}
		r, err := s.decode(path, file, fi)
		_ = file.Close()
		if !errors.Is(err, errPartGone) {
			return r, err
		}
		part = fi // replaced since: look again
	}
	s.discard(path, part)
	return nil, nil
}

// opened opens a file after checking it with lstat. It returns nil, nil, nil if there is none.
func (s *Store) opened(path string) (*os.File, fs.FileInfo, error) {
	for range maxOpens {
		fi, err := s.files.lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if !fi.Mode().IsRegular() {
			return nil, nil, s.reject(path, fi, "not a regular file")
		}
		file, err := s.files.open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil, nil
		}
		if err != nil {
			return nil, nil, err
		}
		opened, err := file.Stat()
		if err == nil && os.SameFile(fi, opened) {
			return file, opened, nil
		}
		_ = file.Close() // replaced after lstat: look again
	}
	return nil, nil, failed("open", path, errors.New("replaced again and again"))
}

// current reports whether an entry may be used according to its times. It removes an entry that has
// ended. An entry from the future was written with another clock, which may be right, so it is
// kept.
func (s *Store) current(r *record) bool {
	now := s.clock.Now()
	if !r.retain.After(now) {
		s.discard(r.path, r.file)
		return false
	}
	return !r.saved.After(now.Add(futureSlack))
}

// reject removes a file that is not an entry and counts it.
func (s *Store) reject(path string, fi fs.FileInfo, reason string) error {
	s.corrupt.Add(1)
	s.discard(path, fi)
	return failed("load", path, fmt.Errorf("%w: %s", cache.ErrCorrupt, reason))
}

// discard removes the file fi, unless this process has replaced it since. Another process may
// replace it between the second check and the removal. Its entry is then forgotten, which a store
// may do. An error is ignored; the next reader gets it.
func (s *Store) discard(path string, fi fs.FileInfo) (removed bool) {
	s.turns.alone(path, func() {
		cur, err := s.files.lstat(path)
		// File systems reuse the numbers of files, so the end is compared, too. A renewed entry has
		// another end.
		if err != nil || !os.SameFile(fi, cur) || !fi.ModTime().Equal(cur.ModTime()) {
			return
		}
		removed = s.drop(path) == nil
	})
	return removed
}
