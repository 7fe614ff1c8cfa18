package a2a_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
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

// TestTheProfileOfACompanyIsNoCard: the profile of a company at a card's place names no agent: it
// has no skills, and a page is no interface.
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

// TestAnUnusableDocumentKeepsItsFormat: a document of which only the use is in doubt keeps
// its format, as its diagnostics do.
func TestAnUnusableDocumentKeepsItsFormat(t *testing.T) {
	r := parsedCard(t, strings.Replace(botCard(oneSkill), "https://example.com/a2a", "ftp://example.com/a2a", 1))
	if r.Format != "a2a" || r.Usable {
		t.Errorf("format %q, %s (%s), usable %v; want a2a, which cannot be used", r.Format, r.Verdict, r.Reason, r.Usable)
	}
}

// TestTheMailAddressOfAProviderIsKept: the address of a provider is where people are reached.
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

// The place of a discovery document is no credential: it is where a client begins (OpenID
// Connect Discovery 1.0 §4).
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

// A price that a card gives for itself or for a skill stands where the model has a place
// for it.
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

// TestAnInterfaceOfAnotherKindIsNoneOfA2A: an interface of another kind is told as what it is, and
// makes no page an interface of A2A.
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

// TestASmallCardOfAnAgentIsACard: what little a card has, an agent of it stays one.
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

// TestOnlyTheURLOfADiscoveryDocumentIsNoCredential: only the place of a discovery document is none;
// where no scheme takes it, it is kept beside.
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

// Of several formats that cannot use a document, the one that is surest of it names it.
func TestTheSurestFormatNamesAnUnusableDocument(t *testing.T) {
	r := parsedCard(t, strings.Replace(botCard(`"openapi": "https://example.com/openapi.json", "actions": [], `+oneSkill), "https://example.com/a2a", "mailto:bot@example.com", 1))
	if r.Format != "a2a" || r.Verdict != wayfind.VerdictMalformed || r.Site.Probes[0].Format != "a2a" {
		t.Errorf("%q %s (%s), probe %+v", r.Format, r.Verdict, r.Reason, r.Site.Probes)
	}
}
