package memory_test

import (
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
	"github.com/wayfindhq/wayfind/cache/memory"
)

func TestStore(t *testing.T) {
	cachetest.TestStore(t, func(t *testing.T) cache.Store {
		s, err := memory.New(1 << 20)
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}

// TestStoreRecent: a store has a saved entry at hand until it is deleted or the store closed, and
// does not keep the bytes of the key.
func TestStoreRecent(t *testing.T) {
	s, err := memory.New(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	recent := s.RecentOf(s)
	key := []byte("view\n\nGET\nhttps://example.com/")
	saved := &cache.Variants{Entries: []*cache.Entry{{Key: string(key), Status: 200, Body: []byte("x")}}}
	if v := recent(key); v != nil {
		t.Errorf("empty: Recent = %v", v)
	}
	if err := s.Save(t.Context(), string(key), saved, time.Hour); err != nil {
		t.Fatal(err)
	}
	for range 1000 { // some of them are reported to the store's policy
		if v := recent(key); v != saved {
			t.Fatalf("saved: Recent = %v", v)
		}
	}
	key[0] = 'V'
	if v := recent(key); v != nil {
		t.Errorf("another key: Recent = %v", v)
	}
	key[0] = 'v'
	if n := testing.AllocsPerRun(1000, func() { recent(key) }); n >= 1 {
		t.Errorf("Recent allocates %v times", n)
	}
	if err := s.Delete(t.Context(), string(key)); err != nil {
		t.Fatal(err)
	}
	if v := recent(key); v != nil {
		t.Errorf("deleted: Recent = %v", v)
	}
	if err := s.Save(t.Context(), string(key), saved, time.Hour); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if v := recent(key); v != nil {
		t.Errorf("closed: Recent = %v", v)
	}
}

func open(t testing.TB, maxBytes int64) *memory.Cache[int] {
	t.Helper()
	c, err := memory.NewCache[int](maxBytes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestNewRejectsNegative(t *testing.T) {
	if c, err := memory.NewCache[int](-1); err == nil {
		c.Close()
		t.Error("a cache of -1 bytes was made")
	}
	s, err := memory.New(0)
	if err != nil {
		t.Fatalf("New(0): %v, want the default", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// Every value is there at once, under concurrent writers of keys of their own.
func TestVisibleAtOnce(t *testing.T) {
	c := open(t, 64<<20)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 2000 {
				key := fmt.Sprint(g, "/", i%500)
				c.Set(key, i, 100, time.Hour)
				if v, ok := c.Get(key); !ok || v != i {
					t.Errorf("Get(%q) = %d, %v straight after Set of %d", key, v, ok, i)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, 1<<20)
		c.Set("k", 1, 1, time.Minute)
		time.Sleep(time.Minute - time.Nanosecond)
		if _, ok := c.Get("k"); !ok {
			t.Error("gone before its time")
		}
		time.Sleep(2 * time.Nanosecond)
		if _, ok := c.Get("k"); ok {
			t.Error("still there after its time")
		}
	})
}

// A ttl of zero would mean for ever to ristretto, a negative one nothing.
func TestNoTTLDeletes(t *testing.T) {
	c := open(t, 1<<20)
	for _, ttl := range []time.Duration{0, -time.Hour} {
		c.Set("k", 1, 1, time.Hour)
		c.Set("k", 2, 1, ttl)
		if v, ok := c.Get("k"); ok {
			t.Errorf("after Set with ttl %v: %d", ttl, v)
		}
	}
	c.Set("k", 1, 1, time.Hour)
	c.Del("k")
	if v, ok := c.Get("k"); ok {
		t.Errorf("after Del: %d", v)
	}
}

func TestTooLargeReplacesNothing(t *testing.T) {
	c := open(t, 1000)
	c.Set("k", 1, 10, time.Hour)
	c.Set("k", 2, 1001, time.Hour)
	if v, ok := c.Get("k"); ok {
		t.Errorf("Get = %d after a value that does not fit", v)
	}
}

func TestBounded(t *testing.T) {
	c := open(t, 100_000)
	for i := range 10_000 {
		c.Set(fmt.Sprint(i), i, 1000, time.Hour)
	}
	kept := 0
	for i := range 10_000 {
		if v, ok := c.Get(fmt.Sprint(i)); ok {
			kept++
			if v != i {
				t.Fatalf("key %d has %d", i, v)
			}
		}
	}
	if kept == 0 || kept > 100 {
		t.Errorf("%d values of 1000 bytes are kept in 100000", kept)
	}
}

// A store that got ten times its bytes keeps less than its bytes, measured by the entries that it
// still returns, and the heap has grown by no more than a small multiple of them: the sizes that
// entries report are honest.
func TestStoreStaysWithinItsBytes(t *testing.T) {
	const bound, times, heapFactor = 4 << 20, 10, 3
	for _, tt := range []struct {
		name string
		body int // bytes
	}{{"small", 100}, {"documents", 2300}, {"large", 100_000}} {
		t.Run(tt.name, func(t *testing.T) {
			before := heap()
			s, err := memory.New(bound)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			var keys []string
			for given := int64(0); given < times*bound; {
				key := fmt.Sprint("https://example.com/", len(keys))
				v := response(key, tt.body)
				if err := s.Save(t.Context(), key, v, time.Hour); err != nil {
					t.Fatal(err)
				}
				keys, given = append(keys, key), given+v.Size()
			}
			var kept int64
			for _, key := range keys {
				v, err := s.Load(t.Context(), key)
				if err != nil {
					t.Fatal(err)
				}
				if v != nil {
					kept += v.Size()
				}
			}
			grown := heap() - before
			t.Logf("%d entries given; %d bytes of %d kept, the heap has grown by %d", len(keys), kept, bound, grown)
			if kept == 0 || kept > bound {
				t.Errorf("%d bytes are kept in %d", kept, bound)
			}
			if grown > heapFactor*bound {
				t.Errorf("the heap has grown by %d bytes for %d", grown, bound)
			}
		})
	}
}

// response is one stored response with a body of n bytes of its own.
// Ristretto holds new keys to the bound, and not those that grow.
func TestGrowingStaysWithinItsBytes(t *testing.T) {
	const bound, keys = 1 << 20, 500
	s, err := memory.New(bound)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	kept := func() (n int64) {
		for i := range keys {
			v, err := s.Load(t.Context(), fmt.Sprint("k", i))
			if err != nil {
				t.Fatal(err)
			}
			if v != nil {
				n += v.Size()
			}
		}
		return n
	}
	for _, size := range []int{100, 20_000} {
		for i := range keys {
			key := fmt.Sprint("k", i)
			if err := s.Save(t.Context(), key, response(key, size), time.Hour); err != nil {
				t.Fatal(err)
			}
		}
		if n := kept(); n == 0 || n > bound {
			t.Errorf("with bodies of %d bytes %d bytes are kept in %d", size, n, bound)
		}
		if st := s.Stats(); st.Bytes > bound || st.Capacity != bound {
			t.Errorf("Stats() = %+v in %d bytes", st, bound)
		}
	}
	if st := s.Stats(); st.Evictions+st.Rejects == 0 {
		t.Errorf("Stats() = %+v: nothing was given up", st)
	}
}

func response(key string, n int) *cache.Variants {
	now := time.Now()
	e := cache.Restore(cache.Entry{
		Key: key, URL: key, Status: http.StatusOK, Body: make([]byte, n),
		Header: http.Header{
			"Cache-Control": {"max-age=3600"}, "Content-Type": {"application/json"},
			"Date": {now.UTC().Format(http.TimeFormat)}, "Etag": {`"` + key + `"`},
		},
		RequestTime: now, ResponseTime: now, Lifetime: cache.Lifetime{For: time.Hour, Source: "max-age", Explicit: true},
	})
	return &cache.Variants{Entries: []*cache.Entry{e}}
}

// heap returns the bytes of the objects that are alive.
func heap() int64 {
	runtime.GC()
	runtime.GC() // memory that a finalizer or a pool held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestCloseUnderLoad(t *testing.T) {
	for range 20 {
		c := open(t, 1<<20)
		var wg, begun sync.WaitGroup
		stop := make(chan struct{})
		for g := range 8 {
			begun.Add(1)
			wg.Go(func() {
				key := fmt.Sprint(g)
				begun.Done()
				for i := 0; ; i++ {
					select {
					case <-stop:
						return
					default:
					}
					c.Set(key, i, 1, time.Hour)
					c.Get(key)
					c.Del(key)
				}
			})
		}
		begun.Wait()
		c.Close()
		close(stop)
		wg.Wait()
		c.Set("k", 1, 1, time.Hour)
		if _, ok := c.Get("k"); ok {
			t.Fatal("a closed cache has something")
		}
	}
}

func TestGetAllocatesNothing(t *testing.T) {
	c := open(t, 1<<20)
	c.Set("https://example.com/", 1, 1, time.Hour)
	if n := testing.AllocsPerRun(1000, func() { c.Get("https://example.com/") }); n >= 1 {
		t.Errorf("Get allocates %v times", n)
	}
}

func BenchmarkGet(b *testing.B) {
	c := open(b, 1<<20)
	c.Set("https://example.com/", 1, 1, time.Hour)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := c.Get("https://example.com/"); !ok {
			b.Fatal("miss")
		}
	}
}

func BenchmarkSet(b *testing.B) {
	c := open(b, 1<<20)
	b.ReportAllocs()
	for b.Loop() {
		c.Set("https://example.com/", 1, 1, time.Hour)
	}
}

func ExampleNewCache() {
	c, err := memory.NewCache[string](1 << 20)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	c.Set("example.com", "a value", 7, time.Hour)
	fmt.Println(c.Get("example.com"))
	// Output: a value true
}
