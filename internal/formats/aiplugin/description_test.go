package aiplugin_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
)

// parsedPlugin reads a manifest like "wayfind parse".
func parsedPlugin(t *testing.T, legal string) *client.ParseResult {
	t.Helper()
	body := `{"schema_version": "v1", "name_for_human": "Shop", "name_for_model": "shop", "description_for_human": "A shop.",
		"description_for_model": "Use it.", "auth": {"type": "none"}, "api": {"type": "openapi", "url": "https://example.com/api/description.json"},
		"logo_url": "https://example.com/logo.png", "contact_email": "a@example.com", "legal_info_url": "` + legal + `"}`
	r, err := client.Parse(t.Context(), []byte(body), &client.ParseOptions{URL: "https://example.com/.well-known/ai-plugin.json"})
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != wayfind.VerdictFound || r.Format != "aiplugin" {
		t.Fatalf("%q %s (%s)", r.Format, r.Verdict, r.Reason)
	}
	return r
}

// TestTheDescriptionOfTheAPIIsLinked checks that reading one document shows the link to the
// API, which discovery follows.
func TestTheDescriptionOfTheAPIIsLinked(t *testing.T) {
	b, err := json.Marshal(parsedPlugin(t, "https://example.com/legal").Site)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(b), "https://example.com/api/description.json") {
		t.Errorf("the description of the API is lost: %s", b)
	}
}

// TestProseIsNoURL checks that a text that does not look like a URL reference (RFC 3986 §4.1)
// does not become one: a mail address, a placeholder, a sentence.
func TestProseIsNoURL(t *testing.T) {
	for _, text := range []string{"hello@legal.example", "{{BASE}}/legal", "<your legal page>", "see our terms of use"} {
		for _, d := range parsedPlugin(t, text).Site.Documents {
			t.Errorf("%q became %s", text, d.URL)
		}
	}
}
