package cache_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// limits are the ways in which a caller limits its waiting time.
func limits() map[string]func(*http.Client, time.Duration) context.Context {
	return map[string]func(*http.Client, time.Duration) context.Context{
		"Client.Timeout": func(c *http.Client, d time.Duration) context.Context {
			c.Timeout = d
			return context.Background()
		},
		"context": func(_ *http.Client, d time.Duration) context.Context {
			ctx, cancel := context.WithTimeout(context.Background(), d)
			context.AfterFunc(ctx, cancel)
			return ctx
		},
	}
}

// patient answers after a time, or when its request ends: by its context, or by
// Request.Cancel as http.Transport obeys it.
func patient(takes time.Duration, resp func() *http.Response) *origin {
	return &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
		select {
		case <-time.After(takes):
			return resp(), nil
		case <-req.Context().Done():
			return nil, req.Context().Err()
		case <-req.Cancel: //lint:ignore SA1019 http.Client sets it
			return nil, errors.New("net/http: request canceled")
		}
	}}
}

// A caller's time-out ends its own wait, and not the request that others wait
// for too.
func TestATimeoutEndsOnlyTheWaitOfItsCaller(t *testing.T) {
	for name, limit := range limits() {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := patient(time.Second, func() *http.Response { return response(200, "x", "Cache-Control", "max-age=60") })
				tr := newTransport(t, o, nil)
				var wg sync.WaitGroup
				wg.Go(func() {
					leader := &http.Client{Transport: tr}
					ctx, began := limit(leader, 300*time.Millisecond), time.Now()
					_, err := leader.Do(newRequest(ctx, home))
					if !os.IsTimeout(err) && !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 300*time.Millisecond {
						t.Errorf("the leader after %v: %v", time.Since(began), err)
					}
				})
				time.Sleep(100 * time.Millisecond)
				want(t, "a caller without a limit", get(t, tr, home), result{200, "x", cache.FromNetwork, ""})
				wg.Wait()
				wantCount(t, "both", o, 1)
				cancel := o.last().Cancel //lint:ignore SA1019 http.Client sets it
				if cancel != nil {
					t.Error("the shared request has the Cancel of one caller")
				}
			})
		})
	}
}

// The channel of a request without a deadline ends the wait too.
func TestCancelEndsTheWaitOfItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		endless, ended := flow(200, 1000, nil, "Cache-Control", "max-age=60")
		tr := newTransport(t, endless, nil)
		req, cancel := newRequest(t.Context(), home), make(chan struct{})
		req.Cancel = cancel //lint:ignore SA1019 http.Client sets it
		resp, err := tr.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(3500*time.Millisecond, func() { close(cancel) })
		if b, err := io.ReadAll(resp.Body); string(b) != "tick\ntick\ntick\ntick\n" || !errors.Is(err, context.Canceled) {
			t.Errorf("read %q, %v", b, err)
		}
		_ = resp.Body.Close()
		time.Sleep(2 * time.Second)
		if !ended.Load() {
			t.Error("the origin still sends")
		}
		if _, err := tr.RoundTrip(req); !errors.Is(err, context.Canceled) {
			t.Errorf("a request that was cancelled before: %v", err)
		}
	})
}

// At its own deadline, a caller gets the error of its deadline, however it was set, and no stored
// answer that it did not wait for.
func TestAtItsOwnDeadlineACallerGetsNoStaleAnswer(t *testing.T) {
	for name, limit := range limits() {
		for _, control := range []string{"", "no-store"} {
			t.Run(name+" "+control, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					hangs := patient(time.Hour, func() *http.Response { return response(200, "late") })
					tr := newTransport(t, after(always(200, "x", "Cache-Control", "max-age=1, stale-if-error=600"), hangs), nil)
					get(t, tr, home)
					time.Sleep(2 * time.Second)
					for n := range 20 {
						client := &http.Client{Transport: tr}
						req := newRequest(limit(client, 300*time.Millisecond), home, "Cache-Control", control)
						if resp, err := client.Do(req); err == nil {
							t.Errorf("request %d was answered %d", n, resp.StatusCode)
						}
					}
				})
			})
		}
	}
}

// timeout is the error of a network that was not reached in time.
type timeout struct{ error }

func (timeout) Timeout() bool   { return true }
func (timeout) Temporary() bool { return true }

// A time-out of the network is a failure to reach the origin (RFC 5861 §4), like a refused
// connection. The stored answer is used.
func TestATimeoutOfTheNetworkIsAFailureToReach(t *testing.T) {
	for name, failure := range map[string]error{
		"dial":            &net.OpError{Op: "dial", Err: context.DeadlineExceeded},
		"read":            &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded},
		"TLS handshake":   timeout{errors.New("net/http: TLS handshake timeout")},
		"response header": timeout{fmt.Errorf("net/http: timeout awaiting response headers: %w", context.DeadlineExceeded)},
		"refused":         &net.OpError{Op: "dial", Err: errors.New("connection refused")},
	} {
		for use, opts := range everyUse() {
			t.Run(name+" "+use, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					o := script(say(200, "x", "Cache-Control", "max-age=1, stale-if-error=600"), fail(failure))
					tr := newTransport(t, o, opts)
					get(t, tr, home)
					time.Sleep(2 * time.Second)
					want(t, "stale", get(t, tr, home), result{200, "x", cache.FromStale, cache.StaleError})
				})
			})
		}
	}
}
