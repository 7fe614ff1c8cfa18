package cache_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// maxHitAllocs is what a mere HTTP cache without revalidation needs for a hit.
const maxHitAllocs = 38

func hit(tb testing.TB) func() {
	tr := newTransport(tb, always(200, strings.Repeat("x", 2600), "Cache-Control", "max-age=3600", "Etag", `"1"`,
		"Date", time.Now().UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT"), "Content-Type", "application/json"), nil)
	get(tb, tr, home)
	req := newRequest(tb.Context(), home, "Accept", "application/json")
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
	if n := testing.AllocsPerRun(100, hit(t)); n >= maxHitAllocs {
		t.Errorf("a hit allocates %v times, want fewer than %d", n, maxHitAllocs)
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
