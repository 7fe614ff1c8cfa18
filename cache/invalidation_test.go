package cache_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
)

// version is a resource that a POST changes: its content is "v1", then "v2".
type version struct{ raised atomic.Int64 }

func (v *version) raise() { v.raised.Add(1) }

func (v *version) text() string { return "v" + strconv.FormatInt(v.raised.Load()+1, 10) }

// origin answers a GET after a while with the content of when it was asked.
func (v *version) origin(takes time.Duration, pairs ...string) *origin {
	return &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
		if req.Method == http.MethodPost {
			v.raise()
			return response(200, ""), nil
		}
		text := v.text()
		select {
		case <-time.After(takes):
			return response(200, text, pairs...), nil
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}}
}

// post changes the resource.
func post(ctx context.Context, t *testing.T, rt http.RoundTripper) {
	t.Helper()
	req := newRequest(ctx, home)
	req.Method, req.Body = http.MethodPost, io.NopCloser(strings.NewReader("x"))
	resp, err := rt.RoundTrip(req)
	if err != nil {
		t.Error(err)
		return
	}
	_ = resp.Body.Close()
}

// gated is a store that stops at one of its calls if a test wants it.
type gated struct {
	cache.Store
	stops   atomic.Pointer[string]
	stopped chan struct{}
	goOn    chan struct{}
}

func newGated(s cache.Store) *gated {
	return &gated{Store: s, stopped: make(chan struct{}), goOn: make(chan struct{})}
}

// stopAt makes the next such call stop.
func (g *gated) stopAt(call string) { g.stops.Store(&call) }

func (g *gated) pass(call string) {
	if at := g.stops.Load(); at != nil && *at == call && g.stops.CompareAndSwap(at, nil) {
		close(g.stopped)
		<-g.goOn
	}
}

// Load stops after it has read.
func (g *gated) Load(ctx context.Context, key string) (*cache.Variants, error) {
	v, err := g.Store.Load(ctx, key)
	g.pass("load")
	return v, err
}

// Save stops before it writes.
func (g *gated) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	g.pass("save")
	return g.Store.Save(ctx, key, v, retain)
}

// localGated is one in memory, whose calls have no time limit.
type localGated struct{ *gated }

func (localGated) Local() bool { return true }

// farGated is a far one, whose calls have much time.
type farGated struct{ *gated }

func (farGated) Budget() time.Duration { return time.Hour }

// TestNoGetAfterAWriteGetsTheContentOfBefore: a successful unsafe request invalidates the stored
// response (RFC 9111 §4.4), and the late answer to a GET that was sent before it. No GET that
// begins after it gets the old content.
func TestNoGetAfterAWriteGetsTheContentOfBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var v version
		tr := newTransport(t, v.origin(time.Second, "Cache-Control", "max-age=600"), &cache.Options{Strict: true})
		var wg sync.WaitGroup
		wg.Go(func() { get(t, tr, home) })
		time.Sleep(100 * time.Millisecond)
		post(t.Context(), t, tr)
		if got := get(t, tr, home).Body; got != "v2" {
			t.Errorf("a GET that began after the POST was answered: %q", got)
		}
		wg.Wait()
		if got := get(t, tr, home).Body; got != "v2" {
			t.Errorf("a GET still later: %q", got)
		}
	})
}

// TestARenewalFromBeforeAWriteIsNotKept: the same of a request in the background, which
// was sent before the POST.
func TestARenewalFromBeforeAWriteIsNotKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var v version
		tr := newTransport(t, v.origin(2*time.Second, "Cache-Control", "max-age=3, stale-while-revalidate=600"), &cache.Options{Strict: true})
		get(t, tr, home)
		time.Sleep(4 * time.Second)
		want(t, "stale", get(t, tr, home), result{200, "v1", cache.FromStale, cache.StaleRevalidating})
		time.Sleep(time.Second)
		post(t.Context(), t, tr)
		time.Sleep(1500 * time.Millisecond)
		if got := get(t, tr, home).Body; got != "v2" {
			t.Errorf("after the POST: %q", got)
		}
	})
}

// TestADeletionIsNotUndoneByAWriterOfAnotherVariant: a deletion (RFC 9111 §4.4) is not undone by a
// writer that has read the variants before it and writes them after it.
func TestADeletionIsNotUndoneByAWriterOfAnotherVariant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var v version
		store := newGated(newMemory(t))
		tr := newTransportOver(t, localGated{store}, v.origin(0, "Cache-Control", "max-age=600", "Vary", "Accept-Language"), &cache.Options{Strict: true})
		get(t, tr, home, "Accept-Language", "de")
		store.stopAt("save")
		var wg sync.WaitGroup
		wg.Go(func() { get(t, tr, home, "Accept-Language", "en") })
		<-store.stopped
		wg.Go(func() { post(t.Context(), t, tr) })
		synctest.Wait() // the POST is answered, or waits for the writer
		close(store.goOn)
		wg.Wait()
		for _, language := range []string{"de", "en"} {
			if got := get(t, tr, home, "Accept-Language", language).Body; got != "v2" {
				t.Errorf("%s after the POST: %q", language, got)
			}
		}
	})
}

// TestADeletionIsNotUndoneByAPromotionFromAFarStore: a deletion is not undone by a caller that has
// read the far store before it.
func TestADeletionIsNotUndoneByAPromotionFromAFarStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var v version
		o := v.origin(0, "Cache-Control", "max-age=600")
		far := newRemote(t)
		other := cache.NewLayered(newStore(t), far, nil)
		first := cache.NewTransport(other, o, nil)
		get(t, first, home)
		if err := errors.Join(other.Flush(t.Context()), first.Close(), other.Close()); err != nil {
			t.Fatal(err)
		}

		store := newGated(far)
		tr := processWith(t, farGated{store}, o, nil)
		store.stopAt("load")
		var wg sync.WaitGroup
		wg.Go(func() { get(t, tr, home) })
		<-store.stopped
		wg.Go(func() { post(t.Context(), t, tr) })
		synctest.Wait()
		close(store.goOn)
		wg.Wait()
		if got := get(t, tr, home).Body; got != "v2" {
			t.Errorf("after the POST: %q", got)
		}
	})
}

// dutiful is a store that does nothing for a context that has ended.
type dutiful struct{ cache.Store }

func (d dutiful) Delete(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.Store.Delete(ctx, key)
}

// TestInvalidationOutlivesItsCaller: the resource has changed, whether its caller still
// waits or not: invalidation is a MUST (RFC 9111 §4.4).
func TestInvalidationOutlivesItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var v version
		o := v.origin(0, "Cache-Control", "max-age=600")
		ctx, cancel := context.WithCancel(t.Context())
		tr := newTransportOver(t, dutiful{newMemory(t)}, &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
			if req.Method == http.MethodPost {
				defer cancel() // the caller's time is up as the answer comes
			}
			return o.RoundTrip(req)
		}}, &cache.Options{Strict: true})
		get(t, tr, home)
		post(ctx, t, tr)
		if got := get(t, tr, home).Body; got != "v2" {
			t.Errorf("after the POST: %q", got)
		}
	})
}

// refusing is a store that cannot delete.
type refusing struct{ cache.Store }

func (refusing) Delete(context.Context, string) error { return errors.New("read-only") }

// TestAnInvalidationThatFailsIsCounted: if the store fails, Stats counts it, whether the caller
// still waits or not, because the stored response is wrong from then on.
func TestAnInvalidationThatFailsIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var v version
		o := v.origin(0, "Cache-Control", "max-age=600")
		ctx, cancel := context.WithCancel(t.Context())
		tr := newTransportOver(t, refusing{newMemory(t)}, &origin{answer: func(_ int, req *http.Request) (*http.Response, error) {
			if req.Method == http.MethodPost {
				defer cancel()
			}
			return o.RoundTrip(req)
		}}, &cache.Options{Strict: true})
		get(t, tr, home)
		post(ctx, t, tr)
		if n := tr.Stats().StoreErrors; n == 0 {
			t.Error("no error of the store was counted")
		}
	})
}

// TestAnOlderResponseReplacesNoNewerOne: of two responses the more recent one is used (RFC 9111
// §4). The response to a caller that has left may come late.
func TestAnOlderResponseReplacesNoNewerOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := make(chan struct{})
		o := &origin{answer: func(n int, _ *http.Request) (*http.Response, error) {
			resp := response(200, "v"+strconv.Itoa(n), "Cache-Control", "max-age=600", "Date", time.Now().UTC().Format(http.TimeFormat))
			if n == 1 {
				resp.Body = &lateBody{Reader: strings.NewReader("v1"), until: late}
			}
			return resp, nil
		}}
		tr := newTransport(t, o, &cache.Options{Strict: true})
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if resp, err := tr.RoundTrip(newRequest(ctx, home)); err == nil {
				<-ctx.Done()
				_ = resp.Body.Close()
			}
		})
		synctest.Wait()
		cancel()
		wg.Wait()
		time.Sleep(31 * time.Second) // an answer that its caller leaves may be read on for 30 s
		want(t, "second", get(t, tr, home), result{200, "v2", cache.FromNetwork, ""})
		close(late)
		synctest.Wait()
		if got := get(t, tr, home).Body; got == "v1" {
			t.Errorf("third: %q", got)
		}
	})
}

// lateBody has its bytes on the way already when the request is cancelled.
type lateBody struct {
	io.Reader
	until chan struct{}
}

func (b *lateBody) Read(p []byte) (int, error) {
	<-b.until
	return b.Reader.Read(p)
}

func (*lateBody) Close() error { return nil }

// TestSafeMethodsInvalidateNothing: a safe method changes nothing (RFC 9110 §9.2.1), so it
// invalidates nothing (RFC 9111 §4.4). The registry of methods has more of them
// than RFC 9110.
func TestSafeMethodsInvalidateNothing(t *testing.T) {
	for _, method := range []string{"PROPFIND", "REPORT", "SEARCH", "QUERY"} {
		synctest.Test(t, func(t *testing.T) {
			tr := newTransport(t, always(200, "x", "Cache-Control", "max-age=60"), nil)
			get(t, tr, home)
			req := newRequest(t.Context(), home)
			req.Method = method
			do(t, tr, req)
			if got := get(t, tr, home).From; got != cache.FromMemory {
				t.Errorf("after %s the answer is from %s", method, got)
			}
		})
	}
}
