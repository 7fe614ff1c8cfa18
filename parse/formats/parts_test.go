package formats_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
)

// A part of another shape than the specification's is read where it has one meaning, and reported.
func TestPartsOfAnotherShapeAreReadAndReported(t *testing.T) {
	for name, row := range map[string]struct{ place, body, read, code, says string }{
		"remotes is one object": {"/.well-known/mcp/server-card.json",
			`{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json", "name": "e.k/s", "version": "1", "description": "d", "remotes": {"type": "streamable-http", "url": "https://shop.example/mcp"}}`,
			"https://shop.example/mcp", "mcp.wrong_type", "read as its only entry"},
		"remotes is keyed by transport": {"/.well-known/mcp/server-card.json",
			`{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json", "name": "e.k/s", "version": "1", "description": "d", "remotes": {"streamable-http": {"url": "https://shop.example/mcp"}}}`,
			"https://shop.example/mcp", "", ""},
		"a relative target is a string": {"/.well-known/api-catalog",
			`{"linkset": [{"anchor": "https://shop.example/v1", "service-desc": "openapi.json"}]}`,
			"https://shop.example/.well-known/openapi.json", "apicatalog.bare_target", "a string where an array"},
		"a server without a scheme": {"/api/openapi.json",
			`{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "servers": [{"url": "api.shop.example/v1"}], "paths": {"/a": {"get": {"operationId": "a", "responses": {}}}}}`,
			"https://shop.example/api/api.shop.example/v1", "openapi.server", "no scheme"},
	} {
		t.Run(name, func(t *testing.T) {
			r := parsed(t, []byte(row.body), &client.ParseOptions{URL: "https://shop.example" + row.place})
			read, said := false, ""
			for i := range r.Site.Services {
				for _, f := range r.Site.Services[i].Interfaces {
					read = read || f.URL == row.read
				}
			}
			for _, d := range r.Site.Documents {
				read = read || d.URL == row.read
			}
			for _, d := range r.Diagnostics {
				if d.Code == row.code {
					said += d.Message
				}
			}
			if !read || !strings.Contains(said, row.says) || strings.Contains(said, "no_interface") {
				t.Errorf("%s %+v: read %v, %q", r.Verdict, r.Diagnostics, read, said)
			}
		})
	}
	plain := parsed(t, []byte(`{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "servers": [{"url": "v1.0/api"}, {"url": "index.php"}, {"url": "./a.b.c"}], "paths": {}}`), &client.ParseOptions{URL: "https://shop.example/api/openapi.json"})
	for _, d := range plain.Diagnostics {
		if d.Code == "openapi.server" {
			t.Errorf("%s", d.Message)
		}
	}
}
