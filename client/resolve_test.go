package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse"
)

func TestResolveFinds(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a/send", "/a/read")})
		c := newClient(t, internet)
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for service, capability := range site.Capabilities() {
			keys = append(keys, capability.Key)
			if service.ID != "adp" || capability.Trust != wayfind.TrustSameOrigin || !capability.Lazy {
				t.Errorf("%+v of %q", capability, service.ID)
			}
		}
		if d := cmp.Diff([]string{"adp:send", "adp:read"}, keys); d != "" {
			t.Errorf("keys (-want +got):\n%s", d)
		}
		source := site.Sources[0]
		if source.URL != "https://shop.example"+wellKnown || source.Authority != wayfind.AuthorityNative || len(source.SHA256) != 64 {
			t.Errorf("source %+v", source)
		}
		p := only(t, site)
		if p.Verdict != wayfind.VerdictFound || p.Status != 200 || p.Format != "adp" {
			t.Errorf("probe %+v", p)
		}
		// The format's own default: one hour.
		if want := site.ResolvedAt.Add(time.Hour); !site.FreshUntil.Equal(want) {
			t.Errorf("fresh until %v, want %v", site.FreshUntil, want)
		}
		request := host.Requests()[0]
		if request.Method != "GET" || request.Header.Get("Accept") != "application/json" {
			t.Errorf("request %+v", request)
		}
		for _, name := range []string{"Cookie", "Authorization", "Referer"} {
			if request.Header.Get(name) != "" {
				t.Errorf("the request carries %s", name)
			}
		}
	})
}

func TestAllSpellingsMakeOneFetch(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a")})
		c := newClient(t, internet)
		for _, s := range []string{"SHOP.example.", "shop.example:443", "https://Shop.EXAMPLE/", "shop.example"} {
			if site, err := c.Resolve(t.Context(), s); err != nil || site.Origin != "https://shop.example" {
				t.Errorf("%q: %v", s, err)
			}
		}
		if paths := host.Paths(); len(paths) != 1 {
			t.Errorf("asked for %v", paths)
		}
	})
}

// Concurrent callers share one request, and a caller that leaves does not affect the others.
func TestAHerdIsOneRequest(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Latency(100 * time.Millisecond)
		host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a")})
		c := newClient(t, internet)
		var wg sync.WaitGroup
		var good, gone atomic.Int32
		callers := testkit.Crowd(1000)
		for i := range callers {
			ctx, cancel := context.WithCancel(t.Context())
			if i%10 == 0 {
				time.AfterFunc(50*time.Millisecond, cancel)
			}
			wg.Go(func() {
				defer cancel()
				switch site, err := c.Resolve(ctx, "shop.example"); {
				case err == nil && len(site.Services) == 1:
					good.Add(1)
				case errors.Is(err, context.Canceled) && site != nil:
					gone.Add(1)
				default:
					t.Errorf("caller %d: %v", i, err)
				}
			})
		}
		wg.Wait()
		if tenth := int32(callers / 10); good.Load() != 9*tenth || gone.Load() != tenth {
			t.Errorf("%d callers were answered and %d had left, of %d", good.Load(), gone.Load(), callers)
		}
		if len(host.Paths()) != 1 || host.Conns() != 1 {
			t.Errorf("requests %v over %d connections, want one over one", host.Paths(), host.Conns())
		}
	})
}

// Each row is a line of the table of verdicts: an answer with its verdict, its error, and the time
// after which the domain is requested again.
func TestVerdicts(t *testing.T) {
	status := func(code int, header ...string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(code)
		})
	}
	body := func(text string, header ...string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "wayfind-") {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			_, _ = w.Write([]byte(text))
		})
	}
	day, minute := 24*time.Hour, time.Minute
	rows := []struct {
		name    string
		page    http.Handler
		verdict wayfind.Verdict
		kind    error
		keep    time.Duration
	}{
		{"404", status(404), wayfind.VerdictAbsent, wayfind.ErrNotFound, day},
		{"410", status(410), wayfind.VerdictAbsent, wayfind.ErrNotFound, day},
		{"204", status(204), wayfind.VerdictAbsent, wayfind.ErrNotFound, day},
		{"404 for a minute", status(404, "Cache-Control", "max-age=60"), wayfind.VerdictAbsent, wayfind.ErrNotFound, 10 * minute},
		{"404 for an hour", status(404, "Cache-Control", "max-age=3600"), wayfind.VerdictAbsent, wayfind.ErrNotFound, time.Hour},
		{"404 for a year", status(404, "Cache-Control", "max-age=31536000"), wayfind.VerdictAbsent, wayfind.ErrNotFound, day},
		{"404 not to be stored", status(404, "Cache-Control", "no-store"), wayfind.VerdictAbsent, wayfind.ErrNotFound, 10 * minute},
		{"404 that is never fresh", status(404, "Cache-Control", "no-cache", "Vary", "*"), wayfind.VerdictAbsent, wayfind.ErrNotFound, 10 * minute},
		{"web page not to be stored", body("<html>", "Cache-Control", "no-store"), wayfind.VerdictSoft404, wayfind.ErrNotFound, 10 * minute},
		{"unknown JSON not to be stored", body(`{"x": 1}`, "Cache-Control", "no-store, private"), wayfind.VerdictUnrecognised, wayfind.ErrNotFound, 10 * minute},
		{"firewall not to be stored", status(403, "Cf-Mitigated", "challenge", "Cache-Control", "no-store, max-age=0"), wayfind.VerdictBlocked, wayfind.ErrBlocked, 10 * minute},
		{"web page", body("<!doctype html><p>x", "Content-Type", "text/html"), wayfind.VerdictSoft404, wayfind.ErrNotFound, 10 * minute},
		{"web page as JSON", body("<html>"), wayfind.VerdictSoft404, wayfind.ErrNotFound, 10 * minute},
		{"unknown JSON", body(`{"x": 1}`), wayfind.VerdictUnrecognised, wayfind.ErrNotFound, 10 * minute},
		{"another format", body(`{"agentsJson": "0.1.0", "info": {}, "sources": [], "flows": []}`), wayfind.VerdictOtherFormat, wayfind.ErrNotFound, 10 * minute},
		{"broken JSON", body(`{"spec_version": `), wayfind.VerdictMalformed, wayfind.ErrInvalid, 10 * minute},
		{"too large", body(`{"x": "` + strings.Repeat("x", 256<<10) + `"}`), wayfind.VerdictTooLarge, wayfind.ErrInvalid, 10 * minute},
		{"broken off", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "{")
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}), wayfind.VerdictUnreachable, wayfind.ErrUnreachable, 30 * time.Second},
		{"unknown coding", body("{}", "Content-Encoding", "br"), wayfind.VerdictMalformed, wayfind.ErrInvalid, 10 * minute},
		{"part of a document", status(206), wayfind.VerdictUnrecognised, wayfind.ErrNotFound, 10 * minute},
		{"405", status(405), wayfind.VerdictEndpointLike, wayfind.ErrNotFound, time.Hour},
		{"401", status(401), wayfind.VerdictProtected, wayfind.ErrBlocked, 10 * minute},
		{"402", status(402), wayfind.VerdictProtected, wayfind.ErrBlocked, 10 * minute},
		{"firewall", status(403, "Cf-Mitigated", "challenge"), wayfind.VerdictBlocked, wayfind.ErrBlocked, 10 * minute},
		{"429 without a time", status(429), wayfind.VerdictThrottled, wayfind.ErrThrottled, minute},
		{"429 for an hour", status(429, "Retry-After", "3600"), wayfind.VerdictThrottled, wayfind.ErrThrottled, time.Hour},
		{"503 for two days", status(503, "Retry-After", "172800"), wayfind.VerdictThrottled, wayfind.ErrThrottled, 2 * day},
		{"500", status(500), wayfind.VerdictUnreachable, wayfind.ErrUnreachable, 30 * time.Second},
		{"redirect to http", status(302, "Location", "http://shop.example/x"), wayfind.VerdictRefused, wayfind.ErrRefused, 10 * minute},
		{"418", status(418), wayfind.VerdictUnrecognised, wayfind.ErrNotFound, 10 * minute},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", r.page)
				c := newClient(t, internet)
				site, err := c.Resolve(t.Context(), "shop.example")
				answered := time.Now()
				if !errors.Is(err, r.kind) {
					t.Errorf("error %v, want %v", err, r.kind)
				}
				p := only(t, site)
				if p.Verdict != r.verdict {
					t.Errorf("verdict %s (%s), want %s", p.Verdict, p.Error, r.verdict)
				}
				n := len(host.Paths())
				time.Sleep(r.keep - time.Second - time.Since(answered))
				c.Invalidate("shop.example") // the memory of each answer, not of the Site
				if again, _ := c.Resolve(t.Context(), "shop.example"); only(t, again).Verdict != r.verdict || len(host.Paths()) != n {
					t.Errorf("asked again too early: %v, verdict %s", host.Paths()[n:], only(t, again).Verdict)
				}
				time.Sleep(10 * time.Second)
				if _, err := c.Resolve(t.Context(), "shop.example"); len(host.Paths()) == n {
					t.Errorf("not asked again after %s: %v", r.keep, err)
				}
			})
		})
	}
}

func TestUnreachable(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.DNS("gone.example", clienttest.NXDomain())
		c := newClient(t, internet)
		lookups := func() int { return len(internet.Lookups()) }
		_, err := c.Resolve(t.Context(), "gone.example")
		var e *wayfind.Error
		if !errors.Is(err, wayfind.ErrUnreachable) || !errors.As(err, &e) || e.Code != wayfind.CodeDNSNotFound {
			t.Errorf("a name that does not exist: %v", err)
		}
		n := lookups()
		time.Sleep(5*time.Minute - time.Second)
		if _, err := c.Resolve(t.Context(), "gone.example"); !errors.Is(err, wayfind.ErrUnreachable) || lookups() != n {
			t.Errorf("looked up again within 5 minutes: %v", err)
		}
		time.Sleep(2 * time.Second)
		if _, _ = c.Resolve(t.Context(), "gone.example"); lookups() == n {
			t.Error("not looked up again after 5 minutes")
		}
	})
}

// A failure to look up is not remembered like a "no".
func TestAFailedLookUpIsNoAbsence(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a")})
		internet.DNS("shop.example", clienttest.ServFail(), clienttest.ServFail(), clienttest.ServFail(), clienttest.ServFail(), clienttest.Addrs(host.Addrs()...))
		c := newClient(t, internet)
		var err error
		for range 4 {
			var e *wayfind.Error
			if _, err = c.Resolve(t.Context(), "shop.example"); err == nil {
				break
			}
			if !errors.Is(err, wayfind.ErrUnreachable) || !errors.As(err, &e) || !e.Temporary() {
				t.Fatalf("%v", err)
			}
			time.Sleep(2 * time.Minute)
		}
		if err != nil {
			t.Errorf("still failing after the name server is back: %v", err)
		}
	})
}

func TestRefreshPeekInvalidate(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"v1"`)
			w.Header().Set("Content-Type", "application/json")
			if r.Header.Get("If-None-Match") == `"v1"` {
				w.WriteHeader(http.StatusNotModified)
				return
			}
			fmt.Fprint(w, manifest("shop.example", "/a"))
		}))
		c := newClient(t, internet)
		if site, ok := c.Peek("shop.example"); ok || site != nil {
			t.Error("Peek knows a domain that was never asked")
		}
		first, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if site, ok := c.Peek("https://SHOP.example"); !ok || site != first {
			t.Error("Peek does not give the Site of Resolve")
		}
		time.Sleep(time.Minute)
		var trace client.Trace
		second, err := c.Refresh(client.WithTrace(t.Context(), &trace), "shop.example")
		if err != nil || len(host.Paths()) != 2 || trace.Fetches[0].From != "validated" {
			t.Errorf("Refresh: %v, asked %v, from %+v", err, host.Paths(), trace.Fetches)
		}
		if !second.Sources[0].FetchedAt.After(first.Sources[0].FetchedAt) {
			t.Error("a validated document counts from the validation")
		}
		c.Invalidate("shop.example")
		if _, ok := c.Peek("shop.example"); ok {
			t.Error("Peek knows a Site that was invalidated")
		}
		// The document is fresh by HTTP, so reading again sends no request.
		if _, err := c.Resolve(client.WithTrace(t.Context(), &trace), "shop.example"); err != nil || len(host.Paths()) != 2 || trace.Fetches[0].From != "memory" {
			t.Errorf("after Invalidate: %v, asked %v, from %+v", err, host.Paths(), trace.Fetches)
		}
		if _, err := c.Resolve(client.WithTrace(t.Context(), &trace), "shop.example"); err != nil || !trace.FromMemory {
			t.Errorf("a hit: %v, %+v", err, trace)
		}
	})
}

// A Retry-After is an obligation: Refresh does not step over it.
func TestRefreshRespectsObligation(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Page{Status: 429, Header: http.Header{"Retry-After": {"600"}}})
		c := newClient(t, internet)
		_, _ = c.Resolve(t.Context(), "shop.example")
		asked := time.Now()
		time.Sleep(time.Minute)
		var e *wayfind.Error
		_, err := c.Refresh(t.Context(), "shop.example")
		if !errors.Is(err, wayfind.ErrThrottled) || !errors.As(err, &e) || len(host.Paths()) != 1 {
			t.Fatalf("Refresh: %v, asked %v", err, host.Paths())
		}
		if d := e.NotBefore.Sub(asked); d < 599*time.Second || d > 601*time.Second {
			t.Errorf("not before %v after the answer, want 10 minutes", d)
		}
	})
}

func TestDeadlineGivesPartialSite(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		slow := make(chan struct{})
		host := internet.Host("shop.example", clienttest.Pages{"/quick": `{"quick": ["a"]}`})
		host.Handle("/slow", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			select {
			case <-slow:
			case <-r.Context().Done():
			}
			fmt.Fprint(w, `{"slow": ["b"]}`)
		}))
		c := newClient(t, internet, withFormats(toy("quick", parse.Location{Path: "/quick"}), toy("slow", parse.Location{Path: "/slow"})))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		site, err := c.Resolve(ctx, "shop.example")
		if err != nil {
			t.Fatalf("something was found, so no error: %v", err)
		}
		if site.Probes[0].Verdict != wayfind.VerdictFound || site.Probes[1].Verdict != wayfind.VerdictSkipped || !site.FreshUntil.Equal(site.ResolvedAt) {
			t.Errorf("cut short: %+v, fresh until %v", site.Probes, site.FreshUntil)
		}
		close(slow)
		synctest.Wait()
		site, err = c.Resolve(t.Context(), "shop.example")
		if err != nil || len(site.Services) != 2 {
			t.Errorf("the next call: %v, %+v", err, site)
		}
		quick := slices.DeleteFunc(host.Paths(), func(p string) bool { return p != "/quick" })
		if len(quick) != 1 {
			t.Errorf("asked for /quick %d times: what is known is not asked for again", len(quick))
		}
	})
}

func TestDeadlineWithNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Latency(10 * time.Second)
		internet.Host("shop.example", clienttest.Pages{})
		c := newClient(t, internet)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		site, err := c.Resolve(ctx, "shop.example")
		if !errors.Is(err, context.DeadlineExceeded) || only(t, site).Verdict != wayfind.VerdictSkipped {
			t.Errorf("%v, %+v", err, site)
		}
		done, cancelNow := context.WithCancel(t.Context())
		cancelNow()
		if site, err := c.Resolve(done, "other.example"); !errors.Is(err, context.Canceled) || site == nil {
			t.Errorf("a call that was over before it began: %v, %v", site, err)
		}
	})
}

func TestClose(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Latency(time.Second)
		internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a")})
		c := newClient(t, internet)
		errs := make(chan error)
		go func() {
			_, err := c.Resolve(t.Context(), "shop.example")
			errs <- err
		}()
		time.Sleep(500 * time.Millisecond)
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if err := <-errs; !errors.Is(err, wayfind.ErrClosed) {
			t.Errorf("a call under way: %v, want ErrClosed", err)
		}
		if _, err := c.Resolve(t.Context(), "shop.example"); !errors.Is(err, wayfind.ErrClosed) {
			t.Errorf("Resolve: %v", err)
		}
		if _, err := c.Refresh(t.Context(), "shop.example"); !errors.Is(err, wayfind.ErrClosed) {
			t.Errorf("Refresh: %v", err)
		}
		if _, err := c.Describe(t.Context(), &wayfind.Site{}, "adp:a"); !errors.Is(err, wayfind.ErrClosed) {
			t.Errorf("Describe: %v", err)
		}
		for _, err := range c.Probe(t.Context(), "shop.example") {
			if !errors.Is(err, wayfind.ErrClosed) {
				t.Errorf("Probe: %v", err)
			}
		}
	})
}
