package cache_test

import (
	"bytes"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/cache/redis"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// schedule runs readers and posters of two processes, whose calls of a store alternate at random. A
// reader looks up, asks the origin and saves. A poster changes the origin and purges. No reader gets an
// answer from before a purge that had ended when the reader began, whichever process purged. evict, if
// it is not nil, makes the store forget generations. schedule returns the number of hits.
func schedule(t *testing.T, r *rand.Rand, page string, stores [2]cache.Store, evict func(*rand.Rand)) (hits int) {
	t.Helper()
	const actors = 9
	key := "\n\nGET\n" + page
	u, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	scopes := []cache.Scope{cache.OfURL(u), cache.OfOrigin(u), cache.Everything()}
	origin, ended := 1, 0
	var history []string
	note := func(process int, what string) { history = append(history, strconv.Itoa(process)+" "+what) }
	reader := func(i int) func() bool {
		var steps func() bool
		began, version, generation := ended, 0, ""
		save := func() bool {
			e := cachetest.Entry(key, strconv.Itoa(version))
			err := stores[i].Save(t.Context(), key, &cache.Variants{Entries: []*cache.Entry{e}, Generation: generation}, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			note(i, "saves "+strconv.Itoa(version))
			return true
		}
		ask := func() bool {
			version, steps = origin, save
			return false
		}
		steps = func() bool {
			began, steps = ended, ask
			v, err := stores[i].Load(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			if v == nil || v.Generation == "" {
				t.Fatal("no generation")
			}
			generation = v.Generation
			if len(v.Entries) == 0 {
				return false
			}
			hits++
			if got, _ := strconv.Atoi(string(v.Entries[0].Body)); got < began {
				t.Fatalf("%d is loaded, and %d had been purged: %q", got, began-1, history)
			}
			return true
		}
		return func() bool { return steps() }
	}
	poster := func(i int) func() bool {
		posted := 0
		return func() bool {
			if posted == 0 {
				origin++
				posted = origin
				return false
			}
			if err := stores[i].(cache.Purger).Purge(t.Context(), scopes[r.IntN(len(scopes))]); err != nil {
				t.Fatal(err)
			}
			ended = max(ended, posted)
			note(i, "purged before "+strconv.Itoa(posted))
			return true
		}
	}
	var live []func() bool
	for begun := 0; begun < actors || len(live) > 0; {
		if begun < actors && (len(live) == 0 || r.IntN(3) == 0) {
			begun++
			actor := reader
			if r.IntN(3) == 0 {
				actor = poster
			}
			live = append(live, actor(r.IntN(2)))
		}
		if evict != nil && r.IntN(8) == 0 {
			evict(r)
		}
		if k := r.IntN(len(live)); live[k]() {
			live = slices.Delete(live, k, k+1)
		}
	}
	return hits
}

// What a Purge of one process has ended is not loaded by another one, in any order of their calls.
func TestSchedulesOfTwoProcesses(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	run := func(name string, n int, evict func(*rand.Rand), open func(t *testing.T) cache.Store) {
		t.Run(name, func(t *testing.T) {
			stores, hits := [2]cache.Store{open(t), open(t)}, 0
			for i := range n {
				hits += schedule(t, r, "https://a.example/"+strconv.Itoa(i), stores, evict)
			}
			if hits < n/4 {
				t.Errorf("%d hits of %d schedules", hits, n)
			}
		})
	}
	server := testkit.StartRedis(t)
	far := func(t *testing.T) cache.Store {
		s, err := redis.Open(server.URL(), &redis.Options{Key: bytes.Repeat([]byte{1}, redis.MinKey), Budget: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	run("redis", testkit.Size(200, 10_000), nil, far)
	run("redis, evicting", testkit.Size(200, 10_000), func(r *rand.Rand) {
		if names := server.Keys("*:g"); len(names) > 0 {
			server.Do("DEL", names[r.IntN(len(names))])
		}
	}, far)
	dir := t.TempDir()
	run("disk", testkit.Size(20, 400), nil, func(t *testing.T) cache.Store {
		s, err := disk.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	})
}
