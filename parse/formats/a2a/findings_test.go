package a2a_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/expected"
)

// parsedCard reads a document at the place of Agent Cards as "wayfind parse"
// does.
func parsedCard(t *testing.T, body string) *client.ParseResult {
	t.Helper()
	r, err := client.Parse(t.Context(), []byte(body), &client.ParseOptions{URL: "https://example.com/.well-known/agent-card.json"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// botCard is a card of 0.3 that can be used, with members more.
func botCard(more string) string {
	return `{"protocolVersion": "0.3.0", "name": "Bot", "description": "A bot.", "version": "1", "url": "https://example.com/a2a",
		"preferredTransport": "JSONRPC", "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], ` + more + `}`
}

const oneSkill = `"skills": [{"id": "find", "name": "Find", "description": "Finds.", "tags": []}]`

// TestD10_NoCard: the profile of a company at a card's place names no agent: it
// has no skills, and a page is no interface.
func TestD10_NoCard(t *testing.T) {
	expected.Failure(t)
	for _, body := range []string{
		`{"name": "Acme Ltd", "description": "We make things.", "url": "https://example.com/", "protocols": ["https"], "capabilities": ["consulting"], "defaultInputModes": ["text/plain"]}`,
		`{"name": "Acme Ltd", "description": "We make things.", "url": "https://example.com/", "protocols": ["https"], "capabilities": {"web": true}, "skills": []}`,
	} {
		for _, s := range parsedCard(t, body).Site.Services {
			if len(s.Interfaces) > 0 {
				t.Errorf("an interface was made up: %+v", s.Interfaces)
			}
		}
	}
}

// TestD11_FormatOfUnusable: a document of which only the use is in doubt keeps
// its format, as its diagnostics do.
func TestD11_FormatOfUnusable(t *testing.T) {
	expected.Failure(t)
	r := parsedCard(t, strings.Replace(botCard(oneSkill), "https://example.com/a2a", "ftp://example.com/a2a", 1))
	if r.Format != "a2a" || r.Usable {
		t.Errorf("format %q, %s (%s), usable %v; want a2a, which cannot be used", r.Format, r.Verdict, r.Reason, r.Usable)
	}
}

// TestD14_ProviderMail: the address of a provider is where people are reached.
func TestD14_ProviderMail(t *testing.T) {
	expected.Failure(t)
	r := parsedCard(t, botCard(`"provider": {"organization": "Acme", "url": "https://acme.example", "email": "bots@acme.example"}, `+oneSkill))
	if len(r.Site.Services) != 1 {
		t.Fatalf("%s, services %+v", r.Verdict, r.Site.Services)
	}
	s := r.Site.Services[0]
	kept := s.Contact != nil && s.Contact.Email == "bots@acme.example"
	for _, value := range s.Extensions {
		kept = kept || strings.Contains(string(value), "bots@acme.example")
	}
	if !kept {
		t.Errorf("the address is lost: provider %+v, contact %+v", s.Provider, s.Contact)
	}
}

// TestD14_DiscoveryURL: the place of a discovery document is no credential: it
// is where a client begins (OpenID Connect Discovery 1.0 §4).
func TestD14_DiscoveryURL(t *testing.T) {
	expected.Failure(t)
	const discovery = "https://login.example.com/.well-known/openid-configuration"
	r := parsedCard(t, botCard(`"authentication": {"schemes": ["openIdConnect"], "credentials": "`+discovery+`"}, `+oneSkill))
	var urls []string
	for _, s := range r.Site.Services {
		if s.Auth != nil {
			for _, scheme := range s.Auth.Schemes {
				urls = append(urls, scheme.MetadataURL)
			}
		}
	}
	if !slices.Contains(urls, discovery) {
		t.Errorf("metadata at %q, want %s", urls, discovery)
	}
}

// TestD15_Prices: a price that a card gives for itself or for a skill stands
// where the model has a place for it.
func TestD15_Prices(t *testing.T) {
	expected.Failure(t)
	r := parsedCard(t, botCard(`"pricing": {"model": "paid"}, "skills": [{"id": "find", "name": "Find", "description": "Finds.", "tags": [], "price": "0.01 USD"}]`))
	if len(r.Site.Services) != 1 || len(r.Site.Services[0].Capabilities) != 1 {
		t.Fatalf("%s, services %+v", r.Verdict, r.Site.Services)
	}
	s := r.Site.Services[0]
	if s.Pricing == nil || s.Pricing.Model != "paid" {
		t.Errorf("pricing %+v, extensions %s", s.Pricing, s.Extensions)
	}
	if c := s.Capabilities[0]; c.Price != "0.01 USD" {
		t.Errorf("price %q, extensions %s", c.Price, c.Extensions)
	}
}
