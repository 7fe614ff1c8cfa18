package bench

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bartventer/httpcache"
	_ "github.com/bartventer/httpcache/store/memcache" // registers "memcache://"
	gregjones "github.com/gregjones/httpcache"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
)

// ours is the name of the cache that is compared with the others.
const ours = "wayfind"

// contender is a caching RoundTripper with its entries in memory.
type contender struct {
	name string
	over func(tb testing.TB, next http.RoundTripper) http.RoundTripper
}

func contenders() []contender {
	return []contender{
		{ours, newOurs},
		{"gregjones", func(_ testing.TB, next http.RoundTripper) http.RoundTripper {
			t := gregjones.NewMemoryCacheTransport()
			t.Transport = next
			return t
		}},
		{"bartventer", func(_ testing.TB, next http.RoundTripper) http.RoundTripper {
			return httpcache.NewTransport("memcache://", httpcache.WithUpstream(next))
		}},
	}
}

func newOurs(tb testing.TB, next http.RoundTripper) http.RoundTripper {
	store, err := memory.New(8 << 20)
	if err != nil {
		tb.Fatal(err)
	}
	t := cache.NewTransport(store, next, nil)
	tb.Cleanup(func() {
		if err := t.Close(); err != nil {
			tb.Error(err)
		}
		if err := store.Close(); err != nil {
			tb.Error(err)
		}
	})
	return t
}

// documentBytes is the size of a typical document: CACHING.md measured all
// caches with 2.6 KB of JSON.
const documentBytes = 2600

// document is a JSON object of documentBytes bytes.
func document() []byte {
	const begin, end = `{"name": "Shop", "capabilities": [`, `]}`
	const item = `{"name": "send_email", "description": "Send a message", "detail_url": "/capabilities/send_email"}`
	items := strings.Repeat(item+", ", (documentBytes-len(begin)-len(end)-len(item))/(len(item)+2)) + item
	padding := strings.Repeat(" ", documentBytes-len(begin)-len(items)-len(end))
	return []byte(begin + items + padding + end)
}

// origin answers every request with one document that is fresh for an hour,
// and counts.
type origin struct {
	body  []byte
	asked int
}

// RoundTrip implements http.RoundTripper.
func (o *origin) RoundTrip(req *http.Request) (*http.Response, error) {
	o.asked++
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{
			"Cache-Control": {"max-age=3600"},
			"Content-Type":  {"application/json"},
			"Date":          {time.Now().UTC().Format(http.TimeFormat)},
			"Etag":          {`"1"`},
		},
		Body: io.NopCloser(bytes.NewReader(o.body)), ContentLength: int64(len(o.body)), Request: req,
	}, nil
}

// newHit fills a cache and returns a function that makes one hit: request,
// body to the end, close. That they are hits is asserted before, with the
// content, and when the test ends, for all that were made.
func newHit(tb testing.TB, c contender) func() {
	tb.Helper()
	o := &origin{body: document()}
	rt := c.over(tb, o)
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, "https://example.com/card.json", nil)
	if err != nil {
		tb.Fatal(err)
	}
	req.Header.Set("Accept", "application/json")
	for range 2 {
		var got bytes.Buffer
		exchange(tb, rt, req, &got)
		if !bytes.Equal(got.Bytes(), o.body) {
			tb.Fatalf("%s gave %d bytes that are not the document", c.name, got.Len())
		}
	}
	askedOnce := func() {
		if o.asked != 1 {
			tb.Fatalf("%s: the origin was asked %d times, want 1", c.name, o.asked)
		}
	}
	askedOnce()
	tb.Cleanup(askedOnce)
	return func() { exchange(tb, rt, req, io.Discard) }
}

func exchange(tb testing.TB, rt http.RoundTripper, req *http.Request, to io.Writer) {
	resp, err := rt.RoundTrip(req)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := io.Copy(to, resp.Body); err != nil {
		tb.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		tb.Fatal(err)
	}
}

// A hit of ours allocates less often than that of any other, in the same run.
func TestHitAllocatesLeast(t *testing.T) {
	const runs = 200
	allocs := map[string]float64{}
	for _, c := range contenders() {
		allocs[c.name] = testing.AllocsPerRun(runs, newHit(t, c))
		t.Logf("%s: %v allocations per hit", c.name, allocs[c.name])
	}
	for name, n := range allocs {
		if name != ours && n <= allocs[ours] {
			t.Errorf("a hit of ours allocates %v times, of %s %v times", allocs[ours], name, n)
		}
	}
}

// The document is what is said of it.
func TestDocument(t *testing.T) {
	if n := len(document()); n != documentBytes {
		t.Errorf("the document has %d bytes, want %d", n, documentBytes)
	}
}

func BenchmarkTransportHit(b *testing.B) {
	for _, c := range contenders() {
		b.Run(c.name, func(b *testing.B) {
			hit := newHit(b, c)
			b.ReportAllocs()
			b.SetBytes(documentBytes)
			for b.Loop() {
				hit()
			}
		})
	}
}
