package client_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// TestEndpointOnAnotherSite: the MCP endpoint of an agents.md must share its registrable domain
// (agents.md §5). A diagnostic with the line reports an endpoint that does not, whether a document
// is checked offline or a site is resolved. A document of unknown place is on no site.
func TestEndpointOnAnotherSite(t *testing.T) {
	for endpoint, foreign := range map[string]bool{
		"https://example.com/mcp": false, "https://mcp.example.com/": false,
		"https://other.example/mcp": true, "https://example.com.evil.example/mcp": true, "https://{tenant}.example.com/mcp": true,
	} {
		body := fmt.Sprintf("---\nversion: \"1.0\"\nmcp:\n  endpoint: %s\n---\n# Shop\n\n## Can\n\n- Sell\n", endpoint)
		check := func(where string, diagnostics []wayfind.Diagnostic, want bool) {
			i := slices.IndexFunc(diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "endpoint.cross_site" })
			if (i >= 0) != want {
				t.Errorf("%s, %s: told %t, want %t: %+v", endpoint, where, i >= 0, want, diagnostics)
			} else if want && (diagnostics[i].Severity != wayfind.SeverityError || diagnostics[i].Line != 4 || diagnostics[i].Source == "") {
				t.Errorf("%s, %s: %+v", endpoint, where, diagnostics[i])
			}
		}
		check("no place", parseText(t, body, &client.ParseOptions{Format: "agentsmd"}).Diagnostics, false)
		check("offline", parseText(t, body, &client.ParseOptions{URL: "https://example.com/agents.md"}).Diagnostics, foreign)
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("example.com", clienttest.Pages{"/agents.md": body})
			site, err := internet.Client().Resolve(t.Context(), "example.com")
			if err != nil {
				t.Fatal(err)
			}
			check("resolved", site.Diagnostics, foreign)
		})
	}
}
