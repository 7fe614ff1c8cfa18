package security

import (
	"errors"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
)

func TestOnlyHostsOfTheSameSiteAreApproved(t *testing.T) {
	for _, row := range []struct {
		document, site, endpoint, purpose string
		approved                          bool
	}{
		{"https://example.com", "https://example.com", "https://mcp.example.com/mcp", "live", true},
		{"https://example.com", "https://example.com", "https://mcp.example.com:443/mcp", "describe", true},
		{"https://www.example.com", "https://example.com", "https://API.example.com/a", "call", true},
		{"https://example.com", "", "https://mcp.example.com/actors", "actors", true},
		{"https://alice.github.io", "https://alice.github.io", "https://mcp.alice.github.io/mcp", "live", true},

		{"https://example.com", "https://example.com", "https://login.example.com/token", "oauth", false},
		{"https://alice.github.io", "https://alice.github.io", "https://bob.github.io/mcp", "live", false},
		{"https://example.com", "https://example.com", "https://mcp.example.org/mcp", "live", false},
		{"https://example.org", "https://example.com", "https://mcp.example.org/mcp", "live", false}, // a document of another site
		{"https://example.com", "https://example.org", "https://mcp.example.com/mcp", "live", false},
		{"https://example.com", "https://example.com", "http://mcp.example.com/mcp", "live", false},
		{"https://example.com", "https://example.com", "https://mcp.example.com:8443/mcp", "live", false},
		{"https://example.com", "https://example.com", "https://user@mcp.example.com/mcp", "live", false},
		{"https://example.com", "https://example.com", "https://mcp.example.com.evil.example/mcp", "live", false},
		{"https://192.0.2.1", "https://192.0.2.1", "https://192.0.2.1/mcp", "live", false},
		{"https://[2001:db8::1]", "https://[2001:db8::1]", "https://[2001:db8::1]/mcp", "live", false},
		{"https://localhost", "https://localhost", "https://localhost/mcp", "live", false},
		{"https://a.corp.internal", "https://a.corp.internal", "https://b.corp.internal/mcp", "live", false}, // a name of AllowNames
		{"http://localhost:3000", "http://localhost:3000", "http://localhost:3000/mcp", "live", false},
		{"", "", "https://mcp.example.com/mcp", "live", false},
		{"https://example.com", "https://example.com", "%", "live", false},
	} {
		r := ApprovalRequest{DocumentOrigin: row.document, Endpoint: row.endpoint, Purpose: row.purpose}
		if row.site != "" {
			r.Definition = &wayfind.Site{Origin: row.site}
		}
		err := ApproveSameSite(t.Context(), r)
		e, _ := errors.AsType[*wayfind.Error](err)
		if (err == nil) != row.approved || err != nil && (e == nil || e.Code != wayfind.CodeNotApproved || !strings.Contains(err.Error(), "refused")) {
			t.Errorf("%s of a document of %s: %v", row.endpoint, row.document, err)
		}
	}
}
