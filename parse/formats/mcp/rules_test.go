package mcp_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/parse/formats/mcp"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// Every code is explained, and a fixture gives every code that is, or a
// document that would be too long for a fixture.
func TestRulesExplainTheCodes(t *testing.T) {
	format := mcp.Format()
	var emitted []string
	for _, path := range golden.Files(t, "testdata", "*.txtar") {
		emitted = append(emitted, parsetest.Codes(format, golden.Read(t, path))...)
	}
	entry := `{"identifier": "a", "type": "application/mcp-server-card+json", "url": "https://shop.example/c"},`
	for _, body := range []string{
		`{"tools": ` + many(`{"name": "a", "inputSchema": {"type": "object"}}`, 1001) + `}`,
		`{"specVersion": "draft", "entries": [` + strings.Repeat(entry, 20) + `{}]}`,
	} {
		for _, d := range read(t, at(t, mcp.PathJSON, body)).Diagnostics {
			emitted = append(emitted, d.Code)
		}
	}
	parsetest.Rules(t, format, emitted)
}

// many is an array of one value.
func many(value string, n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(value+",", n), ",") + "]"
}
