package client_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// A document of the caller is used as a published one: with the documents that it refers to, and without a
// request or a copy in a store.
func TestAddDocument(t *testing.T) {
	const own = `{"openapi":"3.1.0","info":{"title":"Shop","version":"1"},"servers":[{"url":"https://api.shop.example/v1"}],"paths":{"/orders":{"get":{"operationId":"listOrders","parameters":[{"$ref":"parts/params.json#/customer"}],"responses":{"200":{"description":"ok"}}}}}}`
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("api.shop.example", nil)
		store := newFarStore()
		c := newClient(t, internet, withFormats(formats.All()...), shared(store), func(o *client.Options) { o.Robots.Mode = client.RobotsEnforce })
		files := fstest.MapFS{"parts/params.json": {Data: []byte(`{"customer":{"name":"customer","in":"query","schema":{"type":"string"}}}`)}}
		target, err := c.AddDocument(t.Context(), &client.Document{Name: "spring.json", Body: []byte(own), Files: files})
		if err != nil || target != "https://api.shop.example/spring.json" {
			t.Fatalf("%q, %v", target, err)
		}
		site, err := c.Resolve(t.Context(), target)
		if err != nil || site.Base != "/spring.json" || site.Services[0].Interfaces[0].Trust != wayfind.TrustSameOrigin {
			t.Fatalf("%v: %+v", err, site)
		}
		d, err := c.Describe(t.Context(), site, site.Services[0].Capabilities[0].Key)
		if err != nil || len(d.Capability.Params) != 1 || d.Capability.Params[0].Name != "customer" {
			t.Errorf("%v, parameters %+v", err, d.Capability.Params)
		}
		if paths := slices.DeleteFunc(host.Paths(), func(p string) bool { return p == "/robots.txt" }); len(paths) > 0 {
			t.Errorf("the host was asked for %q", paths)
		}
		if dump := store.dump(); strings.Contains(dump, "listOrders") {
			t.Error("the store has the document")
		}
		again := strings.Replace(own, "listOrders", "allOrders", 1)
		if _, err := c.AddDocument(t.Context(), &client.Document{Name: "spring.json", Body: []byte(again)}); err != nil {
			t.Fatal(err)
		}
		if site, err = c.Refresh(t.Context(), target); err != nil || site.Services[0].Capabilities[0].ID != "allOrders" {
			t.Errorf("after a change: %v, %+v", err, site.Services)
		}
	})
}

func TestAddDocumentPlaces(t *testing.T) {
	api := func(server string) string {
		return strings.Replace(openAPI, `"paths"`, `"servers":[{"url":"`+server+`"}],"paths"`, 1)
	}
	dev := func(o *client.Options) { o.Policy.AllowDev = []string{"http://localhost:3000"} }
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		c := newClient(t, internet, withFormats(formats.All()...), dev)
		for name, row := range map[string]struct {
			d    client.Document
			want string
		}{
			"no server":      {client.Document{Name: "openapi.json", Body: []byte(openAPI)}, "https://unpublished.example/openapi.json"},
			"its server":     {client.Document{Name: "a b.json", Body: []byte(api("https://api.shop.example/v1"))}, "https://api.shop.example/a%20b.json"},
			"its URL":        {client.Document{URL: "https://shop.example/x/y.json", Body: []byte(api("https://api.shop.example/v1"))}, "https://shop.example/x/y.json"},
			"another server": {client.Document{Name: "x.json", Body: []byte(api("https://api.shop.example/v1")), Server: "https://test.shop.example/v2"}, "https://test.shop.example/x.json"},
			"no name":        {client.Document{Body: []byte(openAPI)}, "https://unpublished.example/document"},
			"out of place":   {client.Document{Name: "../../x.json", Body: []byte(openAPI)}, "https://unpublished.example/x.json"},
		} {
			if got, err := c.AddDocument(t.Context(), &row.d); err != nil || got != row.want {
				t.Errorf("%s: %q, %v; want %q", name, got, err, row.want)
			}
		}
		for name, d := range map[string]client.Document{
			"no document": {Name: "x.json", Body: []byte(`{"a":1}`)},
			"nothing":     {Name: "x.json"},
			"no server":   {Name: "x.json", Body: []byte(openAPI), Server: "http://10.0.0.1/"},
			"no target":   {URL: "http://shop.example/x", Body: []byte(openAPI)},
			"inside":      {URL: "https://" + "intranet/x", Body: []byte(openAPI)},
		} {
			if got, err := c.AddDocument(t.Context(), &d); !errors.Is(err, wayfind.ErrInvalid) || got != "" {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
	})
}
