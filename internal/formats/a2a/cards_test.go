package a2a_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
)

// parsedCard reads a document at the place of Agent Cards like "wayfind parse".
func parsedCard(t *testing.T, body string) *client.ParseResult {
	t.Helper()
	r, err := client.Parse(t.Context(), []byte(body), &client.ParseOptions{URL: "https://example.com/.well-known/agent-card.json"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// botCard returns a usable card of 0.3 with further members.
func botCard(more string) string {
	return `{"protocolVersion": "0.3.0", "name": "Bot", "description": "A bot.", "version": "1", "url": "https://example.com/a2a",
		"preferredTransport": "JSONRPC", "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], ` + more + `}`
}

const oneSkill = `"skills": [{"id": "find", "name": "Find", "description": "Finds.", "tags": []}]`

// TestTheProfileOfACompanyIsNoCard checks that a company profile at the place of a card is not
// an agent: it has no skills, and a page is not an interface.
func TestTheProfileOfACompanyIsNoCard(t *testing.T) {
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

// TestAnUnusableDocumentKeepsItsFormat checks that a document that is only unusable keeps its
// format, as its diagnostics do.
func TestAnUnusableDocumentKeepsItsFormat(t *testing.T) {
	r := parsedCard(t, strings.Replace(botCard(oneSkill), "https://example.com/a2a", "ftp://example.com/a2a", 1))
	if r.Format != "a2a" || r.Usable {
		t.Errorf("format %q, %s (%s), usable %v; want a2a, which cannot be used", r.Format, r.Verdict, r.Reason, r.Usable)
	}
}

// TestTheMailAddressOfAProviderIsKept checks that the address at which a provider can be
// reached is kept.
func TestTheMailAddressOfAProviderIsKept(t *testing.T) {
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

// The URL of a discovery document is not a credential: it is the starting point of a client
// (OpenID Connect Discovery 1.0 §4).
func TestTheURLOfADiscoveryDocumentIsNoCredential(t *testing.T) {
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

// A price of a card or a skill is in the field of the model for prices.
func TestPricesOfCardsAndSkillsStandInTheModel(t *testing.T) {
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

// TestAnInterfaceOfAnotherKindIsNoneOfA2A checks that an interface of another kind keeps its
// kind, and that a page is not an interface of A2A.
func TestAnInterfaceOfAnotherKindIsNoneOfA2A(t *testing.T) {
	r := parsedCard(t, `{"name": "Bot", "description": "A bot.", "version": "1", "url": "https://example.com/", "capabilities": {},
		"supportedInterfaces": [{"type": "text", "url": "https://example.com/llms.txt"}], "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], `+oneSkill+`}`)
	if len(r.Site.Services) != 1 {
		t.Fatalf("%s (%s)", r.Verdict, r.Reason)
	}
	for _, i := range r.Site.Services[0].Interfaces {
		if i.Protocol == "a2a" || i.Transport == "jsonrpc" {
			t.Errorf("an interface was made up: %+v", i)
		}
	}
}

// TestASmallCardOfAnAgentIsACard checks cards with few members.
func TestASmallCardOfAnAgentIsACard(t *testing.T) {
	for _, body := range []string{
		`{"name": "Bot", "url": "https://example.com/a2a", "version": "1", "capabilities": {}, "skills": []}`,
		`{"name": "Bot", "url": "https://example.com/a2a", "version": "1", "capabilities": {"web": true}, ` + oneSkill + `}`,
		`{"name": "Bot", "url": "https://example.com/a2a", "version": "1", "capabilities": {"streaming": false}, "skills": []}`,
		`{"name": "Bot", "url": "https://example.com/a2a", "protocolVersion": "0.3.0", "capabilities": ["chat"], "skills": []}`,
	} {
		r := parsedCard(t, body)
		if r.Format != "a2a" || len(r.Site.Services) != 1 || len(r.Site.Services[0].Interfaces) != 1 {
			t.Errorf("%s: %q %s (%s)", body, r.Format, r.Verdict, r.Reason)
		}
	}
}

// TestOnlyTheURLOfADiscoveryDocumentIsNoCredential checks that only the URL of a discovery
// document is not a credential, and that it is kept separately if no scheme has a place for it.
func TestOnlyTheURLOfADiscoveryDocumentIsNoCredential(t *testing.T) {
	const discovery = "https://login.example.com/.well-known/openid-configuration"
	for credentials, c := range map[string]struct {
		scheme     string
		kept, told bool
	}{
		discovery: {"apiKey", true, false},
		"https://login.example.com/.well-known/oauth-authorization-server/shop":       {"apiKey", true, false},
		"http://login.example.com/.well-known/openid-configuration":                   {"openIdConnect", false, true},
		"https://user:pass@login.example.com/.well-known/openid-configuration":        {"openIdConnect", false, true},
		"https://login.example.com/.well-known/openid-configuration?key=sk_live_0001": {"openIdConnect", false, true},
		"my-password": {"openIdConnect", false, true},
	} {
		r := parsedCard(t, botCard(`"authentication": {"schemes": ["`+c.scheme+`"], "credentials": "`+credentials+`"}, `+oneSkill))
		if len(r.Site.Services) != 1 {
			t.Fatalf("%s (%s)", r.Verdict, r.Reason)
		}
		kept := strings.Contains(string(r.Site.Services[0].Extensions["authentication"]), credentials)
		told := slices.ContainsFunc(r.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "a2a.credentials" })
		if kept != c.kept || told != c.told {
			t.Errorf("%s: kept %v, told %v", credentials, kept, told)
		}
	}
}

// If several formats cannot use a document, the format with the strongest claim names it.
func TestTheSurestFormatNamesAnUnusableDocument(t *testing.T) {
	r := parsedCard(t, strings.Replace(botCard(`"openapi": "https://example.com/openapi.json", "actions": [], `+oneSkill), "https://example.com/a2a", "mailto:bot@example.com", 1))
	if r.Format != "a2a" || r.Verdict != wayfind.VerdictMalformed || r.Site.Probes[0].Format != "a2a" {
		t.Errorf("%q %s (%s), probe %+v", r.Format, r.Verdict, r.Reason, r.Site.Probes)
	}
}
