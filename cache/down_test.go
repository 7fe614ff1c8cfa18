package cache_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// unreachable answers until it is down. Then each request fails with an error after a time.
type unreachable struct {
	err   atomic.Pointer[error]
	after time.Duration
	asked atomic.Int64
}

func (o *unreachable) RoundTrip(req *http.Request) (*http.Response, error) {
	o.asked.Add(1)
	err := o.err.Load()
	if err == nil {
		return response(200, "one", "Cache-Control", "max-age=60", "Etag", `"1"`), nil
	}
	select {
	case <-time.After(o.after):
	case <-req.Context().Done():
	}
	return nil, *err
}

func dial(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }

// If no connection to an origin can be made, callers with a stored answer do not wait again and again
// for that: for ten seconds none of them asks, for no URL of the origin. Then one tries. Other errors, and
// failures that a caller's own end caused, say nothing about the origin.
func TestAnOriginThatIsDownIsNotTriedByEachCaller(t *testing.T) {
	refused := dial(os.NewSyscallError("connect", syscall.ECONNREFUSED))
	for name, row := range map[string]struct {
		err  error
		opts cache.Options
		ask  []string
		rest bool
	}{
		"a dial that times out": {dial(os.ErrDeadlineExceeded), cache.Options{}, nil, true},
		"refused":               {refused, cache.Options{}, nil, true},
		"no such name":          {dial(&net.DNSError{Err: "no such host", IsNotFound: true}), cache.Options{}, nil, true},
		"strict":                {refused, cache.Options{Strict: true}, nil, false},
		"a caller that insists": {refused, cache.Options{}, []string{"Cache-Control", "no-cache"}, false},
		"no sockets":            {dial(os.NewSyscallError("socket", syscall.EMFILE)), cache.Options{}, nil, false},
		"a broken connection":   {&net.OpError{Op: "read", Err: syscall.ECONNRESET}, cache.Options{}, nil, false},
		"a caller that left":    {dial(context.Canceled), cache.Options{StaleIfError: time.Hour}, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := &unreachable{after: 2 * time.Second}
				row.opts.StaleIfError = time.Hour
				tr := newTransport(t, o, &row.opts)
				for _, page := range []string{"?1", "?2"} {
					get(t, tr, home+page)
				}
				time.Sleep(100 * time.Second)
				o.err.Store(&row.err)
				o.asked.Store(0)
				ask := func(page string) (waited time.Duration) {
					t.Helper()
					began := time.Now()
					resp, err := tr.RoundTrip(newRequest(t.Context(), home+page, row.ask...))
					if err == nil {
						_, facts, _ := cache.Of(resp)
						if facts.StaleReason != cache.StaleError {
							t.Errorf("the answer is %+v", facts)
						}
						_ = resp.Body.Close()
					}
					return time.Since(began)
				}
				if took := ask("?1"); took != 2*time.Second {
					t.Errorf("the first waited %v", took)
				}
				for _, page := range []string{"?1", "?2", "?2"} {
					if took := ask(page); (took == 0) != row.rest {
						t.Errorf("%s waited %v", page, took)
					}
				}
				time.Sleep(10 * time.Second)
				if took := ask("?2"); took != 2*time.Second {
					t.Errorf("after a while, one waited %v", took)
				}
				if !row.rest {
					return
				}
				if took := ask("?1"); took != 0 || o.asked.Load() != 2 {
					t.Errorf("after it, one waited %v; %d requests", took, o.asked.Load())
				}
				o.err.Store(nil)
				time.Sleep(10 * time.Second)
				want(t, "when it is up", get(t, tr, home+"?1"), result{200, "one", cache.FromNetwork, ""})
				want(t, "at once", get(t, tr, home+"?2"), result{200, "one", cache.FromNetwork, ""})
			})
		})
	}
}

// A caller without a stored answer asks, whatever others have seen, and an origin is one with its port.
func TestAnOriginThatIsDownIsAskedForWhatIsNotStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &unreachable{}
		tr := newTransport(t, o, &cache.Options{StaleIfError: time.Hour})
		get(t, tr, home)
		get(t, tr, "https://example.com:8443/")
		time.Sleep(100 * time.Second)
		err := dial(syscall.ECONNREFUSED)
		o.err.Store(&err)
		o.asked.Store(0)
		get(t, tr, home)
		get(t, tr, "https://example.com:8443/")
		if _, err := tr.RoundTrip(newRequest(t.Context(), home+"?new")); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("got %v", err)
		}
		if n := o.asked.Load(); n != 3 {
			t.Errorf("%d requests", n)
		}
	})
}

// A caller that leaves while it connects says nothing about the origin.
func TestACallerThatLeavesTakesNoOriginDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &unreachable{after: time.Minute}
		tr := newTransport(t, o, &cache.Options{StaleIfError: time.Hour})
		get(t, tr, home)
		time.Sleep(100 * time.Second)
		err := dial(os.ErrDeadlineExceeded)
		o.err.Store(&err)
		for _, control := range []string{"", "no-store"} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if resp, err := tr.RoundTrip(newRequest(ctx, home, "Cache-Control", control)); err == nil {
				t.Errorf("%q: got %v", control, resp)
			}
			cancel()
			synctest.Wait()
		}
		o.err.Store(nil)
		want(t, "the next", get(t, tr, home), result{200, "one", cache.FromNetwork, ""})
	})
}
