package cache_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// An event stream is never stored, whatever lifetime its header gives. Like any other answer, it
// removes the stored one.
func TestStreamIsNotStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := script(
			say(200, "one", "Cache-Control", "max-age=60"),
			say(200, "data: 1\n\n", "Cache-Control", "max-age=60", "Content-Type", "text/event-stream"),
			say(200, "two", "Cache-Control", "max-age=60"),
		)
		tr := newTransport(t, o, nil)
		want(t, "no stream", get(t, tr, home), result{200, "one", cache.FromNetwork, ""})
		want(t, "a stream", get(t, tr, home, "Cache-Control", "no-cache"), result{200, "data: 1\n\n", cache.FromNetwork, ""})
		want(t, "after the stream", get(t, tr, home), result{200, "two", cache.FromNetwork, ""})
	})
}

// A request for an event stream is sent at once, whatever is under way. It is answered from the
// store like any other.
func TestRequestForStreamJoinsNothing(t *testing.T) {
	for _, accept := range []string{"text/event-stream", "application/json, Text/Event-Stream;q=0.5"} {
		synctest.Test(t, func(t *testing.T) {
			o := slow(say(200, "x", "Cache-Control", "max-age=60"))
			tr := newTransport(t, o, nil)
			var wg sync.WaitGroup
			for range 5 {
				wg.Go(func() {
					want(t, accept, get(t, tr, home, "Accept", accept), result{200, "x", cache.FromNetwork, ""})
				})
			}
			wg.Wait()
			wantCount(t, accept, o, 5)
			want(t, "stored", get(t, tr, home, "Accept", accept), result{200, "x", cache.FromMemory, ""})
		})
	}
}

// The context of the caller that reads a stream ends it, with its own error.
func TestStreamEndsWithItsCaller(t *testing.T) {
	for _, header := range [][]string{nil, {"Accept", "text/event-stream"}} {
		synctest.Test(t, func(t *testing.T) {
			o, ended := flow(200, 1000, nil, "Content-Type", "text/event-stream")
			tr := newTransport(t, o, nil)
			ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
			defer cancel()
			resp := begins(ctx, t, tr, header...)
			if resp == nil {
				return
			}
			if rest, err := io.ReadAll(resp.Body); string(rest) != "tick\ntick\n" || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the rest is %q, %v", rest, err)
			}
			time.Sleep(2 * time.Second)
			if !ended.Load() {
				t.Error("the origin still sends")
			}
			_ = resp.Body.Close()
		})
	}
}

// Close ends the streams that are read.
func TestStreamEndsWithTransport(t *testing.T) {
	for _, header := range [][]string{nil, {"Accept", "text/event-stream"}} {
		synctest.Test(t, func(t *testing.T) {
			o, _ := flow(200, 1000, nil, "Content-Type", "text/event-stream")
			tr := newTransport(t, o, nil)
			resp := begins(t.Context(), t, tr, header...)
			if resp == nil {
				return
			}
			if err := tr.Close(); err != nil {
				t.Error(err)
			}
			if _, err := io.ReadAll(resp.Body); err == nil {
				t.Error("the stream has ended well")
			}
			_ = resp.Body.Close()
		})
	}
}

// Of returns all of an answer that is not stored, except its body.
func TestOfPassedAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTransport(t, always(403, "x", "Cache-Control", "no-store", "Set-Cookie", "a=b"), nil)
		resp, err := tr.RoundTrip(newRequest(t.Context(), home))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		e, facts, ok := cache.Of(resp)
		if !ok || facts.From != cache.FromNetwork || e.Status != http.StatusForbidden || e.Lifetime.Source != cache.SourceNoStore || e.Body != nil {
			t.Errorf("Of = %+v, %+v, %v", e, facts, ok)
		}
		if got := resp.Header.Get("Set-Cookie"); got != "a=b" {
			t.Errorf("Set-Cookie %q", got)
		}
	})
}
