package cache_test

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// toClose is a RoundTripper that reports when a body has been closed. net/http reuses the
// connection once the end of the body has been read.
type toClose struct {
	http.RoundTripper
	closed chan struct{}
}

func (c toClose) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := c.RoundTripper.RoundTrip(req)
	if err == nil {
		resp.Body = closedBody{resp.Body, c.closed}
	}
	return resp, err
}

type closedBody struct {
	io.ReadCloser
	closed chan struct{}
}

func (b closedBody) Close() error {
	defer func() { b.closed <- struct{}{} }()
	return b.ReadCloser.Close()
}

// A body that is not used is read in the background, so that its connection carries the next
// request as well.
func TestTheConnectionOfADiscardedAnswerIsUsedAgain(t *testing.T) {
	for name, status := range map[string]int{"a failure": 503, "a 304": 304} {
		t.Run(name, func(t *testing.T) {
			var conns, asked atomic.Int64
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Etag", `"1"`)
				w.Header().Set("Cache-Control", "max-age=0")
				if asked.Add(1) > 1 {
					w.WriteHeader(status)
				}
				for range 4 {
					_, _ = w.Write(bytes.Repeat([]byte("x"), 4<<10))
					w.(http.Flusher).Flush()
				}
			}))
			server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
				if state == http.StateNew {
					conns.Add(1)
				}
			}
			server.Start()
			t.Cleanup(server.Close)
			below := toClose{server.Client().Transport, make(chan struct{}, 100)}
			tr := newTransport(t, below, &cache.Options{StaleIfError: time.Hour})
			for range 5 {
				get(t, tr, server.URL)
				<-below.closed
			}
			if conns.Load() != 1 || asked.Load() != 5 {
				t.Errorf("%d connections for %d requests, want 1 for 5", conns.Load(), asked.Load())
			}
		})
	}
}

// drip is a body without end. Each read takes a while.
type drip struct {
	each   time.Duration
	mu     sync.Mutex
	read   int
	closed chan struct{}
	once   sync.Once
}

func (d *drip) Read(p []byte) (int, error) {
	select {
	case <-d.closed:
		return 0, io.ErrClosedPipe
	case <-time.After(d.each):
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.read += len(p)
	return len(p), nil
}

func (d *drip) Close() error {
	d.once.Do(func() { close(d.closed) })
	return nil
}

// A body that is not used and has no end is read for at most a second and 64 KiB, and not after the
// Transport is closed.
func TestADiscardedBodyIsReadWithinLimits(t *testing.T) {
	for name, row := range map[string]struct {
		each, ends time.Duration
		length     int64
		closes     bool
	}{
		"silent":            {time.Hour, time.Second, -1, false},
		"slow":              {300 * time.Millisecond, time.Second, -1, false},
		"fast":              {0, 0, -1, false},
		"too long":          {time.Hour, 0, 1 << 20, false},
		"of a closed cache": {time.Hour, 0, -1, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				body := &drip{each: row.each, closed: make(chan struct{})}
				o := script(say(200, "x", "Cache-Control", "max-age=0, stale-if-error=600"), func(*http.Request) (*http.Response, error) {
					resp := response(503, "")
					resp.Body, resp.ContentLength = body, row.length
					return resp, nil
				})
				tr := newTransport(t, o, nil)
				get(t, tr, home)
				asked := time.Now()
				want(t, "the stored answer", get(t, tr, home), result{200, "x", cache.FromStale, cache.StaleError})
				if d := time.Since(asked); d > 0 {
					t.Errorf("it came after %v", d)
				}
				if row.closes {
					_ = tr.Close()
				}
				<-body.closed
				if d := time.Since(asked); d != row.ends {
					t.Errorf("closed after %v, want %v", d, row.ends)
				}
				body.mu.Lock()
				defer body.mu.Unlock()
				if body.read > 96<<10 {
					t.Errorf("%d bytes were read", body.read)
				}
			})
		})
	}
}
