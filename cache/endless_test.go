package cache_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// A body may have no end although its header has a lifetime. If its length is unknown, callers that
// wait for it send a request of their own after a while, and later callers at once.
func TestNoCallerWaitsForABodyWithoutEnd(t *testing.T) {
	for name, opts := range everyUse() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o, _ := flow(200, 1000, nil, "Cache-Control", "max-age=60")
				tr := newTransport(t, o, opts)
				first := begins(t.Context(), t, tr)
				time.Sleep(10 * time.Second)
				var wg sync.WaitGroup
				for _, patience := range []time.Duration{cache.EndPatience, 0, 0} {
					for range 3 {
						wg.Go(func() {
							asked := time.Now()
							resp, err := tr.RoundTrip(newRequest(t.Context(), home))
							if err != nil {
								t.Error(err)
								return
							}
							if d := time.Since(asked); d != patience {
								t.Errorf("the header came after %v, want %v", d, patience)
							}
							_ = resp.Body.Close()
						})
					}
					wg.Wait()
				}
				wantCount(t, "ten callers", o, 10)
				_ = first.Body.Close()
			})
		})
	}
}

// Callers wait for a body whose length is known, however slow it is.
func TestCallersWaitForABodyWhoseLengthIsKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const seconds = 20
		unsized, _ := flow(200, seconds, io.EOF, "Cache-Control", "max-age=60")
		o := &origin{answer: func(n int, req *http.Request) (*http.Response, error) {
			resp, err := unsized.answer(n, req)
			resp.ContentLength = int64(seconds * len("tick\n"))
			return resp, err
		}}
		tr := newTransport(t, o, nil)
		first := begins(t.Context(), t, tr)
		want(t, "a waiter", get(t, tr, home), result{200, strings.Repeat("tick\n", seconds), cache.FromNetwork, ""})
		wantCount(t, "two callers", o, 1)
		_ = first.Body.Close()
	})
}

// An answer that has ended soon shows that the next one is worth waiting for, and a
// watch that ends after a while does not.
func TestCallersWaitAgainAfterABodyThatHasEndedSoon(t *testing.T) {
	for times, waits := range map[int]bool{1: true, 10: false} {
		synctest.Test(t, func(t *testing.T) {
			endless, _ := flow(200, 1000, nil, "Cache-Control", "max-age=60")
			ends, _ := flow(200, times, io.EOF, "Cache-Control", "max-age=60")
			tr := newTransport(t, after(endless, ends), nil)
			ctx, cancel := context.WithCancel(t.Context())
			first := begins(ctx, t, tr)
			get(t, tr, home) // waits, and then asks
			cancel()
			_ = first.Body.Close()
			synctest.Wait()
			time.Sleep(61 * time.Second)
			next := begins(t.Context(), t, tr)
			asked := time.Now()
			resp, err := tr.RoundTrip(newRequest(t.Context(), home))
			if err != nil {
				t.Fatal(err)
			}
			if waited := time.Since(asked) > 0; waited != waits {
				t.Errorf("after an answer of %d s: has waited: %v", times, waited)
			}
			_ = resp.Body.Close()
			_ = next.Body.Close()
		})
	}
}
