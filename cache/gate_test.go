package cache_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/run/clock"
	"github.com/wayfindhq/wayfind/internal/web/gate"
)

// hourly is the floor of one request an hour for each host.
func hourly(req *http.Request) (string, time.Duration) {
	return "agentsmd " + req.URL.Host, time.Hour
}

// gateOptions are the options of a gate, and the floor of each request.
type gateOptions struct {
	Floor func(*http.Request) (string, time.Duration)
	Judge func(*http.Response, error) gate.Cooldown
	Clock *clock.Clock
	Holds *gate.Holds
	View  string
}

// gatedTrip is a RoundTripper behind a gate.
type gatedTrip struct {
	*gate.Gate
	next  http.RoundTripper
	floor func(*http.Request) (string, time.Duration)
}

func newGate(store cache.ObligationStore, next http.RoundTripper, opts *gateOptions) *gatedTrip {
	if opts == nil {
		return &gatedTrip{Gate: gate.New(store, nil), next: next}
	}
	g := gate.New(store, &gate.Options{Clock: opts.Clock, Judge: opts.Judge, Holds: opts.Holds, View: opts.View})
	return &gatedTrip{g, next, opts.Floor}
}

func (g *gatedTrip) RoundTrip(req *http.Request) (*http.Response, error) {
	floor, every := "", time.Duration(0)
	if g.floor != nil {
		floor, every = g.floor(req)
	}
	pass, err := g.Enter(req.Context(), req.URL, gate.Place, floor, every, nil)
	if err != nil {
		return nil, err
	}
	var written atomic.Bool
	ctx := httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		WroteHeaders: func() { written.Store(true) },
		WroteRequest: func(info httptrace.WroteRequestInfo) {
			if info.Err == nil {
				written.Store(true)
			}
		},
	})
	resp, err := g.next.RoundTrip(req.WithContext(ctx))
	pass.Done(resp, err, written.Load())
	return resp, err
}

// ask returns the error of a request through rt.
func ask(t *testing.T, rt http.RoundTripper, url string) error {
	t.Helper()
	resp, err := rt.RoundTrip(newRequest(t.Context(), url))
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body) // an answer is complete at its end
		resp.Body.Close()
	}
	return err
}

func wantHeld(t *testing.T, what string, err error, want cache.HeldError) {
	t.Helper()
	got, ok := errors.AsType[*cache.HeldError](err)
	if !ok {
		t.Fatalf("%s: %v, want it held", what, err)
	}
	if diff := cmp.Diff(want, *got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func newStore(t *testing.T) cache.ObligationStore {
	t.Helper()
	s, err := memory.New(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Gates of one process that share a table need no store between them, and share the reasons of
// holds.
func TestGatesShareHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := &gateOptions{Holds: gate.NewHolds(0, nil), Floor: hourly, Judge: func(resp *http.Response, _ error) gate.Cooldown {
			if resp != nil && resp.StatusCode == http.StatusTooManyRequests {
				return gate.Cooldown{Reason: "throttled", First: time.Minute, Max: time.Minute}
			}
			return gate.Cooldown{}
		}}
		one, other := newGate(nil, always(404, ""), opts), newGate(nil, always(429, ""), opts)
		if err := ask(t, one, "https://example.com/agents.md"); err != nil {
			t.Fatal(err)
		}
		wantHeld(t, "the floor that the other gate took", ask(t, other, "https://example.com/agents.md"),
			cache.HeldError{Key: "agentsmd example.com", Reason: cache.ReasonFloor, Until: time.Now().Add(time.Hour).Round(0)})
		if err := ask(t, other, "https://busy.example/"); err != nil {
			t.Fatal(err)
		}
		wantHeld(t, "the cool-down that the other gate learnt", ask(t, one, "https://busy.example/"),
			cache.HeldError{Key: "https://busy.example", Reason: "throttled", Until: time.Now().Add(time.Minute).Round(0)})
	})
}

func TestFloor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		o := always(404, "")
		one := newGate(store, o, &gateOptions{Floor: hourly})
		other := newGate(store, o, &gateOptions{Floor: hourly}) // another client on the same store
		until := time.Now().Add(time.Hour).Round(0)
		var wg sync.WaitGroup
		var mu sync.Mutex
		passed := 0
		for i := range testkit.Crowd(100) {
			wg.Go(func() {
				g := one
				if i%2 == 0 {
					g = other
				}
				if ask(t, g, home) == nil {
					mu.Lock()
					passed++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if passed != 1 {
			t.Errorf("%d requests passed", passed)
		}
		wantHeld(t, "inside the hour", ask(t, one, home+"?x"), cache.HeldError{Key: "agentsmd example.com", Reason: cache.ReasonFloor, Until: until})
		if err := ask(t, one, "https://example.org/"); err != nil {
			t.Errorf("another origin: %v", err)
		}
		time.Sleep(time.Hour)
		if err := ask(t, other, home); err != nil {
			t.Errorf("after the hour: %v", err)
		}
	})
}

// An attempt is recorded once its request was written.
func TestFloorIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tests := []struct {
			name   string
			first  func(*http.Request) (*http.Response, error)
			counts bool
		}{
			{"dial failure", fail(errors.New("refused")), false},
			{"written, then reset", func(req *http.Request) (*http.Response, error) {
				httptrace.ContextClientTrace(req.Context()).WroteRequest(httptrace.WroteRequestInfo{})
				return nil, errors.New("reset")
			}, true},
			{"header written", func(req *http.Request) (*http.Response, error) {
				httptrace.ContextClientTrace(req.Context()).WroteHeaders()
				return nil, errors.New("reset")
			}, true},
			{"not written completely", func(req *http.Request) (*http.Response, error) {
				httptrace.ContextClientTrace(req.Context()).WroteRequest(httptrace.WroteRequestInfo{Err: errors.New("broken pipe")})
				return nil, errors.New("broken pipe")
			}, false},
			{"cancelled before the first byte", fail(context.Canceled), false},
			{"an answer, whatever the trace says", say(500, ""), true},
		}
		for _, tt := range tests {
			o := script(tt.first, say(200, ""))
			g := newGate(newStore(t), o, &gateOptions{Floor: hourly})
			_ = ask(t, g, home)
			err := ask(t, g, home)
			if held := err != nil; held != tt.counts {
				t.Errorf("%s: the second request: %v; want it held: %v", tt.name, err, tt.counts)
			}
		}
	})
}

// retryAfter judges as a client might.
func retryAfter(resp *http.Response, err error) gate.Cooldown {
	switch {
	case err != nil:
		return gate.Cooldown{Reason: "unreachable", First: 30 * time.Second, Max: 10 * time.Minute}
	case resp.StatusCode == 503 && resp.Header.Get("Retry-After") != "":
		d, _ := time.ParseDuration(resp.Header.Get("Retry-After"))
		return gate.Cooldown{Reason: "throttled", Until: time.Now().Add(d)}
	case resp.StatusCode == 500:
		return gate.Cooldown{Reason: "error", URL: true, First: time.Minute, Max: time.Hour}
	}
	return gate.Cooldown{}
}

func TestCooldownExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		o := script(say(503, "", "Retry-After", "90s"), say(503, "", "Retry-After", "8760h"), say(200, ""))
		g := newGate(store, o, &gateOptions{Judge: retryAfter})
		other := newGate(store, o, nil)
		viewed := newGate(store, o, &gateOptions{View: "v"})
		until := time.Now().Add(90 * time.Second).Round(0)
		if err := ask(t, g, home); err != nil {
			t.Fatal(err)
		}
		wantHeld(t, "every URL of the origin", ask(t, g, "https://example.com/other"),
			cache.HeldError{Key: "https://example.com", Reason: "throttled", Until: until})
		wantHeld(t, "everybody on the store", ask(t, other, home),
			cache.HeldError{Key: "https://example.com", Reason: cache.ReasonHeld, Until: until})
		wantCount(t, "held", o, 1)
		time.Sleep(90 * time.Second)
		if err := ask(t, g, home); err != nil {
			t.Fatalf("after the cool-down: %v", err)
		}
		wantHeld(t, "capped", ask(t, g, home),
			cache.HeldError{Key: "https://example.com", Reason: "throttled", Until: time.Now().Add(cache.MaxHold).Round(0)})
		if err := ask(t, viewed, home); err != nil {
			t.Errorf("another view: %v", err)
		}
	})
}

func TestCooldownDoubles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now func(*http.Request) (*http.Response, error)
		o := &origin{answer: func(_ int, req *http.Request) (*http.Response, error) { return now(req) }}
		g := newGate(newStore(t), o, &gateOptions{Judge: retryAfter})
		now = say(500, "")
		held := func() time.Duration {
			_ = ask(t, g, home)
			h, ok := errors.AsType[*cache.HeldError](ask(t, g, home))
			if !ok {
				return 0
			}
			d := time.Until(h.Until)
			time.Sleep(d)
			return d
		}
		var got []time.Duration
		for range 8 {
			got = append(got, held())
		}
		const m = time.Minute
		if diff := cmp.Diff([]time.Duration{m, 2 * m, 4 * m, 8 * m, 16 * m, 32 * m, 60 * m, 60 * m}, got); diff != "" {
			t.Errorf("holds (-want +got):\n%s", diff)
		}
		if err := ask(t, g, "https://example.com/other"); err != nil {
			t.Errorf("another URL: %v", err)
		}
		now = say(200, "")
		if d := held(); d != 0 {
			t.Errorf("held for %v after a success", d)
		}
		now = say(500, "")
		if d := held(); d != m {
			t.Errorf("held for %v after the reset, want 1m", d)
		}
	})
}

// Probes that fail together are one failure.
func TestCooldownOfAHerd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := slow(fail(errors.New("down")))
		g := newGate(newStore(t), o, &gateOptions{Judge: retryAfter})
		var wg sync.WaitGroup
		for i := range 15 {
			wg.Go(func() {
				if err := ask(t, g, fmt.Sprint(home, "?", i)); err == nil {
					t.Error("no error")
				}
			})
		}
		wg.Wait()
		wantHeld(t, "after 15 failures at once", ask(t, g, home),
			cache.HeldError{Key: "https://example.com", Reason: "unreachable", Until: time.Now().Add(30 * time.Second).Round(0)})
	})
}

// A look takes nothing, also by a clock that is ahead of the store's.
func TestLookByAnotherClock(t *testing.T) {
	store, o := newStore(t), always(200, "x")
	ahead := newGate(store, o, &gateOptions{Clock: clock.Of(func() time.Time { return time.Now().Add(time.Hour) })})
	for _, g := range []*gatedTrip{ahead, newGate(store, o, nil)} {
		if err := ask(t, g, home); err != nil {
			t.Error(err)
		}
	}
}

func TestCancelledIsNotJudged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(newStore(t), always(200, ""), &gateOptions{
			Judge: func(*http.Response, error) gate.Cooldown {
				return gate.Cooldown{Until: time.Now().Add(time.Hour)}
			},
		})
		cancelled := newGate(nil, script(fail(context.Canceled), say(200, "")), &gateOptions{Judge: retryAfter})
		_ = ask(t, cancelled, home)
		if err := ask(t, cancelled, home); err != nil {
			t.Errorf("after a cancelled request: %v", err)
		}
		_ = ask(t, g, home)
		if err := ask(t, g, home); err == nil {
			t.Error("an answered request is judged")
		}
	})
}

// A store that fails is passed; the gate's own table is not.
func TestGateFailsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(broken{errors.New("down")}, always(200, ""), &gateOptions{Floor: hourly})
		if err := ask(t, g, home); err != nil {
			t.Errorf("first: %v", err)
		}
		if err := ask(t, g, home); err == nil {
			t.Error("the second passed the local table")
		}
	})
}

func TestAFloorAppliesWithAnyHeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tests := []struct {
			name   string
			answer func(*http.Request) (*http.Response, error)
			strict bool
			want   result // zero: held
		}{
			{"max-age=0", say(200, "x", "Cache-Control", "max-age=0"), false, result{200, "x", cache.FromStale, cache.StaleFloor}},
			{"no-cache", say(200, "x", "Cache-Control", "no-cache"), false, result{200, "x", cache.FromStale, cache.StaleFloor}},
			{"must-revalidate", say(200, "x", "Cache-Control", "max-age=1, must-revalidate"), false, result{200, "x", cache.FromStale, cache.StaleFloor}},
			{"no-cache, strict floor", say(200, "x", "Cache-Control", "no-cache"), true, result{}},
			{"no-store", say(200, "x", "Cache-Control", "no-store"), false, result{}},
			{"500", say(500, "x"), false, result{}},
		}
		for _, tt := range tests {
			store := newStore(t)
			o := script(tt.answer)
			tr := cache.NewTransport(store, newGate(store, o, &gateOptions{Floor: hourly}), &cache.Options{StrictFloor: tt.strict})
			get(t, tr, home)
			for _, wait := range []time.Duration{time.Minute, 58 * time.Minute} {
				time.Sleep(wait)
				if tt.want != (result{}) {
					want(t, tt.name, get(t, tr, home), tt.want)
				} else if _, ok := errors.AsType[*cache.HeldError](ask(t, tr, home)); !ok {
					t.Errorf("%s: not held", tt.name)
				}
			}
			wantCount(t, tt.name, o, 1)
			time.Sleep(time.Minute)
			get(t, tr, home)
			wantCount(t, tt.name+" after the hour", o, 2)
			tr.Close()
		}
	})
}

// During a cool-down a stale entry is used if the response allows it.
func TestHeldUnderCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t)
		o := script(say(200, "x", "Cache-Control", "max-age=1, stale-if-error=600"), say(503, "", "Retry-After", "60s"))
		tr := cache.NewTransport(store, newGate(store, o, &gateOptions{Judge: retryAfter}), nil)
		defer tr.Close()
		get(t, tr, home)
		time.Sleep(2 * time.Second)
		want(t, "503", get(t, tr, home), result{200, "x", cache.FromStale, cache.StaleError})
		want(t, "held", get(t, tr, home), result{200, "x", cache.FromStale, cache.StaleHeld})
		wantCount(t, "in all", o, 2)
	})
}

func TestHolds(t *testing.T) {
	wall, mono := time.Unix(1000, 0), time.Duration(0)
	h := gate.NewHolds(3, clock.New(func() time.Time { return wall }, func() time.Duration { return mono }))
	for i := range 3 {
		h.Hold(fmt.Sprint(i), wall.Add(time.Duration(10-i)*time.Minute))
	}
	h.Hold("3", wall.Add(time.Hour))
	if _, ok := h.Until("2"); ok || h.Evicted() != 1 {
		t.Errorf("a full table must give up the soonest to end, evicted %d", h.Evicted())
	}
	wall = wall.Add(-24 * time.Hour) // set back: must not hold for a day more
	mono += time.Hour
	if until, ok := h.Until("3"); ok {
		t.Errorf("held until %v by a clock that was set back", until)
	}
}

// TestATakenKeyIsNotGivenTwice: nothing that comes later makes Acquire give a key
// twice; a full table gives no more keys until one ends.
func TestATakenKeyIsNotGivenTwice(t *testing.T) {
	wall, mono := time.Unix(1000, 0), time.Duration(0)
	h := gate.NewHolds(2, clock.New(func() time.Time { return wall }, func() time.Duration { return mono }))
	acquire := func(key string, takes time.Duration) (bool, time.Time, func()) {
		t.Helper()
		return h.Acquire(key, wall.Add(takes))
	}
	_, _, release := acquire("a", time.Minute)
	acquire("b", time.Hour)
	for i := range 9 {
		h.Hold(fmt.Sprint(i), wall.Add(24*time.Hour))
	}
	for _, key := range []string{"a", "b"} {
		if ok, _, _ := acquire(key, time.Hour); ok {
			t.Errorf("%s was given twice", key)
		}
	}
	if ok, held, _ := acquire("c", time.Hour); ok || !held.Equal(wall.Add(time.Minute)) {
		t.Errorf("a full table: %v, held until %v", ok, held)
	}
	release()
	if ok, _, _ := acquire("c", time.Hour); !ok {
		t.Error("a key was given back: there is room")
	}
	wall = wall.Add(-24 * time.Hour) // set back
	mono += 2 * time.Hour
	if ok, _, _ := acquire("d", time.Hour); !ok {
		t.Error("what is taken has ended by monotonic time")
	}
}

// An answer whose body breaks off is a failure of its URL, not a success.
func TestCooldownOfABrokenBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken off")
		o := &origin{answer: func(int, *http.Request) (*http.Response, error) {
			body := io.NopCloser(io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)))
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: body}, nil
		}}
		judge := func(_ *http.Response, err error) gate.Cooldown {
			if errors.Is(err, broken) {
				return gate.Cooldown{Reason: "broken", URL: true, First: time.Minute, Max: time.Hour}
			}
			return gate.Cooldown{}
		}
		g := newGate(newStore(t), o, &gateOptions{Judge: judge})
		for _, hold := range []time.Duration{time.Minute, 2 * time.Minute} {
			if err := ask(t, g, home); !errors.Is(err, broken) {
				t.Fatalf("got %v, want the error of the body", err)
			}
			wantHeld(t, "after a broken body", ask(t, g, home),
				cache.HeldError{Key: home, Reason: "broken", Until: time.Now().Add(hold).Round(0)})
			time.Sleep(hold)
		}
	})
}

// TestABodyGivenUpIsNoFailureOfTheOrigin: the same of a body that its reader gave up, by a
// deadline or by closing it.
func TestABodyGivenUpIsNoFailureOfTheOrigin(t *testing.T) {
	for name, leave := range map[string]func(context.CancelFunc, io.Closer){
		"deadline": func(context.CancelFunc, io.Closer) { time.Sleep(2 * time.Second) },
		"cancel":   func(cancel context.CancelFunc, _ io.Closer) { cancel() },
		"close":    func(_ context.CancelFunc, body io.Closer) { _ = body.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				failed := func(_ *http.Response, err error) gate.Cooldown {
					if err == nil {
						return gate.Cooldown{}
					}
					return gate.Cooldown{Reason: "failed", First: 30 * time.Second, Max: time.Minute}
				}
				pr, pw := io.Pipe()
				gate := newGate(nil, &origin{answer: func(int, *http.Request) (*http.Response, error) {
					resp := response(200, "")
					resp.Body = pr
					return resp, nil
				}}, &gateOptions{Judge: failed})
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				resp, err := gate.RoundTrip(newRequest(ctx, home))
				if err != nil {
					t.Fatal(err)
				}
				leave(cancel, resp.Body)
				_ = pw.CloseWithError(errors.New("connection given up"))
				if _, err := io.ReadAll(resp.Body); err == nil {
					t.Error("the body has an end")
				}
				if resp, err = gate.RoundTrip(newRequest(t.Context(), home)); err != nil {
					t.Fatalf("another caller: %v", err)
				}
				_ = resp.Body.Close()
			})
		})
	}
}

// takenStore has every obligation of a kind taken until an end.
type takenStore struct {
	cache.ObligationStore
	kind  string
	until time.Time
}

func (s *takenStore) Acquire(_ context.Context, key string, _ time.Time) (bool, time.Time, func(), error) {
	return !strings.HasPrefix(key, s.kind), s.until, nil, nil
}

// An end that is further ahead than any such obligation lasts comes from a wrong clock, and holds
// nothing.
func TestStoreHoldsNoLongerThanItMay(t *testing.T) {
	const slack = time.Minute // of another host's clock
	for _, tt := range []struct {
		name    string
		floor   func(*http.Request) (string, time.Duration)
		longest time.Duration
	}{{"hold", nil, cache.MaxHold}, {"floor", hourly, time.Hour}} {
		for ahead, holds := range map[time.Duration]bool{
			-time.Second: false, time.Second: true, tt.longest + slack: true, tt.longest + slack + time.Second: false, 2 * tt.longest: false,
		} {
			synctest.Test(t, func(t *testing.T) {
				g := newGate(&takenStore{newStore(t), tt.name, time.Now().Add(ahead)}, script(say(200, "")), &gateOptions{Floor: tt.floor})
				if held := ask(t, g, home) != nil; held != holds {
					t.Errorf("a %s that ends in %v: held %t", tt.name, ahead, held)
				}
			})
		}
	}
}
