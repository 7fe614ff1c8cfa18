package redis

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// openAs opens the store of a version that writes entries of a schema.
func openAs(t *testing.T, server *testkit.Redis, schema int) *Store {
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
	if v != nil && len(v.Entries) > 0 {
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
	server := testkit.StartRedis(t)
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
	if names := server.Keys(defaultPrefix + "*:a"); len(names) != 2 {
		t.Errorf("the server has %q", names)
	}
}

// A value of another schema in the place of ours is a miss: names contain the number, so the value
// was moved.
func TestOtherSchemaInOurPlace(t *testing.T) {
	server := testkit.StartRedis(t)
	s, other := openAs(t, server, cache.Schema), openAs(t, server, cache.Schema+1)
	saveText(t, other, "theirs")
	theirs := server.Keys(defaultPrefix + "*:a")[0]
	server.Do("COPY", theirs, s.name("k", kindEntry))
	if v, err := s.Load(t.Context(), "k"); v != nil || err == nil || !strings.Contains(err.Error(), "wrong MAC") {
		t.Errorf("Load: %v, %v", v, err)
	}
}

// TestFormIsPinned: a change of how a value is written without another number,
// in its magic or in its name, would be damage to all that is stored.
func TestFormIsPinned(t *testing.T) {
	s, now := testSealer(t), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	data, err := new(cache.Variants).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	value := s.seal("name", "key", "ABCDEFGHIJKLMNOPABCDEFGHIJKLMNOP", data, times{saved: now, until: now.Add(time.Hour), by: storeID{1, 2}, mono: time.Second})
	const want = "a65029163709bcf995bb23115ecb5d85844d65bab4f5e1f3c3967370863290e5"
	if got := fmt.Sprintf("%x", sha256.Sum256(value)); got != want {
		t.Errorf("a value is written as %s: a change needs another number", got)
	}
	store := &Store{prefix: defaultPrefix, entries: cache.Schema}
	for k, want := range map[kind]string{
		kindEntry: "wayfind:5:{LHDhK3oGRvkiefQnx7OOczTY5Tic_xZ6HcMOc_gmtoM}:a",
		kindCount: "wayfind:5:{LHDhK3oGRvkiefQnx7OOczTY5Tic_xZ6HcMOc_gmtoM}:g",
		kindTaken: "wayfind:1:{LHDhK3oGRvkiefQnx7OOczTY5Tic_xZ6HcMOc_gmtoM}:t",
		kindHeld:  "wayfind:1:{LHDhK3oGRvkiefQnx7OOczTY5Tic_xZ6HcMOc_gmtoM}:h",
	} {
		if got := store.name("key", k); got != want {
			t.Errorf("the name is %s, want %s", got, want)
		}
	}
}

// TestValueOfAnotherVersion: a value of another version is not read.
func TestValueOfAnotherVersion(t *testing.T) {
	s, now := testSealer(t), time.Now()
	for name, change := range map[string]func(b []byte) []byte{
		"newer":   func(b []byte) []byte { b[len(magic)-1]++; return b },
		"older":   func(b []byte) []byte { b[len(magic)-1]--; return b },
		"garbage": func(b []byte) []byte { return bytes.Repeat([]byte{0xff}, len(b)) },
		"empty":   func([]byte) []byte { return nil },
	} {
		v, _, err := s.open("name", "key", change(sealed(t, &s, now, now.Add(time.Hour))), now)
		if v != nil || err == nil || err.Error() != "not a value of this version" {
			t.Errorf("%s: %v, %v", name, v, err)
		}
	}
}
