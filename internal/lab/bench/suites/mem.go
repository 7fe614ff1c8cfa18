package suites

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/bench/measure"
)

// mem measures the live memory of each response and of each domain.
func mem(c measure.Config) ([]*measure.Table, error) {
	entries, domains := 2000, 200
	if c.Quick {
		entries, domains = 1000, 30
	}
	responses, err := responseMemory(entries)
	if err != nil {
		return nil, err
	}
	sites, err := siteMemory(domains)
	if err != nil {
		return nil, err
	}
	return []*measure.Table{responses, sites}, nil
}

// alive returns the size of the result of fill. It measures the memory that is freed when the
// result is closed and dropped.
func alive(fill func() (io.Closer, error)) (bytes, objects float64, err error) {
	held, err := fill()
	if err != nil {
		return 0, 0, err
	}
	full := heap()
	err = held.Close()
	held = nil
	empty := heap()
	return float64(full.HeapAlloc) - float64(empty.HeapAlloc), float64(full.HeapObjects) - float64(empty.HeapObjects), err
}

func heap() (m runtime.MemStats) {
	runtime.GC()
	runtime.GC() // for memory that pools and finalizers kept
	runtime.ReadMemStats(&m)
	return m
}

// perEach returns alive for each of n further items, because tables begin with the first.
func perEach(n int, fill func(n int) (io.Closer, error)) (bytes, objects float64, err error) {
	b0, o0, err := alive(func() (io.Closer, error) { return fill(1) })
	if err != nil {
		return 0, 0, err
	}
	b, o, err := alive(func() (io.Closer, error) { return fill(n + 1) })
	return (b - b0) / float64(n), (o - o0) / float64(n), err
}

const bodyBytes = 2300

// responseMemory measures the memory of a stored response, including its key and its place in
// the store.
func responseMemory(n int) (*measure.Table, error) {
	t := &measure.Table{Title: "Memory of a stored response", Head: []string{"what", "value", "unit"}}
	for _, k := range []struct {
		name           string
		status         int
		body           string
		rules          cache.Rules
		bytes, objects float64
	}{
		{fmt.Sprintf("document of %d bytes", bodyBytes), http.StatusOK, strings.Repeat("x", bodyBytes), nil, 1.8*bodyBytes + 300, 12},
		{"remembered 404", http.StatusNotFound, "404 page not found\n", remembered{}, 300, 0},
	} {
		bytes, objects, err := perEach(n, func(n int) (io.Closer, error) { return stored(n, k.status, k.body, k.rules) })
		if err != nil {
			return nil, err
		}
		t.Rows = append(t.Rows,
			measure.Count{Name: k.name, Cells: []string{"bytes"}, Value: bytes, Limit: k.bytes}.Row(),
			measure.Count{Name: k.name, Cells: []string{"objects"}, Value: objects, Limit: k.objects, Hard: true}.Row())
	}
	return t, nil
}

// siteSize is the number of URLs of a host.
const siteSize = 30

// stored returns a store with n responses of hosts with 30 places each.
func stored(n, status int, body string, rules cache.Rules) (io.Closer, error) {
	store, err := memory.New(0)
	if err != nil {
		return nil, err
	}
	e := cache.NewEngine(store, nil)
	for i := range n {
		u := &url.URL{Scheme: "https", Host: fmt.Sprintf("host-%04d.example", i/siteSize), Path: fmt.Sprintf("/.well-known/agent-%d", i%siteSize)}
		a, err := e.Do(context.Background(), &cache.Ask{URL: u, Rules: rules, Origin: canned{status, body}})
		if err == nil && a.Response != nil { // it is stored when its end is read
			_, err = io.Copy(io.Discard, a.Response.Body)
			_ = a.Response.Body.Close()
		}
		if err != nil {
			return nil, err
		}
	}
	if s := e.Stats(); s.Misses != uint64(n) {
		return nil, fmt.Errorf("%d requests for %d responses", s.Misses, n)
	}
	return closers{e, store}, nil
}

// canned is an origin whose answers share no memory, like answers from a network.
type canned struct {
	status int
	body   string
}

// Fetch implements cache.Origin.
func (c canned) Fetch(context.Context, http.Header) (*http.Response, cache.Wire, error) {
	header := http.Header{"Date": {now()}, "Content-Type": {strings.Clone("application/json")}}
	if c.status == http.StatusOK {
		header["Cache-Control"], header["Etag"] = []string{strings.Clone("max-age=3600")}, []string{strings.Clone(`"33a64df551425fcc"`)}
	}
	return &http.Response{StatusCode: c.status, Header: header, Body: io.NopCloser(strings.NewReader(c.body)), ContentLength: int64(len(c.body))}, cache.Wire{}, nil
}

// Background implements cache.Origin. Nothing here is stale.
func (c canned) Background(context.Context) *cache.Ask { return nil }

// remembered contains the rules for a "no" that is remembered for a day.
type remembered struct{}

// Read implements cache.Rules.
func (remembered) Read(*cache.Entry) cache.Note { return nil }

// Confine implements cache.Rules.
func (remembered) Confine(*cache.Entry) bool { return false }

// Lifetime implements cache.Rules.
func (remembered) Lifetime(*cache.Entry, cache.Lifetime) cache.Lifetime {
	return cache.Lifetime{For: 24 * time.Hour, Source: "negative", Remembered: true}
}

type closers []io.Closer

// Close implements io.Closer.
func (c closers) Close() error {
	for _, each := range c {
		if err := each.Close(); err != nil {
			return err
		}
	}
	return nil
}

// siteMemory measures the memory of a Client for a domain with one manifest: the Site, the
// document, and the absence of the other places.
func siteMemory(n int) (*measure.Table, error) {
	t := &measure.Table{Title: "Memory of a known domain, all formats", Head: []string{"what", "value", "unit", "document"}}
	for _, capabilities := range []int{1, 10, 100} {
		bytes, objects, err := perEach(n, func(n int) (io.Closer, error) { return knowing(n, capabilities) })
		if err != nil {
			return nil, err
		}
		document := fmt.Sprintf("%d bytes", len(manifest("d100.example.com", capabilities)))
		name := fmt.Sprintf("%d capabilities", capabilities)
		t.Rows = append(t.Rows,
			measure.Count{Name: name, Cells: []string{"bytes", document}, Value: bytes}.Row(),
			measure.Count{Name: name, Cells: []string{"objects", document}, Value: objects}.Row())
	}
	return t, nil
}

// knowing returns a Client that knows n domains, after its connections have ended.
func knowing(n, capabilities int) (io.Closer, error) {
	server, loopback := startServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		clienttest.Pages{"/.well-known/agent": manifest(r.Host, capabilities)}.ServeHTTP(w, r)
	}))
	opts := loopback.options()
	opts.Network.KeepAlive = time.Millisecond
	c, err := client.New(opts)
	if err != nil {
		return nil, err
	}
	for i := range n {
		if _, err := c.Resolve(context.Background(), fmt.Sprintf("d%d.example.com", 100+i)); err != nil {
			return nil, err
		}
	}
	// net/http refers to a closed HTTP/2 connection until its idle timer has ended.
	time.Sleep(3 * time.Second / 2)
	server.Close()
	return c, nil
}
