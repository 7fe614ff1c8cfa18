package mcp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/mcp"
)

// A member that one shape reads is kept in the others: in a field, in an extension or in the
// text of a diagnostic.
func TestAMemberOfAnotherShapeIsKept(t *testing.T) {
	shapes := map[string]string{
		"server-card":   `{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json", "name": "com.example/a", "version": "1", "description": "d", "remotes": [{"type": "sse", "url": "https://shop.example/sse"}]}`,
		"server-json":   `{"name": "com.example/a", "version": "1", "description": "d", "packages": [{"registryType": "npm", "identifier": "a", "version": "1", "transport": {"type": "stdio"}}]}`,
		"server-info":   `{"serverInfo": {"name": "a"}, "transport": {"type": "sse", "endpoint": "/sse"}, "tools": []}`,
		"manifest":      `{"mcp_version": "1", "server_name": "a", "endpoints": {"sse": "/sse"}}`,
		"endpoint":      `{"name": "a", "endpoint": "/mcp"}`,
		"servers":       `{"servers": [{"name": "a", "url": "https://shop.example/mcp", "type": "http"}]}`,
		"client-config": `{"mcpServers": {"a": {"url": "https://shop.example/mcp"}}}`,
		"tools":         `{"tools": [{"name": "a", "inputSchema": {"type": "object"}}]}`,
	}
	added := []string{
		"$comment", "name", "server_name", "title", "description", "version", "server_version", "websiteUrl", "website", "homepage", "documentationUrl", "documentation",
		"icon", "iconUrl", "provider", "publisher", "vendor", "owner", "mcp_version", "mcpVersion", "mcpServerCardVersion", "protocol", "protocolVersion",
		"protocolVersions", "supportedProtocolVersions", "type", "authentication", "auth", "tags", "keywords", "categories", "package", "variables", "command", "installCommand", "install_command", "args", "env", "nextCursor",
	}
	for shape, text := range shapes {
		for _, member := range added {
			var doc map[string]any
			if err := json.Unmarshal([]byte(text), &doc); err != nil {
				t.Fatal(err)
			}
			if _, has := doc[member]; has {
				continue
			}
			const mark = "zz-mark-17"
			doc[member] = mark
			in := served(t, ":"+mcp.PathJSON, asBytes(t, doc))
			r, err := mcp.Format().Parse(in)
			if err != nil {
				t.Errorf("%s with %q: %v", shape, member, err)
				continue
			}
			kept, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			told := slices.ContainsFunc(r.Diagnostics, func(d wayfind.Diagnostic) bool { return strings.Contains(d.Message+d.Pointer, member) })
			if !strings.Contains(string(kept), mark) && !told {
				t.Errorf("%s: %q is in no field, extension or diagnostic", shape, member)
			}
		}
	}
}

// A card with its own identity and with serverInfo keeps both names in addition to a title, in
// any place of the title.
func TestBothNamesOfACardAreKept(t *testing.T) {
	const card = `{"name": "com.example/root-name", %s "version": "1", "description": "d", "serverInfo": {"name": "info-name", %s "version": "1"}, "remotes": [{"type": "sse", "url": "https://shop.example/sse"}]}`
	for _, row := range [][2]string{{"", ""}, {`"title": "A title",`, ""}, {"", `"title": "A title",`}, {`"title": "A title",`, `"title": "Another",`}} {
		r, err := mcp.Format().Parse(served(t, ":"+mcp.PathCard, fmt.Appendf(nil, card, row[0], row[1])))
		if err != nil {
			t.Fatal(err)
		}
		kept, err := json.Marshal(r.Services)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"com.example/root-name", "info-name"} {
			if !strings.Contains(string(kept), name) {
				t.Errorf("%v: %q is not in %s", row, name, kept)
			}
		}
	}
}

// A card with both shapes may contain two addresses. Both are read, and the contradiction is
// reported. Another transport, or the same address, is not a contradiction.
func TestAddressesOfOneCardThatDifferAreReported(t *testing.T) {
	const card = `{"$schema": "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json", "name": "com.example/a", "version": "1", "description": "d",
		"remotes": [{"type": "streamable-http", "url": "https://shop.example/mcp"}], %s}`
	for beside, faces := range map[string]int{
		`"transport": {"type": "streamable-http", "endpoint": "https://shop.example/other"}`: 2,
		`"endpoint": "https://shop.example/other"`:                                           2,
		`"transport": {"type": "streamable-http", "endpoint": "https://shop.example/mcp"}`:   1,
		`"transport": {"type": "streamable-http", "endpoint": "/mcp"}`:                       1,
		`"transport": {"type": "sse", "endpoint": "https://shop.example/sse"}`:               0,
	} {
		r, err := mcp.Format().Parse(served(t, ":"+mcp.PathCard, fmt.Appendf(nil, card, beside)))
		if err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(r.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "mcp.conflict" })
		if n := len(r.Services[0].Interfaces); told != (faces == 2) || faces > 0 && n != faces {
			t.Errorf("%s: told %v, %d addresses", beside, told, n)
		}
	}
}
