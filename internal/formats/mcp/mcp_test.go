package mcp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/formats/mcp"
	"github.com/wayfindhq/wayfind/parse"
)

// The content of a document decides. The place decides only if the words are common.
func TestMatch(t *testing.T) {
	claim := func(level parse.Level, dialect string) parse.Claim {
		return parse.Claim{Level: level, Dialect: dialect}
	}
	no := func(dialect string) parse.Claim {
		return parse.Claim{Level: parse.Exact, Dialect: dialect, Negative: true}
	}
	none, exact, likely := parse.Claim{}, parse.Exact, parse.Likely
	const card = `"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"`
	for _, c := range []struct {
		path, body string
		want       parse.Claim
	}{
		{"", `{` + card + `}`, claim(exact, "server-card")},
		{"", `{"$schema": "https://static.modelcontextprotocol.io/schemas/2025-11-25/server-card.schema.json"}`, claim(exact, "server-card")},
		{"", `{"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json", "name": "a"}`, claim(exact, "server-json")},
		{"", `{"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"}`, none},
		{"", `{"name": "a", "remotes": [{"type": "sse", "url": "https://a.example"}]}`, claim(exact, "server-card")},
		{"", `{"name": "a", "remotes": [{"type": "git", "url": "https://a.example"}]}`, none},
		{"", `{"name": "a", "packages": [{"registryType": "npm", "identifier": "a"}]}`, claim(exact, "server-json")},
		{"", `{"name": "a", "packages": ["a", "b"]}`, none},
		{"", `{"name": "a", "version_detail": {}, "remotes": []}`, claim(exact, "server-json")},
		{"", `{"serverInfo": {"name": "a"}, "capabilities": {}}`, claim(exact, "server-info")},
		{"", `{"serverInfo": {"name": "a"}}`, claim(likely, "server-info")},
		{mcp.PathCard, `{"serverInfo": {}}`, claim(exact, "server-info")},
		{"", `{"serverInfo": {}}`, none},
		{"", `{"serverInfo": "nginx"}`, none},
		{mcp.PathCard, `{"serverInfo": {"name": "a", "available": false}}`, no("server-info")},
		{mcp.PathCard, `{"serverInfo": {"name": "a", "available": false}, "url": "https://a.example"}`, claim(exact, "server-info")},
		{"", `{"mcp_version": "1.0", "endpoints": {}}`, claim(exact, "manifest")},
		{"", `{"mcp_version": "1.0"}`, none},
		{"", `{"mcpServers": {"a": {"command": "b"}}}`, claim(exact, "client-config")},
		{"", `{"mcpServers": {}}`, no("client-config")},
		{"", `{"mcpServers": []}`, none},
		{"", `{"servers": {"a": {"command": "b"}}}`, claim(exact, "client-config")},
		{"", `{"servers": {"production": {"url": "https://a.example"}}}`, none},
		{"", `{"servers": {"a": {"command": "b"}, "b": 7}}`, none},
		{mcp.PathManifest, `{"servers": [{"name": "a", "url": "https://a.example", "authentication": "none"}]}`, claim(exact, "servers")},
		{"", `{"servers": [{"name": "a", "url": "https://a.example", "authentication": "none"}]}`, none},
		{"", `{"servers": [{"name": "a", "transport": "sse"}]}`, claim(exact, "servers")},
		{"", `{"servers": [{"name": "a", "transport": "sse"}, {"name": "b", "tools": []}]}`, claim(likely, "servers")},
		{"", `{"servers": [{"url": "https://a.example", "description": "Production"}]}`, none},
		{"", `{"openapi": "3.1.0", "servers": [{"name": "a", "transport": "sse"}]}`, none},
		{mcp.PathJSON, `{"servers": []}`, no("servers")},
		{"", `{"servers": []}`, none},
		{mcp.PathJSON, `{"name": "a", "description": "b", "icon": "c", "endpoint": "https://a.example/x"}`, claim(exact, "endpoint")},
		{"", `{"name": "a", "description": "b", "icon": "c", "endpoint": "https://a.example/x"}`, none},
		{mcp.PathJSON, `{"name": "a", "endpoint": "https://a.example/x", "method": "GET"}`, none},
		{mcp.PathJSON, `{"name": "a", "endpoint": "https://a.example/mcp", "method": "POST"}`, claim(exact, "endpoint")},
		{"", `{"name": "a", "protocol": "MCP", "url": "https://a.example"}`, claim(exact, "endpoint")},
		{"", `{"name": "a", "transport": "http", "url": "https://a.example", "capabilities": {}}`, claim(exact, "endpoint")},
		{"", `{"name": "a", "transport": "sse", "url": "https://a.example"}`, claim(likely, "endpoint")},
		{"", `{"name": "a", "url": "https://a.example/mcp"}`, none},
		{mcp.PathJSON, `{"name": "a", "url": "https://a.example/mcp", "skills": []}`, claim(exact, "endpoint")},
		{mcp.PathJSON, `{"name": "a", "url": "https://a.example/mcp", "skills": [{"id": "b", "name": "b"}]}`, none},
		{"", `{"tools": [{"name": "a", "inputSchema": {}}]}`, claim(exact, "tools")},
		{"", `{"jsonrpc": "2.0", "result": {"tools": [{"name": "a", "inputSchema": {}}]}}`, claim(exact, "tools")},
		{"", `{"tools": [{"name": "a", "inputSchema": {}}], "theme": "dark"}`, claim(likely, "tools")},
		{"", `{"tools": [{"name": "a", "description": "b"}]}`, none},
		{"", `{"tools": []}`, none},
		{"", `[{"name": "a", "inputSchema": {}}]`, claim(exact, "tools")},
		{"", `[{"name": "a", "arguments": [{"name": "b", "desc": "c"}]}, {"name": "b"}]`, claim(likely, "tools")},
		{"", `[{"name": "a", "description": "b"}]`, none},
		{"", `{"name": "a", "inputSchema": {}}`, claim(likely, "tools")},
		{"", `{"specVersion": "draft", "entries": [{"identifier": "a", "type": "application/mcp-server-card+json"}]}`, none}, // an MCP Catalog belongs to aicatalog
		{"", `{"specVersion": "1.0", "entries": [{"identifier": "a", "type": "application/mcp-server-card+json"}]}`, none},
		{"", `{"specVersion": "draft", "entries": [{"identifier": "a", "type": "application/a2a-agent-card+json"}]}`, none},
		{mcp.PathJSON, `{}`, none}, {mcp.PathJSON, `[]`, none}, {mcp.PathJSON, `null`, none}, {mcp.PathJSON, `"mcp"`, none}, {mcp.PathJSON, ``, none},
		{mcp.PathManifest, `{"jsonrpc": "2.0", "error": {"code": -32000}}`, none},
		{mcp.PathJSON, `<!doctype html>`, none},
	} {
		if got := mcp.Format().Match(at(t, c.path, c.body)); got != c.want {
			t.Errorf("%s %s: got %+v, want %+v", c.path, c.body, got, c.want)
		}
	}
}

// A site may have several documents, and each of them several servers. Keys contain the place
// and the server, and each capability has an interface.
func TestInSite(t *testing.T) {
	const tools = `"tools": [{"name": "find", "inputSchema": {"type": "object"}}, {"name": "Find"}, {"name": "find"}]`
	for _, c := range []struct {
		path, body string
		want       []string
	}{
		{mcp.PathCard, `{"serverInfo": {"name": "a"}, "transport": {"type": "sse", "endpoint": "https://evil.example/sse"}, ` + tools + `}`, []string{
			"mcp:mcp-server-card needs_approval", "mcp:mcp-server-card/find", "mcp:mcp-server-card/Find", "mcp:mcp-server-card/find~2",
		}},
		{mcp.PathManifest, `{"servers": [{"name": "a", "transport": "sse", "url": "/a", ` + tools + `}, {"name": "b", "transport": "sse", "url": "/b", "tools": ["find"]}]}`, []string{
			"mcp:mcp/a same_origin", "mcp:mcp/a/find", "mcp:mcp/a/Find", "mcp:mcp/a/find~2", "mcp:mcp/b same_origin", "mcp:mcp/b/find",
		}},
	} {
		p, err := client.Parse(t.Context(), []byte(c.body), &client.ParseOptions{
			URL: host + c.path, ContentType: "application/json", Formats: []*parse.Format{mcp.Format()},
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range p.Site.Services {
			got = append(got, s.ID+" "+string(s.Interfaces[0].Trust))
			for i := range s.Capabilities {
				got = append(got, s.Capabilities[i].Key)
				if err := s.Capabilities[i].Check(); err != nil {
					t.Errorf("%s: %v", s.Capabilities[i].Key, err)
				}
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" || !p.Usable {
			t.Errorf("%s: verdict %s (-want +got):\n%s", c.path, p.Verdict, diff)
		}
	}
}

// A document that denies a server is a "no".
func TestNegativeDocumentsAreAbsent(t *testing.T) {
	p, err := client.Parse(t.Context(), []byte(`{"serverInfo": {"name": "a", "available": false}}`), &client.ParseOptions{
		URL: host + mcp.PathCard, ContentType: "application/json", Formats: []*parse.Format{mcp.Format()},
	})
	if err != nil {
		t.Fatal(err)
	}
	if p.Verdict != wayfind.VerdictAbsent || len(p.Site.Services) != 0 {
		t.Errorf("verdict %s, services %+v", p.Verdict, p.Site.Services)
	}
}
