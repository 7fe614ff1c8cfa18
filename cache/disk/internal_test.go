package disk

import (
	"context"
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
	"github.com/wayfindhq/wayfind/internal/run/clock"
)

// open opens a store and closes it when the test ends.
func open(t testing.TB, dir string, opts *Options) *Store {
	t.Helper()
	s, err := Open(dir, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	s.settle()
	return s
}

// settle waits until nothing runs.
func (s *Store) settle() {
	s.places.TakeAll()
	for range maxRunning {
		s.places.Give()
	}
}

// wallClock is a clock that a test sets.
type wallClock struct{ now time.Time }

func (c *wallClock) time() time.Time { return c.now }

func entryOf(key, text string) *cache.Variants {
	return &cache.Variants{Entries: []*cache.Entry{cachetest.Entry(key, text)}}
}

func save(t testing.TB, s *Store, key, text string, retain time.Duration) {
	t.Helper()
	if err := s.Save(t.Context(), key, entryOf(key, text), retain); err != nil {
		t.Fatal(err)
	}
}

// bodyOf returns the body that is stored for a key, "(miss)" if there is none, or the error if
// there is one.
func bodyOf(s *Store, key string) string {
	v, err := s.Load(context.Background(), key)
	switch {
	case errors.Is(err, cache.ErrCorrupt):
		return "(corrupt)"
	case err != nil:
		return err.Error()
	case v == nil || len(v.Entries) == 0:
		return "(miss)"
	}
	for _, e := range v.Entries {
		if sha256.Sum256(e.Body) != e.Digest || e.Key != key {
			return "(not what was saved)"
		}
	}
	return string(v.Entries[0].Body)
}

func want(t *testing.T, what, got, want string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// pathOf returns the path of the entry of a key in an open store.
func pathOf(key string) string { return (&Store{entries: entriesOf(cache.Schema)}).pathOf(key) }

// where returns the path of the file of a key.
func where(dir, key string) string { return filepath.Join(dir, filepath.FromSlash(pathOf(key))) }

// there lists the files below dir, without directories.
func there(t testing.TB, dir string) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func take(t testing.TB, s *Store, key string, until time.Time) (bool, time.Time, func()) {
	t.Helper()
	ok, held, release, err := s.Acquire(t.Context(), key, until)
	if err != nil {
		t.Fatalf("Acquire(%q): %v", key, err)
	}
	return ok, held, release
}

func writeFile(name string) error { return os.WriteFile(name, nil, 0o600) }

// twoClocks is a wall clock that a test sets, and the time that has passed.
func twoClocks(wall func() time.Time, passed *time.Duration) *clock.Clock {
	return clock.New(wall, func() time.Duration { return time.Hour + *passed })
}
