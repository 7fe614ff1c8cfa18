package client_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/cache/redis"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// Clients that sign with one key share answers, and no others do: a site may answer a request that it
// recognises in another way, without a word about it (Vary) in its answer.
func TestSignedAndUnsignedRunsShareNoAnswers(t *testing.T) {
	for name, open := range map[string]func(*testing.T) cache.Store{
		"memory": func(t *testing.T) cache.Store {
			s, err := memory.New(1 << 20)
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
		"disk": func(t *testing.T) cache.Store {
			s, err := disk.Open(t.TempDir(), nil)
			if err != nil {
				t.Fatal(err)
			}
			return s
		},
	} {
		for _, signedFirst := range []bool{true, false} {
			synctest.Test(t, func(t *testing.T) {
				store := open(t)
				defer func() { _ = store.Close() }()
				shareNothing(t, name, store, signedFirst, func() { time.Sleep(time.Second) })
			})
		}
	}
}

// The same with a server for many processes, each of which has a connection of its own.
func TestSignedAndUnsignedRunsShareNoAnswersInRedis(t *testing.T) {
	for _, signedFirst := range []bool{true, false} {
		store, err := redis.Open("redis://"+testkit.StartRedis(t).Addr(), &redis.Options{Key: []byte("abcdefghijklmnopqrstuvwxyz012345")})
		if err != nil {
			t.Fatal(err)
		}
		shareNothing(t, "redis", store, signedFirst, func() {})
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}

// shareNothing resolves a domain that shows itself to signed requests alone, twice signed and twice not.
func shareNothing(t *testing.T, name string, store cache.Store, signedFirst bool, pause func()) {
	n := clienttest.New(t)
	var asked atomic.Int64
	pages := clienttest.Pages{"/llms.txt": "# Shop\n\n> A shop.\n\n- [API](https://shop.example/openapi.json)\n"}
	n.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		w.Header().Set("Cache-Control", "max-age=86400")
		if r.Header.Get("Signature") == "" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		pages.ServeHTTP(w, r)
	}))
	run := func(signed bool) (found bool, requests int) {
		asked.Store(0)
		c := n.Client(func(o *client.Options) {
			o.Store = store
			if signed {
				signsRequests(o)
			}
		})
		site, _ := c.Resolve(t.Context(), "shop.example")
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		return site != nil && len(site.Sources) > 0, int(asked.Load())
	}
	for i, signed := range []bool{signedFirst, !signedFirst, signedFirst, !signedFirst} {
		pause()
		found, requests := run(signed)
		if found != signed || (requests > 0) != (i < 2) {
			t.Errorf("%s, run %d, signed %t: found %t with %d requests", name, i, signed, found, requests)
		}
	}
}
