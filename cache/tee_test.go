package cache_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

var threeTicks = result{200, "tick\ntick\ntick\n", cache.FromNetwork, ""}

// stored is threeTicks once more, without a request.
var stored = result{200, threeTicks.Body, cache.FromMemory, ""}

// A response that may be stored is passed on to the caller that began as it arrives, and stored at
// its end, even without a Content-Length.
func TestTeed(t *testing.T) {
	for _, header := range [][]string{nil, {"Accept", "text/event-stream"}} {
		synctest.Test(t, func(t *testing.T) {
			o, _ := flow(200, 3, io.EOF, "Cache-Control", "max-age=60")
			tr := newTransport(t, o, nil)
			resp := begins(t.Context(), t, tr, header...)
			rest, err := io.ReadAll(resp.Body)
			if string(rest) != "tick\ntick\n" || err != nil {
				t.Errorf("the rest is %q, %v", rest, err)
			}
			if e, facts, ok := cache.Of(resp); !ok || facts.From != cache.FromNetwork || string(e.Body) != threeTicks.Body {
				t.Errorf("Of = %v, %+v, %v", e, facts, ok)
			}
			want(t, "at the end", get(t, tr, home, header...), stored)
			_ = resp.Body.Close()
		})
	}
}

// The flight reads the body. The caller that began does not slow down the waiting callers, and they
// go on without it.
func TestTeedToWaiters(t *testing.T) {
	for name, leave := range map[string]func(body io.Closer, cancel func()){
		"reads nothing": func(io.Closer, func()) {},
		"closes":        func(b io.Closer, _ func()) { _ = b.Close() },
		"leaves":        func(_ io.Closer, cancel func()) { cancel() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o, _ := flow(200, 3, io.EOF, "Cache-Control", "max-age=60")
				tr := newTransport(t, o, nil)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				resp := begins(ctx, t, tr)
				var wg sync.WaitGroup
				for range 5 {
					wg.Go(func() { want(t, "a waiter", get(t, tr, home), threeTicks) })
				}
				time.Sleep(time.Second / 2)
				leave(resp.Body, cancel)
				wg.Wait()
				want(t, "later", get(t, tr, home), stored)
				wantCount(t, name, o, 1)
				_ = resp.Body.Close()
			})
		})
	}
}

// Many callers, such as JSON decoders, close a body before its end. It is still read to its end,
// for a while.
func TestTeedAndClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, _ := flow(200, 3, io.EOF, "Cache-Control", "max-age=60")
		tr := newTransport(t, o, nil)
		_ = begins(t.Context(), t, tr).Body.Close()
		time.Sleep(4 * time.Second)
		want(t, "later", get(t, tr, home), stored)

		o, ended := flow(200, 1000, nil, "Cache-Control", "max-age=60")
		_ = begins(t.Context(), t, newTransport(t, o, nil)).Body.Close()
		time.Sleep(cache.RenewTimeout + 2*time.Second)
		if !ended.Load() {
			t.Error("a body without end is read for ever")
		}
	})
}

// The context of the caller that began ends the body, and with it the request, if no other caller
// waits.
func TestTeedAndLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, ended := flow(200, 1000, nil, "Cache-Control", "max-age=60")
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		resp := begins(ctx, t, newTransport(t, o, nil))
		if rest, err := io.ReadAll(resp.Body); string(rest) != "tick\n" || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the rest is %q, %v", rest, err)
		}
		time.Sleep(2 * time.Second)
		if !ended.Load() {
			t.Error("the origin still sends")
		}
		_ = resp.Body.Close()
	})
}

// A body that turns out to be too large is passed on to the caller that began, from the network.
func TestTeedBeyondMaxBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, ended := flow(200, 10, io.EOF, "Cache-Control", "max-age=60")
		tr := newTransport(t, o, &cache.Options{MaxBody: 12})
		resp := begins(t.Context(), t, tr)
		rest, err := io.ReadAll(resp.Body)
		if !bytes.Equal(rest, []byte(strings.Repeat("tick\n", 9))) || err != nil {
			t.Errorf("the rest is %q, %v", rest, err)
		}
		_ = resp.Body.Close()
		resp = begins(t.Context(), t, tr)
		time.Sleep(5 * time.Second)
		_ = resp.Body.Close()
		time.Sleep(2 * time.Second)
		if !ended.Load() {
			t.Error("the origin still sends")
		}
	})
}

// A panic below ends the body with an error.
func TestTeedPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := always(200, "x", "Cache-Control", "max-age=60")
		tr := newTransport(t, below{o, func(*http.Response) io.ReadCloser { return panicking{} }}, nil)
		resp, err := tr.RoundTrip(newRequest(t.Context(), home))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(resp.Body); err == nil {
			t.Error("the body has ended well")
		}
		_ = resp.Body.Close()
	})
}

// below gives bodies of its own, of no length that is known.
type below struct {
	*origin
	body func(*http.Response) io.ReadCloser
}

func (b below) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := b.origin.RoundTrip(req)
	resp.Body, resp.ContentLength = b.body(resp), -1
	return resp, err
}

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("bug") }
func (panicking) Close() error             { return nil }

// The caller that began gets the trailer that its origin did not announce, and Of finds the entry
// of its response under a Timeout of http.Client.
func TestTeedWithTrailer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := always(200, "", "Cache-Control", "max-age=60")
		tr := newTransport(t, below{o, func(resp *http.Response) io.ReadCloser { return &trailed{resp: resp} }}, nil)
		client := &http.Client{Transport: tr, Timeout: time.Minute}
		resp, err := client.Get(home)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.ReadAll(resp.Body); err != nil {
			t.Fatal(err)
		}
		if resp.Trailer.Get("Checksum") != "1" {
			t.Errorf("trailer %v", resp.Trailer)
		}
		if _, _, ok := cache.Of(resp); !ok {
			t.Error("Of knows nothing of the response")
		}
	})
}

// trailed sets its trailer at its end.
type trailed struct{ resp *http.Response }

func (b *trailed) Read([]byte) (int, error) {
	b.resp.Trailer = http.Header{"Checksum": {"1"}}
	return 0, io.EOF
}

func (*trailed) Close() error { return nil }
