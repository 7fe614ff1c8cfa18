package cache_test

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// maxHitAllocs is the maximum number of allocations of a hit, including the parts that belong to
// the caller: the context of the request, the header and the body.
const maxHitAllocs = 4

func hit(tb testing.TB, header ...string) func() {
	tr := newTransport(tb, always(200, strings.Repeat("x", 2600), "Cache-Control", "max-age=3600", "Etag", `"1"`,
		"Date", time.Now().UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT"), "Content-Type", "application/json"), nil)
	get(tb, tr, home, header...)
	req := newRequest(tb.Context(), home, append([]string{"Accept", "application/json"}, header...)...)
	return func() {
		resp, err := tr.RoundTrip(req)
		if err != nil {
			tb.Fatal(err)
		}
		if _, facts, _ := cache.Of(resp); facts.From != cache.FromMemory {
			tb.Fatalf("from %s", facts.From)
		}
		_ = resp.Body.Close()
	}
}

func TestHitAllocations(t *testing.T) {
	testkit.Large(t) // under the detector a sync.Pool forgets a quarter of its items
	for name, header := range map[string][]string{
		"no field":    nil,
		"selects":     {"X-Region", "eu"},
		"unknown":     {"X-Acme", "4711"},
		"two unknown": {"X-Acme", "4711", "X-Other", "b"},
	} {
		if n := testing.AllocsPerRun(100, hit(t, header...)); n > maxHitAllocs {
			t.Errorf("%s: a hit allocates %v times, want at most %d", name, n, maxHitAllocs)
		}
	}
}

func BenchmarkTransportHit(b *testing.B) {
	f := hit(b)
	b.ReportAllocs()
	for b.Loop() {
		f()
	}
}

func BenchmarkTransportHitRead(b *testing.B) {
	tr := newTransport(b, always(200, strings.Repeat("x", 2600), "Cache-Control", "max-age=3600"), nil)
	req := newRequest(b.Context(), home)
	b.ReportAllocs()
	for b.Loop() {
		resp, err := tr.RoundTrip(req)
		if err != nil {
			b.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, resp.Body); n != 2600 || err != nil {
			b.Fatal(n, err)
		}
	}
}

// memoryEntries is the number of entries that are stored while their memory is measured.
const memoryEntries = 2000

// BenchmarkMemoryPerEntry measures the memory of one more stored response, including its key and
// its place in the store: a document of 2.3 KiB, and a stored 404.
func BenchmarkMemoryPerEntry(b *testing.B) {
	remembered := &cache.TestRules{Lifetimes: func(*cache.Entry, cache.Lifetime) cache.Lifetime {
		return cache.Lifetime{For: 24 * time.Hour, Source: "negative", Remembered: true}
	}}
	for _, bb := range []struct {
		name   string
		rules  *cache.TestRules
		status int
		body   string
		header []string
	}{
		{"positive", &cache.TestRules{}, http.StatusOK, strings.Repeat("x", 2300),
			[]string{"Cache-Control", "max-age=3600", "Etag", `"33a64df551425fcc"`, "Content-Type", "application/json"}},
		{"negative", remembered, http.StatusNotFound, "404 page not found\n",
			[]string{"Content-Type", "text/plain; charset=utf-8", "X-Content-Type-Options", "nosniff"}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			var bytes, objects float64
			for b.Loop() {
				tr := cache.By(newTransport(b, fresh{bb.status, bb.body, bb.header}, nil), bb.rules)
				get(b, tr, "https://first.example/.well-known/agent") // with which the tables begin
				n, o := grown(func() {
					for i := range memoryEntries {
						get(b, tr, fmt.Sprintf("https://host-%04d.example/.well-known/agent", i))
					}
				})
				bytes, objects = bytes+n/memoryEntries, objects+o/memoryEntries
				if r := get(b, tr, "https://host-0000.example/.well-known/agent"); r.From != cache.FromMemory {
					b.Fatalf("an entry is not held: %+v", r)
				}
			}
			b.ReportMetric(bytes/float64(b.N), "bytes/entry")
			b.ReportMetric(objects/float64(b.N), "objects/entry")
			b.ReportMetric(float64(len(bb.body)), "body-bytes")
			b.ReportMetric(0, "ns/op") // says nothing here
		})
	}
}

// fresh is an origin that remembers nothing and whose answers share no memory,
// as if they came from a network.
type fresh struct {
	status int
	body   string
	header []string
}

// RoundTrip implements http.RoundTripper.
func (f fresh) RoundTrip(*http.Request) (*http.Response, error) {
	pairs := []string{"Date", time.Now().UTC().Format(http.TimeFormat)}
	for _, s := range f.header {
		pairs = append(pairs, strings.Clone(s))
	}
	return response(f.status, f.body, pairs...), nil
}

// grown is by how many bytes and objects the heap grows while f runs.
func grown(f func()) (bytes, objects float64) {
	before := aliveHeap()
	f()
	after := aliveHeap()
	return float64(after.HeapAlloc) - float64(before.HeapAlloc), float64(after.HeapObjects) - float64(before.HeapObjects)
}

func aliveHeap() (m runtime.MemStats) {
	runtime.GC()
	runtime.GC() // what pools and finalizers held on to
	runtime.ReadMemStats(&m)
	return m
}

// The negative answers of a domain share one value, in which each takes a quarter of the 1,230
// bytes of an Entry. The smallest of several measurements is used, because other goroutines may use
// the heap meanwhile.
func TestFoldedMemory(t *testing.T) {
	testkit.Large(t)
	remembered := &cache.TestRules{Lifetimes: func(*cache.Entry, cache.Lifetime) cache.Lifetime {
		return cache.Lifetime{For: 24 * time.Hour, Source: "negative", Remembered: true}
	}}
	const places = 30
	var tr http.RoundTripper
	bytes, objects := math.Inf(1), math.Inf(1)
	for range 3 {
		o := fresh{http.StatusNotFound, "404 page not found\n", []string{"Content-Type", "text/plain; charset=utf-8"}}
		tr = cache.By(newTransport(t, o, nil), remembered)
		get(t, tr, "https://first.example/.well-known/agent") // with which the tables begin
		b, n := grown(func() {
			for i := range memoryEntries {
				get(t, tr, fmt.Sprintf("https://host-%04d.example/.well-known/agent-%d", i/places, i%places))
			}
		})
		bytes, objects = min(bytes, b/memoryEntries), min(objects, n/memoryEntries)
	}
	t.Logf("%.0f bytes and %.1f objects for each", bytes, objects)
	if bytes > 300 || objects > 2.5 {
		t.Errorf("%.0f bytes and %.1f objects for each, want at most 300 and 2.5", bytes, objects)
	}
	if r := get(t, tr, "https://host-0000.example/.well-known/agent-0"); r.From != cache.FromMemory || r.Status != http.StatusNotFound || r.Body != "404 page not found\n" {
		t.Errorf("from memory came %+v", r)
	}
}
