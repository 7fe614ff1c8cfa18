package memory_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
	"github.com/wayfindhq/wayfind/cache/memory"
)

func origin(t *testing.T, n int) cache.Scope {
	t.Helper()
	u, err := url.Parse(fmt.Sprintf("https://%d.example/", n))
	if err != nil {
		t.Fatal(err)
	}
	return cache.OfOrigin(u)
}

// Purges of other origins leave an entry, however many they are in a row for a service with some
// thousand origins. An entry that a Purge has ended stays ended, also if the store has forgotten the
// Purge since.
func TestPurgesOfOtherOriginsLeaveAnEntry(t *testing.T) {
	s, err := memory.New(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	key := func(n int) string { return fmt.Sprintf("\n\nGET\nhttps://%d.example/", n) }
	save := func(n int) {
		t.Helper()
		if err := s.Save(t.Context(), key(n), &cache.Variants{Entries: []*cache.Entry{cachetest.Entry(key(n), "text")}}, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	has := func(n int) bool {
		t.Helper()
		v, err := s.Load(t.Context(), key(n))
		if err != nil {
			t.Fatal(err)
		}
		return v != nil
	}
	purge := func(scope cache.Scope) {
		t.Helper()
		if err := s.Purge(t.Context(), scope); err != nil {
			t.Fatal(err)
		}
	}
	save(0)
	save(1)
	for n := range 2000 {
		purge(origin(t, n+1))
		purge(origin(t, n+1))
	}
	if !has(0) || has(1) {
		t.Errorf("after purges of 2,000 other origins: %v; of its own: %v", has(0), has(1))
	}
	save(1)
	purge(origin(t, 1))
	for n := range 10000 {
		purge(origin(t, n+2))
	}
	if has(1) {
		t.Error("a purge is undone by later ones")
	}
	save(1)
	if !has(1) {
		t.Error("nothing is kept after many purges")
	}
	purge(cache.Everything())
	if has(1) {
		t.Error("a purge of everything leaves an entry")
	}
}
