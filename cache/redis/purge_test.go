package redis

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/run/clock"
)

// page is the key and the scopes of a URL.
func page(t *testing.T, text string) (key string, page, origin cache.Scope) {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return "\n\nGET\n" + text, cache.OfURL(u), cache.OfOrigin(u)
}

// generationOf is the one that a Load of a key finds or begins.
func generationOf(t *testing.T, s *Store, key string) string {
	t.Helper()
	v, err := s.Load(t.Context(), key)
	if err != nil || v == nil || v.Generation == "" {
		t.Fatalf("Load: %v, %v", v, err)
	}
	return v.Generation
}

func saveIn(t *testing.T, s *Store, key, text, generation string) {
	t.Helper()
	v := &cache.Variants{Entries: []*cache.Entry{cachetest.Entry(key, text)}, Generation: generation}
	if err := s.Save(t.Context(), key, v, time.Hour); err != nil {
		t.Fatal(err)
	}
}

func bodyOf(t *testing.T, s *Store, key string) string {
	t.Helper()
	v, err := s.Load(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	if v == nil || len(v.Entries) == 0 {
		return ""
	}
	return string(v.Entries[0].Body)
}

// TestPurgeEndsWhatOthersAreAskingFor: a Purge of one process ends the answers that
// another one has asked for before it and saves after it.
func TestPurgeEndsWhatOthersAreAskingFor(t *testing.T) {
	server := testkit.StartRedis(t)
	key, ofPage, ofOrigin := page(t, "https://a.example/1")
	for name, scope := range map[string]cache.Scope{"URL": ofPage, "origin": ofOrigin, "all": cache.Everything()} {
		for _, before := range []string{"", "old"} {
			t.Run(name+" "+before, func(t *testing.T) {
				server.Do("FLUSHALL")
				s, other := openAs(t, server, cache.Schema), openAs(t, server, cache.Schema)
				if before != "" {
					saveIn(t, s, key, before, "")
				}
				seen := generationOf(t, other, key)
				if err := s.Purge(t.Context(), scope); err != nil {
					t.Fatal(err)
				}
				saveIn(t, other, key, "late", seen)
				if got := bodyOf(t, s, key); got != "" {
					t.Errorf("loaded is %q", got)
				}
				saveIn(t, other, key, "next", generationOf(t, other, key))
				if got := bodyOf(t, s, key); got != "next" {
					t.Errorf("asked for later is %q", got)
				}
			})
		}
	}
}

// TestAForgottenGenerationCountsAsChanged: if the server has evicted the generation of an answer
// under way, there may have been a Purge.
func TestAForgottenGenerationCountsAsChanged(t *testing.T) {
	server := testkit.StartRedis(t)
	s := openAs(t, server, cache.Schema)
	seen := generationOf(t, s, "k")
	server.Do("FLUSHALL")
	saveIn(t, s, "k", "late", seen)
	if got := bodyOf(t, s, "k"); got != "" {
		t.Errorf("loaded is %q", got)
	}
	first := generationOf(t, s, "k")
	saveIn(t, s, "k", "one", first)
	saveIn(t, s, "k", "two", first) // a second one that was asked for at that time
	if got, now := bodyOf(t, s, "k"), generationOf(t, s, "k"); got != "two" || now != first {
		t.Errorf("loaded is %q of %q, want two of %q", got, now, first)
	}
}

// TestPurgeOfManyKeys: beyond a URL, a Purge removes all entries of its scope. It leaves entries of
// other origins, prefixes and versions, and obligations.
func TestPurgeOfManyKeys(t *testing.T) {
	server := testkit.StartRedis(t)
	s, version := openAs(t, server, cache.Schema), openAs(t, server, cache.Schema+1)
	prefixed := openAs(t, server, cache.Schema)
	prefixed.prefix = "wayfind:[*?]\\:"
	stores := []*Store{s, version, prefixed}
	const pages = 600 // more than one step
	var keys []string
	var a cache.Scope
	for i := range pages {
		for _, host := range []string{"a", "b"} {
			key, _, origin := page(t, fmt.Sprintf("https://%s.example/%d", host, i))
			keys = append(keys, key)
			if host == "a" {
				a = origin
			}
			for _, one := range stores {
				saveIn(t, one, key, "text", "")
			}
		}
	}
	if err := s.Hold(t.Context(), "h", time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	server.Do("RPUSH", s.name("foreign", kindEntry), "x")
	count := func(one *Store) (n int) {
		for _, key := range keys {
			if server.Do("EXISTS", one.name(key, kindEntry)) == "1" {
				n++
			}
		}
		return n
	}
	for _, step := range []struct {
		by    *Store
		scope cache.Scope
		left  [3]int
	}{
		{s, a, [3]int{pages, 2 * pages, 2 * pages}},
		{prefixed, a, [3]int{pages, 2 * pages, pages}},
		{prefixed, cache.Everything(), [3]int{pages, 2 * pages, 0}},
		{s, cache.Everything(), [3]int{0, 2 * pages, 0}},
	} {
		if err := step.by.Purge(t.Context(), step.scope); err != nil {
			t.Fatal(err)
		}
		for _, one := range stores {
			for _, key := range keys {
				v, err := one.Load(t.Context(), key)
				if err != nil || v == nil {
					t.Fatal(v, err)
				}
				if ended := one == step.by && step.scope.Covers(key); ended && len(v.Entries) > 0 {
					t.Fatalf("%q is loaded after Purge", key)
				}
			}
		}
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) { // the values go in the background
			left := [3]int{count(s), count(version), count(prefixed)}
			if left == step.left {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("left are %v, want %v", left, step.left)
			}
		}
	}
	if ok, _, _, err := s.Acquire(t.Context(), "h", time.Now().Add(time.Hour)); ok || err != nil {
		t.Errorf("the obligation is gone: %v", err)
	}
}

// TestAClockThatGoesBackMakesNoEntryYounger: entries that this store has saved age by a monotonic
// clock. Entries of another store have only the time of the wall clock.
func TestAClockThatGoesBackMakesNoEntryYounger(t *testing.T) {
	server := testkit.StartRedis(t)
	s, other := openAs(t, server, cache.Schema), openAs(t, server, cache.Schema)
	began, passed, set := time.Now(), time.Duration(0), time.Duration(0)
	wall := func() time.Time { return began.Add(passed + set).Round(0) }
	s.clock = clock.New(wall, func() time.Duration { return time.Hour + passed })
	other.clock = s.clock
	e := cachetest.Entry("k", "text")
	e.RequestTime, e.ResponseTime = wall(), wall()
	if err := s.Save(t.Context(), "k", &cache.Variants{Entries: []*cache.Entry{cache.Restore(*e)}}, time.Hour); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct{ passed, set, age, theirs time.Duration }{
		{10 * time.Second, 0, 10 * time.Second, 10 * time.Second},
		{10 * time.Second, -8 * time.Second, 10 * time.Second, 2 * time.Second},
		{20 * time.Second, -28 * time.Second, 20 * time.Second, -8 * time.Second},
	} {
		passed, set = step.passed, step.set
		for who, age := range map[*Store]time.Duration{s: step.age, other: step.theirs} {
			v, err := who.Load(t.Context(), "k")
			if err != nil || len(v.Entries) != 1 {
				t.Fatal(v, err)
			}
			if got := wall().Sub(v.Entries[0].ResponseTime); (got - age).Abs() > time.Millisecond {
				t.Errorf("after %v, set by %v, its own %t: %v old, want %v", step.passed, step.set, who == s, got, age)
			}
		}
	}
}
