package cachetest

import (
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// keyOf returns the key of an Engine without a view for a URL.
func keyOf(partition, page string) string { return "\n" + partition + "\nGET\n" + page }

// scopes returns the scope of a page, the scope of its origin, and the scope of all answers.
func scopes(t *testing.T, page string) map[string]cache.Scope {
	t.Helper()
	u, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]cache.Scope{"URL": cache.OfURL(u), "origin": cache.OfOrigin(u), "all": cache.Everything()}
}

func testPurge(t *testing.T, s cache.Store) {
	p, ok := s.(cache.Purger)
	if !ok {
		return // a store need not be a Purger
	}
	const page = "https://a.example/1"
	partitions := []string{"", "alice", "bob"}
	if shared, ok := s.(cache.SharedStore); ok && shared.Shared() {
		partitions = partitions[:1] // such a store never receives entries of other partitions
	}
	var keys []string
	for _, u := range []string{page, page + "?q", "https://b.example/1", "http://a.example/1"} {
		for _, partition := range partitions {
			keys = append(keys, keyOf(partition, u))
		}
	}
	for name, scope := range scopes(t, page) {
		for _, key := range keys {
			save(t, s, key, variants(key, "text"), time.Hour)
		}
		if err := p.Purge(t.Context(), scope); err != nil {
			t.Fatalf("Purge of %s: %v", name, err)
		}
		for _, key := range keys {
			if got := load(t, s, key) != nil; got == scope.Covers(key) {
				t.Errorf("Purge of %s: %q is loaded: %v", name, key, got)
			}
		}
		again := keys[slices.IndexFunc(keys, scope.Covers)]
		save(t, s, again, variants(again, "again"), time.Hour)
		compare(t, variants(again, "again"), load(t, s, again))
	}
}

// testPurgeLate checks that an answer that was requested before a Purge is not loaded after it,
// if the store counts generations.
func testPurgeLate(t *testing.T, s cache.Store) {
	p, ok := s.(cache.Purger)
	if !ok {
		return // a store need not be a Purger
	}
	const page = "https://a.example/1"
	key := keyOf("", page)
	for name, scope := range scopes(t, page) {
		seen, err := s.Load(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if seen == nil || seen.Generation == "" {
			return // a store need not count generations
		}
		late, next := variants(key, "late"), variants(key, "next")
		late.Generation = seen.Generation
		if err := p.Purge(t.Context(), scope); err != nil {
			t.Fatal(err)
		}
		save(t, s, key, late, time.Hour)
		if v := load(t, s, key); v != nil {
			t.Errorf("Purge of %s: an earlier answer is loaded: %q", name, v.Entries[0].Body)
		}
		if seen, err = s.Load(t.Context(), key); err != nil || seen == nil {
			t.Fatalf("Load: %v, %v", seen, err)
		}
		next.Generation = seen.Generation
		save(t, s, key, next, time.Hour)
		compare(t, next, load(t, s, key))
	}
}

// testGeneration checks that a Purge changes the generation of the keys that it covers, in each
// partition, whether an entry is stored or not.
func testGeneration(t *testing.T, s cache.Store) {
	g, ok := s.(cache.GenerationStore)
	p, purges := s.(cache.Purger)
	if !ok || !purges {
		return // a store need not be either
	}
	const page = "https://a.example/1"
	present := func(key string) string {
		t.Helper()
		text, err := g.Generation(t.Context(), key)
		if err != nil || text == "" {
			t.Fatalf("Generation of %q: %q, %v", key, text, err)
		}
		return text
	}
	for _, stored := range []bool{false, true} {
		for name, scope := range scopes(t, page) {
			for _, key := range []string{keyOf("", page), keyOf("alice", page)} {
				if stored {
					save(t, s, keyOf("", page), variants(keyOf("", page), "text"), time.Hour)
				}
				before := present(key)
				if again := present(key); again != before {
					t.Errorf("the generation of %q is %q, then %q", key, before, again)
				}
				if err := p.Purge(t.Context(), scope); err != nil {
					t.Fatalf("Purge of %s: %v", name, err)
				}
				if after := present(key); after == before {
					t.Errorf("Purge of %s, an entry is stored: %v: the generation of %q is %q as before", name, stored, key, after)
				}
			}
		}
	}
}
