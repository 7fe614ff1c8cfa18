package merge_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/resolve"
)

// found is a document that was read, at a URL.
func found(f *parse.Format, source wayfind.Source, r *parse.Reading) *merge.Outcome {
	source.Format = f.Name
	return &merge.Outcome{
		Candidate: &places.Candidate{URL: source.URL}, Probe: wayfind.Probe{URL: source.URL, Verdict: wayfind.VerdictFound},
		Readings: []reading.Located{reading.Made(f, source, r)},
	}
}

func siteOf(outcomes ...*merge.Outcome) *wayfind.Site {
	return merge.Site(merge.Input{Target: resolve.Target{Origin: "https://example.com"}, Outcomes: outcomes, Now: mergedAt})
}

const (
	card     = "https://example.com/card.json"
	endpoint = "https://example.com/mcp"
)

// word is a statement about a service, by a document or by the endpoint itself.
type word struct {
	source  wayfind.Source
	service wayfind.Service
}

func declares(url string) word {
	return word{wayfind.Source{URL: card, SHA256: "card", Authority: wayfind.AuthorityNative}, wayfind.Service{
		ID: "card", Name: "Shop of the card", Description: "Sells.", Interfaces: []wayfind.Interface{{Protocol: "mcp", URL: url}},
		Sources: []wayfind.Ref{{Source: card}}, Capabilities: []wayfind.Capability{{ID: "old"}},
		Extensions: map[string]json.RawMessage{"a": json.RawMessage("1"), "b": json.RawMessage("1")},
	}}
}

func lives(at string) word {
	return word{wayfind.Source{URL: at, SHA256: "live", Authority: wayfind.AuthorityLive}, wayfind.Service{
		ID: "live", Name: "Shop", Interfaces: []wayfind.Interface{{Protocol: "mcp", URL: endpoint}},
		Sources: []wayfind.Ref{{Source: at}}, Capabilities: []wayfind.Capability{{ID: "new"}},
		Extensions: map[string]json.RawMessage{"b": json.RawMessage("2")},
	}}
}

func joined(format *parse.Format, words ...word) *wayfind.Site {
	var outcomes []*merge.Outcome
	for _, w := range words {
		outcomes = append(outcomes, found(format, w.source, &parse.Reading{Services: []wayfind.Service{w.service}}))
	}
	return siteOf(outcomes...)
}

// An endpoint that answers and the document that names it are one service. It has the ID of the
// document, because the endpoint may sometimes be down, and the texts of the endpoint, if it has
// any.
func TestAnEndpointAndItsDocumentAreOneService(t *testing.T) {
	f := &parse.Format{Name: "mcp"}
	for _, words := range [][]word{{declares(endpoint), lives(endpoint)}, {lives(endpoint), declares(endpoint)}} {
		site := joined(f, words...)
		if len(site.Services) != 1 {
			t.Fatalf("%d services", len(site.Services))
		}
		s := site.Services[0]
		got := []any{s.ID, s.Aliases, s.Name, s.Description, len(s.Interfaces), s.Sources, keysOf(site), s.Extensions}
		want := []any{"mcp:card", []string{"mcp:live"}, "Shop", "Sells.", 1, []wayfind.Ref{{Source: card}, {Source: endpoint}}, []string{"mcp:new", "mcp:old"},
			map[string]json.RawMessage{"a": json.RawMessage("1"), "b": json.RawMessage("2")}}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got)\n%s", d)
		}
	}
}

// They are one for the endpoint that the document names, or for the one that it redirects
// to; and only if the document speaks for the site.
func TestAnEndpointOfAnotherDocumentIsAnotherService(t *testing.T) {
	f := &parse.Format{Name: "mcp"}
	foreign, foreignLive := declares(endpoint), lives(endpoint)
	foreign.source.Trust, foreignLive.source.Trust = wayfind.TrustCrossSite, wayfind.TrustCrossSite
	two := declares(endpoint)
	two.service.Interfaces = append(two.service.Interfaces, wayfind.Interface{Protocol: "mcp", URL: "https://example.com/other"})
	both := lives(endpoint)
	both.service.Interfaces = append(both.service.Interfaces, wayfind.Interface{Protocol: "mcp", URL: "https://example.com/other"})
	tenant := declares(endpoint)
	tenant.service.Interfaces[0].Tenant = "t"
	protocol := declares(endpoint)
	protocol.service.Interfaces[0].Protocol = "a2a"
	for _, row := range []struct {
		name           string
		declared, live word
		services       int
	}{
		{"the same", declares(endpoint), lives(endpoint), 1},
		{"the same in another spelling", declares("https://EXAMPLE.com:443/mcp/"), lives(endpoint), 1},
		{"a redirect", declares("https://example.com/old"), lives("https://example.com/old"), 1},
		{"another endpoint", declares("https://example.com/other"), lives(endpoint), 2},
		{"two endpoints", two, lives(endpoint), 2},
		{"an endpoint that names two", declares(endpoint), both, 2},
		{"a tenant", tenant, lives(endpoint), 2},
		{"another protocol", protocol, lives(endpoint), 2},
		{"a document of another site", foreign, lives(endpoint), 2},
		{"an endpoint of another site", declares(endpoint), foreignLive, 2},
	} {
		if site := joined(f, row.declared, row.live); len(site.Services) != row.services {
			t.Errorf("%s: %d services, want %d", row.name, len(site.Services), row.services)
		}
	}
	declared, live := declares(endpoint), lives(endpoint)
	other := found(&parse.Format{Name: "other"}, declared.source, &parse.Reading{Services: []wayfind.Service{declared.service}})
	if site := siteOf(other, found(f, live.source, &parse.Reading{Services: []wayfind.Service{live.service}})); len(site.Services) != 2 {
		t.Errorf("a document of another format: %d services, want 2", len(site.Services))
	}
}

// The service requires the authentication of both. If an endpoint does not mention a key, or
// requires none, the requirement of its document stays.
func TestAnEndpointAndItsDocumentDemandTogether(t *testing.T) {
	key := func(scheme string) *wayfind.Auth {
		return &wayfind.Auth{Schemes: map[string]wayfind.Scheme{scheme: {Kind: wayfind.SchemeAPIKey, In: "header", Name: scheme}}, Requirements: [][]wayfind.Requirement{{{Scheme: scheme}}}}
	}
	none := &wayfind.Auth{Schemes: map[string]wayfind.Scheme{"none": {Kind: wayfind.SchemeNone}}, Requirements: [][]wayfind.Requirement{{{Scheme: "none"}}}}
	for _, row := range []struct {
		name           string
		declared, live *wayfind.Auth
		schemes        []string
	}{
		{"neither", nil, nil, nil},
		{"the document", key("a"), nil, []string{"a"}},
		{"the endpoint", nil, key("a"), []string{"a"}},
		{"the endpoint needs none", key("a"), none, []string{"a"}},
		{"the document needs none", none, key("a"), []string{"a"}},
		{"the same", key("a"), key("a"), []string{"a"}},
		{"one each", key("a"), key("b"), []string{"a", "b"}},
	} {
		for _, inside := range []bool{false, true} { // the interface repeats the words of its service
			declared, live := declares(endpoint), lives(endpoint)
			declared.service.Auth, live.service.Auth = row.declared, row.live
			if inside {
				live.service.Interfaces[0].Auth = row.live
			}
			site := joined(&parse.Format{Name: "mcp"}, declared, live)
			if len(site.Services) != 1 {
				t.Fatalf("%s: %d services", row.name, len(site.Services))
			}
			if got := demanded(site.Services[0].Auth); !slices.Equal(got, row.schemes) {
				t.Errorf("%s: demands %q, want %q", row.name, got, row.schemes)
			}
			if f := site.Services[0].Interfaces[0]; f.Auth != nil && cmp.Equal(f.Auth, site.Services[0].Auth) {
				t.Errorf("%s: the interface repeats the words of its service", row.name)
			}
		}
	}
}

// demanded are the schemes that a call needs, whichever way it takes.
func demanded(a *wayfind.Auth) (schemes []string) {
	if a == nil {
		return nil
	}
	for _, way := range a.Requirements {
		for _, r := range way {
			if a.Schemes[r.Scheme].Kind != wayfind.SchemeNone {
				schemes = append(schemes, r.Scheme)
			}
		}
	}
	slices.Sort(schemes)
	return schemes
}
