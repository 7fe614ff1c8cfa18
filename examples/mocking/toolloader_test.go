package mocking

import (
	"errors"
	"net/http"
	"os"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

const manifest = `{
	"spec_version": "1.0", "name": "Shop", "description": "A shop that sells everything.",
	"base_url": "https://shop.example", "auth": {"type": "none"},
	"capabilities": [{"name": "find_product", "description": "Find a product", "detail_url": "/agent/find_product"}]
}`

func TestTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		internet := clienttest.New(t)
		shop := internet.Host("shop.example", clienttest.Pages{"/.well-known/agent": manifest})
		internet.Host("plain.example", clienttest.Pages{})
		internet.Host("down.example", clienttest.Pages{}).FailConn(clienttest.Refuse())
		c := internet.Client()

		keys, err := Tools(t.Context(), c, "shop.example")
		if err != nil || !slices.Equal(keys, []string{"adp:find_product"}) {
			t.Errorf("shop: %v, %v", keys, err)
		}
		if keys, err := Tools(t.Context(), c, "plain.example"); err != nil || keys != nil {
			t.Errorf("a site without tools: %v, %v", keys, err)
		}
		if _, err := Tools(t.Context(), c, "down.example"); !errors.Is(err, wayfind.ErrUnreachable) {
			t.Errorf("a site that is down: %v", err)
		}

		// Time is virtual: an hour of caching takes no real time.
		asked := len(shop.Requests())
		if _, err := Tools(t.Context(), c, "shop.example"); err != nil || len(shop.Requests()) != asked {
			t.Errorf("a fresh site was asked again: %v", shop.Paths())
		}
		time.Sleep(61 * time.Minute)
		if _, err := Tools(t.Context(), c, "shop.example"); err != nil || len(shop.Requests()) == asked {
			t.Errorf("a stale site was not asked again: %v", shop.Paths())
		}
	})
}

const api = `{
	"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"},
	"paths": {"/stock/{item}": {"get": {
		"operationId": "stock", "parameters": [{"name": "item", "in": "path", "required": true, "schema": {"type": "string"}}],
		"responses": {"200": {"description": "The number of pieces that are left."}}
	}}}
}`

const catalog = `{"linkset": [{"anchor": "/", "service-desc": [{"href": "/openapi.json", "type": "application/json"}]}]}`

// stockOf calls a tool of the shop.
func stockOf(t *testing.T, c *client.Client) string {
	t.Helper()
	box, err := tools.Load(t.Context(), c, []string{"shop.example"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	caller, err := call.New(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := caller.Call(t.Context(), box, "stock", []byte(`{"item": "lamp"}`))
	if err != nil {
		t.Fatal(err)
	}
	return string(res.Model.JSON)
}

// A call is recorded once, for example with "wayfind call --save DIR", and replayed without the shop.
func TestRecordedCall(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		internet := clienttest.New(t)
		internet.Host("shop.example", clienttest.Pages{"/.well-known/api-catalog": catalog, "/openapi.json": api}).
			Handle("/stock/lamp", clienttest.Page{Header: http.Header{"Content-Type": {"application/json"}}, Body: `{"left": 3}`})
		var recording client.Recording
		got := stockOf(t, internet.Client(func(o *client.Options) { o.Lab.Record = recording.Add }))
		if got != `{"left": 3}` {
			t.Errorf("recorded: %s", got)
		}
		if err := recording.Save(dir); err != nil {
			t.Fatal(err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		if got := stockOf(t, clienttest.Replay(t, os.DirFS(dir)).Client()); got != `{"left": 3}` {
			t.Errorf("replayed: %s", got)
		}
	})
}
