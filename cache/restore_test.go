package cache_test

import (
	"bytes"
	"context"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/web/gate"
)

// written is a store that keeps only what can be written down, as another
// process would find it.
type written struct {
	broken
	mu   sync.Mutex
	kept map[string][]byte
}

func newWritten() *written { return &written{kept: map[string][]byte{}} }

func (s *written) Load(_ context.Context, key string) (*cache.Variants, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept[key] == nil {
		return nil, nil
	}
	v, err := cache.UnmarshalVariants(bytes.Clone(s.kept[key]))
	if err != nil {
		return nil, err
	}
	v.From = "disk"
	return v, nil
}

func (s *written) Save(_ context.Context, key string, v *cache.Variants, _ time.Duration) error {
	data, err := v.MarshalBinary()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[key] = data
	return nil
}

func (s *written) Delete(_ context.Context, key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.kept, key)
	return nil
}

func TestRestoredEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newWritten()
		o := script(say(200, "one", "Cache-Control", "max-age=60", "Etag", `"1"`, "Vary", "Accept"), say(304, "", "Etag", `"1"`))
		rules := &cache.TestRules{Reads: func(e *cache.Entry) any { return "reading of " + string(e.Body) }}
		first := cache.NewTransport(store, o, nil)
		defer first.Close()
		get(t, cache.By(first, rules), home, "Accept", "a")

		over := cache.NewTransport(store, o, nil)
		defer over.Close()
		second := cache.By(over, rules)
		time.Sleep(59 * time.Second)
		resp, err := second.RoundTrip(newRequest(t.Context(), home, "Accept", "a"))
		if err != nil {
			t.Fatal(err)
		}
		e, facts, _ := cache.Of(resp)
		if facts.From != "disk" || facts.Age != 59*time.Second || cache.Read(e) != "reading of one" {
			t.Errorf("from %s, age %v, read %v", facts.From, facts.Age, cache.Read(e))
		}
		time.Sleep(time.Second)
		want(t, "stale", get(t, second, home, "Accept", "a"), result{200, "one", cache.FromValidated, ""})

		req := newRequest(t.Context(), home)
		if err := over.Purge(t.Context(), cache.OfURL(req.URL)); err != nil {
			t.Fatal(err)
		}
		want(t, "invalidated", get(t, second, home, "Cache-Control", "only-if-cached"), result{504, "", "", ""})
	})
}

// hanging is a store that answers only when its time is up.
type hanging struct{ broken }

func (hanging) Load(ctx context.Context, _ string) (*cache.Variants, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (hanging) Acquire(ctx context.Context, _ string, _ time.Time) (bool, time.Time, func(), error) {
	<-ctx.Done()
	return false, time.Time{}, nil, ctx.Err()
}

func TestStoreBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := always(200, "x")
		tr := cache.NewTransport(hanging{}, newGate(hanging{}, o, &gateOptions{Floor: hourly}), nil)
		defer tr.Close()
		began := time.Now()
		want(t, "hanging store", get(t, tr, home), result{200, "x", cache.FromNetwork, ""})
		if d := time.Since(began); d > 6*cache.StoreBudget {
			t.Errorf("a hanging store costs %v", d)
		}
	})
}

func TestAClockThatIsSetBackMakesNothingFresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wall := time.Now()
		o := always(200, "x", "Cache-Control", "max-age=60")
		tr := newTransport(t, o, &cache.Options{Now: func() time.Time { return wall }})
		get(t, tr, home)
		synctest.Wait() // a flight that has landed still asks for the time
		wall = wall.Add(-time.Hour)
		time.Sleep(time.Minute)
		want(t, "a minute later by the monotonic clock", get(t, tr, home), result{200, "x", cache.FromNetwork, ""})
		synctest.Wait()
		wall = wall.Add(time.Hour)
		want(t, "an hour later by the wall", get(t, tr, home), result{200, "x", cache.FromNetwork, ""})
	})
}

func TestViewsAndHostsAreApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		o := always(200, "x", "Cache-Control", "max-age=60")
		plain := cache.NewTransport(store, o, nil)
		viewed := cache.NewTransport(store, o, &cache.Options{View: "v"})
		defer plain.Close()
		defer viewed.Close()
		get(t, plain, home)
		want(t, "another view", get(t, viewed, home), result{200, "x", cache.FromNetwork, ""})
		req := newRequest(t.Context(), home)
		req.Host = "other.example"
		want(t, "another Host", do(t, plain, req), result{200, "x", cache.FromNetwork, ""})
		want(t, "another spelling", get(t, plain, "https://EXAMPLE.com:443/card.json"), result{200, "x", cache.FromMemory, ""})
	})
}

func TestHeldUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(nil, always(503, "", "Retry-After", "60s"), &gateOptions{Judge: retryAfter})
		u, err := url.Parse(home)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.HeldUntil(u, gate.Place, time.Time{}); !got.IsZero() {
			t.Errorf("HeldUntil = %v before any request", got)
		}
		_ = ask(t, g, home)
		if got := g.HeldUntil(u, gate.Place, time.Time{}); !got.Equal(time.Now().Add(time.Minute)) {
			t.Errorf("HeldUntil = %v", got)
		}
	})
}
