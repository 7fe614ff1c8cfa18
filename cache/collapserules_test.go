package cache_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/web/gate"
)

// naming answers after a second with the value of a field of the request.
func naming(field string, pairs ...string) *origin {
	return slow(func(req *http.Request) (*http.Response, error) {
		return response(200, "for "+req.Header.Get(field), pairs...), nil
	})
}

// TestRequestsAreCollapsedOnlyIfAResponseMayBeReused: requests are collapsed only if a cache may
// reuse the response for each of them (RFC 9111 §4). So each of two callers that differ in a field
// that is no credential gets an answer of its own if the response has no-store (§5.2.2.5), no-cache
// (§5.2.2.4) or no lifetime, or if it is stale on arrival and must be validated (§5.2.2.2).
func TestRequestsAreCollapsedOnlyIfAResponseMayBeReused(t *testing.T) {
	for _, control := range []string{"no-store", "private, no-store", "private, no-cache", "no-cache", "max-age=0, must-revalidate", ""} {
		for _, field := range []string{"X-Api-Key", "Mcp-Session-Id"} {
			for _, strict := range []bool{true, false} {
				t.Run(fmt.Sprint(control, " ", field, " ", strict), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						var header []string
						if control != "" {
							header = []string{"Cache-Control", control}
						}
						o := naming(field, header...)
						tr := newTransport(t, o, &cache.Options{Strict: strict})
						var wg sync.WaitGroup
						for _, who := range []string{"alice", "bob"} {
							wg.Go(func() {
								if got := get(t, tr, home, field, who).Body; got != "for "+who {
									t.Errorf("%s gets the answer %q", who, got)
								}
							})
							time.Sleep(100 * time.Millisecond)
						}
						wg.Wait()
						wantCount(t, "two callers", o, 2)
					})
				})
			}
		}
	}
}

// TestAReloadIsAskedForAnew: no-cache requires validation for this request (RFC 9111 §5.2.1.4), and
// max-age=0 excludes older responses (§5.2.1.1). Neither is answered by a request that was sent
// before it.
func TestAReloadIsAskedForAnew(t *testing.T) {
	for _, control := range []string{"no-cache", "max-age=0"} {
		t.Run(control, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var version version
				o := version.origin(time.Second, "Cache-Control", "max-age=600")
				tr := newTransport(t, o, &cache.Options{Strict: true})
				var wg sync.WaitGroup
				wg.Go(func() { want(t, "first", get(t, tr, home), result{200, "v1", cache.FromNetwork, ""}) })
				time.Sleep(500 * time.Millisecond)
				version.raise()
				want(t, "reloaded", get(t, tr, home, "Cache-Control", control), result{200, "v2", cache.FromNetwork, ""})
				wg.Wait()
				wantCount(t, "both", o, 2)
			})
		})
	}
}

// TestCallersOfUnsharedAnswersDoNotQueue: callers of what cannot be shared do not wait for each
// other. Where the cache has seen that a URL is of that kind, each takes the
// time of one request, else of two.
func TestCallersOfUnsharedAnswersDoNotQueue(t *testing.T) {
	for name, row := range map[string]struct {
		header []string
		seen   bool
		limit  time.Duration
	}{
		"no-store, seen":   {[]string{"Cache-Control", "no-store"}, true, time.Second},
		"no-store":         {[]string{"Cache-Control", "no-store"}, false, 2 * time.Second},
		"Vary: *, seen":    {[]string{"Vary", "*", "Cache-Control", "max-age=60"}, true, time.Second},
		"Vary: *":          {[]string{"Vary", "*", "Cache-Control", "max-age=60"}, false, 2 * time.Second},
		"20 variants":      {[]string{"Vary", "Accept-Language", "Cache-Control", "max-age=60"}, false, 2 * time.Second},
		"20 variants, one": {[]string{"Vary", "Accept-Language", "Cache-Control", "max-age=60"}, true, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := newTransport(t, naming("Accept-Language", row.header...), &cache.Options{Strict: true})
				if row.seen {
					get(t, tr, home, "Accept-Language", "aa")
				}
				began := time.Now()
				var wg sync.WaitGroup
				for n := range 20 {
					wg.Go(func() {
						language := "x-" + strconv.Itoa(n)
						if got := get(t, tr, home, "Accept-Language", language).Body; got != "for "+language {
							t.Errorf("%s gets %q", language, got)
						}
					})
				}
				wg.Wait()
				if d := time.Since(began); d > row.limit {
					t.Errorf("the slowest of 20 callers waited %v, want at most %v", d, row.limit)
				}
			})
		})
	}
}

// A caller that joins a request in the background has the deadline of its own context.
func TestACallerWhoJoinsARequestHasItsOwnDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &origin{answer: func(n int, req *http.Request) (*http.Response, error) {
			if n > 1 {
				select {
				case <-time.After(40 * time.Second):
				case <-req.Context().Done():
					return nil, req.Context().Err()
				}
			}
			return response(200, "v"+strconv.Itoa(n), "Cache-Control", "max-age=1, stale-while-revalidate=5"), nil
		}}
		tr := newTransport(t, o, &cache.Options{Strict: true})
		get(t, tr, home)
		time.Sleep(3 * time.Second)
		want(t, "while it is asked for", get(t, tr, home), result{200, "v1", cache.FromStale, cache.StaleRevalidating})
		time.Sleep(5 * time.Second) // past stale-while-revalidate
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		began := time.Now()
		resp, err := tr.RoundTrip(newRequest(ctx, home))
		if err != nil {
			t.Fatalf("of five minutes %v have passed: %v", time.Since(began), err)
		}
		_ = resp.Body.Close()
	})
}

// TestACallerThatGivesUpIsNoFailureOfTheOrigin: if the time of one caller expires, this is no
// failure of the origin, and other callers still reach it.
func TestACallerThatGivesUpIsNoFailureOfTheOrigin(t *testing.T) {
	for name, ask := range map[string]func(context.Context) *http.Request{
		"no-store": func(ctx context.Context) *http.Request { return newRequest(ctx, home, "Cache-Control", "no-store") },
		"a POST": func(ctx context.Context) *http.Request {
			req := newRequest(ctx, home)
			req.Method = http.MethodPost
			return req
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				failed := func(_ *http.Response, err error) gate.Cooldown {
					if err == nil {
						return gate.Cooldown{}
					}
					return gate.Cooldown{Reason: "failed", First: 30 * time.Second, Max: time.Minute}
				}
				o := slow(say(200, "x"))
				gate := newGate(nil, &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
					if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.WroteHeaders != nil {
						trace.WroteHeaders()
					}
					return o.RoundTrip(req)
				}}, &gateOptions{Judge: failed})
				tr := newTransport(t, gate, nil)
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
				defer cancel()
				if _, err := tr.RoundTrip(ask(ctx)); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("the impatient caller gets %v", err)
				}
				resp, err := tr.RoundTrip(newRequest(t.Context(), "https://example.com/other"))
				if err != nil {
					t.Fatalf("another caller, another URL: %v", err)
				}
				_ = resp.Body.Close()
			})
		})
	}
}

// TestACollapsedResponseHasAnAge: a response that satisfies a request without having
// been validated for it has an Age (RFC 9111 §4): as old as it was when it
// came, which the time it took is counted to (§4.2.3).
func TestACollapsedResponseHasAnAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTransport(t, slow(say(200, "x", "Cache-Control", "max-age=600")), &cache.Options{Strict: true})
		var wg sync.WaitGroup
		wg.Go(func() { get(t, tr, home) })
		time.Sleep(500 * time.Millisecond)
		resp, err := tr.RoundTrip(newRequest(t.Context(), home))
		if err != nil {
			t.Fatal(err)
		}
		if status := resp.Header.Get("Cache-Status"); !strings.Contains(status, "collapsed") {
			t.Fatalf("Cache-Status: %s", status)
		}
		if age := resp.Header.Get("Age"); age != "1" {
			t.Errorf("Age %q, want 1", age)
		}
		_ = resp.Body.Close()
		wg.Wait()
	})
}

// TestTheTTLOfAStaleResponseIsNegative: the ttl of a stale response is negative (RFC 9211 §2.4).
func TestTheTTLOfAStaleResponseIsNegative(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTransport(t, always(200, "x", "Cache-Control", "max-age=1"), &cache.Options{Strict: true})
		get(t, tr, home)
		time.Sleep(1500 * time.Millisecond)
		resp, err := tr.RoundTrip(newRequest(t.Context(), home, "Cache-Control", "max-stale=60"))
		if err != nil {
			t.Fatal(err)
		}
		if status := resp.Header.Get("Cache-Status"); !strings.Contains(status, "ttl=-1") {
			t.Errorf("Cache-Status: %s", status)
		}
		_ = resp.Body.Close()
	})
}
