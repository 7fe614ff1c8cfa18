package cache_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/cachetest"
)

// remote is a store that processes share: it is not local, and it returns only data that can be
// serialised. It records the writes.
type remote struct {
	cache.Store // in memory, whose Local is out of sight here
	mu          sync.Mutex
	wrote       []string
	loads       int
	// fault comes before every call; its error is the result.
	fault func(ctx context.Context) error
}

func newRemote(t *testing.T) *remote { return &remote{Store: newStore(t)} }

func (r *remote) fail(fault func(context.Context) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fault = fault
}

func (r *remote) enter(ctx context.Context) error {
	r.mu.Lock()
	fault := r.fault
	r.mu.Unlock()
	if fault == nil {
		return nil
	}
	return fault(ctx)
}

// Purge implements cache.Purger, as the memory behind it does.
func (r *remote) Purge(ctx context.Context, s cache.Scope) error {
	if err := r.enter(ctx); err != nil {
		return err
	}
	return r.Store.(cache.Purger).Purge(ctx, s)
}

func (r *remote) note(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrote = append(r.wrote, what)
}

func (r *remote) writes() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string{}, r.wrote...)
}

func (r *remote) loaded() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.loads
}

func (r *remote) Load(ctx context.Context, key string) (*cache.Variants, error) {
	r.mu.Lock()
	r.loads++
	r.mu.Unlock()
	if err := r.enter(ctx); err != nil {
		return nil, err
	}
	v, err := r.Store.Load(ctx, key)
	if v == nil || err != nil {
		return nil, err
	}
	data, err := v.MarshalBinary()
	if err != nil {
		return nil, err
	}
	if v, err = cache.UnmarshalVariants(data); err != nil {
		return nil, err
	}
	v.From = "remote"
	return v, nil
}

func (r *remote) Save(ctx context.Context, key string, v *cache.Variants, retain time.Duration) error {
	r.note("save " + key + " " + string(v.Entries[0].Body))
	if err := r.enter(ctx); err != nil {
		return err
	}
	return r.Store.Save(ctx, key, v, retain)
}

func (r *remote) Delete(ctx context.Context, key string) error {
	r.note("delete " + key)
	if err := r.enter(ctx); err != nil {
		return err
	}
	return r.Store.Delete(ctx, key)
}

func (r *remote) Acquire(ctx context.Context, key string, until time.Time) (bool, time.Time, func(), error) {
	if err := r.enter(ctx); err != nil {
		return false, time.Time{}, nil, err
	}
	return r.Store.(cache.ObligationStore).Acquire(ctx, key, until)
}

func (r *remote) Hold(ctx context.Context, key string, until time.Time) error {
	if err := r.enter(ctx); err != nil {
		return err
	}
	return r.Store.(cache.ObligationStore).Hold(ctx, key, until)
}

// silent is a fault: no answer until the time of the call is up.
func silent(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// owned closes its layers with itself, as the laws of a Store have it.
type owned struct {
	*cache.Layered
	near, far cache.Store
}

func (o owned) Close() error {
	return errors.Join(o.Layered.Close(), o.near.Close(), o.far.Close())
}

func TestLayered(t *testing.T) {
	cachetest.TestStore(t, func(t *testing.T) cache.Store {
		near, far := newStore(t), newRemote(t)
		return owned{cache.NewLayered(near, far, nil), near, far}
	})
}

// newLayered is near before far, closed with the test.
func newLayered(t *testing.T, near, far cache.Store) *cache.Layered {
	t.Helper()
	l := cache.NewLayered(near, far, nil)
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return l
}

// process is a Transport with its own memory before far. readings counts the attached notes.
func process(t *testing.T, far cache.Store, next http.RoundTripper) (tr http.RoundTripper, readings func() int) {
	t.Helper()
	var mu sync.Mutex
	n := 0
	over := cache.NewTransport(newLayered(t, newStore(t), far), next, nil)
	t.Cleanup(func() { _ = over.Close() })
	tr = cache.By(over, &cache.TestRules{Reads: func(e *cache.Entry) any {
		mu.Lock()
		defer mu.Unlock()
		n++
		return "reading of " + string(e.Body)
	}})
	return tr, func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
}

// An entry of another process is read from the far store once, and from the near store from then
// on.
func TestLayeredPromotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far, o := newRemote(t), always(200, "one", "Cache-Control", "max-age=60")
		first, _ := process(t, far, o)
		want(t, "the first process", get(t, first, home), result{200, "one", cache.FromNetwork, ""})
		synctest.Wait()
		second, readings := process(t, far, o)
		want(t, "another", get(t, second, home), result{200, "one", "remote", ""})
		loads := far.loaded()
		for range 10 {
			want(t, "and again", get(t, second, home), result{200, "one", cache.FromMemory, ""})
		}
		if far.loaded() != loads || readings() != 1 {
			t.Errorf("%d more loads and %d readings, want 0 and 1", far.loaded()-loads, readings())
		}
		resp, err := second.RoundTrip(newRequest(t.Context(), home))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if e, _, _ := cache.Of(resp); cache.Read(e) != "reading of one" {
			t.Errorf("read is %v", cache.Read(e))
		}
		if o.count() != 1 {
			t.Errorf("%d requests", o.count())
		}
	})
}

// Before a request is sent, an answer that another process has stored meanwhile is used, unless the
// request requires the origin.
func TestLayeredLooksBehindBeforeItAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := newRemote(t)
		o := script(say(200, "one", "Cache-Control", "max-age=60"), say(200, "two", "Cache-Control", "max-age=60"), say(200, "three"))
		first, _ := process(t, far, o)
		second, _ := process(t, far, o)
		want(t, "first", get(t, first, home), result{200, "one", cache.FromNetwork, ""})
		synctest.Wait()
		want(t, "second", get(t, second, home), result{200, "one", "remote", ""})
		time.Sleep(time.Minute)
		want(t, "first, when it is stale", get(t, first, home), result{200, "two", cache.FromNetwork, ""})
		synctest.Wait()
		want(t, "second, whose own is stale", get(t, second, home), result{200, "two", "remote", ""})
		want(t, "second, again", get(t, second, home), result{200, "two", cache.FromMemory, ""})
		want(t, "second, no-cache", get(t, second, home, "Cache-Control", "no-cache"), result{200, "three", cache.FromNetwork, ""})
	})
}

// An entry from a far store does not replace an entry that is newer by then.
func TestLayeredKeepsTheNewer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far := newRemote(t)
		o := script(say(200, "one", "Cache-Control", "max-age=60"), say(200, "two", "Cache-Control", "max-age=60"))
		first, _ := process(t, far, o)
		want(t, "the first process", get(t, first, home), result{200, "one", cache.FromNetwork, ""})
		synctest.Wait()
		time.Sleep(time.Second)
		second, _ := process(t, far, o)
		look, write := make(chan struct{}), make(chan struct{})
		var calls atomic.Int32
		far.fail(func(context.Context) error {
			switch calls.Add(1) {
			case 1:
				<-look
			case 3: // 2 is the look of the other call
				<-write
			}
			return nil
		})
		var wg sync.WaitGroup
		wg.Go(func() { want(t, "a slow look", get(t, second, home), result{200, "one", "remote", ""}) })
		synctest.Wait()
		want(t, "meanwhile", get(t, second, home, "Cache-Control", "no-cache"), result{200, "two", cache.FromNetwork, ""})
		close(look)
		wg.Wait()
		want(t, "afterwards", get(t, second, home), result{200, "two", cache.FromMemory, ""})
		close(write)
	})
}

// What answers somebody's credentials never leaves the process.
func TestLayeredMemoryOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		far, o := newRemote(t), always(200, "secret", "Cache-Control", "max-age=60, public")
		tr, _ := process(t, far, o)
		for _, field := range []string{"Authorization", "Cookie", "Proxy-Authorization"} {
			want(t, field, get(t, tr, home, field, "x"), result{200, "secret", cache.FromNetwork, ""})
			want(t, field+", again", get(t, tr, home, field, "x"), result{200, "secret", cache.FromMemory, ""})
		}
		synctest.Wait()
		for _, w := range far.writes() {
			if strings.HasPrefix(w, "save ") {
				t.Errorf("the far store was told to %q", w)
			}
		}
		want(t, "without", get(t, tr, home), result{200, "secret", cache.FromNetwork, ""})
		synctest.Wait()
		if n := len(far.writes()); n == 0 || !strings.HasPrefix(far.writes()[n-1], "save ") {
			t.Errorf("what answers nobody's is not shared: %q", far.writes())
		}
	})
}

// A failure of the far store is counted, logged and nothing more.
func TestLayeredFarFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		far := newRemote(t)
		l := cache.NewLayered(newStore(t), far, slog.New(slog.NewTextHandler(&log, nil)))
		far.fail(func(context.Context) error { return errors.New("disk full") })
		if err := l.Save(t.Context(), "k", one("k", "text"), time.Hour); err != nil {
			t.Errorf("Save: %v", err)
		}
		if err := l.Delete(t.Context(), "other"); err != nil {
			t.Errorf("Delete: %v", err)
		}
		synctest.Wait()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if d := cmp.Diff(cache.LayeredStats{Failed: 2}, l.Stats()); d != "" {
			t.Errorf("counted (-want +got):\n%s", d)
		}
		for _, word := range []string{"level=WARN", "disk full", "op=save", "op=delete"} {
			if !strings.Contains(log.String(), word) {
				t.Errorf("the log has no %q: %s", word, log.String())
			}
		}
		if v, err := l.Load(t.Context(), "k"); err != nil || v == nil {
			t.Errorf("what is near is lost: %v", err)
		}
	})
}

// one is variants of one entry.
func one(key, text string) *cache.Variants {
	return &cache.Variants{Entries: []*cache.Entry{cachetest.Entry(key, text)}}
}

func keys(n int) []string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprint("key", i))
	}
	return list
}
