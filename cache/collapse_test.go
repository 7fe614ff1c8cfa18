package cache_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// slow answers after a second, unless it is cancelled.
func slow(answer func(*http.Request) (*http.Response, error)) *origin {
	return &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
		select {
		case <-time.After(time.Second):
			return answer(req)
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}}
}

// RFC 9111 §4: requests are collapsed if a cache may reuse the response for each of them. Otherwise
// each of them is sent.
func TestHerdIsOneRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, row := range []struct {
			headers []string
			shared  bool
		}{
			{[]string{"Cache-Control", "max-age=60"}, true},
			{[]string{"Cache-Control", "no-cache", "Etag", `"1"`}, false},
			{[]string{"Cache-Control", "no-store"}, false},
			{nil, false},
		} {
			headers := row.headers
			o := slow(say(200, "x", headers...))
			tr := newTransport(t, o, nil)
			var collapsed atomic.Int32
			var wg sync.WaitGroup
			callers := testkit.Crowd(1000)
			for range callers {
				wg.Go(func() {
					resp, err := tr.RoundTrip(newRequest(t.Context(), home))
					if err != nil {
						t.Error(err)
						return
					}
					if _, facts, _ := cache.Of(resp); facts.Collapsed {
						collapsed.Add(1)
					}
				})
			}
			wg.Wait()
			asked := callers
			if row.shared {
				asked = 1
			}
			wantCount(t, fmt.Sprint(headers), o, asked)
			if int(collapsed.Load()) != callers-asked {
				t.Errorf("%q: %d collapsed", headers, collapsed.Load())
			}
		}
	})
}

func TestHerdSharesErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := errors.New("down")
		o := slow(fail(fmt.Errorf("dial: %w", down)))
		tr := newTransport(t, o, nil)
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if _, err := tr.RoundTrip(newRequest(t.Context(), home)); !errors.Is(err, down) {
					t.Errorf("RoundTrip = %v", err)
				}
			})
		}
		wg.Wait()
		wantCount(t, "a shared error", o, 1)
	})
}

// RFC 9111 §4: a response that varies answers only those it fits.
func TestHerdOfTwoKinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, vary := range []string{"Accept", "*"} {
			o := slow(func(req *http.Request) (*http.Response, error) {
				return response(200, req.Header.Get("Accept"), "Cache-Control", "max-age=60", "Vary", vary), nil
			})
			tr := newTransport(t, o, nil)
			var wg sync.WaitGroup
			for i := range 20 {
				wg.Go(func() {
					accept := fmt.Sprint("type/", i%2)
					if got := get(t, tr, home, "Accept", accept); got.Body != accept {
						t.Errorf("Vary %q: for %q: %+v", vary, accept, got)
					}
				})
			}
			wg.Wait()
			if vary == "Accept" {
				wantCount(t, "two kinds", o, 2)
			}
		}
	})
}

type ctxKey struct{}

func TestWaitersHaveTheirOwnContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := slow(say(200, "x", "Cache-Control", "max-age=60"))
		tr := newTransport(t, o, nil)
		ctx, cancel := context.WithTimeout(context.WithValue(t.Context(), ctxKey{}, "first"), 100*time.Millisecond)
		defer cancel()
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := tr.RoundTrip(newRequest(ctx, home)); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the impatient: %v", err)
			}
		})
		synctest.Wait()
		wg.Go(func() { want(t, "the patient", get(t, tr, home), result{200, "x", cache.FromNetwork, ""}) })
		wg.Wait()
		wantCount(t, "shared", o, 1)
		if got := o.last().Context().Value(ctxKey{}); got != "first" {
			t.Errorf("the request carries value %v, want the first caller's", got)
		}
	})
}

func TestLastWaiterCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := slow(say(200, "x", "Cache-Control", "max-age=60"))
		tr := newTransport(t, o, nil)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if _, err := tr.RoundTrip(newRequest(ctx, home)); !errors.Is(err, context.Canceled) {
					t.Errorf("RoundTrip = %v", err)
				}
			})
		}
		synctest.Wait()
		cancel()
		wg.Wait()
		synctest.Wait()
		if o.last().Context().Err() == nil {
			t.Error("the request goes on for nobody")
		}
	})
}

// The context of the first caller may end its request early. Callers that joined it are not
// affected.
func TestFirstCallersOwnCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := script(
			func(*http.Request) (*http.Response, error) { time.Sleep(time.Second); return nil, context.Canceled },
			say(200, "x"),
		)
		tr := newTransport(t, o, nil)
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := tr.RoundTrip(newRequest(t.Context(), home)); !errors.Is(err, context.Canceled) {
				t.Errorf("the first: %v", err)
			}
		})
		synctest.Wait()
		wg.Go(func() { want(t, "the second", get(t, tr, home), result{200, "x", cache.FromNetwork, ""}) })
		wg.Wait()
	})
}

func TestPanicBelow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := script(func(*http.Request) (*http.Response, error) { panic("bug") }, say(200, "x"))
		tr := newTransport(t, o, nil)
		if _, err := tr.RoundTrip(newRequest(t.Context(), home)); err == nil || err.Error() != "panic: bug" {
			t.Errorf("RoundTrip = %v", err)
		}
		want(t, "after the panic", get(t, tr, home), result{200, "x", cache.FromNetwork, ""})
	})
}

func TestCloseOfTransport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := slow(say(200, "x", "Cache-Control", "max-age=60"))
		tr := newTransport(t, o, nil)
		get(t, tr, home)
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := tr.RoundTrip(newRequest(t.Context(), home+"?2")); !errors.Is(err, context.Canceled) {
				t.Errorf("during Close: %v", err)
			}
		})
		synctest.Wait()
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if _, err := tr.RoundTrip(newRequest(t.Context(), home+"?3")); err != cache.ErrClosed {
			t.Errorf("after Close: %v", err)
		}
		want(t, "stored", get(t, tr, home), result{200, "x", cache.FromMemory, ""})
	})
}

// closing records how often it was closed.
type closing struct {
	io.Reader
	closed *atomic.Int32
}

func (c closing) Close() error { c.closed.Add(1); return nil }

// A body that is too large to store is passed on, to each caller its own.
func TestLargeBodiesPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		large := strings.Repeat("0123456789", 100)
		var closed atomic.Int32
		o := slow(func(*http.Request) (*http.Response, error) {
			r := response(200, "", "Cache-Control", "max-age=60", "Set-Cookie", "a=b")
			r.Body, r.ContentLength = closing{strings.NewReader(large), &closed}, -1
			return r, nil
		})
		tr := newTransport(t, o, &cache.Options{MaxBody: 100})
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() {
				req := newRequest(t.Context(), home)
				resp, err := tr.RoundTrip(req)
				if err != nil {
					t.Error(err)
					return
				}
				b, err := io.ReadAll(resp.Body)
				// A caller that gets the answer to another caller's request gets no cookie.
				shared := strings.Contains(resp.Header.Get("Cache-Status"), "collapsed")
				if string(b) != large || err != nil || resp.Request.URL != req.URL || (resp.Header.Get("Set-Cookie") == "a=b") == shared {
					t.Errorf("%d bytes, %v, header %v", len(b), err, resp.Header)
				}
				if _, _, ok := cache.Of(resp); ok {
					t.Error("Of knows a response that only passed")
				}
				if err := resp.Body.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		synctest.Wait()
		wantCount(t, "one for each", o, 5)
		if closed.Load() < 5 {
			t.Errorf("%d of 5 bodies were closed", closed.Load())
		}
	})
}

// A large body is never given to a request for another variant, even if the caller that began has
// left.
func TestLargeBodyOfAnotherKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := slow(func(req *http.Request) (*http.Response, error) {
			r := response(200, strings.Repeat(req.Header.Get("Accept"), 100), "Vary", "Accept")
			r.ContentLength = -1
			return r, nil
		})
		tr := newTransport(t, o, &cache.Options{MaxBody: 50})
		ctx, leave := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := tr.RoundTrip(newRequest(ctx, home, "Accept", "a")); !errors.Is(err, context.Canceled) {
				t.Errorf("the first: %v", err)
			}
		})
		synctest.Wait()
		wg.Go(func() {
			want(t, "the second", get(t, tr, home, "Accept", "b"), result{200, strings.Repeat("b", 100), "", ""})
		})
		synctest.Wait()
		leave()
		wg.Wait()
	})
}

// Close ends a large body that is being read, too.
func TestLargeBodyEndsWithClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var closed atomic.Int32
		o := &origin{answer: func(int, *http.Request) (*http.Response, error) {
			r := response(200, "")
			r.Body, r.ContentLength = closing{strings.NewReader(strings.Repeat("x", 1000)), &closed}, -1
			return r, nil
		}}
		tr := newTransport(t, o, &cache.Options{MaxBody: 100})
		resp, err := tr.RoundTrip(newRequest(t.Context(), home))
		if err != nil {
			t.Fatal(err)
		}
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if closed.Load() == 0 {
			t.Error("the body is open")
		}
		if err := resp.Body.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A large body that no caller takes is closed.
func TestALargeBodyWithoutReadersIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var closed atomic.Int32
		ctx, cancel := context.WithCancel(t.Context())
		o := &origin{answer: func(int, *http.Request) (*http.Response, error) {
			cancel() // the only caller leaves while the answer comes in
			time.Sleep(time.Second)
			r := response(200, "")
			r.Body, r.ContentLength = closing{strings.NewReader(strings.Repeat("x", 1000)), &closed}, -1
			return r, nil
		}}
		tr := newTransport(t, o, &cache.Options{MaxBody: 100})
		if _, err := tr.RoundTrip(newRequest(ctx, home)); !errors.Is(err, context.Canceled) {
			t.Errorf("RoundTrip = %v", err)
		}
		time.Sleep(2 * time.Second)
		if closed.Load() == 0 {
			t.Error("the body was never closed")
		}
	})
}
