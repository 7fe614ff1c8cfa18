package livemcp_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/livemcp"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/security/cards"
)

// Servers of the SDK, with each version and transport, list everything that they have. Nothing
// is called, and the session is ended.
func TestServers(t *testing.T) {
	const get, post, end = http.MethodGet, http.MethodPost, http.MethodDelete
	lists := []string{post, post, post, post, post}                // tools have two pages
	session := append([]string{post, post, post}, lists...)        // server/discover, initialize, initialized
	stream := append([]string{get, post, post}, lists...)          // the stream, initialize, initialized
	onlyStream := append([]string{post, post, get}, stream[1:]...) // two eras in vain
	old := []string{"2025-06-18", "2025-03-26", "2024-11-05"}
	rows := []struct {
		name      string
		handler   http.Handler
		transport string // as in the document
		asked     []string
		version   string
		spoken    string
		lifetime  time.Duration
	}{
		{"2026-07-28", served(server(), &mcp.StreamableHTTPOptions{Stateless: true}), "streamable-http",
			append([]string{post}, lists...), "2026-07-28", "streamable-http", 90 * time.Second},
		{"2026-07-28 as JSON", served(server(), &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}), "",
			append([]string{post}, lists...), "2026-07-28", "streamable-http", 90 * time.Second},
		{"2025-11-25 with a session", served(server(), nil), "", append(slices.Clone(session), end), "2025-11-25", "streamable-http", 0},
		{"2025-11-25 with a session as JSON", served(server(), &mcp.StreamableHTTPOptions{JSONResponse: true}), "",
			append(slices.Clone(session), end), "2025-11-25", "streamable-http", 0},
		{"2025-06-18 without a session", served(server(old...), &mcp.StreamableHTTPOptions{Stateless: true}), "", session, "2025-06-18", "streamable-http", 0},
		{"2024-11-05 as declared", streamed(server()), "sse", stream, "2024-11-05", "sse", 0},
		{"2024-11-05 unexpected", streamed(server()), "streamable-http", onlyStream, "2024-11-05", "sse", 0},
		{"declared a stream, and is none", served(server(), &mcp.StreamableHTTPOptions{Stateless: true}), "sse",
			append([]string{get, post}, lists...), "2026-07-28", "streamable-http", 90 * time.Second},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", nil).Handle("/mcp", r.handler)
				a, err := probe(t.Context(), t, internet, r.transport, nil)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(r.asked, asked(host)); d != "" {
					t.Errorf("asked (-want +got):\n%s", d)
				}
				if a.Lifetime != r.lifetime || a.Reading.Version != r.version || a.Reading.Authority != wayfind.AuthorityLive || len(a.Digest) != 64 {
					t.Errorf("lifetime %v, version %q, authority %q, digest %q", a.Lifetime, a.Reading.Version, a.Reading.Authority, a.Digest)
				}
				if d := cmp.Diff([]string{"delete", "find", "list", "shop://terms", "shop://orders/{id}", "greet"}, operations(a.Reading)); d != "" {
					t.Errorf("listed (-want +got):\n%s", d)
				}
				if f := a.Reading.Services[0].Interfaces[0]; f.Transport != r.spoken || f.URL != endpoint || f.Versions[0] != r.version {
					t.Errorf("interface %+v", f)
				}
				for _, d := range a.Reading.Diagnostics {
					t.Errorf("%s: %s", d.Code, d.Message)
				}
				for _, req := range host.Requests() {
					if req.Header.Get("Authorization") != "" || req.Header.Get("Cookie") != "" {
						t.Errorf("sent %v", req.Header)
					}
				}
			})
		})
	}
}

// operations returns the names with which capabilities are called, read or filled in.
func operations(r *parse.Reading) []string {
	var list []string
	for _, c := range r.Services[0].Capabilities {
		list = append(list, c.Invocation.Operation)
	}
	return list
}

// The answers of a server are kept unchanged: its names are for display, its instructions are
// data, and its annotations are completed with the careful defaults.
func TestReading(t *testing.T) {
	const tool = `{"name": "pay", "title": "Pay", "description": "Pays.", "annotations": {"idempotentHint": true},
		"inputSchema": {"type":"object",  "$ref": "https://evil.example/x"}, "outputSchema": {"type": "object"}, "_meta": {"a": 9007199254740993}}`
	digest, err := cards.Digest([]byte(tool))
	if err != nil {
		t.Fatal(err)
	}
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", nil).Handle("/mcp", script{
			"initialize": says(`{"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": true}}, "instructions": "Obey.",
				"serverInfo": {"name": "shop", "title": "Shop", "version": "1.2", "websiteUrl": "/about", "icons": [{"src": "data:,x"}, {"src": "https://shop.example/i.png"}]}}`),
			"tools/list": says(`{"tools": [` + tool + `]}`),
		})
		a, err := probe(t.Context(), t, internet, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		want := []wayfind.Service{{
			Name: "Shop", Version: "1.2", DocsURL: "https://shop.example/about", IconURL: "https://shop.example/i.png",
			Interfaces: []wayfind.Interface{{Protocol: "mcp", Transport: "streamable-http", URL: endpoint, Versions: []string{"2025-11-25"}}},
			Extensions: map[string]json.RawMessage{"name": json.RawMessage(`"shop"`), "instructions": json.RawMessage(`"Obey."`),
				"capabilities": json.RawMessage(`{"tools": {"listChanged": true}}`)},
			Capabilities: []wayfind.Capability{{
				ID: "pay", Name: "pay", Title: "Pay", Description: "Pays.", Kind: wayfind.KindTool,
				Invocation: &wayfind.Invocation{Protocol: "mcp", Via: "mcp", Operation: "pay"},
				Input:      json.RawMessage(`{"type":"object",  "$ref": "https://evil.example/x"}`),
				Output:     json.RawMessage(`{"type": "object"}`),
				Effects: &wayfind.Effects{ReadOnly: new(false), Destructive: new(true), Idempotent: new(true),
					Defaulted: []string{"readOnly", "destructive"}},
				Extensions: map[string]json.RawMessage{"_meta": json.RawMessage(`{"a": 9007199254740993}`)},
				Sources:    []wayfind.Ref{{Pointer: "/tools/0"}},
				Digest:     digest,
			}},
		}}
		if d := cmp.Diff(want, a.Reading.Services); d != "" {
			t.Errorf("services (-want +got):\n%s", d)
		}
	})
}

// The requests of a session contain its version, and a request of 2026-07-28 is complete in
// itself.
func TestHeaders(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", nil).Handle("/mcp", legacy(says(oneTool)))
		if _, err := probe(t.Context(), t, internet, "", &livemcp.Options{Name: "tester", Version: "7"}); err != nil {
			t.Fatal(err)
		}
		var got [][2]string
		for _, r := range host.Requests() {
			got = append(got, [2]string{r.Header.Get("Mcp-Protocol-Version"), r.Header.Get("Mcp-Method")})
		}
		want := [][2]string{{"2026-07-28", "server/discover"}, {"", ""}, {"2025-06-18", ""}, {"2025-06-18", ""}}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("version and method (-want +got):\n%s", d)
		}
	})
}

// No capability of a client is advertised, in any era.
func TestNoCapabilities(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		seen := map[string]string{}
		next := legacy(says(oneTool))
		internet.Host("shop.example", nil).Handle("/mcp", script{
			"server/discover": func(m message) string {
				meta, _ := json.Marshal(m.Params.Meta)
				seen[m.Method] = string(meta)
				return `{"supportedVersions": ["2025-11-25"]}`
			},
			"initialize": func(m message) string {
				seen[m.Method] = string(m.Params.Capabilities)
				return next[m.Method](m)
			},
			"tools/list": next["tools/list"],
		})
		if _, err := probe(t.Context(), t, internet, "", nil); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"initialize": "{}", "server/discover": `{"io.modelcontextprotocol/clientCapabilities":{},` +
			`"io.modelcontextprotocol/clientInfo":{"name":"wayfind","version":"1"},"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`}
		if d := cmp.Diff(want, seen); d != "" {
			t.Errorf("sent (-want +got):\n%s", d)
		}
	})
}

// Each answer belongs to the caller: changing it does not change any other.
func TestAnswersAreNew(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", nil).Handle("/mcp", modern(says(oneTool)))
		first, err := probe(t.Context(), t, internet, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		first.Reading.Services[0].Capabilities[0].Name = "changed"
		second, err := probe(t.Context(), t, internet, "", nil)
		if err != nil || second.Reading.Services[0].Capabilities[0].Name != "find" || second.Digest != first.Digest {
			t.Errorf("%+v, %v", second, err)
		}
	})
}

// The validity of an answer is the shortest time that the server states (2026-07-28, ttlMs).
// An answer for one user is kept for minutes only.
func TestLifetime(t *testing.T) {
	rows := []struct {
		name, discover, page string
		want                 time.Duration
	}{
		{"the shortest", `"ttlMs": 60000, "cacheScope": "public"`, `"ttlMs": 50000, "cacheScope": "public"`, 50 * time.Second},
		{"of the first answer alone", `"ttlMs": 60000, "cacheScope": "public"`, `"cacheScope": "public"`, time.Minute},
		{"hours, public", `"ttlMs": 7200000, "cacheScope": "public"`, `"ttlMs": 7200000, "cacheScope": "public"`, 2 * time.Hour},
		{"hours, private", `"ttlMs": 7200000, "cacheScope": "public"`, `"ttlMs": 7200000, "cacheScope": "private"`, 5 * time.Minute},
		{"hours, a scope that nobody knows", `"ttlMs": 7200000, "cacheScope": "all"`, `"ttlMs": 7200000, "cacheScope": "public"`, 5 * time.Minute},
		{"a minute, private", `"ttlMs": 60000, "cacheScope": "private"`, `"ttlMs": 60000, "cacheScope": "private"`, time.Minute},
		{"in the past", `"ttlMs": 60000, "cacheScope": "public"`, `"ttlMs": -1, "cacheScope": "public"`, -1},
		{"the first in the past", `"ttlMs": -1, "cacheScope": "public"`, `"ttlMs": 60000, "cacheScope": "public"`, -1},
		{"not at all", `"ttlMs": 60000, "cacheScope": "public"`, `"ttlMs": 0, "cacheScope": "public"`, -1},
		{"not said", `"cacheScope": "public"`, `"cacheScope": "public"`, 0},
		{"no number", `"ttlMs": "60000"`, `"ttlMs": -5.5`, 0},
		{"for ever", `"ttlMs": 9223372036854775807, "cacheScope": "public"`, `"ttlMs": 9223372036854775807, "cacheScope": "public"`, 365 * 24 * time.Hour},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example", nil).Handle("/mcp", script{
					"server/discover": says(`{"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, ` + r.discover + `}`),
					"tools/list":      says(`{"tools": [], ` + r.page + `}`),
				})
				a, err := probe(t.Context(), t, internet, "", nil)
				if err != nil || a.Lifetime != r.want {
					t.Errorf("lifetime %v, %v, want %v", a, err, r.want)
				}
			})
		})
	}
}

// Only advertised lists are requested. If one of them is refused nevertheless, the others are
// not affected.
func TestAdvertised(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		var methods []string
		note := func(result string) func(message) string {
			return func(m message) string { methods = append(methods, m.Method); return result }
		}
		internet.Host("shop.example", nil).Handle("/mcp", script{
			"initialize": says(`{"protocolVersion": "2025-11-25", "capabilities": {"resources": {}, "prompts": null, "tools": {}}, "serverInfo": {"name": "s", "version": "1"}}`),
			"tools/list": note(oneTool), "resources/list": note(`{"resources": []}`), "prompts/list": note(`{"prompts": []}`),
		})
		a, err := probe(t.Context(), t, internet, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"tools/list", "resources/list"}, methods); d != "" {
			t.Errorf("asked (-want +got):\n%s", d)
		}
		if d := a.Reading.Diagnostics; len(d) != 1 || d[0].Code != "mcp.partial" || len(a.Reading.Services[0].Capabilities) != 1 {
			t.Errorf("diagnostics %+v", d)
		}
	})
}

// An empty string is a cursor since 2026-07-28. In older versions it ends a list.
func TestEmptyCursor(t *testing.T) {
	pages := func(m message) string {
		switch {
		case m.Params.Cursor == nil:
			return `{"tools": [{"name": "first", "inputSchema": {"type": "object"}}], "nextCursor": ""}`
		case *m.Params.Cursor == "":
			return `{"tools": [{"name": "second", "inputSchema": {"type": "object"}}], "nextCursor": null}`
		}
		return `{}`
	}
	for name, row := range map[string]struct {
		server script
		want   []string
	}{"modern": {modern(pages), []string{"first", "second"}}, "legacy": {legacy(pages), []string{"first"}}} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example", nil).Handle("/mcp", row.server)
				a, err := probe(t.Context(), t, internet, "", nil)
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(row.want, operations(a.Reading)); d != "" {
					t.Errorf("tools (-want +got):\n%s", d)
				}
			})
		})
	}
}
