package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// A catalogue's entries are asked for by their content when their type names no format, after those whose type does.
func TestACatalogueIsReadByContent(t *testing.T) {
	entry := func(kind, path string) string {
		return fmt.Sprintf(`{"identifier": "urn:air:shop.example:%s", "displayName": "X", "type": %q, "url": "https://shop.example/%s"}`, path, kind, path)
	}
	internet := clienttest.New(t)
	host := internet.Host("shop.example", clienttest.Pages{
		"/.well-known/ard.json": `{"entries": [` + entry("application/json", "v1-json") + `, ` + entry("application/zip", "all") + `, ` + entry("application/x-yaml; charset=utf-8", "v2") + `, ` + entry("application/rss+xml", "news") + `]}`,
		"/v1-json":              `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "paths": {"/orders": {"get": {"operationId": "orders", "responses": {"200": {"description": "ok"}}}}}}`,
		"/v2":                   "openapi: 3.1.0\ninfo: {title: Two, version: '1'}\npaths:\n  /two:\n    get: {operationId: two, responses: {}}\n",
	})
	box, err := tools.Load(t.Context(), internet.Client(), []string{"shop.example"}, nil)
	if err != nil || len(box.Tools()) != 2 {
		t.Fatalf("%d tools, %v; asked %v", len(box.Tools()), err, host.Paths())
	}
	said := map[string]string{}
	for _, s := range box.Skipped() {
		said[s.URL] = s.Reason
	}
	for _, path := range []string{"all", "news"} {
		if why := said["https://shop.example/"+path]; slices.Contains(host.Paths(), "/"+path) || !strings.Contains(why, "which no format reads") {
			t.Errorf("%s: %q", path, why)
		}
	}
}
