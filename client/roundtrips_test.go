package client_test

import (
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/resolve"
)

// rtt is one round trip in tests that count round trips.
const rtt = time.Second

// wantTrips runs a step and compares the virtual time it takes.
func wantTrips(t *testing.T, step string, want float64, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if got := time.Since(start).Seconds() / rtt.Seconds(); got != want {
		t.Errorf("%s: %.2f round trips, want %.2f", step, got, want)
	}
}

// byDefault are all formats, and robots.txt reported.
func byDefault(o *client.Options) { o.Formats, o.Robots.Mode = formats.All(), client.RobotsReport }

// planned are the places of a plan with all formats: those asked at once, "/" and the place of a
// description, which are asked last, those that a plain "no" permits, and those that are asked only beside a
// document. Each is to be asked times times.
func planned(fallbacks, beside bool, times int) map[string]int {
	const origin = "https://shop.example"
	want := map[string]int{}
	for _, candidate := range places.Plan(resolve.Target{Origin: origin}, formats.All()) {
		if (fallbacks || len(candidate.After) == 0) && (beside || !candidate.Beside) {
			want[strings.TrimPrefix(candidate.URL, origin)] = times
		}
	}
	return want
}

// last is the number of places that are asked last: "/", and the place of a description.
const last = 2

// docs/PERFORMANCE.md has the numbers of the default plan. If they change, so do the numbers of
// requests and round trips in its table.
func TestThePerformancePageHasTheNumbersOfThePlan(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "PERFORMANCE.md"))
	if err != nil {
		t.Fatal(err)
	}
	all, next, first := len(planned(true, true, 1)), len(planned(true, false, 1)), len(planned(false, false, 1))-last
	want := fmt.Sprintf("The default plan has %d places. It asks %d at once. The next %d take one more", all, first, next-first)
	if !strings.Contains(strings.Join(strings.Fields(string(page)), " "), want) {
		t.Errorf("docs/PERFORMANCE.md does not contain %q", want)
	}
}

// A first Resolve takes as long as one request over a new connection, regardless of the number of
// places and of the place that has a document. Fallbacks, and "/" if no catalogue was found, take
// one round trip more. Only round trips take virtual time, so they are counted exactly.
func TestColdRoundTrips(t *testing.T) {
	first := len(planned(false, false, 1)) - last // the last are asked after them, with the fallbacks
	next := len(planned(true, false, 1)) - first
	// rounds is the number of turns in which connections or streams are used.
	rounds := func(requests, width int) float64 { return math.Ceil(float64(requests) / float64(width)) }
	// Over HTTP/1.1 the protocol is known after two round trips. By the time that the other
	// connections are open, the first one has had two answers.
	const known, alone = 4, 2
	documents := map[string]string{wellKnown: manifest("shop.example", "/a"), a2a.Path: agentCard("shop.example", "find")}
	for _, row := range []struct {
		name     string
		protocol string
		found    string // the place that has a document
		others   int    // the status of all others: a 404 permits fallbacks, a 405 does not
		width    int    // Options.Concurrency
		conns    int
		cold     float64 // round trips
		next     float64 // the same once those connections are gone
	}{
		{"h2, the first place", "h2", wellKnown, 405, 0, 1, 4, 4},
		{"h2, a later place", "h2", a2a.Path, 405, 0, 1, 4, 4},
		{"h2, no place", "h2", "", 405, 0, 1, 4, 4},
		{"h2, and fallbacks", "h2", wellKnown, 404, 0, 1, 5, 5}, // two places beside a document
		{"h2, no place, and fallbacks", "h2", "", 404, 0, 1, 4, 4},
		{"h2, four at a time", "h2", wellKnown, 405, 4, 1, 3 + rounds(first, 4), 3 + rounds(first, 4)},
		{"h1, the first place", "http/1.1", wellKnown, 405, 0, 6, known + rounds(first-alone, 6) + 1, 3 + rounds(first, 6)},
		{"h1, no place", "http/1.1", "", 405, 0, 6, known + rounds(first-alone, 6) + 1, 3 + rounds(first, 6)},
		{"h1, and fallbacks", "http/1.1", wellKnown, 404, 0, 6, known + rounds(first-alone, 6) + rounds(next, 6) + 1, 2 + rounds(first, 6) + rounds(next, 6) + 1},
		{"h1, two at a time", "http/1.1", wellKnown, 405, 2, 2, known + rounds(first-alone, 2) + 1, 3 + rounds(first, 2)},
	} {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Latency(rtt)
				host := internet.Host("shop.example", clienttest.Page{Status: row.others}).Protocols(row.protocol)
				if row.found != "" {
					host.Handle(row.found, page(documents[row.found], "Cache-Control", "max-age=3600"))
				}
				c := newClient(t, internet, byDefault, func(o *client.Options) { o.Limits.Concurrency = row.width })
				ask := func(resolve func() (*wayfind.Site, error)) func() {
					return func() {
						if site, err := resolve(); (err == nil) != (row.found != "") {
							t.Errorf("%v, services %+v", err, site.Services)
						}
					}
				}
				wantTrips(t, "cold", row.cold, ask(func() (*wayfind.Site, error) { return c.Resolve(t.Context(), "shop.example") }))
				wantAsked(t, "cold", host, planned(row.others == 404, row.found != "", 1))
				wantTrips(t, "hit", 0, ask(func() (*wayfind.Site, error) { return c.Resolve(t.Context(), "shop.example") }))
				if host.Conns() != row.conns || host.Dials() != row.conns {
					t.Errorf("%d connections, %d dials, want %d", host.Conns(), host.Dials(), row.conns)
				}
				time.Sleep(25 * time.Hour) // nothing but the protocol is known
				c.Invalidate("shop.example")
				wantTrips(t, "next", row.next, ask(func() (*wayfind.Site, error) { return c.Refresh(t.Context(), "shop.example") }))
				wantAsked(t, "next", host, planned(row.others == 404, row.found != "", 2))
				if host.Conns() != 2*row.conns || host.Dials() != 2*row.conns {
					t.Errorf("%d connections, %d dials in all, want %d", host.Conns(), host.Dials(), 2*row.conns)
				}
				if most := atOnce(host); row.width > 0 && most != row.width {
					t.Errorf("%d requests at a time, want %d", most, row.width)
				}
			})
		})
	}
}

// atOnce returns the maximum number of requests at one moment.
func atOnce(host *clienttest.Host) (most int) {
	at := map[time.Time]int{}
	for _, r := range host.Requests() {
		at[r.Time]++
		most = max(most, at[r.Time])
	}
	return most
}

// An origin that has changed to HTTP/2 since it was remembered for HTTP/1.1
// gets one connection again.
func TestRememberedProtocolChanges(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Latency(rtt)
		host := internet.Host("shop.example", clienttest.Page{Status: 405}).Protocols("http/1.1")
		c := newClient(t, internet, byDefault)
		refresh := func() { _, _ = c.Refresh(t.Context(), "shop.example") }
		refresh()
		time.Sleep(25 * time.Hour)
		host.Protocols("h2", "http/1.1")
		wantTrips(t, "the first time", 4, refresh) // the last for "/"
		synctest.Wait()
		if host.Open() != 1 {
			t.Errorf("%d connections are open, want one", host.Open())
		}
		time.Sleep(25 * time.Hour)
		before := host.Dials()
		wantTrips(t, "from then on", 4, refresh)
		if n := host.Dials() - before; n != 1 {
			t.Errorf("%d dials, want one", n)
		}
		wantAsked(t, "in all", host, planned(false, true, 3))
	})
}

// A document whose time is over costs one round trip, and nothing else is
// asked for.
func TestWarmRoundTrips(t *testing.T) {
	for _, protocol := range []string{"h2", "http/1.1"} {
		t.Run(protocol, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Latency(rtt)
				host := internet.Host("shop.example", nil).Protocols(protocol)
				host.Handle(wellKnown, page(manifest("shop.example", "/a"), "Cache-Control", "max-age=10", "ETag", `"1"`))
				c := newClient(t, internet, byDefault)
				first, err := c.Resolve(t.Context(), "shop.example")
				if err != nil {
					t.Fatal(err)
				}
				conns, want := host.Conns(), planned(true, true, 1)
				time.Sleep(10 * time.Second)
				wantTrips(t, "warm", 1, func() {
					site, err := c.Resolve(t.Context(), "shop.example")
					if err != nil || !site.FreshUntil.After(first.FreshUntil) {
						t.Errorf("%v, fresh until %v, before %v", err, site.FreshUntil, first.FreshUntil)
					}
				})
				want[wellKnown]++
				wantAsked(t, "warm", host, want)
				if last := host.Requests()[len(host.Requests())-1]; last.Header.Get("If-None-Match") != `"1"` {
					t.Errorf("the document is not validated: %v", last.Header)
				}
				if host.Conns() != conns {
					t.Errorf("%d connections, %d of them for the validation", host.Conns(), host.Conns()-conns)
				}
			})
		})
	}
}

// A thousand callers of one domain share one set of requests, and all of them
// have the answer when the first has it.
func TestColdCoalesced(t *testing.T) {
	callers := testkit.Crowd(1000)
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Latency(rtt)
		host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a")})
		c := newClient(t, internet, byDefault)
		start := time.Now()
		var work sync.WaitGroup
		for i := range callers {
			domain := [...]string{"shop.example", "SHOP.example.", "https://shop.example/"}[i%3]
			work.Go(func() {
				time.Sleep(time.Duration(i) * 3 * rtt / time.Duration(callers)) // while the first is under way
				site, err := c.Resolve(t.Context(), domain)
				if err != nil || len(site.Services) != 1 {
					t.Errorf("caller %d: %v", i, err)
				}
				if trips := time.Since(start).Seconds() / rtt.Seconds(); trips != 5 {
					t.Errorf("caller %d is done after %.2f round trips", i, trips)
				}
			})
		}
		work.Wait()
		wantAsked(t, "by all of them", host, planned(true, true, 1))
		if host.Conns() != 1 {
			t.Errorf("%d connections", host.Conns())
		}
		if d := cmp.Diff(client.SiteStats{Misses: 1, Joined: uint64(callers) - 1}, c.Stats().Sites); d != "" {
			t.Errorf("counted (-want +got):\n%s", d)
		}
	})
}

// A Client that comes back to a host resumes its TLS session, so that no certificates are sent. The
// session of another Client, with its own view, is not used.
func TestSessionsAreResumedPerView(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a")})
		other := internet.Host("other.example", clienttest.Pages{wellKnown: manifest("other.example", "/a")})
		a, b := newClient(t, internet), newClient(t, internet, func(o *client.Options) { o.Network.View = "another" })
		for i, c := range []*client.Client{a, a, b, b} {
			_, err := c.Refresh(t.Context(), "shop.example")
			if err != nil {
				t.Fatal(err)
			}
			if resumed := host.Requests()[i].Resumed; resumed != (i%2 == 1) {
				t.Errorf("connection %d is resumed: %v", i, resumed)
			}
			time.Sleep(time.Hour) // until it is gone
		}
		if _, err := a.Refresh(t.Context(), "other.example"); err != nil {
			t.Fatal(err)
		}
		if other.Requests()[0].Resumed {
			t.Error("the session of another host is resumed")
		}
	})
}

// storms are sites that answer nothing but trouble, and what asking them with
// all formats comes to.
func storms() map[string]struct {
	site     http.Handler
	requests int           // at most
	took     time.Duration // at most
} {
	type storm = struct {
		site     http.Handler
		requests int
		took     time.Duration
	}
	const retries = 6                            // in one Resolve
	plan := len(planned(false, false, 1)) - last // an origin that answers nothing is not asked for the last
	status := func(status int, retryAfter string) http.Handler {
		p := clienttest.Page{Status: status, Header: http.Header{}}
		if retryAfter != "" {
			p.Header.Set("Retry-After", retryAfter)
		}
		return p
	}
	const backoffs = 4 * time.Second // the full jitter of three retries, and the requests
	return map[string]storm{
		"503":                   {status(503, ""), plan + retries, 3*rtt + backoffs},
		"500":                   {status(500, ""), plan + retries, 3*rtt + backoffs},
		"429, in a second":      {status(429, "1"), plan + retries, 3*rtt + backoffs},
		"503, in 5 seconds":     {status(503, "5"), plan, 3 * rtt},
		"503, in a day":         {status(503, "86400"), plan, 3 * rtt},
		"429, in 292 years":     {status(429, "9223372037"), plan, 3 * rtt},
		"503, in a year (date)": {status(503, "Mon, 01 Jan 2001 00:00:00 GMT"), plan, 3 * rtt},
		"silence": {http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }),
			plan, 2*rtt + 10*time.Second},
		"half a body": {http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = fmt.Fprint(w, "{")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}), plan, 15 * time.Second},
	}
}

// However a site fails, one Resolve asks each place once and has a handful of
// retries in all, not for each place; it sleeps through no Retry-After that is
// longer than two seconds, and the next call asks for nothing again.
func TestRetryBudget(t *testing.T) {
	for name, storm := range storms() {
		for _, protocol := range []string{"h2", "http/1.1"} {
			t.Run(name+", "+protocol, func(t *testing.T) {
				inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
					internet.Latency(rtt)
					host := internet.Host("shop.example", storm.site).Protocols(protocol)
					c := newClient(t, internet, byDefault)
					start := time.Now()
					site, err := c.Resolve(t.Context(), "shop.example")
					if err == nil {
						t.Errorf("no error: %+v", site)
					}
					took, most := time.Since(start), storm.took
					if protocol != "h2" { // six at a time
						rounds := 4 + (len(planned(false, false, 1))-last-1+5)/6 // as in TestColdRoundTrips
						most = min(max(2*most, most+time.Duration(rounds-3)*rtt), client.DefaultTimeout)
					}
					if took > most {
						t.Errorf("it took %v, want at most %v", took, most)
					}
					before := asked(host)
					for path := range before {
						if _, ok := planned(false, false, 1)[path]; !ok {
							t.Errorf("asked for %s, which only a 404 permits", path)
						}
					}
					n := len(host.Requests())
					if n > storm.requests {
						t.Errorf("%d requests, want at most %d: %v", n, storm.requests, before)
					}
					if took == client.DefaultTimeout {
						return // our own deadline is no answer
					}
					_, _ = c.Resolve(t.Context(), "shop.example")
					for _, r := range host.Requests()[n:] {
						if before[r.Path] > 0 {
							t.Errorf("%s is asked for again by a second call", r.Path)
						}
					}
				})
			})
		}
	}
}
