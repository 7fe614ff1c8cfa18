package disk

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

const (
	// maxFile is the largest entry file: MaxVariants bodies of DefaultMaxBody
	// fit twice. A larger file is neither written nor read.
	maxFile = 128 << 20
	// maxRetain is the longest time for which an entry is kept. A later end was
	// written by another clock.
	maxRetain = 366 * 24 * time.Hour
	// futureSlack is how far the clock of another process may be ahead.
	futureSlack = 60 * time.Second
	// maxOpens bounds how often Load looks again because a file was replaced
	// between look and opening.
	maxOpens = 8
)

// pathOf is where the entry of a key is.
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
		case err != nil || r == nil:
			return nil, err
		case r.key != key:
			return nil, s.reject(path, r.file, "the file of another key")
		case !s.current(r):
			return nil, nil
		}
		return r.variants, nil
	})
}

// Save implements cache.Store. An entry that is larger than the store is not
// kept, and neither is the entry it replaces. Other errors are an *Error, and
// leave the old entry in place.
func (s *Store) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	path := s.pathOf(key)
	return s.replace(ctx, path, func() error {
		if retain <= 0 {
			return s.drop(path)
		}
		data, err := v.MarshalBinary()
		if err != nil {
			return failed("save", path, err)
		}
		now := s.clock.Now()
		until := now.Add(min(retain, maxRetain))
		head := headOf(key, data, now, until)
		if size := int64(len(head) + len(data)); size > min(s.max, maxFile) {
			return s.drop(path)
		}
		return s.put(path, head, data, until)
	})
}

// Delete implements cache.Store.
func (s *Store) Delete(ctx context.Context, key string) error {
	path := s.pathOf(key)
	return s.replace(ctx, path, func() error { return s.drop(path) })
}

// replace runs the changes to the entry at path in the order of the calls.
func (s *Store) replace(ctx context.Context, path string, work func() error) error {
	k := s.turns.join(path)
	_, err := run(ctx, s, k, func() (struct{}, error) { return struct{}{}, k.inOrder(work) })
	return err
}

// put writes a file under another name and renames it: at each moment there is
// the old file or the new one.
func (s *Store) put(path string, head, data []byte, until time.Time) error {
	f := &s.files
	tmp := s.temporary()
	file, err := f.create(tmp)
	if errors.Is(err, fs.ErrNotExist) && f.mkdir(temporaryDir) == nil {
		file, err = f.create(tmp)
	}
	if err != nil {
		return err
	}
	if err := s.fill(tmp, file, head, data, until); err != nil {
		_ = f.remove(tmp)
		return err
	}
	var old int64
	if fi, err := f.lstat(path); err == nil && fi.Mode().IsRegular() {
		old = fi.Size()
	}
	err = f.rename(tmp, path)
	if err != nil { // also when there is nothing to mend: another process may have
		f.mend(dirOf(path), path)
		err = f.rename(tmp, path)
	}
	if err != nil {
		_ = f.remove(tmp)
		return err
	}
	size := int64(len(head) + len(data))
	s.bytes.Add(size - old)
	s.unseen.Add(size)
	f.syncDir(dirOf(path))
	return nil
}

// fill writes and closes a new file. Its modification time is when the entry
// ends, so that a sweep knows what to remove without reading anything.
func (s *Store) fill(path string, file *os.File, head, data []byte, until time.Time) error {
	f := &s.files
	err := f.write(path, file, head)
	if err == nil {
		err = f.write(path, file, data)
	}
	if err == nil {
		err = f.chtimes(path, until)
	}
	if err == nil {
		err = f.sync(path, file)
	}
	if cerr := f.close(path, file); err == nil {
		err = cerr
	}
	return err
}

// temporary returns a new name. It begins with the time, since the
// modification time is that of the end.
func (s *Store) temporary() string {
	return temporaryDir + "/" + strconv.FormatInt(s.clock.Now().Unix(), 10) + "-" + rand.Text()
}

// drop removes the entry at path, a file of any type.
func (s *Store) drop(path string) error {
	fi, err := s.files.lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && fi.IsDir():
		return s.files.removeAll(path)
	}
	if err := s.files.remove(path); err != nil {
		return err
	}
	if err == nil && fi.Mode().IsRegular() {
		s.bytes.Add(-fi.Size())
	}
	return nil
}

// read returns the entry at path, without looking at its key or its times; nil,
// nil when there is none.
func (s *Store) read(path string) (*record, error) {
	for range maxOpens {
		fi, err := s.files.lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if !fi.Mode().IsRegular() {
			return nil, s.reject(path, fi, "not a regular file")
		}
		file, err := s.files.open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		opened, err := file.Stat()
		if err == nil && os.SameFile(fi, opened) {
			r, err := s.decode(path, file, opened)
			_ = file.Close()
			return r, err
		}
		_ = file.Close() // replaced since the look: look again
	}
	return nil, failed("open", path, errors.New("replaced again and again"))
}

// current reports whether the times of an entry let it be used. One that has
// ended is removed; one of the future is another clock's, which may be right.
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

// discard removes the file that was looked at, unless this process has replaced
// it since. Another process may replace it between the second look and the
// removal. Its entry is then forgotten, which a store may do. The next reader
// meets any error.
func (s *Store) discard(path string, fi fs.FileInfo) (removed bool) {
	s.turns.alone(path, func() {
		cur, err := s.files.lstat(path)
		// File systems reuse the numbers of files, so the end is compared too:
		// a renewed entry has another one.
		if err != nil || !os.SameFile(fi, cur) || !fi.ModTime().Equal(cur.ModTime()) {
			return
		}
		removed = s.drop(path) == nil
	})
	return removed
}
