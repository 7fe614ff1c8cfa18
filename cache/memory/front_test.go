package memory_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// A working set that fits is never lost: a stored value is there for the next get and for all later
// ones.
func TestCacheVisibility(t *testing.T) {
	const writers, keys, cost, passes = 8, 2000, 1000, 3
	c := open(t, 2*writers*keys*cost)
	var missed atomic.Int64
	for pass := range passes {
		var wg sync.WaitGroup
		for g := range writers {
			wg.Go(func() {
				for i := range keys {
					key := fmt.Sprint(g, "/", i)
					if pass == 0 {
						c.Set(key, i, cost, time.Hour)
					}
					if v, ok := c.Get(key); !ok || v != i {
						missed.Add(1)
					}
				}
			})
		}
		wg.Wait()
	}
	if n := missed.Load(); n > 0 {
		t.Errorf("%d of %d looks missed what was set", n, passes*writers*keys)
	}
	if s := c.Stats(); s.Evictions+s.Rejects+s.Drops > 0 {
		t.Errorf("Stats() = %+v in a cache that is half full", s)
	}
}

// Ristretto admits nothing new to a cache whose values are in use. Even so, a stored value is there
// for the next get, and the bytes stay bounded.
func TestVisibleWhenFull(t *testing.T) {
	const bound, cost, residents, newcomers = 1 << 20, 1000, 1200, 2000
	c := open(t, bound)
	for i := range residents {
		key := fmt.Sprint("resident", i)
		c.Set(key, i, cost, time.Hour)
	}
	for range 20 {
		for i := range residents {
			c.Touch(fmt.Sprint("resident", i))
		}
	}
	for i := range newcomers {
		key := fmt.Sprint("newcomer", i)
		c.Set(key, i, cost, time.Hour)
		for range 2 {
			if v, ok := c.Get(key); !ok || v != i {
				t.Fatalf("Get(%q) = %d, %v straight after Set of %d", key, v, ok, i)
			}
		}
		if v := c.Recent(key); v == nil || *v != i {
			t.Fatalf("Recent(%q) = %v straight after Set of %d", key, v, i)
		}
	}
	var kept int64
	for i := range max(residents, newcomers) {
		for _, kind := range []string{"resident", "newcomer"} {
			if _, ok := c.Get(fmt.Sprint(kind, i)); ok {
				kept += cost
			}
		}
	}
	s := c.Stats()
	t.Logf("%d bytes are kept, %+v", kept, s)
	if kept > bound || s.Bytes > bound || kept == 0 {
		t.Errorf("%d bytes are kept in %d, %+v", kept, bound, s)
	}
	if s.Evictions+s.Rejects == 0 {
		t.Error("nothing was given up: the test tests nothing")
	}
}

// A value that was replaced or deleted is never returned, even if many keys share few slots and a
// value behind the front is about to be moved into it.
func TestNothingOldReturns(t *testing.T) {
	const writers, readers, keys, rounds = 4, 4, 200, 9
	c := open(t, 32<<10)                     // fewer slots than keys, and less room than they need
	var current [writers * keys]atomic.Int64 // -1: deleted
	look := func(i int) {
		before := current[i].Load()
		v, ok := c.Get(fmt.Sprint(i))
		if ok && (before == -1 && v < 0 || before >= 0 && int64(v) < before) {
			t.Errorf("key %d has %d, which %d had replaced", i, v, before)
		}
	}
	var writing, reading sync.WaitGroup
	var over atomic.Bool
	for g := range readers {
		reading.Go(func() {
			for i := g; !over.Load(); i++ {
				look(i % len(current))
			}
		})
	}
	for g := range writers {
		writing.Go(func() {
			for round := range rounds {
				for i := g * keys; i < (g+1)*keys; i++ {
					key := fmt.Sprint(i)
					c.Set(key, round, 100, time.Hour)
					current[i].Store(int64(round))
					if round%3 != 2 {
						continue
					}
					c.Del(key)
					if v, ok := c.Get(key); ok {
						t.Errorf("key %d has %d after Del", i, v)
					}
					if v := c.Recent(key); v != nil {
						t.Errorf("key %d has %d after Del, recently", i, *v)
					}
				}
			}
		})
	}
	writing.Wait()
	over.Store(true)
	reading.Wait()
	if s := c.Stats(); s.Evictions+s.Rejects == 0 {
		t.Errorf("Stats() = %+v: the test tests nothing", s)
	}
}

// A reader that is between the front and ristretto while a value is deleted does not bring the
// value back.
func TestADeletedValueIsNotPromoted(t *testing.T) {
	c := open(t, 1<<18) // the front has 64 slots
	const key, fillers = "key", 64
	rounds := testkit.Size(40, 200)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					c.Get(key)
				}
			}
		})
	}
	var returned int
	for i := range rounds {
		c.Set(key, i, 1, time.Hour)
		for k := range fillers { // push the key out of the front
			c.Set(fmt.Sprint(k), k, 1, time.Hour)
		}
		c.Del(key)
		for range 5 {
			if _, ok := c.Get(key); ok {
				returned++
			}
			runtime.Gosched()
		}
	}
	close(done)
	readers.Wait()
	if returned > 0 {
		t.Errorf("%d times a deleted value was there", returned)
	}
}

// Recent returns values of the front: under their own keys only, and not after Close.
func TestRecent(t *testing.T) {
	c := open(t, 1<<20)
	wantRecent := func(when, key string, want bool) {
		t.Helper()
		if v := c.Recent(key); (v != nil) != want {
			t.Errorf("%s: Recent(%q) = %v, want %v", when, key, v, want)
		}
		if v := c.RecentBytes([]byte(key)); (v != nil) != want {
			t.Errorf("%s: RecentBytes(%q) = %v, want %v", when, key, v, want)
		}
	}
	wantRecent("empty", "", false)
	for _, n := range []int{0, 1, 29, 30, 31, 300} { // short keys, and long ones
		key := strings.Repeat("k", n)
		c.Set(key, 1, 1, time.Hour)
		wantRecent("set", key, true)
		if n > 0 {
			wantRecent("shorter", key[1:], n == 1 || n == 30 || n == 31)
			wantRecent("other", key[1:]+"x", false)
		}
	}
	c.Set("a", 1, 1, time.Hour)
	wantRecent("set", "a", true)
	for i := range 10_000 { // all slots, many times
		wantRecent("another", fmt.Sprint("a", i), false)
	}
	c.Set("a", 2, 1, 0)
	wantRecent("deleted", "a", false)
	c.Set("a", 3, 1, time.Hour)
	c.Close()
	wantRecent("closed", "a", false)
	c.Set("a", 4, 1, time.Hour)
	wantRecent("set after Close", "a", false)
}

func BenchmarkRecent(b *testing.B) {
	c, err := memory.NewCache[int](1 << 20)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	c.Set("https://example.com/", 1, 1, time.Hour)
	b.ReportAllocs()
	for b.Loop() {
		if c.Recent("https://example.com/") == nil {
			b.Fatal("miss")
		}
	}
}
