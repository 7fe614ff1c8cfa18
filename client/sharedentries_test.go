package client_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/aidiscovery"
	"github.com/wayfindhq/wayfind/parse"
)

// ids are the capabilities of a Site by ID.
func ids(site *wayfind.Site) (list []string) {
	for _, c := range site.Capabilities() {
		list = append(list, c.ID)
	}
	return list
}

// nearStore is a store of this process that Clients share: it returns the same entries that were
// saved.
func nearStore(t *testing.T) cache.Store {
	t.Helper()
	s, err := memory.New(8 << 20)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// A store shared within a process has the answers of the origin. A Client with other formats, or
// with Strict, reads them by its own rules.
func TestSharedEntriesAreReadAnew(t *testing.T) {
	broken := strings.Replace(manifest("shop.example", "/a"), `{"type": "none"}`, `{"type": "api_key", "header": "X\r\nY", "prefix": ""}`, 1)
	strict := func(o *client.Options) { o.Strict = true }
	lenient := func(*client.Options) {}
	at := parse.Location{Path: "/both"}
	one, two := withFormats(toy("one", at)), withFormats(toy("two", at))
	const both = `{"one": ["a"], "two": ["b"]}`
	for name, row := range map[string]struct {
		path, body    string
		first, second func(*client.Options)
		want          []string // the second one's capabilities
	}{
		"lenient, then Strict": {wellKnown, broken, lenient, strict, nil},
		"Strict, then lenient": {wellKnown, broken, strict, lenient, []string{"a"}},
		"one, then two":        {"/both", both, one, two, []string{"b"}},
		"two, then one":        {"/both", both, two, one, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", nil)
				host.Handle(row.path, page(row.body, "Cache-Control", "max-age=3600"))
				store := nearStore(t)
				_, _ = newClient(t, internet, shared(store), row.first).Resolve(t.Context(), "shop.example")
				synctest.Wait()
				site, err := newClient(t, internet, shared(store), row.second).Resolve(t.Context(), "shop.example")
				if d := cmp.Diff(row.want, ids(site)); d != "" || (err == nil) != (row.want != nil) {
					t.Errorf("%v, capabilities (-want +got):\n%s", err, d)
				}
				wantAsked(t, "both", host, map[string]int{row.path: 1})
			})
		})
	}
}

// A 429 is no answer about the document. The stored one is used, keeps its validator, and is
// validated after the pause.
func TestRefusalKeepsTheDocument(t *testing.T) {
	for _, control := range []string{"", "no-cache, private"} {
		t.Run("Cache-Control "+control, func(t *testing.T) {
			eachStore(t, func(t *testing.T, internet *clienttest.Internet, store cache.Store) {
				host := internet.Host("shop.example", nil)
				host.Handle(wellKnown, page(manifest("shop.example", "/a"), "Cache-Control", "max-age=60", "ETag", `"1"`))
				c := newClient(t, internet, shared(store))
				if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				busy := clienttest.Page{Status: 429, Header: http.Header{"Retry-After": {"300"}}}
				if control != "" {
					busy.Header.Set("Cache-Control", control)
				}
				host.Fail(wellKnown, func(http.Handler) http.Handler { return busy })
				wantKept := func(c *client.Client, who string, asked int) {
					t.Helper()
					site, err := c.Resolve(t.Context(), "shop.example")
					if d := cmp.Diff([]string{"a"}, ids(site)); d != "" || err != nil || len(stale(site)) != 1 {
						t.Errorf("%s: %v, stale %v, capabilities (-want +got):\n%s", who, err, stale(site), d)
					}
					wantAsked(t, who, host, map[string]int{wellKnown: asked})
				}
				wantKept(c, "refused", 2)
				c = restart(t, internet, c, shared(store))
				time.Sleep(4 * time.Minute)
				wantKept(c, "another, in the pause", 2)
				c = restart(t, internet, c, shared(store))
				host.Fail(wellKnown)
				time.Sleep(time.Minute)
				if site, err := c.Resolve(t.Context(), "shop.example"); err != nil || len(stale(site)) != 0 {
					t.Errorf("after the pause: %v, stale %v", err, stale(site))
				}
				requests := host.Requests()
				if got := requests[len(requests)-1].Header.Get("If-None-Match"); len(requests) != 3 || got != `"1"` {
					t.Errorf("%d requests, the last with If-None-Match %q", len(requests), got)
				}
			})
		})
	}
}

// A 503 whose pause is longer than the caller's time is still a pause.
func TestPauseLongerThanTheTimeout(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Page{Status: 503, Header: http.Header{"Retry-After": {"2"}}})
		c := newClient(t, internet, func(o *client.Options) { o.Timeout = time.Second })
		if _, err := c.Resolve(t.Context(), "shop.example"); !errors.Is(err, wayfind.ErrUnreachable) && !errors.Is(err, wayfind.ErrThrottled) {
			t.Errorf("%v", err)
		}
		time.Sleep(500 * time.Millisecond)
		if _, err := again(t, c); err == nil {
			t.Error("nothing was found, and there is no error")
		}
		wantAsked(t, "within the pause", host, map[string]int{wellKnown: 1})
	})
}

// AI Discovery Endpoint §4.3: if a store has lost the answers but not the obligation, the place is
// absent as before, and its fallback is requested.
func TestAnAbsenceOutlivesItsAnswer(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", nil)
		host.Handle("/ai", page(aiDocument, "Cache-Control", "max-age=3600"))
		far := newFarStore()
		change := []func(*client.Options){shared(far), withFormats(aidiscovery.Format())}
		c := newClient(t, internet, change...)
		if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		c = restart(t, internet, c, change...)
		far.mu.Lock()
		clear(far.kept)
		far.mu.Unlock()
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil || only(t, site).Verdict != wayfind.VerdictAbsent || len(site.Services) != 1 {
			t.Errorf("%v, %d services, probes %+v", err, len(site.Services), site.Probes)
		}
		wantAsked(t, "both", host, map[string]int{"/.well-known/ai": 1, "/ai": 2})
	})
}

// RFC 9111 §4.1: an answer that varies by User-Agent is used only for the same User-Agent.
func TestAnswersByUserAgentAreNotShared(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			name, _, _ := strings.Cut(r.UserAgent(), "/")
			page(manifest("shop.example", "/"+name), "Cache-Control", "max-age=3600", "Vary", "User-Agent").ServeHTTP(w, r)
		}))
		far := newFarStore()
		for range 2 {
			for _, name := range []string{"mine", "yours"} {
				c := newClient(t, internet, shared(far), func(o *client.Options) { o.Network.UserAgent = name + "/1" })
				site, err := c.Resolve(t.Context(), "shop.example")
				if d := cmp.Diff([]string{name}, ids(site)); d != "" || err != nil {
					t.Errorf("%v, capabilities (-want +got):\n%s", err, d)
				}
				synctest.Wait()
			}
		}
		wantAsked(t, "each agent once", host, map[string]int{wellKnown: 2})
	})
}

// A document that Options.Limits.MaxBytes allows is kept, however large it is, and
// its connection is given back.
func TestLargeDocumentsAreKept(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		body := `{"large": ["a"], "filler": "` + strings.Repeat("x", 9<<20) + `"}`
		host := internet.Host("shop.example", nil)
		host.Handle("/large", page(body, "Cache-Control", "max-age=3600"))
		c := newClient(t, internet, withFormats(toy("large", parse.Location{Path: "/large"})), func(o *client.Options) { o.Limits.MaxBytes = 20 << 20 })
		for range 2 {
			site, err := again(t, c)
			if d := cmp.Diff([]string{"a"}, ids(site)); d != "" || err != nil {
				t.Errorf("%v, capabilities (-want +got):\n%s", err, d)
			}
		}
		wantAsked(t, "twice read", host, map[string]int{"/large": 1})
		time.Sleep(client.DefaultKeepAlive + time.Second)
		if host.Open() != 0 {
			t.Errorf("%d connections are open", host.Open())
		}
	})
}

// All Clients that share a store share the canary: the second one requests none, and offline the
// verdict is the same.
func TestCanaryIsShared(t *testing.T) {
	eachStore(t, func(t *testing.T, internet *clienttest.Internet, store cache.Store) {
		host := internet.Host("shop.example", page(`{"anything": 1}`, "Cache-Control", "max-age=3600"))
		for name, change := range map[string]func(*client.Options){"online": func(*client.Options) {}, "offline": offline} {
			first, _ := newClient(t, internet, shared(store)).Resolve(t.Context(), "shop.example")
			synctest.Wait()
			second, _ := newClient(t, internet, shared(store), change).Resolve(t.Context(), "shop.example")
			for _, site := range []*wayfind.Site{first, second} {
				if p := only(t, site); p.Verdict != wayfind.VerdictSoft404 {
					t.Errorf("%s: probe %+v", name, p)
				}
			}
		}
		if paths := host.Paths(); len(paths) != 2 || paths[0] != wellKnown {
			t.Errorf("asked for %v, want the place and one canary", paths)
		}
	})
}
