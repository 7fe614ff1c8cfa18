package mcp_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/mcp"
	"github.com/wayfindhq/wayfind/parse"
)

// Each list request has its own array. Statements of a live server are not claims.
func TestPages(t *testing.T) {
	const body = `{"tools": [{"name": "t", "inputSchema": {"type": "object"}}], "resources": [{"uri": "a:b", "name": "r", "mimeType": "text/plain"}],
		"resourceTemplates": [{"uriTemplate": "a:{b}", "name": "m"}], "prompts": [{"name": "p"}]}`
	for method, want := range map[string][]string{
		"tools/list": {"tool t t"}, "resources/list": {"resource a:b r"},
		"resources/templates/list": {"resource a:{b} m"}, "prompts/list": {"prompt p p"},
	} {
		p, err := mcp.ReadPage(method, &parse.Input{Body: []byte(body)})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range p.Capabilities {
			got = append(got, string(c.Kind)+" "+c.ID+" "+c.Name)
			if c.Claimed || c.Invocation == nil || c.Invocation.Operation != c.ID || c.Check() != nil {
				t.Errorf("%s: %+v, %v", method, c, c.Check())
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || p.Next != nil || p.TTL != nil || !p.Private || p.Diagnostics != nil {
			t.Errorf("%s: %+v (-want +got):\n%s", method, p, diff)
		}
	}
}

// Only a cursor that is missing or null ends a list. A time to live is limited.
func TestCursorsAndCaching(t *testing.T) {
	for body, want := range map[string]mcp.Page{
		`{"tools": [], "nextCursor": ""}`:                      {Next: new(""), Private: true},
		`{"tools": [], "nextCursor": "x"}`:                     {Next: new("x"), Private: true},
		`{"tools": [], "nextCursor": null, "ttlMs": null}`:     {Private: true},
		`{"tools": [], "ttlMs": 1500, "cacheScope": "public"}`: {TTL: new(1500 * time.Millisecond)},
		`{"tools": [], "ttlMs": -1, "cacheScope": "private"}`:  {TTL: new(time.Duration(0)), Private: true},
		`{"tools": [], "ttlMs": 9223372036854775807}`:          {TTL: new(100 * 365 * 24 * time.Hour), Private: true},
	} {
		got, err := mcp.ReadPage("tools/list", &parse.Input{Body: []byte(body)})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
}

// A message that is not a result is an error, and there is no page.
func TestNoPage(t *testing.T) {
	for _, c := range [][2]string{
		{"tools/list", `{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "x"}}`},
		{"tools/list", `{}`}, {"tools/list", `{"tools": {}}`}, {"tools/list", `[]`}, {"tools/list", `{"tools": [], "tools": []}`}, {"tools/list", ``},
		{"prompts/list", `{"tools": []}`}, {"tools/call", `{"tools": []}`},
	} {
		p, err := mcp.ReadPage(c[0], &parse.Input{Body: []byte(c[1])})
		if e, ok := errors.AsType[*wayfind.Error](err); p != nil || !ok || !errors.Is(e, wayfind.ErrInvalid) {
			t.Errorf("%s of %s: %+v, %v", c[0], c[1], p, err)
		}
	}
	for _, body := range []string{`{}`, `[]`, `{"jsonrpc": "2.0", "error": {}}`} {
		if s, err := mcp.ReadServer(&parse.Input{Body: []byte(body)}); err == nil {
			t.Errorf("%s: %+v", body, s)
		}
	}
}

// Both eras of the protocol identify the server.
func TestServers(t *testing.T) {
	for body, want := range map[string]mcp.Server{
		`{"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": "2025-11-25", "capabilities": {}, "instructions": "Obey.",
			"serverInfo": {"name": "shop", "title": "Shop", "version": "1", "websiteUrl": "https://shop.example/", "icons": [{"src": "https://shop.example/i.png"}]}}}`: {
			Versions: []string{"2025-11-25"},
			Service: wayfind.Service{
				Name: "Shop", Version: "1", DocsURL: "https://shop.example/", IconURL: "https://shop.example/i.png",
				Extensions: map[string]parse.Raw{"capabilities": parse.Raw("{}"), "instructions": parse.Raw(`"Obey."`)},
				Sources:    []wayfind.Ref{{Pointer: "/result"}},
			},
		},
		`{"resultType": "complete", "supportedVersions": ["2026-07-28", "2025-11-25"], "ttlMs": 1,
			"_meta": {"io.modelcontextprotocol/serverInfo": {"name": "shop", "version": "2"}}}`: {
			Versions: []string{"2026-07-28", "2025-11-25"},
			Service:  wayfind.Service{Name: "shop", Version: "2", Sources: []wayfind.Ref{{}}},
		},
	} {
		got, err := mcp.ReadServer(&parse.Input{Body: []byte(body)})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
}

// Each answer of a server is read or refused, with the same result twice.
func FuzzReadPage(f *testing.F) {
	f.Add(`{"tools": [{"name": "a", "inputSchema": {"type": "object", "properties": {"a": {"x-mcp-header": "a"}}}}], "nextCursor": "", "ttlMs": 1e3}`)
	f.Add(`{"prompts": [{"name": "a", "arguments": [{"name": "b"}]}], "resources": [{"uri": "a:b"}], "resourceTemplates": [{"uriTemplate": "{+a*}"}]}`)
	f.Fuzz(func(t *testing.T, body string) {
		for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
			one, err := mcp.ReadPage(method, &parse.Input{Body: []byte(body)})
			two, _ := mcp.ReadPage(method, &parse.Input{Body: []byte(body)})
			if diff := cmp.Diff(one, two); diff != "" || (one == nil) == (err == nil) {
				t.Errorf("%v: %s", err, diff)
			}
		}
	})
}
