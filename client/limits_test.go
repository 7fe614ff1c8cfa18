package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// slowly is a toy format, read at some paths, whose documents with a member
// "slow" take an hour to read. read gets the hosts whose documents were read, in
// order.
func slowly(read func(host string), paths ...string) *parse.Format {
	var locations []parse.Location
	for _, path := range paths {
		locations = append(locations, parse.Location{Path: path})
	}
	f := toy("toy", locations...)
	plain := f.Parse
	f.Parse = func(in *parse.Input) (*parse.Reading, error) {
		read(in.URL.Host)
		doc, _ := in.JSON()
		if doc.Get("slow").Exists() {
			time.Sleep(time.Hour)
		}
		if doc.Get("mine").Exists() {
			panic(mine)
		}
		return plain(in)
	}
	return f
}

// limited makes a Client with limits, which must all be free once it is closed.
func limited(t *testing.T, internet *clienttest.Internet, limits client.Limits, change ...func(*client.Options)) *client.Client {
	t.Helper()
	var c *client.Client
	t.Cleanup(func() { free(t, c) }) // after Close
	c = newClient(t, internet, append(change, func(o *client.Options) { o.Limits = limits })...)
	return c
}

// free fails the test unless all that calls have taken was given back.
func free(t *testing.T, c *client.Client) {
	t.Helper()
	synctest.Wait()
	if parsers, bytes, waiting := client.InUse(c); parsers != 0 || bytes != 0 || waiting != 0 {
		t.Errorf("%d parsers and %d bytes are in use, %d wait", parsers, bytes, waiting)
	}
}

func TestLimitsThatMakeNoSenseAreRefused(t *testing.T) {
	for _, limits := range []client.Limits{{Parsers: -1}, {Bytes: -1}, {Concurrency: -1}, {Foreign: -2}} {
		if _, err := client.New(&client.Options{Limits: limits}); !errors.Is(err, wayfind.ErrInvalid) {
			t.Errorf("%+v: %v", limits, err)
		}
	}
}

// While a parser is taken, time-outs do not run: Resolve, Probe, Describe, Search
// and Refresh find what there is. While a site is waited for, no parser is taken.
func TestWaitingForAParserIsNoTimeOut(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("slow.example", clienttest.Pages{"/toy": `{"toy": ["a"], "slow": 1}`})
		internet.Host("quick.example", clienttest.Pages{"/toy": `{"toy": ["a"]}`})
		internet.Host("silent.example", nil).Fail("", clienttest.AtHeaders(clienttest.Stall))
		c := limited(t, internet, client.Limits{Parsers: 1}, withFormats(slowly(func(string) {}, "/toy")), func(o *client.Options) { o.Timeout = 5 * time.Second })
		began := time.Now()
		var calls sync.WaitGroup
		calls.Go(func() {
			if _, err := c.Resolve(t.Context(), "silent.example"); !errors.Is(err, wayfind.ErrUnreachable) && !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		})
		time.Sleep(time.Second)
		if _, err := c.Resolve(t.Context(), "quick.example"); err != nil || time.Since(began) > 2*time.Second {
			t.Errorf("beside a silent site: %v after %v", err, time.Since(began))
		}
		calls.Wait()
		began = time.Now()
		calls.Go(func() { _, _ = c.Resolve(t.Context(), "slow.example") }) // its own reading is included
		time.Sleep(time.Second)
		calls.Go(func() {
			for f, err := range c.Probe(t.Context(), "quick.example/other") {
				if err != nil || f.Probe.Verdict == wayfind.VerdictSkipped {
					t.Error(f, err)
				}
			}
		})
		if _, err := c.Refresh(t.Context(), "quick.example"); err != nil || time.Since(began) < time.Hour {
			t.Errorf("beside a slow parser: %v after %v", err, time.Since(began))
		}
		calls.Wait()
	})
}

// A caller's deadline also applies while it waits for a parser: it gets a partial result, and
// leaves no goroutine. The parser is free again after a panic, and after the Client is closed.
func TestACallerMayLeaveTheQueueOfParsers(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("slow.example", clienttest.Pages{"/toy": `{"toy": ["a"], "slow": 1}`})
		internet.Host("quick.example", clienttest.Pages{"/toy": `{"toy": ["a"]}`})
		internet.Host("mine.example", clienttest.Pages{"/toy": `{"toy": ["a"], "mine": 1}`})
		c := limited(t, internet, client.Limits{Parsers: 1}, withFormats(slowly(func(string) {}, "/toy")))
		if _, err := c.Resolve(t.Context(), "mine.example"); !errors.Is(err, wayfind.ErrInternal) {
			t.Errorf("a panic: %v", err)
		}
		var calls sync.WaitGroup
		calls.Go(func() { _, _ = c.Resolve(t.Context(), "slow.example") })
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		site, err := c.Resolve(ctx, "quick.example")
		if !errors.Is(err, context.DeadlineExceeded) || site == nil || time.Since(began) != time.Second {
			t.Errorf("%v, %v after %v", site, err, time.Since(began))
		}
		calls.Wait()
		if _, err := c.Resolve(t.Context(), "quick.example"); err != nil {
			t.Error(err)
		}
		free(t, c)
		calls.Go(func() { _, _ = c.Resolve(t.Context(), "slow.example/again") })
		calls.Go(func() { _, _ = c.Resolve(t.Context(), "quick.example/again") })
		time.Sleep(time.Second)
		_ = c.Close() // those who wait
		calls.Wait()
	})
}

// Domains take turns at the parsers: one with many documents, on many hosts, holds
// up another by one.
func TestDomainsTakeTurns(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		var paths []string
		pages := clienttest.Pages{}
		for i := range 12 {
			paths = append(paths, fmt.Sprintf("/toy%d", i))
			pages[paths[i]] = fmt.Sprintf(`{"toy": ["a%d"], "slow": 1}`, i)
		}
		var mu sync.Mutex
		var order []string
		f := slowly(func(host string) {
			mu.Lock()
			defer mu.Unlock()
			order = append(order, host)
		}, paths...)
		c := limited(t, internet, client.Limits{Parsers: 1}, withFormats(f))
		var calls sync.WaitGroup
		ask := func(name string) {
			calls.Go(func() {
				if site, err := c.Resolve(t.Context(), name); err != nil || len(site.Services) == 0 {
					t.Error(name, err)
				}
			})
			time.Sleep(time.Second)
		}
		for i := range 4 {
			name := fmt.Sprintf("www%d.large.example", i)
			internet.Host(name, pages)
			ask(name)
		}
		internet.Host("small.example", clienttest.Pages{"/toy0": `{"toy": ["a"]}`})
		ask("small.example")
		calls.Wait()
		if i := slices.Index(order, "small.example"); i < 0 || i > 2 || len(order) != 49 {
			t.Errorf("the small site was number %d of %d", i, len(order))
		}
	})
}

// With hardly any memory, calls run one by one, and each finds all documents. No two calls wait for
// each other.
func TestWithHardlyAnyMemoryCallsGoOneByOne(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		large := `{"toy": ["a"], "filler": "` + strings.Repeat("x", 200<<10) + `"}`
		dripped := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for part := range slices.Chunk([]byte(large), 50<<10) {
				_, _ = w.Write(part)
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Second)
			}
		})
		c := limited(t, internet, client.Limits{Parsers: 1, Bytes: 1}, withFormats(toy("toy", parse.Location{Path: "/a"}, parse.Location{Path: "/b"}, parse.Location{Path: "/c"})),
			func(o *client.Options) { o.Timeout = 10 * time.Second })
		for i := range 8 {
			internet.Host(fmt.Sprintf("shop%d.example", i), clienttest.Pages{"/a": large, "/b": large}).Handle("/c", dripped)
		}
		var calls sync.WaitGroup
		for i := range 12 {
			name := fmt.Sprintf("shop%d.example", i%8) // some share a flight
			calls.Go(func() {
				site, err := c.Resolve(t.Context(), name)
				if err != nil || len(site.Services) == 0 || slices.ContainsFunc(site.Probes, func(p wayfind.Probe) bool { return p.Verdict != wayfind.VerdictFound }) {
					t.Errorf("%s: %v, %+v", name, err, site.Probes)
				}
			})
		}
		calls.Wait()
		free(t, c)
	})
}

// A caller that leaves while it waits for memory releases everything, at any time, and so does a
// Client that is closed.
func TestLeavingForWantOfMemoryLeavesNothing(t *testing.T) {
	large := `{"toy": ["a"], "filler": "` + strings.Repeat("x", 200<<10) + `"}`
	for after := time.Duration(0); after < 2*time.Second; after += 100 * time.Millisecond {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Latency(50 * time.Millisecond)
			c := limited(t, internet, client.Limits{Parsers: 1, Bytes: 100 << 10}, withFormats(toy("toy", parse.Location{Path: "/a"}, parse.Location{Path: "/b"})))
			page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				half := len(large) / 2
				_, _ = io.WriteString(w, large[:half])
				_ = http.NewResponseController(w).Flush()
				time.Sleep(300 * time.Millisecond)
				_, _ = io.WriteString(w, large[half:])
			})
			var calls sync.WaitGroup
			for i := range 5 {
				name := fmt.Sprintf("shop%d.example", i)
				internet.Host(name, nil).Handle("/a", page).Handle("/b", page)
				calls.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), after+time.Duration(i)*30*time.Millisecond)
					defer cancel()
					_, err := c.Resolve(ctx, name)
					if e := clienttest.CheckError(err); e != nil {
						t.Error(e)
					}
				})
			}
			calls.Wait()
			if after > time.Second {
				return // with the Client
			}
			site, err := c.Resolve(t.Context(), "shop0.example")
			if err != nil || len(site.Services) == 0 {
				t.Errorf("after all have left: %v", err)
			}
		})
	}
}

// Describe, ParseURL and Search go through the same limits.
func TestEveryCallIsLimited(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/x"), "/x": detail("x", "https://shop.example/call")})
		internet.Host("registry.example", clienttest.Pages{"/api/discover": `{"data": []}`})
		c := limited(t, internet, client.Limits{Parsers: 1, Bytes: 1}, withFormats(formats.All()...))
		var calls sync.WaitGroup
		for range 5 {
			calls.Go(func() {
				site, err := c.Resolve(t.Context(), "shop.example")
				if err != nil {
					t.Error(err)
					return
				}
				if d, err := c.Describe(t.Context(), site, "adp:x"); err != nil || d.Capability.Invocation == nil {
					t.Errorf("Describe: %+v, %v", d, err)
				}
				if _, err := c.ParseURL(t.Context(), "https://shop.example"+wellKnown); err != nil {
					t.Errorf("ParseURL: %v", err)
				}
				_, _ = c.Search(t.Context(), "registry.example", "query")
			})
		}
		calls.Wait()
		free(t, c)
	})
}
