package cache_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

const (
	stressCallers = 100
	stressSteps   = 150
	stressMaxBody = 64 << 10
)

// TestStress makes requests of 100 callers through one Transport, with and without credentials:
// streams, bodies that are slow, too large or break off, callers that leave at any moment, unsafe
// requests and invalidations. Whatever happens,
//
//   - no caller gets an answer that was made for another caller,
//   - a response that is requested after a successful unsafe answer is not older than it,
//   - a body is complete, or ends with an error,
//   - and after all is closed, no body is open and no goroutine is left.
func TestStress(t *testing.T) {
	t.Run("memory", func(t *testing.T) { stress(t, newMemory(t)) })
	t.Run("memory before disk", func(t *testing.T) {
		near, far := newMemory(t), patientDisk{openDisk(t)}
		stress(t, cache.NewLayered(near, far, nil), near, far)
	})
	t.Run("layered", func(t *testing.T) {
		near, far := newMemory(t), newWritten()
		layered := cache.NewLayered(near, far, nil)
		stress(t, layered, near)
		if n := layered.Stats(); n != (cache.LayeredStats{}) {
			t.Errorf("writes to the far store: %+v", n)
		}
		for key := range far.kept {
			if strings.Contains(key, "/login") || strings.Contains(key, "/cookie") || strings.Contains(key, "/secret") {
				t.Errorf("the far store has %q", key)
			}
		}
	})
}

// patientDisk is a directory that a busy machine does not make late.
type patientDisk struct{ *disk.Store }

func (patientDisk) Budget() time.Duration { return time.Minute }

// stress closes the stores, in order.
func stress(t *testing.T, stores ...cache.Store) {
	seed, steps := rand.Uint64(), stressSteps/testkit.Stride()
	t.Logf("seed %d", seed)
	before, origin := runtime.NumGoroutine(), newStressOrigin()
	tr := cache.NewTransport(stores[0], origin, &cache.Options{MaxBody: stressMaxBody})
	var all sync.WaitGroup
	var broken atomic.Int64
	for n := range stressCallers {
		c := &stressCaller{
			t: t, tr: tr, origin: origin, broken: &broken,
			name: fmt.Sprintf("caller-%d", n), rand: rand.New(rand.NewPCG(seed, uint64(n))),
		}
		all.Go(func() {
			for range steps {
				c.step()
			}
		})
	}
	all.Wait()
	if n := broken.Load(); n > 0 {
		t.Errorf("%d answers broke a law", n)
	}
	if err := tr.Close(); err != nil {
		t.Error(err)
	}
	for _, store := range stores {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
	wantNothingLeft(t, origin, before)
	t.Logf("%+v", tr.Stats())
}

// wantNothingLeft waits until cancelled work has ended.
func wantNothingLeft(t *testing.T, origin *stressOrigin, goroutines int) {
	left := func() bool { return origin.bodies.Load() > 0 || runtime.NumGoroutine() > goroutines }
	for begun := time.Now(); left() && time.Since(begun) < 10*time.Second; {
		runtime.Gosched()
	}
	if left() {
		stacks := make([]byte, 1<<20)
		t.Errorf("%d bodies are open; %d goroutines, %d before:\n%s",
			origin.bodies.Load(), runtime.NumGoroutine(), goroutines, stacks[:runtime.Stack(stacks, true)])
	}
}

// stressCaller is one of the callers.
type stressCaller struct {
	t      *testing.T
	tr     *cache.Transport
	origin *stressOrigin
	name   string
	rand   *rand.Rand
	broken *atomic.Int64 // how often all have seen a law broken
}

// fails reports a broken law, unless it was reported often.
func (c *stressCaller) fails(format string, args ...any) {
	if c.broken.Add(1) <= 20 {
		c.t.Errorf(c.name+": "+format, args...)
	}
}

// step does one of the things that callers do.
func (c *stressCaller) step() {
	path := stressPaths[c.rand.IntN(len(stressPaths))]
	switch c.rand.IntN(12) {
	case 0, 1:
		c.post(path)
	case 2:
		if err := c.tr.Purge(c.t.Context(), cache.OfURL(c.request(c.t.Context(), http.MethodGet, path).URL)); err != nil {
			c.fails("Purge: %v", err)
		}
	case 3:
		c.stream()
	case 4, 5:
		ctx, cancel := context.WithCancel(c.t.Context())
		wait := c.rand.IntN(200)
		var gone sync.WaitGroup
		gone.Go(func() {
			for range wait {
				runtime.Gosched()
			}
			cancel()
		})
		c.get(ctx, path)
		gone.Wait()
	default:
		c.get(c.t.Context(), path)
	}
}

// request returns a request of the caller. If the origin answers each caller differently, it has
// the field that identifies the caller.
func (c *stressCaller) request(ctx context.Context, method, path string) *http.Request {
	var body io.Reader
	if method == http.MethodPost {
		body = strings.NewReader("x")
	}
	req, err := http.NewRequestWithContext(ctx, method, "https://example.com"+path, body)
	if err != nil {
		panic(err)
	}
	if field := stressField(path); field != "" {
		req.Header.Set(field, c.name)
	}
	if method == http.MethodGet && c.rand.IntN(10) == 0 {
		req.Header.Set("Cache-Control", [...]string{"no-cache", "max-age=0", "no-store"}[c.rand.IntN(3)])
	}
	return req
}

// post changes a resource. The change applies once the response has arrived.
func (c *stressCaller) post(path string) {
	req := c.request(c.t.Context(), http.MethodPost, path)
	resp, err := c.tr.RoundTrip(req)
	if err != nil {
		c.fails("POST %s: %v", path, err)
		return
	}
	_ = resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		c.origin.settle(stressResource(req), stressVersion(c.t, resp))
	}
}

// get holds an answer to the laws.
func (c *stressCaller) get(ctx context.Context, path string) {
	req := c.request(ctx, http.MethodGet, path)
	settled := c.origin.settled(stressResource(req))
	resp, err := c.tr.RoundTrip(req)
	if err == nil {
		defer resp.Body.Close()
	}
	excused := func(err error) bool {
		return ctx.Err() != nil && errors.Is(err, context.Canceled) || path == stressCut && errors.Is(err, io.ErrUnexpectedEOF)
	}
	if err != nil {
		if !excused(err) {
			c.fails("GET %s: %v", path, err)
		}
		return
	}
	version := stressVersion(c.t, resp)
	if version < settled {
		c.fails("GET %s: version %d, although %d was there when it was asked (%s)", path, version, settled, resp.Header["Cache-Status"])
	}
	who := ""
	if stressField(path) != "" {
		who = c.name
	}
	if got := resp.Header.Get("X-For"); got != who {
		c.fails("GET %s: an answer for %q", path, got)
	}
	if c.rand.IntN(8) == 0 {
		return // leaves before the end
	}
	body, err := io.ReadAll(resp.Body)
	switch want := stressBody(path, who, version); {
	case err != nil && !excused(err):
		c.fails("GET %s, its body: %v", path, err)
	case err == nil && !bytes.Equal(body, want):
		c.fails("GET %s: %d bytes that are not the %d of the version", path, len(body), len(want))
	}
}

// stream reads a few events of its own stream, and leaves.
func (c *stressCaller) stream() {
	ctx, cancel := context.WithCancel(c.t.Context())
	defer cancel()
	req := c.request(ctx, http.MethodGet, stressEvents)
	req.Header.Set("Accept", "text/event-stream")
	resp, err := c.tr.RoundTrip(req)
	if err != nil {
		c.fails("a stream: %v", err)
		return
	}
	defer resp.Body.Close()
	event := make([]byte, len(stressEvent(c.name)))
	for range 1 + c.rand.IntN(5) {
		if _, err := io.ReadFull(resp.Body, event); err != nil || string(event) != stressEvent(c.name) {
			c.fails("the event %q, %v", event, err)
			return
		}
	}
}
