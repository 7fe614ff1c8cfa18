package cache_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// everyUse are the options under which a cache.Transport is used.
func everyUse() map[string]*cache.Options {
	return map[string]*cache.Options{
		"NewTransport": nil, "NewClient": {StaleIfError: cache.Retention}, "Strict": {Strict: true},
	}
}

// after answers the first request with one function and all others with another.
func after(first, then *origin) *origin {
	return &origin{answer: func(n int, req *http.Request) (*http.Response, error) {
		if n == 1 {
			return first.answer(n, req)
		}
		return then.answer(n, req)
	}}
}

// A 200 reaches its caller as it arrives, even if a stored answer could be used after a failure:
// the header is no failure (RFC 5861 §4).
func TestASecondWatchStreamsWhileTheFirstIsStored(t *testing.T) {
	for name, opts := range everyUse() {
		for _, header := range [][]string{nil, {"Cache-Control", "max-age=1, stale-if-error=600"}} {
			t.Run(fmt.Sprint(name, header), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					short, _ := flow(200, 2, io.EOF, append([]string{"Content-Type", "application/json"}, header...)...)
					endless, _ := flow(200, 1000, nil, append([]string{"Content-Type", "application/json"}, header...)...)
					tr := newTransport(t, after(short, endless), opts)
					if got := get(t, tr, home); got.Body != "tick\ntick\n" {
						t.Fatalf("the first watch: %+v", got)
					}
					time.Sleep(10 * time.Second)
					ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
					defer cancel()
					if resp := begins(ctx, t, tr); resp != nil {
						_ = resp.Body.Close()
					}
				})
			})
		}
	}
}

// A caller that requests a running stream does not wait for its end, because the header of the
// stream shows that it cannot be shared.
func TestWatchersOfOneStreamDoNotWaitForEachOther(t *testing.T) {
	for _, control := range []string{"", "no-cache, private", "no-cache", "no-store", "max-age=0"} {
		for name, opts := range everyUse() {
			t.Run(control+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					header := []string{"Content-Type", "application/x-ndjson"}
					if control != "" {
						header = append(header, "Cache-Control", control)
					}
					o, _ := flow(200, 40, io.EOF, header...)
					tr := newTransport(t, o, opts)
					var wg sync.WaitGroup
					for n := range 3 {
						wg.Go(func() {
							if resp := begins(t.Context(), t, tr); resp != nil {
								if n == 1 {
									_, _ = io.Copy(io.Discard, resp.Body)
								}
								_ = resp.Body.Close() // the first one leaves at once
							}
						})
						time.Sleep(150 * time.Millisecond)
					}
					wg.Wait()
					wantCount(t, "three watchers", o, 3)
				})
			})
		}
	}
}

// Callers that have waited for the header of an answer that is for one caller only do not wait for
// its body either.
func TestWaitersLeaveAtTheHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, _ := flow(200, 10, io.EOF, "Cache-Control", "no-cache", "Etag", `"x"`)
		late := &origin{answer: func(n int, req *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return o.answer(n, req)
		}}
		tr := newTransport(t, late, nil)
		began := time.Now()
		var wg sync.WaitGroup
		for n := range 3 {
			wg.Go(func() {
				resp, err := tr.RoundTrip(newRequest(t.Context(), home))
				if err != nil {
					t.Error(err)
					return
				}
				if d := time.Since(began); d > 2*time.Second {
					t.Errorf("caller %d has the header after %v", n, d)
				}
				_ = resp.Body.Close()
			})
			time.Sleep(time.Millisecond)
		}
		wg.Wait()
		wantCount(t, "three callers", late, 3)
	})
}

// A caller that joins a request in the background leaves it at the header too.
func TestWaitersOfARenewalLeaveAtTheHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := always(200, "tick\n", "Cache-Control", "max-age=1, stale-while-revalidate=3")
		endless, _ := flow(200, 1000, nil, "Cache-Control", "no-cache", "Etag", `"x"`)
		tr := newTransport(t, after(first, endless), nil)
		get(t, tr, home)
		time.Sleep(2 * time.Second)
		if got := get(t, tr, home); got.Reason != cache.StaleRevalidating {
			t.Fatalf("within the window: %+v", got)
		}
		time.Sleep(3 * time.Second)
		if resp := begins(t.Context(), t, tr); resp != nil {
			_ = resp.Body.Close()
		}
	})
}

// The status alone decides whether a stored answer is used, so the body of the failure is not read.
// The same applies to a 304 that has a body.
func TestTheBodyOfAnAnswerThatIsNotUsedIsNotWaitedFor(t *testing.T) {
	for _, status := range []int{500, 502, 503, 504, 304} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first := always(200, "x", "Cache-Control", "max-age=1, stale-if-error=600", "Etag", `"1"`)
				hangs, ended := flow(status, 1000, nil, "Etag", `"1"`)
				tr := newTransport(t, after(first, hangs), nil)
				get(t, tr, home)
				time.Sleep(2 * time.Second)
				began := time.Now()
				wanted := result{200, "x", cache.FromStale, cache.StaleError}
				if status == http.StatusNotModified {
					wanted = result{200, "x", cache.FromValidated, ""}
				}
				want(t, "the stored answer", get(t, tr, home), wanted)
				if d := time.Since(began); d > 0 {
					t.Errorf("after %v", d)
				}
				time.Sleep(2 * time.Second)
				if !ended.Load() {
					t.Error("the origin still sends")
				}
			})
		})
	}
}

// Rules read an answer to its end before a caller gets it. If the body breaks off, a stored answer
// is used.
func TestUnderRulesAStoredAnswerReplacesABodyThatBreaksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := always(200, "x", "Cache-Control", "max-age=1, stale-if-error=600")
		cut, _ := flow(200, 2, io.ErrUnexpectedEOF, "Cache-Control", "max-age=60")
		tr := cache.By(newTransport(t, after(first, cut), nil), &cache.TestRules{})
		get(t, tr, home)
		time.Sleep(2 * time.Second)
		want(t, "cut", get(t, tr, home), result{200, "x", cache.FromStale, cache.StaleError})
	})
}
