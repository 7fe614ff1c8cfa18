package oauth_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/expected"
)

// TestD14_AuthorizationEndpoint: the authorization endpoint of a server is kept
// (RFC 8414 §2), also where no grant that is listed goes there.
func TestD14_AuthorizationEndpoint(t *testing.T) {
	expected.Failure(t)
	r, err := client.Parse(t.Context(), []byte(`{"issuer": "https://example.com", "authorization_endpoint": "https://example.com/oauth/ask-people",
		"token_endpoint": "https://example.com/token", "grant_types_supported": ["client_credentials"], "response_types_supported": ["code"]}`),
		&client.ParseOptions{URL: "https://example.com/.well-known/oauth-authorization-server"})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r.Site)
	if err != nil {
		t.Fatal(err)
	}
	if r.Format != "oauth" || !strings.Contains(string(b), "https://example.com/oauth/ask-people") {
		t.Errorf("%q %s: the endpoint is lost: %s", r.Format, r.Verdict, b)
	}
}
