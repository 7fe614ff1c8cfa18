package redis

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
	"github.com/wayfindhq/wayfind/internal/redistest"
)

// openAs opens the store of a version that writes entries of a schema.
func openAs(t *testing.T, server *redistest.Server, schema int) *Store {
	t.Helper()
	s, err := Open(server.URL()+"?budget=5s", &Options{Key: bytes.Repeat([]byte{1}, MinKey)})
	if err != nil {
		t.Fatal(err)
	}
	s.entries = schema
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func saveText(t *testing.T, s *Store, text string) {
	t.Helper()
	v := &cache.Variants{Entries: []*cache.Entry{cachetest.Entry("k", text)}}
	if err := s.Save(t.Context(), "k", v, time.Hour); err != nil {
		t.Fatal(err)
	}
}

func wantBody(t *testing.T, what string, s *Store, want string) {
	t.Helper()
	v, err := s.Load(t.Context(), "k")
	got := ""
	if v != nil {
		got = string(v.Entries[0].Body)
	}
	if got != want || err != nil {
		t.Errorf("%s: %q, %v; want %q", what, got, err, want)
	}
	if n := s.Stats().Corrupt; n > 0 {
		t.Errorf("%s: %d values count as damaged", what, n)
	}
}

// Versions that share a server see obligations of each other, and nothing else:
// the entry of an older or a newer one is a miss, which stays.
func TestSchemasSideBySide(t *testing.T) {
	server := redistest.Start(t)
	s := openAs(t, server, cache.Schema)
	for _, schema := range []int{cache.Schema - 1, cache.Schema + 1} {
		other := openAs(t, server, schema)
		saveText(t, other, "theirs")
		wantBody(t, "theirs, looked for by us", s, "")
		saveText(t, s, "ours")
		wantBody(t, "ours", s, "ours")
		wantBody(t, "theirs", other, "theirs")
		if err := s.Delete(t.Context(), "k"); err != nil {
			t.Error(err)
		}
		wantBody(t, "theirs, after a deletion of ours", other, "theirs")
		until := time.Now().Add(time.Hour)
		if err := s.Hold(t.Context(), "h", until); err != nil {
			t.Error(err)
		}
		if ok, _, _, err := other.Acquire(t.Context(), "h", until); ok || err != nil {
			t.Errorf("an obligation that one version keeps, another does not know: %v", err)
		}
	}
	if names := server.Keys(DefaultPrefix + "*:e"); len(names) != 2 {
		t.Errorf("the server has %q", names)
	}
}

// Bytes of another schema in the place of ours are not what was saved: names
// hold the number, so somebody has moved them.
func TestOtherSchemaInOurPlace(t *testing.T) {
	server := redistest.Start(t)
	s, other := openAs(t, server, cache.Schema), openAs(t, server, cache.Schema+1)
	saveText(t, other, "theirs")
	theirs := server.Keys(DefaultPrefix + "*:e")[0]
	server.Do("COPY", theirs, s.name("k", kindEntry))
	if v, err := s.Load(t.Context(), "k"); v != nil || err == nil || !strings.Contains(err.Error(), "wrong MAC") {
		t.Errorf("Load: %v, %v", v, err)
	}
}
