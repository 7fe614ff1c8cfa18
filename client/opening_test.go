package client_test

import (
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// While a domain's first connection is made, one place waits for it, not a goroutine for each place.
func TestOnePlaceWaitsForTheConnection(t *testing.T) {
	for _, protocol := range []string{"h2", "http/1.1"} {
		t.Run(protocol, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Latency(rtt)
				host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a")}).Protocols(protocol)
				c := newClient(t, internet, byDefault)
				before := runtime.NumGoroutine()
				done := make(chan error, 1)
				go func() {
					_, err := c.Resolve(t.Context(), "shop.example")
					done <- err
				}()
				time.Sleep(3 * rtt / 2) // TCP is connected, TLS is not
				if n := runtime.NumGoroutine() - before; n > 12 {
					t.Errorf("%d goroutines wait for one connection", n)
				}
				if err := <-done; err != nil {
					t.Error(err)
				}
				if asked := len(host.Requests()); asked < 20 {
					t.Errorf("%d requests", asked)
				}
			})
		})
	}
}

// If no connection can be made, all places fail with the same cause, and the host is dialled no more
// often than for one place.
func TestAFailedConnectionFailsAllPlaces(t *testing.T) {
	for name, row := range map[string]struct {
		fault clienttest.ConnFault
		dials int
	}{
		"refused":     {clienttest.Refuse(), 2},
		"black hole":  {clienttest.BlackHole(), 1},
		"certificate": {clienttest.ExpiredCert(), 1},
		"reset":       {clienttest.AtHandshake(clienttest.Reset), 2},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Latency(rtt)
				host := internet.Host("shop.example", clienttest.Pages{}).At(internet.NewAddr())
				host.FailConn(row.fault)
				c := newClient(t, internet, byDefault)
				site, err := c.Resolve(t.Context(), "shop.example")
				if err == nil {
					t.Fatal("no error")
				}
				if host.Dials() > row.dials {
					t.Errorf("%d dials, want at most %d", host.Dials(), row.dials)
				}
				cause := func(p wayfind.Probe) string { return strings.ReplaceAll(p.Error, p.URL, "URL") }
				first := site.Probes[0]
				for _, p := range site.Probes {
					if p.Verdict != wayfind.VerdictUnreachable || p.Reason != first.Reason || !strings.Contains(p.Error, p.URL) || cause(p) != cause(first) {
						t.Errorf("%s: %s (%s): %s", p.URL, p.Verdict, p.Reason, p.Error)
					}
				}
			})
		})
	}
}

// If the first connection fails and the second is sound, every place is asked.
func TestASecondConnectionServesAllPlaces(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Latency(rtt)
		host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a")}).At(internet.NewAddr())
		host.FailConn(clienttest.Refuse(), clienttest.ConnFault{})
		c := newClient(t, internet, byDefault)
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range site.Probes {
			if !p.Verdict.Answered() {
				t.Errorf("%s: %s (%s)", p.URL, p.Verdict, p.Reason)
			}
		}
		if host.Dials() != 2 {
			t.Errorf("%d dials", host.Dials())
		}
	})
}

// If the place that would make the connection is answered by the cache, the others make it.
func TestACachedFirstPlaceLeavesTheConnectionToTheOthers(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Latency(rtt)
		host := internet.Host("shop.example", clienttest.Page{Status: 404, Header: http.Header{"Cache-Control": {"max-age=60"}}})
		for _, path := range []string{wellKnown, "/robots.txt"} {
			host.Handle(path, page(manifest("shop.example", "/a"), "Cache-Control", "max-age=86400"))
		}
		c := newClient(t, internet, byDefault, func(o *client.Options) { o.Network.KeepAlive = time.Second })
		if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(12 * time.Hour)
		asked, dials := len(host.Requests()), host.Dials()
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if n := len(host.Requests()) - asked; n == 0 || n >= asked || host.Dials() != dials+1 {
			t.Errorf("%d requests of %d, %d dials", n, asked, host.Dials()-dials)
		}
		for _, p := range site.Probes {
			if !p.Verdict.Answered() {
				t.Errorf("%s: %s (%s)", p.URL, p.Verdict, p.Reason)
			}
		}
	})
}
