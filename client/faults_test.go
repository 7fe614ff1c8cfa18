package client_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse"
)

// The flight ends when the last caller leaves it, and not before: a request
// that was not written then never is.
func TestAFlightEndsWithItsLastCaller(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Latency(time.Second)
		host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a")})
		c := newClient(t, internet)
		var all sync.WaitGroup
		for i := range 3 {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i+1)*500*time.Millisecond)
				defer cancel()
				began := time.Now()
				_, err := c.Resolve(ctx, "shop.example")
				if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Duration(i+1)*500*time.Millisecond {
					t.Errorf("caller %d after %v: %v", i, time.Since(began), err)
				}
			})
		}
		all.Wait()
		synctest.Wait()
		time.Sleep(time.Minute)
		if len(host.Paths()) != 0 || host.Dials() != 1 || host.Open() != 0 {
			t.Errorf("requests %v, %d dials, %d connections open", host.Paths(), host.Dials(), host.Open())
		}
		if site, err := c.Resolve(t.Context(), "shop.example"); err != nil || len(site.Services) != 1 {
			t.Errorf("the next caller: %v", err)
		}
	})
}

// One of twelve places hangs, one sends a bomb, one has the document.
func TestOfTwelvePlacesTheSoundOneIsFound(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		var locations []parse.Location
		for i := range 12 {
			locations = append(locations, parse.Location{Path: fmt.Sprintf("/%d", i)})
		}
		bomb := zipped(t, strings.Repeat(" ", 8<<20))
		host := internet.Host("shop.example", clienttest.Pages{"/7": `{"toy": ["a"]}`}).Handle("/5", bomb)
		host.Handle("/3", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
		c := newClient(t, internet, withFormats(toy("toy", locations...)), func(o *client.Options) { o.Timeout = 3 * time.Second })
		began := time.Now()
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil || len(site.Services) != 1 || time.Since(began) > 3*time.Second {
			t.Errorf("after %v: %v, %d services", time.Since(began), err, len(site.Services))
		}
		want := map[string]wayfind.Verdict{"/3": wayfind.VerdictSkipped, "/5": wayfind.VerdictTooLarge, "/7": wayfind.VerdictFound}
		if len(site.Probes) != 12 {
			t.Errorf("%d probes", len(site.Probes))
		}
		for _, p := range site.Probes {
			path := strings.TrimPrefix(p.URL, "https://shop.example")
			expected, special := want[path]
			if !special {
				expected = wayfind.VerdictAbsent
			}
			if p.Verdict != expected && !(path == "/3" && p.Verdict == wayfind.VerdictUnreachable) {
				t.Errorf("%s: %s (%s), want %s", path, p.Verdict, p.Reason, expected)
			}
		}
	})
}

// Nothing is written to a store after Close has returned, even if a renewal in the background or a
// slow write was under way.
func TestNothingIsWrittenOnceCloseHasReturned(t *testing.T) {
	const control = "max-age=60, stale-while-revalidate=300"
	for name, row := range map[string]struct {
		path   clienttest.Fault
		store  func(ctx context.Context) error
		within time.Duration
	}{
		"a site that hangs":   {clienttest.AtHeaders(clienttest.Stall), nil, 0},
		"a site that is slow": {clienttest.Delay(3 * time.Second), nil, 0},
		"half of an answer":   {clienttest.AtBody(10, clienttest.Stall), nil, 0},
		"a store that hangs":  {nil, hang, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", nil)
				host.Handle(wellKnown, page(manifest("shop.example", "/a"), "Cache-Control", control))
				store := newFarStore()
				c := newClient(t, internet, shared(store))
				if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
					t.Fatal(err)
				}
				time.Sleep(61 * time.Second)
				host.Handle(wellKnown, page(manifest("shop.example", "/b"), "Cache-Control", control))
				if row.path != nil {
					host.Fail(wellKnown, row.path)
				}
				store.fail(row.store)
				if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
					t.Fatal(err)
				}
				time.Sleep(4 * cache.StoreBudget)
				if len(host.Paths()) != 2 {
					t.Fatalf("asked for %v: nothing runs in the background", host.Paths())
				}
				began := time.Now()
				if err := c.Close(); err != nil || time.Since(began) > row.within {
					t.Errorf("Close took %v: %v", time.Since(began), err)
				}
				store.fail(nil)
				before := [...]int{store.count("save"), store.count("delete"), store.count("hold"), store.count("acquire")}
				time.Sleep(time.Hour)
				if after := [...]int{store.count("save"), store.count("delete"), store.count("hold"), store.count("acquire")}; after != before {
					t.Errorf("after Close: %v calls, %v before", after, before)
				}
				if host.Open() != 0 {
					t.Errorf("%d connections are open", host.Open())
				}
				store.wantWhole(t, manifest("shop.example", "/a"))
			})
		})
	}
}

// mishap is one thing that goes wrong with a host.
type mishap func(t *testing.T, internet *clienttest.Internet, h *clienttest.Host)

// mishaps has one fault of each kind, after the first, which is no fault.
func mishaps() []mishap {
	conn := func(f clienttest.ConnFault) mishap {
		return func(_ *testing.T, _ *clienttest.Internet, h *clienttest.Host) {
			h.FailConn(f)
			h.Hangup(clienttest.Close)
		}
	}
	path := func(f clienttest.Fault) mishap {
		return func(_ *testing.T, _ *clienttest.Internet, h *clienttest.Host) { h.Fail("", f) }
	}
	answer := func(p http.Handler) mishap {
		return func(_ *testing.T, _ *clienttest.Internet, h *clienttest.Host) { h.Handle(wellKnown, p) }
	}
	name := func(a clienttest.Answer) mishap {
		return func(_ *testing.T, internet *clienttest.Internet, h *clienttest.Host) {
			internet.DNS(h.Name(), a)
			h.Hangup(clienttest.Reset)
		}
	}
	return []mishap{
		func(*testing.T, *clienttest.Internet, *clienttest.Host) {},
		conn(clienttest.Refuse()), conn(clienttest.BlackHole()), conn(clienttest.AtAccept(clienttest.Reset)), conn(clienttest.AtHandshake(clienttest.Close)),
		conn(clienttest.AtByte(900, clienttest.Stall)), conn(clienttest.AtByte(1200, clienttest.Reset)), conn(clienttest.PlainHTTP()), conn(clienttest.OldTLS()),
		conn(clienttest.ExpiredCert()), conn(clienttest.WrongNameCert()), conn(clienttest.SelfSignedCert()),
		path(clienttest.AtHeaders(clienttest.Stall)), path(clienttest.AtHeaders(clienttest.Abort)), path(clienttest.AtBody(10, clienttest.Close)),
		path(clienttest.AtBody(10, clienttest.Stall)), path(clienttest.Delay(12 * time.Second)), // an answer at 10 s would race with the end of waiting
		answer(clienttest.Page{Status: 404}), answer(clienttest.Page{Status: 500}), answer(clienttest.Page{Status: 401}),
		answer(clienttest.Page{Status: 429, Header: http.Header{"Retry-After": {"7200"}}}), answer(clienttest.Page{Status: 503}),
		answer(page("{")), answer(page(`{"a": 1, "a": 2}`)), answer(page("<!doctype html>", "Content-Type", "text/html")),
		answer(page(strings.Repeat(" ", 300<<10))), answer(page("x", "Content-Encoding", "gzip")),
		answer(clienttest.Redirect(302, wellKnown)), answer(clienttest.Redirect(302, "http://shop.example/")), answer(clienttest.Redirect(302, "https://10.0.0.1/")),
		name(clienttest.NXDomain()), name(clienttest.ServFail()), name(clienttest.NoAnswer()), name(clienttest.Addrs(addr("10.0.0.1"))),
	}
}

// heal makes a host sound again.
func heal(internet *clienttest.Internet, h *clienttest.Host) {
	internet.DNS(h.Name())
	h.FailConn().Fail("").Handle(wellKnown, page(manifest(h.Name(), "/a"), "Cache-Control", "max-age=300"))
}

// after compares goroutines and connections before and after use, when all is closed. The tests
// that call it run alone.
func after(t *testing.T, use func()) {
	t.Helper()
	measure := func() (goroutines, descriptors int, heap uint64) {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		if list, err := os.ReadDir("/proc/self/fd"); err == nil {
			descriptors = len(list)
		}
		return runtime.NumGoroutine(), descriptors, m.HeapAlloc
	}
	time.Sleep(time.Millisecond) // the first timer of the process opens descriptors, for good
	goroutines, descriptors, heap := measure()
	use()
	g, d, h := measure()
	t.Logf("goroutines %d and %d, descriptors %d and %d, heap %d KiB and %d KiB", goroutines, g, descriptors, d, heap>>10, h>>10)
	if g > goroutines || d > descriptors || h > heap+8<<20 {
		t.Errorf("left over: %d goroutines, %d descriptors, %d bytes", g-goroutines, d-descriptors, int64(h)-int64(heap))
	}
}

// 10,000 calls that mostly fail, in all the ways of failing, release all that they used. (Under the
// race detector there are fewer.)
func TestNothingIsLeftOfManyFailures(t *testing.T) {
	rounds := testkit.Size(10, 50)
	hosts := testkit.Crowd(200)
	after(t, func() {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			all := mishaps()
			var list []*clienttest.Host
			for i := range hosts {
				list = append(list, internet.Host(fmt.Sprintf("shop%d.example", i), nil))
			}
			failed := 0
			for round := range rounds {
				c := newClient(t, internet) // to which no site is known
				var calls sync.WaitGroup
				var mu sync.Mutex
				for i, h := range list {
					heal(internet, h)
					// Every other one is refused, which costs no handshake.
					at := (i/2 + round) % len(all)
					if i%2 == 0 {
						at = 1
					}
					all[at](t, internet, h)
					calls.Go(func() {
						ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+i%30)*time.Second)
						defer cancel()
						_, err := c.Resolve(ctx, h.Name())
						if e := clienttest.CheckError(err); e != nil {
							t.Errorf("mishap %d: %v", at, e)
						}
						mu.Lock()
						defer mu.Unlock()
						if err != nil {
							failed++
						}
					})
				}
				calls.Wait()
				if err := c.Close(); err != nil {
					t.Error(err)
				}
				for _, h := range list {
					if n := h.Open(); n != 0 {
						t.Errorf("%s has %d connections open after Close", h.Name(), n)
					}
				}
			}
			if failed < hosts*rounds*8/10 {
				t.Errorf("only %d calls of %d failed", failed, hosts*rounds)
			}
		})
	})
}

// A day under faults drawn at random, or a few hours: afterwards every site that is sound is
// found, so no limiter and no obligation is stuck, by this process and by the
// next one that opens the directory.
func TestADayOfFaultsLeavesEverySoundSiteFound(t *testing.T) {
	const hosts = 12
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	dir := t.TempDir()
	open := func(t *testing.T) *disk.Store {
		s, err := disk.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	after(t, func() {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			c := newClient(t, internet, shared(open(t)))
			var list []*clienttest.Host
			for i := range hosts {
				list = append(list, internet.Host(fmt.Sprintf("shop%d.example", i), nil))
				heal(internet, list[i])
			}
			all := mishaps()
			for end := time.Now().Add(time.Duration(testkit.Size(3, 24)) * time.Hour); time.Now().Before(end); {
				h := list[rnd.IntN(hosts)]
				heal(internet, h)
				all[rnd.IntN(len(all))](t, internet, h)
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+rnd.IntN(30_000))*time.Millisecond)
				call := []func(context.Context, string) (*wayfind.Site, error){c.Resolve, c.Refresh}[rnd.IntN(2)]
				began, deadline := time.Now(), time.Time{}
				deadline, _ = ctx.Deadline()
				_, err := call(ctx, h.Name())
				cancel()
				if e := clienttest.CheckError(err); e != nil {
					t.Error(e)
				}
				if time.Now().After(deadline.Add(100 * time.Millisecond)) {
					t.Errorf("a call took %v, its deadline was after %v", time.Since(began), deadline.Sub(began))
				}
				time.Sleep(time.Duration(rnd.IntN(120)) * time.Second)
			}
			time.Sleep(25 * time.Hour) // the longest that anything is remembered
			next := newClient(t, internet, shared(open(t)))
			for _, h := range list {
				heal(internet, h)
				h.Hangup(clienttest.Close)
				for who, c := range map[string]*client.Client{"the same process": c, "the next process": next} {
					if site, err := c.Resolve(t.Context(), h.Name()); err != nil || len(site.Services) != 1 {
						t.Errorf("%s, %s: %v", h.Name(), who, err)
					}
				}
			}
		})
	})
	if left, err := os.ReadDir(dir + "/v1/tmp"); err != nil || len(left) > 0 {
		t.Errorf("half written: %v, %v", left, err)
	}
}

// The list of mishaps begins with no fault, and has many kinds.
func TestMishapsAreOfManyKinds(t *testing.T) {
	var kinds []string
	for i, m := range mishaps() {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			h := internet.Host("shop.example", nil)
			heal(internet, h)
			m(t, internet, h)
			_, err := newClient(t, internet).Resolve(t.Context(), h.Name())
			if (err == nil) != (i == 0) {
				t.Errorf("mishap %d: %v", i, err)
			}
			if e, ok := errors.AsType[*wayfind.Error](err); ok {
				kinds = append(kinds, e.Kind.Error())
			}
		})
	}
	slices.Sort(kinds)
	if n := len(slices.Compact(kinds)); n < 6 {
		t.Errorf("the mishaps have %d kinds", n)
	}
}

// Go's own resolver on a machine without a name server: the error is of DNS,
// and no absence.
func TestWithoutANameServerTheErrorIsOfDNS(t *testing.T) {
	down := errors.New("no name server")
	opts := &client.Options{Network: client.Network{Resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, down }}}}
	opts.Network.Dial = func(_ context.Context, a netip.AddrPort) (net.Conn, error) {
		t.Errorf("dialled %v", a)
		return nil, down
	}
	c, err := client.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	site, err := c.Resolve(t.Context(), "example.com")
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok || !errors.Is(err, wayfind.ErrUnreachable) || e.Code != wayfind.CodeDNS {
		t.Errorf("%v, want an error of DNS", err)
	}
	for _, p := range site.Probes {
		if p.Verdict.Answered() {
			t.Errorf("%s: %s is an answer", p.URL, p.Verdict)
		}
	}
}
