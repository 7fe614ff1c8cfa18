package client_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache/redis"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/internal/formats/agentsmd"
	"github.com/wayfindhq/wayfind/internal/formats/aidiscovery"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse"
)

// redisFleet is a fleet as it is in the world: each Client has a gate, a memory
// and a connection of its own; a real server and a view are all they share.
// Sockets are no business of a bubble, so their time is real, but their clock
// can be set forward.
type redisFleet struct {
	*testing.T
	internet *clienttest.Internet
	server   *testkit.Redis
	host     *clienttest.Host
	budget   time.Duration
	change   []func(*client.Options)
	ahead    atomic.Int64 // nanoseconds
	clients  []*client.Client
	stores   []*redis.Store
}

// patience bounds a call of a store that answers: the machine may be busy.
const patience = 20 * time.Second

// newRedisFleet makes a fleet. In production each process has a processor of its own; here a larger
// budget of the call, and Options.Timeout, make up for that.
func newRedisFleet(t *testing.T, size int, budget time.Duration, change ...func(*client.Options)) *redisFleet {
	t.Helper()
	f := &redisFleet{T: t, budget: budget, change: change, internet: clienttest.New(t), server: testkit.StartRedis(t)}
	f.host = f.internet.Host("shop.example", f.dated(absent("max-age=3600")))
	f.host.Handle(wellKnown, f.dated(page(manifest("shop.example", "/a"), "Cache-Control", "max-age=3600", "ETag", `"1"`)))
	for range size {
		f.grow()
	}
	return f
}

// now returns the time, with the offset of the fleet.
func (f *redisFleet) now() time.Time { return time.Now().Add(time.Duration(f.ahead.Load())) }

// dated is a page of a host with the same clock.
func (f *redisFleet) dated(page http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", time.Now().Add(time.Duration(f.ahead.Load())).UTC().Format(http.TimeFormat))
		page.ServeHTTP(w, r)
	})
}

// grow adds one Client.
func (f *redisFleet) grow() {
	f.Helper()
	store, err := redis.Open(f.server.URL(), &redis.Options{Key: bytes.Repeat([]byte{7}, redis.MinKey), Now: f.now, Budget: f.budget})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		if err := store.Close(); err != nil {
			f.Error(err)
		}
	})
	f.stores = append(f.stores, store)
	f.clients = append(f.clients, newClient(f.T, f.internet, append([]func(*client.Options){twoFormats, shared(store), func(o *client.Options) {
		o.Network.View, o.Lab.Now, o.Limits.Memory, o.Timeout = "fleet", f.now, 1<<20, time.Minute
	}}, f.change...)...))
}

// resolve lets all Clients resolve at once. The answer is there each time.
func (f *redisFleet) resolve(when string) {
	f.Helper()
	f.resolveFew(when, len(f.clients))
}

// resolveFew lets them resolve, a few at a time.
func (f *redisFleet) resolveFew(when string, few int) {
	f.Helper()
	var wg sync.WaitGroup
	turns := make(chan struct{}, few)
	for i, c := range f.clients {
		turns <- struct{}{}
		wg.Go(func() {
			defer func() { <-turns }()
			site, err := c.Resolve(f.Context(), "shop.example")
			if err != nil || len(site.Services) != 1 {
				f.Errorf("%s: client %d: %v, %d services", when, i, err, len(site.Services))
			}
		})
	}
	wg.Wait()
}

// forget removes the memory of all Clients.
func (f *redisFleet) forget() {
	for _, c := range f.clients {
		c.Invalidate("shop.example")
	}
}

// wantSets compares the number of requests for every place.
func (f *redisFleet) wantSets(when string, n int) {
	f.Helper()
	wantSets(f.T, when, f.host, n)
}

// One set of requests of 200 Clients: to a cold origin, after an expiry, and
// after a restart of the server that has lost all.
func TestRedisFleet(t *testing.T) {
	f := newRedisFleet(t, testkit.Crowd(200), patience)
	start := time.Now()
	f.resolve("cold")
	t.Logf("cold: %d Clients in %v, %v", len(f.clients), time.Since(start), f.server.Commands())
	f.wantSets("cold", 1)

	f.resolve("from memory")
	f.forget()
	f.resolve("warm")
	f.wantSets("warm", 1)

	f.ahead.Add(int64(2 * time.Hour))
	f.server.ResetCommands()
	start = time.Now()
	f.resolve("expired")
	t.Logf("expired: %v, %v", time.Since(start), f.server.Commands())
	f.wantSets("expired", 2)

	f.server.Restart()
	f.forget()
	f.resolve("restarted, still fresh")
	f.wantSets("restarted, still fresh", 2)
	f.connect() // a Client that has lost its connection notices it at its next call
	f.ahead.Add(int64(2 * time.Hour))
	f.resolve("restarted and expired")
	f.wantSets("restarted and expired", 3)
}

// connect waits until every store has a connection again.
func (f *redisFleet) connect() {
	f.Helper()
	for i, s := range f.stores {
		var err error
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			if _, err = s.Load(f.Context(), "nothing"); err == nil {
				break
			}
		}
		if err != nil {
			f.Fatalf("store %d: %v", i, err)
		}
	}
}

// A server that stalls stops no Client: each sends its own requests, and obeys its own gate.
func TestRedisFleetStalled(t *testing.T) {
	f := newRedisFleet(t, testkit.Crowd(200), 0)
	f.connect()
	f.server.Stall()
	defer f.server.Resume()
	for range 3 {
		// All at once would be 200 handshakes on the processors of the test.
		f.resolveFew("stalled", 10)
		f.forget()
	}
	for path, n := range asked(f.host) {
		if n > len(f.clients) {
			t.Errorf("%s was asked for %d times by %d Clients", path, n, len(f.clients))
		}
	}
}

// A value that was modified in the server is a miss, and is logged. The fleet requests the document
// once.
func TestARedisFleetMissesModifiedValues(t *testing.T) {
	for name, tamper := range map[string]func(f *redisFleet, entries []string){
		"changed": func(f *redisFleet, entries []string) {
			for _, name := range entries {
				value := []byte(f.server.Do("GET", name))
				value[len(value)-1] ^= 1
				f.server.Do("SET", name, string(value), "KEEPTTL")
			}
		},
		"moved": func(f *redisFleet, entries []string) {
			first := f.server.Do("GET", entries[0])
			for i, name := range entries {
				value := first
				if i+1 < len(entries) {
					value = f.server.Do("GET", entries[i+1])
				}
				f.server.Do("SET", name, value, "KEEPTTL")
			}
		},
		"fresh for longer": func(f *redisFleet, entries []string) {
			for _, name := range entries {
				value := []byte(f.server.Do("GET", name))
				saved := binary.BigEndian.Uint64(value[40:])
				binary.BigEndian.PutUint64(value[40:], saved+uint64(time.Hour/time.Microsecond))
				f.server.Do("SET", name, string(value), "KEEPTTL")
			}
		},
		"of another type": func(f *redisFleet, entries []string) {
			for _, name := range entries {
				f.server.Do("DEL", name)
				f.server.Do("RPUSH", name, "x")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newRedisFleet(t, 1, patience)
			f.resolve("cold")
			f.internet.Host("other.example", absent("max-age=3600"))
			if _, err := f.clients[0].Resolve(t.Context(), "other.example"); !errors.Is(err, wayfind.ErrNotFound) {
				t.Fatal(err)
			}
			if err := client.Flush(f.clients[0]); err != nil {
				t.Fatal(err)
			}
			entries := f.server.Keys("*:a")
			if len(entries) != 2 {
				t.Fatalf("the server has %q", entries)
			}
			tamper(f, entries)
			f.clients, f.stores = nil, nil
			for range 20 {
				f.grow()
			}
			f.resolve("tampered")
			f.wantSets("tampered", 2)
			var corrupt, told uint64
			for i, c := range f.clients {
				corrupt += f.stores[i].Stats().Corrupt
				told += c.Stats().Responses.Corrupt
			}
			if corrupt < uint64(len(entries)) || told != corrupt {
				t.Errorf("%d corrupt values were found and %d told of, of %d", corrupt, told, len(entries))
			}
		})
	}
}

// If one process gets an obligation of a site, the fleet obeys it: a pause between two requests, a
// "not before", or an absence of a day.
func TestARedisFleetObeysObligationsOfEachProcess(t *testing.T) {
	limited := clienttest.Page{Status: 429, Header: http.Header{"Retry-After": {"3600"}}}
	for name, row := range map[string]struct {
		format *parse.Format
		pages  map[string]http.Handler
		want   map[string]int
		fails  error // of all but one, or of all
		lucky  int
	}{
		"an hour": {agentsmd.Format(), map[string]http.Handler{agentsmd.Path: prose("Cache-Control", "no-store")}, map[string]int{agentsmd.Path: 1}, wayfind.ErrThrottled, 1},
		"a day": {aidiscovery.Format(), map[string]http.Handler{"/.well-known/ai": absent("no-store"), "/ai": absent("no-store")},
			map[string]int{"/.well-known/ai": 1, "/ai": 1}, wayfind.ErrNotFound, 0},
		"Retry-After": {adp.Format(), map[string]http.Handler{wellKnown: limited}, map[string]int{wellKnown: 1}, wayfind.ErrThrottled, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := newRedisFleet(t, 20, patience, withFormats(row.format), func(o *client.Options) { o.Robots.Mode, o.Mode = client.RobotsIgnore, client.FirstMatch })
			for path, page := range row.pages {
				f.host.Handle(path, page)
			}
			lucky := 0
			for round := range 2 {
				for i, c := range f.clients {
					c.Invalidate("shop.example")
					_, err := c.Resolve(t.Context(), "shop.example")
					switch {
					case err == nil:
						lucky++
					case !errors.Is(err, row.fails):
						t.Errorf("round %d, client %d: %v, want %v", round, i, err, row.fails)
					}
				}
			}
			if lucky != row.lucky {
				t.Errorf("%d were lucky, want %d", lucky, row.lucky)
			}
			for path, n := range row.want {
				if got := asked(f.host)[path]; got != n {
					t.Errorf("%s was asked for %d times, want %d", path, got, n)
				}
			}
		})
	}
}

// The server contains no data of a caller: no credential, no approval, and no view of one user.
func TestRedisHasNothingPrivate(t *testing.T) {
	f := newRedisFleet(t, 1, patience)
	f.host.Handle(wellKnown, page(manifest("shop.example", "/a"), "Cache-Control", "private, max-age=3600"))
	f.host.Handle("/llms.txt", clienttest.Page{Body: "# Shop\n\nThe text of one user\n", Header: http.Header{"Content-Type": {"text/markdown"}, "Set-Cookie": {"id=secret"}, "Cache-Control": {"public, max-age=3600"}}})
	if _, err := f.clients[0].Resolve(t.Context(), "shop.example"); err != nil {
		t.Fatal(err)
	}
	if err := client.Flush(f.clients[0]); err != nil {
		t.Fatal(err)
	}
	f.wantNothingOf(t, "A service for tests", "The text of one user", "secret", wellKnown, "/llms.txt")
}

// wantNothingOf looks for texts in all that the server holds.
func (f *redisFleet) wantNothingOf(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if f.has(text) {
			t.Errorf("the server has %q", text)
		}
	}
	if !f.has("/robots.txt") {
		t.Error("what is for all is not there")
	}
}

// has reports whether the server holds a text.
func (f *redisFleet) has(text string) bool {
	for _, name := range f.server.Keys("*:a") {
		if strings.Contains(f.server.Do("GET", name), text) {
			return true
		}
	}
	return false
}

// A document with a secret is removed from the server as soon as the secret is found, even if it
// was stored there without one.
func TestRedisHasNoSecrets(t *testing.T) {
	f := newRedisFleet(t, 1, patience)
	key := liveKey(92)
	sound := manifest("shop.example", "/a")
	leaking := strings.Replace(sound, "A service for tests", "The key is "+key, 1)
	f.host.Handle(wellKnown, page(sound, "Cache-Control", "no-cache"))
	ask := func() {
		t.Helper()
		if _, err := f.clients[0].Refresh(t.Context(), "shop.example"); err != nil {
			t.Fatal(err)
		}
		if err := client.Flush(f.clients[0]); err != nil {
			t.Fatal(err)
		}
	}
	ask()
	if !f.has("A service for tests") {
		t.Fatal("the server has no document")
	}
	f.host.Handle(wellKnown, page(leaking, "Cache-Control", "no-cache"))
	ask()
	f.wantNothingOf(t, key, key[8:30], "A service for tests")
}
