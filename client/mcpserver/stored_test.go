package mcpserver_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/mcpserver"
)

// Stored tools are listed at once while the site is slow, and are read again in the background.
func TestStored(t *testing.T) {
	inWorld(t, plain, nil, func(w *world) {
		store, err := disk.Open(w.TempDir(), nil)
		if err != nil {
			w.Fatal(err)
		}
		defer store.Close()
		with := func(offline bool) *client.Client {
			return w.internet.Client(func(o *client.Options) { o.Store, o.Offline = store, offline })
		}
		first := with(false)
		if _, err := first.Resolve(w.Context(), "shop.example"); err != nil {
			w.Fatal(err)
		}
		_ = first.Close()
		time.Sleep(2 * time.Hour) // it is stale
		w.offer("shop.example", "GET /api/orders listOrders", "GET /api/new newThing")
		w.hosts["shop.example"].Fail("", clienttest.Delay(4*time.Second))
		w.client = with(false)
		stored := with(true)
		w.serve(&mcpserver.Options{Domains: []string{"shop.example"}, Stored: stored}, nil)
		began := time.Now()
		w.wants(w.listed(w.connect(false, nil)), "dropAll")
		if took := time.Since(began); took > time.Second {
			w.Errorf("the list took %v", took)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		w.wants(w.listed(w.connect(false, nil)), "newThing")
		_ = w.server.Close()
		_ = w.client.Close()
		_ = stored.Close()
	})
}

// Without a store the list does not wait long for a slow site.
func TestSlowStart(t *testing.T) {
	inWorld(t, plain, nil, func(w *world) {
		w.hosts["shop.example"].Fail("", clienttest.Delay(8*time.Second))
		w.serve(&mcpserver.Options{Domains: []string{"shop.example"}}, nil)
		s := w.connect(true, nil)
		began := time.Now()
		if got := w.listed(s); got != four || time.Since(began) > 3*time.Second {
			w.Errorf("after %v: %s", time.Since(began), got)
		}
		w.wants(w.ask(s, "wayfind_search", `{"query": "orders"}`), "listOrders") // a call waits
	})
}

// Once a credential was used, lists are for one user. No output to a host contains the credential.
func TestPrivate(t *testing.T) {
	inWorld(t, plain, nil, func(w *world) {
		secured := strings.Replace(operations("GET /api/orders listOrders"), `"paths"`, `"components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}, "security": [{"key": []}], "paths"`, 1)
		w.mu.Lock()
		w.shops["shop.example"].document = secured
		w.mu.Unlock()
		vault := func(_ context.Context, q *call.CredentialRequest) (*call.Grant, error) {
			return call.Key("s3cret", call.Binding{Origin: q.Origin, Proof: call.ProofSameOrigin}), nil
		}
		w.serve(&mcpserver.Options{Domains: []string{"shop.example"}}, &call.Options{Credentials: vault})
		var asked []string
		s := w.connect(false, answering("accept", true, &asked))
		list, err := s.ListTools(w.Context(), nil)
		if err != nil || list.CacheScope != "public" {
			w.Fatalf("%v, %+v", err, list)
		}
		if raw := w.listed(s); strings.Contains(raw, "X-Key") {
			w.Error("the key is an argument")
		}
		w.wants(w.ask(s, nameOf(w, "listOrders")[0], `{}`), "done")
		if len(asked) != 1 || !strings.Contains(asked[0], "with a credential for https://shop.example") || strings.Contains(asked[0], "s3cret") {
			w.Errorf("asked %q", asked)
		}
		if list, err = w.connect(false, nil).ListTools(w.Context(), nil); err != nil || list.CacheScope != "private" {
			w.Errorf("%v, scope %s", err, list.CacheScope)
		}
	})
}

// A name of Allow is for the definition that the server reads first, and not for an older one
// that is stored.
func TestAllowIsForWhatIsReadAndNotForWhatIsStored(t *testing.T) {
	inWorld(t, "POST /api/old addOrder", nil, func(w *world) {
		store, err := disk.Open(w.TempDir(), nil)
		if err != nil {
			w.Fatal(err)
		}
		defer store.Close()
		with := func(offline bool) *client.Client {
			return w.internet.Client(func(o *client.Options) { o.Store, o.Offline = store, offline })
		}
		first := with(false)
		if _, err := first.Resolve(w.Context(), "shop.example"); err != nil {
			w.Fatal(err)
		}
		_ = first.Close()
		time.Sleep(2 * time.Hour) // it is stale
		w.offer("shop.example", "POST /api/new addOrder")
		w.client = with(false)
		stored := with(true)
		w.serve(&mcpserver.Options{Domains: []string{"shop.example"}, Stored: stored, Allow: []string{"shop_example__addOrder"}}, nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := w.ask(w.connect(true, nil), "shop_example__addOrder", `{}`); w.called() != "POST shop.example/api/new" {
			w.Errorf("called %q: %s", w.called(), got)
		}
		_ = w.server.Close()
		_ = w.client.Close()
		_ = stored.Close()
	})
}
