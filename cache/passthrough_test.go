package cache_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// flow answers with a header at once and with a body that sends "tick" every second until it is
// closed, its request is cancelled, or it has sent times ticks.
func flow(status int, times int, end error, pairs ...string) (o *origin, ended *atomic.Bool) {
	ended = new(atomic.Bool)
	return &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
		r := response(status, "", pairs...)
		pr, pw := io.Pipe()
		go func() {
			defer ended.Store(true)
			stop := context.AfterFunc(req.Context(), func() { _ = pw.CloseWithError(req.Context().Err()) })
			defer stop()
			for range times {
				if _, err := io.WriteString(pw, "tick\n"); err != nil {
					return
				}
				select {
				case <-time.After(time.Second):
				case <-req.Context().Done():
					_ = pw.CloseWithError(req.Context().Err()) // stop may come before the AfterFunc
					return
				}
			}
			_ = pw.CloseWithError(end)
		}()
		r.Body, r.ContentLength = pr, -1
		return r, nil
	}}, ended
}

// begins asks, and wants the header and the first line of the body before any
// time has passed. The caller closes the body of the response.
func begins(ctx context.Context, t *testing.T, rt http.RoundTripper, pairs ...string) *http.Response {
	t.Helper()
	asked := time.Now()
	resp, err := rt.RoundTrip(newRequest(ctx, home, pairs...))
	if err != nil {
		t.Errorf("after %v: %v", time.Since(asked), err)
		return nil
	}
	line := make([]byte, 5)
	if _, err := io.ReadFull(resp.Body, line); err != nil || string(line) != "tick\n" {
		t.Errorf("the body begins with %q, %v", line, err)
	}
	if d := time.Since(asked); d > 0 {
		t.Errorf("the first line of the body was there after %v", d)
	}
	return resp
}

// TestAnEventStreamArrivesAsItComes: an event stream never ends, so its events are given to the
// caller as they arrive. It is no complete response (RFC 9111 §3.3), and a client that reads it
// must see each event at once (WHATWG HTML §9.2.5). A caller that closes the body ends the request
// to the origin.
func TestAnEventStreamArrivesAsItComes(t *testing.T) {
	for _, strict := range []bool{true, false} {
		for _, header := range [][]string{
			{"Content-Type", "text/event-stream"},
			{"Content-Type", "text/event-stream; charset=utf-8", "Cache-Control", "no-store"},
			{"Content-Type", "text/event-stream", "Cache-Control", "no-cache"},
			{"Content-Type", "multipart/x-mixed-replace; boundary=x"},
		} {
			t.Run(fmt.Sprint(strict, header), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					o, ended := flow(200, 1000, nil, header...)
					tr := newTransport(t, o, &cache.Options{Strict: strict})
					ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
					defer cancel()
					resp := begins(ctx, t, tr, "Accept", "text/event-stream")
					if resp == nil {
						return
					}
					time.Sleep(2500 * time.Millisecond)
					if more := make([]byte, 10); !readsFull(resp.Body, more) {
						t.Errorf("two events later: %q", more)
					}
					if err := resp.Body.Close(); err != nil {
						t.Error(err)
					}
					time.Sleep(2 * time.Second)
					if !ended.Load() {
						t.Error("the origin still sends after the body was closed")
					}
				})
			})
		}
	}
}

func readsFull(r io.Reader, b []byte) bool {
	_, err := io.ReadFull(r, b)
	return err == nil
}

// socket is the body of a 101: net/http makes it an io.ReadWriteCloser
// (http.Response.Body).
type socket struct{ *io.PipeReader }

func (socket) Write(b []byte) (int, error) { return len(b), nil }

// TestAnUpgradedConnectionIsHandedOver: after 101 the connection speaks another protocol (RFC
// 9110 §15.2.2). The response is handed over as it is, with a body that can be
// written to.
func TestAnUpgradedConnectionIsHandedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := newTransport(t, &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
			r, w := io.Pipe()
			context.AfterFunc(req.Context(), func() { _ = w.CloseWithError(req.Context().Err()) })
			resp := response(http.StatusSwitchingProtocols, "", "Connection", "Upgrade", "Upgrade", "websocket")
			resp.Body, resp.ContentLength = socket{r}, 0
			return resp, nil
		}}, nil)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		resp, err := tr.RoundTrip(newRequest(ctx, home, "Connection", "Upgrade", "Upgrade", "websocket"))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := resp.Body.(io.ReadWriteCloser); !ok || resp.StatusCode != http.StatusSwitchingProtocols {
			t.Errorf("status %d, body %T", resp.StatusCode, resp.Body)
		}
		if resp.Header.Get("Upgrade") != "websocket" {
			t.Errorf("header %v", resp.Header)
		}
		_ = resp.Body.Close()
	})
}

// TestUnstoredAnswersArePassedOnAsTheyArrive: an answer that is not stored reaches the caller as it
// arrives, because a message can be processed while it is received (RFC 9110 §6.1; by RFC 9112 §8
// it is known to be incomplete only afterwards).
func TestUnstoredAnswersArePassedOnAsTheyArrive(t *testing.T) {
	for _, status := range []int{200, 206, 500} {
		synctest.Test(t, func(t *testing.T) {
			o, _ := flow(status, 10, io.EOF, "Cache-Control", "no-store")
			tr := newTransport(t, o, nil)
			resp := begins(t.Context(), t, tr)
			if resp == nil {
				return
			}
			rest, err := io.ReadAll(resp.Body)
			if err != nil || !bytes.Equal(rest, bytes.Repeat([]byte("tick\n"), 9)) {
				t.Errorf("the rest is %q, %v", rest, err)
			}
			_ = resp.Body.Close()
		})
	}
}

// A body that breaks off is given as far as it came, with the error at its end:
// RoundTrip's error is for responses that were not obtained (http.RoundTripper). No cache
// stores it (RFC 9111 §3.3).
func TestABodyThatBreaksOffIsGivenAsFarAsItCame(t *testing.T) {
	cut := errors.New("connection reset")
	for _, control := range []string{"no-store", "max-age=60"} {
		synctest.Test(t, func(t *testing.T) {
			o, _ := flow(200, 2, cut, "Cache-Control", control)
			tr := newTransport(t, o, nil)
			for n := 1; n <= 2; n++ {
				resp, err := tr.RoundTrip(newRequest(t.Context(), home))
				if err != nil {
					t.Fatalf("%s: %v", control, err)
				}
				b, err := io.ReadAll(resp.Body)
				if resp.StatusCode != 200 || string(b) != "tick\ntick\n" || !errors.Is(err, cut) {
					t.Errorf("%s: %d %q, %v", control, resp.StatusCode, b, err)
				}
				_ = resp.Body.Close()
				wantCount(t, control, o, n)
			}
		})
	}
}

// TestOfIsKnownUnderTheTimeoutOfAClient: http.Client wraps the body of a response if it has a
// Timeout. Of finds the facts of the response even so.
func TestOfIsKnownUnderTheTimeoutOfAClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &http.Client{Transport: newTransport(t, always(200, "x", "Cache-Control", "max-age=60"), nil), Timeout: time.Minute}
		for _, from := range []string{cache.FromNetwork, cache.FromMemory} {
			resp, err := c.Get(home)
			if err != nil {
				t.Fatal(err)
			}
			if e, facts, ok := cache.Of(resp); !ok || facts.From != from || e == nil || e.URL != home {
				t.Errorf("Of = %v, %+v, %v; want an answer from %s", e, facts, ok, from)
			}
			if b, err := io.ReadAll(resp.Body); err != nil || strings.TrimSpace(string(b)) != "x" {
				t.Errorf("body %q, %v", b, err)
			}
			_ = resp.Body.Close()
		}
	})
}
