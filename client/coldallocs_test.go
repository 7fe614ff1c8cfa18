package client_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// maxColdAllocations is the maximum number of allocations of a cold Resolve for each place, beyond
// a plain http.Client that requests the same paths: 58 with go1.26, plus a margin.
const maxColdAllocations = 60

// The work for each place is little more than the request: most places of most sites have no
// document.
func TestColdAllocations(t *testing.T) {
	const domains = 20
	document := manifest("d1.example.com", "/a", "/b", "/c")
	var requests atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		clienttest.Pages{wellKnown: document}.ServeHTTP(w, r)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	opts := clienttest.FromServer(t, server)
	everywhere := loopback{server.Listener.Addr().String(), new(sync.WaitGroup)}
	opts.Network.Resolver, opts.Network.Dial = everywhere, everywhere.dial
	c, err := client.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	var paths []string
	ours := func(i int) {
		site, err := c.Resolve(t.Context(), fmt.Sprintf("d%d.example.com", i))
		if err != nil {
			t.Fatal(err)
		}
		paths = paths[:0]
		for _, p := range site.Probes {
			paths = append(paths, p.URL[len(site.Origin):])
		}
	}
	plain := func(int) {
		transport := server.Client().Transport.(*http.Transport).Clone()
		defer transport.CloseIdleConnections()
		for _, path := range paths {
			resp, err := (&http.Client{Transport: transport}).Get(server.URL + path)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	}
	ours(domains) // allocations that happen once
	plain(0)
	requests.Store(0)
	a := mallocs(domains, ours)
	asked := requests.Swap(0)
	b := mallocs(domains, plain)
	if asked < 15*domains || asked != requests.Load() {
		t.Fatalf("%d requests for %d domains, and %d plain ones", asked, domains, requests.Load())
	}
	n := float64(a-b) / float64(asked)
	t.Logf("%.0f allocations for a place beyond those of http.Client", n)
	if n > maxColdAllocations {
		t.Errorf("%.0f allocations for a place beyond those of http.Client, want at most %d", n, maxColdAllocations)
	}
}

// mallocs returns the number of objects that n calls of f allocate, on all goroutines.
func mallocs(n int, f func(int)) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for i := range n {
		f(i)
	}
	runtime.ReadMemStats(&after)
	return int64(after.Mallocs - before.Mallocs)
}
