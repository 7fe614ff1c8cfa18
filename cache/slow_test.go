package cache_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// sluggish answers at once the first time. Then it answers after a time.
type sluggish struct {
	after  time.Duration
	header []string
	asked  atomic.Int64
}

func (o *sluggish) RoundTrip(req *http.Request) (*http.Response, error) {
	if o.asked.Add(1) == 1 {
		return response(200, "one", o.header...), nil
	}
	select {
	case <-time.After(o.after):
		return response(200, "two", o.header...), nil
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
}

// Instead of an origin that hangs, the stored answer comes after StaleAfter. One request goes on for
// all callers, who do not wait any more, and its answer is stored. Directives that forbid a stale
// answer win, and so does RFC 9111 alone.
func TestAStaleAnswerStandsInForASlowOrigin(t *testing.T) {
	slow := func() *cache.Options { return &cache.Options{StaleAfter: time.Second} }
	for name, row := range map[string]struct {
		opts    *cache.Options
		control string
		ask     []string
		stale   bool
	}{
		"slow":                   {slow(), "max-age=100", nil, true},
		"off":                    {nil, "max-age=100", nil, false},
		"strict":                 {&cache.Options{StaleAfter: time.Second, Strict: true}, "max-age=100", nil, false},
		"must-revalidate":        {slow(), "max-age=100, must-revalidate", nil, false},
		"no-cache":               {slow(), "no-cache", nil, false},
		"no-cache of the caller": {slow(), "max-age=100", []string{"Cache-Control", "no-cache"}, false},
		"a window that is over":  {slow(), "max-age=100, stale-if-error=5", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := &sluggish{after: 20 * time.Second, header: []string{"Cache-Control", row.control, "Etag", `"1"`}}
				tr := newTransport(t, o, row.opts)
				get(t, tr, home)
				time.Sleep(150 * time.Second)
				for i := range 3 {
					began := time.Now()
					got := get(t, tr, home, row.ask...)
					took := time.Since(began)
					if !row.stale {
						if got.Body != "two" || took != 20*time.Second {
							t.Errorf("after %v: %+v", took, got)
						}
						return
					}
					if want := (result{200, "one", cache.FromStale, cache.StaleSlow}); got != want || (i == 0) != (took == time.Second) || took > time.Second {
						t.Errorf("call %d, after %v: %+v", i, took, got)
					}
				}
				if o.asked.Load() != 2 {
					t.Errorf("the origin was asked %d times", o.asked.Load())
				}
				if got := tr.Stats().Stale.Slow; got != 3 {
					t.Errorf("%d are counted", got)
				}
				time.Sleep(20 * time.Second)
				want(t, "when the request has ended", get(t, tr, home), result{200, "two", cache.FromMemory, ""})
			})
		})
	}
}

// A caller whose deadline is earlier than StaleAfter gets the error of its deadline, and Cache-Status
// tells why an answer is stale.
func TestTheDeadlineOfACallerIsBeforeStaleAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &sluggish{after: time.Hour, header: []string{"Cache-Control", "max-age=100"}}
		tr := newTransport(t, o, &cache.Options{StaleAfter: time.Second})
		get(t, tr, home)
		time.Sleep(150 * time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		if resp, err := tr.RoundTrip(newRequest(ctx, home)); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, %v", resp, err)
		}
		resp, err := tr.RoundTrip(newRequest(t.Context(), home))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if got := resp.Header.Get("Cache-Status"); !strings.Contains(got, "fwd=stale") || !strings.Contains(got, "detail=slow") {
			t.Errorf("Cache-Status: %s", got)
		}
		time.Sleep(40 * time.Second) // the request in the background has its own limit
		if got := get(t, tr, home); got.Reason != cache.StaleSlow {
			t.Errorf("got %+v", got)
		}
		if o.asked.Load() != 4 {
			t.Errorf("the origin was asked %d times", o.asked.Load())
		}
	})
}

// An answer that comes at the instant at which its caller stops waiting is whole, or the stored one is
// given: never its rest alone.
func TestAnAnswerAtTheEndOfPatienceIsWhole(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			tr := newTransport(t, roundTrip(func(*http.Request) (*http.Response, error) {
				body := "one"
				if asked++; asked > 1 {
					time.Sleep(time.Second)
					body = "BEGIN" + strings.Repeat("x", 200) + "END"
				}
				resp := response(200, body, "Cache-Control", "max-age=100", "Etag", `"1"`)
				resp.ContentLength = -1
				return resp, nil
			}), &cache.Options{StaleAfter: time.Second, MaxBody: 50})
			get(t, tr, home)
			time.Sleep(150 * time.Second)
			if got := string(get(t, tr, home).Body); got != "one" && (!strings.HasPrefix(got, "BEGIN") || !strings.HasSuffix(got, "END")) {
				t.Errorf("got %q", got)
			}
		})
	}
}
