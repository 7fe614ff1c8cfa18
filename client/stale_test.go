package client_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// outage makes a host fail; the function it returns ends that.
type outage func(host *clienttest.Host) (end func())

func refused(host *clienttest.Host) func() {
	host.FailConn(clienttest.Refuse())
	host.Hangup(clienttest.Close)
	return func() { host.FailConn() }
}

func answering(p clienttest.Page) outage {
	return func(host *clienttest.Host) func() {
		host.Fail(wellKnown, func(http.Handler) http.Handler { return p })
		return func() { host.Fail(wellKnown) }
	}
}

func outages() map[string]outage {
	return map[string]outage{
		"refused": refused,
		"503":     answering(clienttest.Page{Status: 503}),
		"500":     answering(clienttest.Page{Status: 500}),
		"held":    answering(clienttest.Page{Status: 503, Header: http.Header{"Retry-After": {"20"}}}),
		"silent": func(host *clienttest.Host) func() {
			host.Fail(wellKnown, clienttest.AtHeaders(clienttest.Stall))
			return func() { host.Fail(wellKnown) }
		},
	}
}

// If a stored answer is used after a failure, the failure costs no connection, and neither do the
// requests that repeat it: the next one uses the same connection, over HTTP/1.1 too.
func TestTheConnectionOfAFailureIsUsedAgain(t *testing.T) {
	for _, alpn := range []string{"h2", "http/1.1"} {
		t.Run(alpn, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", nil).Protocols(alpn)
				host.Handle(wellKnown, page(manifest("shop.example", "/a"), "Cache-Control", "max-age=1", "ETag", `"1"`))
				c := newClient(t, internet, func(o *client.Options) { o.Network.KeepAlive = time.Hour })
				ask := func(when string, stands int) {
					t.Helper()
					if site, err := c.Resolve(t.Context(), "shop.example"); err != nil || len(stale(site)) != stands {
						t.Errorf("%s: %v, stale %v", when, err, stale(site))
					}
					if host.Conns() != 1 {
						t.Errorf("%s: %d connections, want 1", when, host.Conns())
					}
				}
				ask("at first", 0)
				time.Sleep(time.Second)
				end := answering(clienttest.Page{Status: 500, Body: strings.Repeat("failed ", 5000)})(host)
				ask("when it fails", 1)
				end()
				time.Sleep(30 * time.Second)
				ask("after the failure", 0)
			})
		})
	}
}

// While a site cannot be reached, its last Site is returned, marked as stale. A cool-down prevents
// requests, and changes are seen after it.
func TestStaleWhenDown(t *testing.T) {
	for name, fail := range outages() {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", nil)
				host.Handle(wellKnown, page(manifest("shop.example", "/a"), "Cache-Control", "max-age=60", "ETag", `"1"`))
				c := newClient(t, internet)
				first, err := c.Resolve(t.Context(), "shop.example")
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				end := fail(host)
				site, err := c.Resolve(t.Context(), "shop.example")
				if err != nil || len(stale(site)) != 1 || len(site.Services) != 1 {
					t.Fatalf("when it is down: %v, stale %v", err, stale(site))
				}
				if !site.Sources[0].FreshUntil.Equal(first.FreshUntil) || !site.FreshUntil.Equal(first.FreshUntil) && site.FreshUntil.After(time.Now()) {
					t.Errorf("an outage prolongs freshness: %v, %v, first %v", site.Sources[0].FreshUntil, site.FreshUntil, first.FreshUntil)
				}
				paths, dials := len(host.Paths()), host.Dials()
				time.Sleep(15 * time.Second)
				if site, err := again(t, c); err != nil || len(stale(site)) != 1 {
					t.Errorf("in the cool-down: %v, stale %v", err, stale(site))
				}
				if len(host.Paths()) != paths || host.Dials() != dials {
					t.Errorf("in the cool-down %v was asked for, %d connections", host.Paths()[paths:], host.Dials()-dials)
				}
				end()
				time.Sleep(15 * time.Second)
				if site, err := c.Resolve(t.Context(), "shop.example"); err != nil || len(stale(site)) != 0 {
					t.Errorf("when it is well again: %v, stale %v", err, stale(site))
				}
			})
		})
	}
}

// The last reading is used for a day at most, and never if its response forbids that.
func TestStaleWhenDownHasLimits(t *testing.T) {
	for name, row := range map[string]struct {
		control string
		after   time.Duration
		used    bool
	}{
		"for a day":             {"max-age=60", time.Minute + 24*time.Hour - 5*time.Second, true},
		"no longer":             {"max-age=60", time.Minute + 24*time.Hour, false},
		"must-revalidate":       {"max-age=60, must-revalidate", time.Minute, false},
		"no-cache":              {"no-cache", time.Minute, false},
		"no-store":              {"no-store", time.Minute, false},
		"the site's own window": {"max-age=60, stale-if-error=10", time.Minute + 2*time.Second, true},
		"and no longer":         {"max-age=60, stale-if-error=10", time.Minute + 11*time.Second, false},
		"a week, for a day":     {"max-age=60, stale-if-error=604800", 24 * time.Hour, true},
		"a week, no longer":     {"max-age=60, stale-if-error=604800", time.Minute + 24*time.Hour, false},
	} {
		for _, how := range []string{"refused", "503"} {
			t.Run(name+", "+how, func(t *testing.T) {
				inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
					host := internet.Host("shop.example", nil)
					host.Handle(wellKnown, page(manifest("shop.example", "/a"), "Cache-Control", row.control, "ETag", `"1"`))
					c := newClient(t, internet, shared(newFarStore()))
					if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
						t.Fatal(err)
					}
					time.Sleep(row.after)
					outages()[how](host)
					for range 2 { // and in the cool-down
						site, err := c.Resolve(t.Context(), "shop.example")
						switch {
						case row.used && (err != nil || len(stale(site)) != 1):
							t.Errorf("%v, stale %v; want the last reading", err, stale(site))
						case !row.used && (!errors.Is(err, wayfind.ErrUnreachable) || len(site.Services) != 0):
							t.Errorf("%v, %d services; want an error", err, len(site.Services))
						}
					}
				})
			})
		}
	}
}

// RFC 5861 §3: within stale-while-revalidate the old reading is there at once,
// and one request in the background, which no caller can cancel, brings the
// new one.
func TestStaleWhileRevalidate(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		c, host := revalidating(t, internet)
		start := time.Now()
		for range 3 { // all of them while the request runs
			ctx, cancel := context.WithCancel(t.Context())
			site, err := c.Resolve(ctx, "shop.example")
			cancel()
			if err != nil || len(stale(site)) != 1 || time.Since(start) != 0 {
				t.Errorf("after %v: %v, stale %v", time.Since(start), err, stale(site))
			}
			if _, is := site.Capability("adp:a"); is == nil {
				t.Error("it is not the old reading")
			}
		}
		time.Sleep(4 * time.Second)
		wantAsked(t, "in the background", host, map[string]int{wellKnown: 2})
		site, err := c.Resolve(t.Context(), "shop.example")
		if _, is := site.Capability("adp:b"); err != nil || is == nil || len(stale(site)) != 0 {
			t.Errorf("afterwards: %v, stale %v, sources %+v", err, stale(site), site.Sources)
		}
		wantAsked(t, "afterwards", host, map[string]int{wellKnown: 2})
	})
}

// After the window the site is asked first.
func TestStaleWhileRevalidateEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		c, _ := revalidating(t, internet)
		time.Sleep(5 * time.Minute)
		start := time.Now()
		site, err := c.Resolve(t.Context(), "shop.example")
		if _, is := site.Capability("adp:b"); err != nil || is == nil || time.Since(start) != 3*time.Second {
			t.Errorf("after %v: %v, sources %+v", time.Since(start), err, site.Sources)
		}
	})
}

// Close ends what runs in the background.
func TestStaleWhileRevalidateIsClosed(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		c, host := revalidating(t, internet)
		if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		start := time.Now()
		if err := c.Close(); err != nil || time.Since(start) != 0 {
			t.Errorf("Close took %v: %v", time.Since(start), err)
		}
		if host.Open() != 0 {
			t.Errorf("%d connections are open", host.Open())
		}
	})
}

// revalidating is a Client whose Site has just become stale, within
// stale-while-revalidate, and a host that has another document and takes three
// seconds for it.
func revalidating(t *testing.T, internet *clienttest.Internet) (*client.Client, *clienttest.Host) {
	t.Helper()
	const control = "max-age=60, stale-while-revalidate=300"
	host := internet.Host("shop.example", nil)
	host.Handle(wellKnown, page(manifest("shop.example", "/a"), "Cache-Control", control, "ETag", `"1"`))
	c := newClient(t, internet)
	if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
		t.Fatal(err)
	}
	host.Handle(wellKnown, page(manifest("shop.example", "/b"), "Cache-Control", control, "ETag", `"2"`))
	host.Fail(wellKnown, clienttest.Delay(3*time.Second))
	time.Sleep(time.Minute + time.Second)
	return c, host
}
