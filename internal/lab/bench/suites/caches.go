package suites

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/bartventer/httpcache"
	_ "github.com/bartventer/httpcache/store/memcache" // registers "memcache://"
	gregjones "github.com/gregjones/httpcache"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/internal/lab/bench/measure"
)

// Ours is the name of the cache that is compared with the others.
const Ours = "cache.Transport"

// Cache is a caching RoundTripper that contains a document in memory.
type Cache struct {
	Name string
	// Least is the minimum time of a hit, in times of our hit. 0 marks our cache.
	Least float64

	transport http.RoundTripper
	request   *http.Request
	origin    *documentOrigin
	close     func() error
}

// Caches returns our cache and the others. Each has returned the document twice: from its
// origin, and then from memory.
func Caches() ([]*Cache, error) {
	store, err := memory.New(8 << 20)
	if err != nil {
		return nil, err
	}
	origins := [3]*documentOrigin{}
	for i := range origins {
		origins[i] = &documentOrigin{body: Document()}
	}
	ours := cache.NewTransport(store, origins[0], nil)
	theirs := gregjones.NewMemoryCacheTransport()
	theirs.Transport = origins[1]
	caches := []*Cache{
		{Name: Ours, transport: ours, close: func() error { return errors.Join(ours.Close(), store.Close()) }},
		{Name: "gregjones/httpcache", Least: 4, transport: theirs},
		{Name: "bartventer/httpcache", Least: 9, transport: httpcache.NewTransport("memcache://", httpcache.WithUpstream(origins[2]))},
	}
	for i, c := range caches {
		c.origin = origins[i]
		if err := c.fill(); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	return caches, nil
}

// fill stores the document.
func (c *Cache) fill() error {
	var err error
	if c.request, err = http.NewRequest(http.MethodGet, "https://example.com/card.json", nil); err != nil {
		return err
	}
	c.request.Header.Set("Accept", "application/json")
	for range 2 {
		var got bytes.Buffer
		if err := c.exchange(&got); err != nil {
			return err
		}
		if !bytes.Equal(got.Bytes(), c.origin.body) {
			return fmt.Errorf("%d bytes were received that are not the document", got.Len())
		}
	}
	return nil
}

// Hit sends a request, reads the body to the end and closes it.
func (c *Cache) Hit() error { return c.exchange(io.Discard) }

func (c *Cache) exchange(to io.Writer) error {
	resp, err := c.transport.RoundTrip(c.request)
	if err != nil {
		return err
	}
	if _, err := io.Copy(to, resp.Body); err != nil {
		return err
	}
	return resp.Body.Close()
}

// Close closes a cache. It returns an error if a hit reached the origin.
func (c *Cache) Close() error {
	var err error
	if c.close != nil {
		err = c.close()
	}
	if c.origin.asked != 1 {
		err = errors.Join(err, fmt.Errorf("%s: the origin was asked %d times, want 1", c.Name, c.origin.asked))
	}
	return err
}

// DocumentBytes is the size of a typical document.
const DocumentBytes = 2600

// Document returns a JSON object of DocumentBytes bytes.
func Document() []byte {
	const begin, end = `{"name": "Shop", "capabilities": [`, `]}`
	const item = `{"name": "send_email", "description": "Send a message", "detail_url": "/capabilities/send_email"}`
	items := strings.Repeat(item+", ", (DocumentBytes-len(begin)-len(end)-len(item))/(len(item)+2)) + item
	padding := strings.Repeat(" ", DocumentBytes-len(begin)-len(items)-len(end))
	return []byte(begin + items + padding + end)
}

// documentOrigin answers all requests with one document that is fresh for an hour, and counts
// the requests.
type documentOrigin struct {
	body  []byte
	asked int
}

// RoundTrip implements http.RoundTripper.
func (o *documentOrigin) RoundTrip(req *http.Request) (*http.Response, error) {
	o.asked++
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{
			"Cache-Control": {"max-age=3600"},
			"Content-Type":  {"application/json"},
			"Date":          {now()},
			"Etag":          {`"1"`},
		},
		Body: io.NopCloser(bytes.NewReader(o.body)), ContentLength: int64(len(o.body)), Request: req,
	}, nil
}

// transportHitAllocs is the goal for the allocations of a hit in our cache.
const transportHitAllocs = 10

// transportHits compares a hit through our RoundTripper with the hits of others.
func transportHits(c measure.Config) (tables []*measure.Table, err error) {
	caches, err := Caches()
	if err != nil {
		return nil, err
	}
	var cases []measure.Case
	for _, k := range caches {
		one := measure.Case{Name: k.Name, MaxAllocs: -1, Run: func(n int) {
			for range n {
				if err := k.Hit(); err != nil {
					panic(err)
				}
			}
		}}
		if k.Least == 0 {
			one.MaxAllocs = transportHitAllocs
		} else {
			one.Reference, one.Goal, one.AtLeast = Ours, k.Least, true
		}
		cases = append(cases, one)
	}
	defer func() {
		for _, k := range caches {
			err = errors.Join(err, k.Close())
		}
	}()
	table, err := measure.Compare("A hit of 2.6 KB through http.RoundTripper", c, cases...)
	return []*measure.Table{table}, err
}
