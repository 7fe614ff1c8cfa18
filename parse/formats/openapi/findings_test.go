package openapi_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// TestD05_NothingToCall: a description may have webhooks only, or no path
// (OpenAPI 3.1.0 §4.8.1, §4.8.8): it is found, with its title and version.
func TestD05_NothingToCall(t *testing.T) {
	for name, member := range map[string]string{
		"webhooks": `"webhooks": {"paid": {"post": {"responses": {"200": {"description": "ok"}}}}}`,
		"no paths": `"paths": {}`,
	} {
		t.Run(name, func(t *testing.T) {
			r, err := client.Parse(t.Context(), []byte(`{"openapi": "3.1.0", "info": {"title": "Orders", "version": "2.1"}, `+member+`}`), nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != wayfind.VerdictFound || len(r.Site.Services) != 1 || r.Site.Services[0].Name != "Orders" || r.Site.Services[0].Version != "2.1" {
				t.Errorf("%s (%s), services %+v", r.Verdict, r.Reason, r.Site.Services)
			}
			for _, d := range r.Diagnostics {
				if d.Severity == wayfind.SeverityError {
					t.Errorf("%s: %s", d.Code, d.Message)
				}
			}
		})
	}
}

// manifest leads to the description, which has no place of its own.
const manifest = `{"schema_version": "v1", "name_for_human": "Shop", "name_for_model": "shop", "description_for_human": "A shop.",
	"description_for_model": "Use it.", "auth": {"type": "none"}, "api": {"type": "openapi", "url": "https://shop.example/openapi.json"},
	"logo_url": "https://shop.example/logo.png", "contact_email": "a@shop.example", "legal_info_url": "https://shop.example/legal"}`

// described asks a site with one description for its only operation.
func described(t *testing.T, n *clienttest.Internet, operation string) *wayfind.Capability {
	t.Helper()
	n.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": manifest, "/openapi.json": `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"},
		"servers": [{"url": "https://shop.example"}], "paths": {"/orders": {"put": ` + operation + `}}}`})
	c := n.Client()
	site, err := c.Resolve(t.Context(), "shop.example")
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range site.Capabilities() {
		detail, err := c.Describe(t.Context(), site, found.Key)
		if err != nil {
			t.Fatal(err)
		}
		return detail.Capability
	}
	t.Fatal("no operation was found")
	return nil
}

// TestD13_HeaderParameters: a header parameter may have the name of any field
// but Accept, Content-Type and Authorization (OpenAPI 3.1.0 §4.8.12.2.1), also
// one that no key is sent in.
func TestD13_HeaderParameters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		want := []string{"X-Trace", "If-Match", "User-Agent", "Range", "Prefer"}
		var list []string
		for _, name := range want {
			list = append(list, `{"name": "`+name+`", "in": "header", "schema": {"type": "string"}}`)
		}
		c := described(t, clienttest.New(t), `{"operationId": "put", "parameters": [`+strings.Join(list, ", ")+`], "responses": {"200": {"description": "ok"}}}`)
		var got []string
		for _, p := range c.Params {
			if p.In == "header" {
				got = append(got, p.Name)
			}
		}
		for _, name := range want {
			if !slices.Contains(got, name) {
				t.Errorf("%s is no parameter: %q", name, got)
			}
		}
	})
}

// TestD15_PaymentInfo: what an operation costs stands where the model has a
// place for it.
func TestD15_PaymentInfo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := described(t, clienttest.New(t), `{"operationId": "put", "x-payment-info": {"price": "0.05", "currency": "USD"}, "responses": {"200": {"description": "ok"}}}`)
		if !strings.Contains(c.Price, "0.05") {
			t.Errorf("price %q, extensions %s", c.Price, c.Extensions)
		}
	})
}

// TestD05_NothingReadable: a description whose operations cannot be read, or that
// does not say what it is, is of no use.
func TestD05_NothingReadable(t *testing.T) {
	for name, body := range map[string]string{
		"no object":    `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, "paths": {"/a": {"get": 7}}}`,
		"no item":      `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, "paths": {"/a": 7}}`,
		"no reference": `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, "paths": {"/a": {"$ref": "other.json"}}}`,
		"no paths":     `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, "paths": []}`,
		"no title":     `{"openapi": "3.1.0", "info": {"version": "1"}, "paths": {}}`,
		"no version":   `{"openapi": "9", "info": {"title": "Orders", "version": "1"}, "paths": {}}`,
	} {
		r, err := client.Parse(t.Context(), []byte(body), nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Usable || r.Verdict != wayfind.VerdictMalformed || r.Format != "openapi" {
			t.Errorf("%s: %q %s (%s), usable %v", name, r.Format, r.Verdict, r.Reason, r.Usable)
		}
	}
	for name, member := range map[string]string{"empty item": `"paths": {"/a": {}}`, "hidden item": `"paths": {"/a": {"summary": "For partners"}}`,
		"extension": `"paths": {"x-a": 1}`, "components": `"components": {"schemas": {}}`} {
		r, err := client.Parse(t.Context(), []byte(`{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, `+member+`}`), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !r.Usable || r.Verdict != wayfind.VerdictFound {
			t.Errorf("%s: %q %s (%s), usable %v", name, r.Format, r.Verdict, r.Reason, r.Usable)
		}
	}
}
