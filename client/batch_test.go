package client_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/internal/formats/robots"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse"
)

// busy counts the requests that many hosts are answering at a time.
type busy struct {
	mu      sync.Mutex
	now     int
	most    int
	started []string // hosts, in the order of their first request
	at      []time.Duration
	begin   time.Time
}

// page answers after a time.
func (b *busy) page(body string, takes time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.mu.Lock()
		b.now++
		b.most = max(b.most, b.now)
		b.started, b.at = append(b.started, r.Host), append(b.at, time.Since(b.begin))
		b.mu.Unlock()
		time.Sleep(takes)
		b.mu.Lock()
		b.now--
		b.mu.Unlock()
		clienttest.Pages{wellKnown: body}.ServeHTTP(w, r)
	})
}

// many adds hosts that answer with a manifest.
func many(internet *clienttest.Internet, n int, handler func(host string) http.Handler) (names []string, hosts []*clienttest.Host) {
	for i := range n {
		name := fmt.Sprintf("d%d.example", i)
		names = append(names, name)
		hosts = append(hosts, internet.Host(name, handler(name)))
	}
	return names, hosts
}

// outcomes collects a batch as "origin: error code", sorted.
func outcomes(seq iter.Seq2[*wayfind.Site, error]) []string {
	var list []string
	for site, err := range seq {
		var line string
		if site != nil {
			line = strings.TrimPrefix(site.Origin, "https://") + site.Base
		}
		if e, ok := errors.AsType[*wayfind.Error](err); ok {
			line += "!" + string(e.Code)
		}
		list = append(list, line)
	}
	slices.Sort(list)
	return list
}

func TestResolveAll(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		b := &busy{begin: time.Now()}
		names, hosts := many(internet, 40, func(host string) http.Handler { return b.page(manifest(host, "/d/act"), time.Second) })
		internet.Host("none.example", nil)
		c := newClient(t, internet)
		list := append(names, "none.example", "no such thing", "D3.Example.", "nobody.example")
		got := outcomes(c.ResolveAll(t.Context(), slices.Values(list), &client.BatchOptions{InFlight: 8}))
		want := append(slices.Clone(names), "!host_syntax", "d3.example", "nobody.example!dns_not_found", "none.example!")
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("results (-want +got):\n%s", diff)
		}
		if b.most != 8 {
			t.Errorf("%d requests at a time, want 8", b.most)
		}
		for _, h := range hosts {
			if h.Conns() != 1 || len(h.Requests()) != 1 {
				t.Errorf("%s: %d connections, %d requests", h.Name(), h.Conns(), len(h.Requests()))
			}
			if h.Open() != 0 {
				t.Errorf("%s: %d connections stay open", h.Name(), h.Open())
			}
		}
	})
}

// Those that are answered first come first.
func TestResolveAllInOrderOfCompletion(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		b := &busy{}
		for i, name := range []string{"slow.example", "middle.example", "fast.example"} {
			internet.Host(name, b.page(manifest(name, "/d/act"), time.Duration(3-i)*time.Second))
		}
		c := newClient(t, internet)
		var got []string
		for site := range c.ResolveAll(t.Context(), slices.Values([]string{"slow.example", "middle.example", "fast.example"}), nil) {
			got = append(got, site.Origin)
		}
		want := []string{"https://fast.example", "https://middle.example", "https://slow.example"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// Domains of one registrable domain are requested one after another, with the pause of the caller
// or of the site between them. Other sites do not wait for them.
func TestResolveAllPaces(t *testing.T) {
	withRobots := func(text string) func(string) http.Handler {
		return func(host string) http.Handler {
			return clienttest.Pages{wellKnown: manifest(host, "/d/act"), "/robots.txt": text}
		}
	}
	for name, test := range map[string]struct {
		robots string
		opts   client.BatchOptions
		want   time.Duration
	}{
		"the default":       {opts: client.BatchOptions{}, want: time.Second},
		"longer":            {opts: client.BatchOptions{Pause: 7 * time.Second}, want: 7 * time.Second},
		"none":              {opts: client.BatchOptions{Pause: -1}, want: 0},
		"declared for all":  {robots: "User-agent: *\nCrawl-delay: 10\n", want: 20 * time.Second}, // two requests
		"declared for us":   {robots: "User-agent: *\nCrawl-delay: 25\nDisallow: /y\n\nUser-agent: wayfind\nCrawl-delay: 3\n", want: 6 * time.Second},
		"for somebody else": {robots: "User-agent: gptbot\nCrawl-delay: 25\n", want: time.Second},
		"less than ours":    {robots: "User-agent: *\nCrawl-delay: 0.1\n", want: 1100 * time.Millisecond}, // a pause, and two requests

		"nothing for us":     {robots: "User-agent: *\nCrawl-delay: 25\nDisallow: /y\n\nUser-agent: wayfind\nDisallow: /x\n", want: time.Second},
		"as long as allowed": {robots: "User-agent: *\nCrawl-delay: 30\n", want: time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				hosts := []string{"a.paced.com", "b.paced.com", "c.paced.com", "other.com"}
				for _, h := range hosts {
					internet.Host(h, withRobots(test.robots)(h))
				}
				c := newClient(t, internet, func(o *client.Options) {
					o.Formats, o.Robots.Mode = []*parse.Format{adp.Format(), robots.Format()}, client.RobotsReport
				})
				start := time.Now()
				got := map[string]time.Duration{}
				for site, err := range c.ResolveAll(t.Context(), slices.Values(hosts), &test.opts) {
					if err != nil {
						t.Fatal(err)
					}
					got[strings.TrimPrefix(site.Origin, "https://")] = time.Since(start)
				}
				var paced []time.Duration
				for _, h := range hosts[:3] {
					paced = append(paced, got[h])
				}
				slices.Sort(paced)
				want := []time.Duration{0, test.want, 2 * test.want}
				if diff := cmp.Diff(want, paced); diff != "" || got["other.com"] != 0 {
					t.Errorf("times (-want +got):\n%s, and the other site at %v", diff, got["other.com"])
				}
			})
		})
	}
}

// If a pause is too long to wait for, the error contains its end. Stored facts are returned without
// an error.
func TestResolveAllDoesNotWaitForEver(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		for _, h := range []string{"a.shy.com", "b.shy.com"} {
			internet.Host(h, clienttest.Pages{wellKnown: manifest(h, "/d/act"), "/robots.txt": "User-agent: *\nCrawl-delay: 3600\n"})
		}
		c := newClient(t, internet, func(o *client.Options) {
			o.Formats, o.Robots.Mode = []*parse.Format{adp.Format(), robots.Format()}, client.RobotsReport
		})
		start := time.Now()
		var refused *wayfind.Error
		found := 0
		for site, err := range c.ResolveAll(t.Context(), slices.Values([]string{"a.shy.com", "b.shy.com", "a.shy.com"}), &client.BatchOptions{InFlight: 1}) {
			if err == nil {
				found++
				continue
			}
			refused, _ = errors.AsType[*wayfind.Error](err)
			for _, p := range site.Probes {
				if p.Verdict != wayfind.VerdictSkipped || p.Reason != "pace" {
					t.Errorf("%s: %s, %s", p.URL, p.Verdict, p.Reason)
				}
			}
		}
		if refused == nil || !errors.Is(refused, wayfind.ErrThrottled) || !refused.NotBefore.Equal(start.Add(2*time.Hour)) {
			t.Errorf("got %v", refused)
		}
		if found < 1 || time.Since(start) != 0 {
			t.Errorf("%d found after %v", found, time.Since(start))
		}
	})
}

// A site that has to wait does not hold up the others, and the list is read no
// further than there is room for.
func TestResolveAllReadsAhead(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		for i := range 6 {
			h := fmt.Sprintf("w%d.waits.com", i)
			internet.Host(h, clienttest.Pages{wellKnown: manifest(h, "/d/act")})
		}
		internet.Host("last.example", clienttest.Pages{wellKnown: manifest("last.example", "/d/act")})
		c := newClient(t, internet)
		var read atomic.Int64
		list := func(yield func(string) bool) {
			for i := range 6 {
				read.Add(1)
				if !yield(fmt.Sprintf("w%d.waits.com", i)) {
					return
				}
			}
			read.Add(1)
			if !yield("last.example") {
				return
			}
			for range 1000 {
				read.Add(1)
				if !yield("last.example") {
					return
				}
			}
		}
		start := time.Now()
		n := 0
		for site, err := range c.ResolveAll(t.Context(), list, &client.BatchOptions{InFlight: 2}) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			if site.Origin == "https://last.example" {
				if time.Since(start) > time.Second {
					t.Errorf("it had to wait for %v", time.Since(start))
				}
				break
			}
			// Eight are taken, and the next one is in the hand of the reader.
			if got := read.Load(); got > int64(n)+9 {
				t.Errorf("%d domains were read when %d results were taken", got, n)
			}
		}
	})
}

func TestResolveAllEnds(t *testing.T) {
	endless := func(yield func(string) bool) {
		for i := 0; yield(fmt.Sprintf("e%d.example", i)); i++ {
		}
	}
	t.Run("when the loop is left", func(t *testing.T) {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			c := newClient(t, internet)
			for range c.ResolveAll(t.Context(), endless, &client.BatchOptions{InFlight: testkit.Crowd(client.DefaultInFlight)}) {
				break
			}
		})
	})
	t.Run("with the context, and says what was found", func(t *testing.T) {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			site := clienttest.Pages{wellKnown: manifest("half.example", "/d/act")}
			internet.Host("half.example", site).Handle("/never", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
			c := newClient(t, internet, withFormats(adp.Format(), toy("toy", parse.Location{Path: "/never"})))
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			list := []string{"half.example", "half.example/a", "half.example/b"}
			var sites, errs int
			for site, err := range c.ResolveAll(ctx, slices.Values(list), &client.BatchOptions{InFlight: 1}) {
				switch {
				case site != nil && err == nil && len(site.Services) == 1:
					sites++
				case site == nil && errors.Is(err, context.DeadlineExceeded):
					errs++
				default:
					t.Errorf("got %v, %v", site, err)
				}
			}
			if sites != 1 || errs != 1 {
				t.Errorf("%d sites, %d errors", sites, errs)
			}
		})
	})
	t.Run("with the Client", func(t *testing.T) {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			c := newClient(t, internet)
			var last error
			n := 0
			for _, err := range c.ResolveAll(t.Context(), endless, &client.BatchOptions{InFlight: testkit.Crowd(client.DefaultInFlight)}) {
				if n++; n == 3 {
					_ = c.Close()
				}
				last = err
				if n > 1000 {
					t.Fatal("it goes on for ever")
				}
			}
			if !errors.Is(last, wayfind.ErrClosed) {
				t.Errorf("got %v", last)
			}
			for site, err := range c.ResolveAll(t.Context(), endless, nil) {
				if site != nil || !errors.Is(err, wayfind.ErrClosed) {
					t.Errorf("got %v, %v", site, err)
				}
			}
		})
	})
	t.Run("with a panic of the list", func(t *testing.T) {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			c := newClient(t, internet)
			defer func() {
				if got := recover(); got != "no more" {
					t.Errorf("recovered %v", got)
				}
			}()
			for range c.ResolveAll(t.Context(), func(func(string) bool) { panic("no more") }, nil) {
			}
		})
	})
}

// The memory that a thousand domains leave in use is bounded by Options.Limits.Memory.
func TestResolveAllMemory(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		names, _ := many(internet, testkit.Crowd(300), func(host string) http.Handler { return clienttest.Pages{wellKnown: manifest(host, "/d/act")} })
		const room = 64 << 10
		c := newClient(t, internet, func(o *client.Options) { o.Limits.Memory = room })
		for _, err := range c.ResolveAll(t.Context(), slices.Values(names), nil) {
			if err != nil {
				t.Fatal(err)
			}
		}
		s := c.Stats()
		if s.Memory.Bytes == 0 || s.Memory.Bytes > room || s.SiteMemory.Bytes > room {
			t.Errorf("%d bytes of documents and %d of Sites in %d", s.Memory.Bytes, s.SiteMemory.Bytes, room)
		}
	})
}

// A stale document is requested in the turn of its site, and delays the next request like any
// other: no request is sent in the background.
func TestResolveAllAsksInItsTurn(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		hosts := []string{"a.paced.com", "b.paced.com", "c.paced.com"}
		for _, h := range hosts {
			pages := clienttest.Pages{wellKnown: manifest(h, "/d/act")}
			internet.Host(h, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Cache-Control", "max-age=60, stale-while-revalidate=86400")
				pages.ServeHTTP(w, r)
			}))
		}
		c := newClient(t, internet)
		const pause = 10 * time.Second
		for round := range 2 {
			for _, err := range c.ResolveAll(t.Context(), slices.Values(hosts), &client.BatchOptions{Pause: pause}) {
				if err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(time.Hour)
			all := internet.Requests()
			if len(all) != (round+1)*len(hosts) {
				t.Fatalf("%d requests after round %d", len(all), round)
			}
			slices.SortFunc(all, func(a, b clienttest.Request) int { return a.Time.Compare(b.Time) })
			for i := 1; i < len(all); i++ {
				if gap := all[i].Time.Sub(all[i-1].Time); gap < pause {
					t.Errorf("round %d: %s was asked %v after %s", round, all[i].Host, gap, all[i-1].Host)
				}
			}
		}
	})
}
