package mcpserver_test

import (
	"crypto/ed25519"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/mcpserver"
)

// A server that signs its requests and one that does not have no answers of each other, over one store: a
// site may show its tools to those that it recognises alone.
func TestSignedAndUnsignedServersShareNoAnswers(t *testing.T) {
	opts := &mcpserver.Options{Domains: []string{"shop.example"}}
	inWorld(t, plain, opts, func(w *world) {
		open := w.shops["shop.example"]
		w.hosts["shop.example"].Handle("/openapi.json", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Signature") == "" {
				http.NotFound(rw, r)
				return
			}
			open.ServeHTTP(rw, r)
		}))
		store, err := memory.New(1 << 20)
		if err != nil {
			w.Fatal(err)
		}
		w.Cleanup(func() { _ = store.Close() })
		for i, signed := range []bool{false, true, false, true} {
			time.Sleep(time.Second)
			w.client = w.internet.Client(func(o *client.Options) {
				if o.Store = store; signed {
					o.Network.Sign = &client.Sign{Key: ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)), Agent: "https://bot.example.com"}
				}
			})
			w.serve(opts, nil)
			if names := w.listed(w.connect(false, nil)); strings.Contains(names, "dropAll") != signed {
				w.Errorf("run %d, signed %t: %s", i, signed, names)
			}
		}
	})
}
