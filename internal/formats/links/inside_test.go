package links_test

import (
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/links"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/parse"
)

// An address is only used if its name, or the object around it, names the protocol.
func TestAddressesOfAForeignDocument(t *testing.T) {
	for body, want := range map[string][]string{
		`{"mcp": "/mcp"}`: {"mcp https://shop.example/mcp"},
		`{"mcp_pack": {"sse_endpoint": "https://shop.example/sse"}}`:                    {"mcp https://shop.example/sse"},
		`{"connect": {"mcp-server-url": "https://shop.example/mcp"}}`:                   {"mcp https://shop.example/mcp"},
		`{"interfaces": [{"type": "A2A", "url": "/a2a"}, {"type": "web", "url": "/"}]}`: {"a2a https://shop.example/a2a"},
		`{"agent_card_json": "/card.json"}`:                                             {"a2a https://shop.example/card.json followed"},
		`{"api": {"openapi_url": "/v1", "docs": "/docs"}}`:                              {"openapi https://shop.example/v1 followed"},
		`{"swagger": ["/a.yaml", "/b.yaml"]}`:                                           {"openapi https://shop.example/a.yaml followed", "openapi https://shop.example/b.yaml followed"},
		`{"mcp_docs": "/docs", "openapi": "3.1.0", "mcp": {"docs": "/docs"}}`:           nil,
		`{"name": "mcp", "url": "https://shop.example/"}`:                               nil,
		`{"mcp": "mcp.shop.example", "a2a": "mailto:a@shop.example", "openapi": ""}`:    nil,
		`{"a": {"b": {"c": {"d": {"e": {"mcp": "/mcp"}}}}}}`:                            nil,
	} {
		in := formattest.Input(t, "https://shop.example/agent.json", "application/json", []byte(body))
		if claim := links.Format().Match(in); claim != (parse.Claim{}) {
			t.Errorf("%s, which a format claims: %+v", body, claim)
		}
		in.Unclaimed = true
		if claim := links.Format().Match(in); claim != (parse.Claim{Aside: true}) {
			t.Errorf("%s: %+v", body, claim)
		}
		r, err := links.Format().Parse(in)
		if err != nil || len(r.Services) > 0 {
			t.Fatalf("%s: %v, %+v", body, err, r)
		}
		var got []string
		for _, d := range r.Documents {
			text := d.Rel + " " + d.URL
			if slices.ContainsFunc(r.Links, func(l parse.Link) bool { return l.URLs[0] == d.URL && l.Format == d.Rel }) {
				text += " followed"
			}
			got = append(got, text)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}
