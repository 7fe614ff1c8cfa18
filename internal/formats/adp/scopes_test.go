package adp_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
)

// TestScopesAloneNameNoScheme checks a detail document with scopes. The manifest contains their
// scheme, so the document alone has no scheme.
func TestScopesAloneNameNoScheme(t *testing.T) {
	r, err := client.Parse(t.Context(), []byte(`{"name": "send_email", "description": "Sends an email to one address.", "endpoint": "https://example.com/send",
		"method": "POST", "auth_scopes": ["mail.send"], "parameters": [{"name": "to", "type": "string", "required": true}]}`), &client.ParseOptions{URL: "https://example.com/d/send"})
	if err != nil {
		t.Fatal(err)
	}
	capabilities := 0
	for _, c := range r.Site.Capabilities() {
		capabilities++
		if c.Auth == nil {
			continue
		}
		if !c.Auth.Unknown || !strings.Contains(string(c.Extensions["auth_scopes"]), "mail.send") {
			t.Errorf("unknown %v, extensions %s", c.Auth.Unknown, c.Extensions)
		}
		for name, scheme := range c.Auth.Schemes {
			if scheme.Kind == wayfind.SchemeOAuth2 {
				t.Errorf("a scheme that nothing names: %s %+v", name, scheme)
			}
		}
	}
	if r.Format != "adp" || capabilities != 1 {
		t.Errorf("%q %s, %d capabilities", r.Format, r.Verdict, capabilities)
	}
}
