package a2a_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// object is a JSON object. A nil member removes the member from a valid card.
type object = map[string]any

// site is the origin of the cards in the tests.
const site = "https://shop.example"

// documents returns the inputs of all fixtures.
func documents(t testing.TB) (docs []parsetest.Doc) {
	for _, f := range golden.Inputs(t) {
		docs = append(docs, parsetest.Doc{Name: f.Name, URL: site + a2a.Path, MediaType: "application/json", Body: f.Data})
	}
	return docs
}

func TestLaws(t *testing.T) { parsetest.Run(t, a2a.Format(), documents(t)...) }

func FuzzLaws(f *testing.F) { parsetest.Fuzz(f, a2a.Format(), documents(f)...) }

// served returns a card as the site of the tests serves it.
func served(t testing.TB, body []byte) *parse.Input {
	return formattest.Input(t, site+a2a.Path, "application/json", body)
}

// skill returns a valid skill with replaced members.
func skill(replace object) object {
	return formattest.Edit(object{"id": "find", "name": "Find", "description": "Finds things.", "tags": []string{"search"}}, replace)
}

// card03 returns a valid card of 0.3 with replaced members.
func card03(replace object) object {
	return formattest.Edit(object{
		"protocolVersion": "0.3.0", "name": "Shop", "description": "Sells things.", "url": site + "/a2a", "preferredTransport": "JSONRPC",
		"version": "1.2.0", "capabilities": object{}, "defaultInputModes": []string{"text/plain"}, "defaultOutputModes": []string{"text/plain"},
		"skills": []any{skill(nil)},
	}, replace)
}

// card10 returns a valid card of 1.0 with replaced members.
func card10(replace object) object {
	return formattest.Edit(object{
		"name": "Shop", "description": "Sells things.", "version": "1.2.0", "capabilities": object{},
		"supportedInterfaces": []any{object{"url": site + "/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}},
		"defaultInputModes":   []string{"text/plain"}, "defaultOutputModes": []string{"text/plain"}, "skills": []any{skill(nil)},
	}, replace)
}

// face10 returns a card of 1.0 with these interfaces.
func face10(faces ...object) object {
	return card10(object{"supportedInterfaces": append([]object{}, faces...)})
}

func read(t testing.TB, card any) *parse.Reading {
	t.Helper()
	return formattest.Read(t, a2a.Format(), served(t, formattest.JSON(t, card)))
}

func codes(list []wayfind.Diagnostic) []string {
	return formattest.Show(list, "{severity} {name} {pointer}")
}

// places returns the interfaces in short form.
func places(r *parse.Reading) []string {
	var list []string
	for _, f := range r.Services[0].Interfaces {
		line := fmt.Sprintf("%s %s %s%s%s %v", f.Protocol, f.Transport, f.URL, f.Template, f.Extensions["address"], f.Versions)
		if f.Tenant != "" {
			line += " " + f.Tenant
		}
		if f.RequiredHeaders != nil {
			line += " " + strings.Join(f.RequiredHeaders, ",")
		}
		list = append(list, line)
	}
	return list
}

func TestMatch(t *testing.T) {
	exact := func(dialect string) parse.Claim { return parse.Claim{Level: parse.Exact, Dialect: dialect} }
	for _, c := range []struct {
		body string
		want parse.Claim
	}{
		{`{"name": "A", "url": "https://a.example", "version": "1", "capabilities": {}, "skills": [], "authentication": {"schemes": ["none"]}}`, exact("0.1")},
		{`{"name": "A", "url": "https://a.example", "version": "1", "capabilities": {}, "skills": []}`, exact("0.2")},
		{`{"name": "A", "url": "https://a.example", "protocolVersion": "0.2.5", "skills": []}`, exact("0.2")},
		{`{"name": "A", "url": "https://a.example", "protocolVersion": "0.3.0", "skills": []}`, exact("0.3")},
		{`{"name": "A", "url": "https://a.example", "protocolVersion": "1.0", "skills": []}`, exact("0.3")},
		{`{"name": "A", "supportedInterfaces": [], "skills": []}`, exact("1.0")},
		{`{"name": "A", "supportedInterfaces": [{"protocolBinding": "GRPC"}]}`, exact("1.0")},
		{`{"name": "A", "url": "https://a.example", "supportedInterfaces": [], "skills": []}`, exact("union")},
		{`{"name": "A", "url": "https://a.example", "capabilities": {}, "defaultInputModes": ["text/plain"]}`, exact("0.2")},
		{`{"name": "A", "skills": [], "defaultOutputModes": []}`, parse.Claim{Level: parse.Likely, Dialect: "0.2"}},
		{`{"name": "A", "a2a": {"supported": false}}`, parse.Claim{Level: parse.Likely, Negative: true}},
		{`{"name": "A", "url": "https://a.example", "skills": [], "capabilities": {}, "a2a": {"supported": false}}`, parse.Claim{Level: parse.Likely, Negative: true}},
		{`{"name": "A", "a2a": {"supported": true}}`, parse.Claim{}},
		// A union with another format belongs to both.
		{`{"awp_version": "0.2", "actions": [], "name": "A", "url": "https://a.example", "skills": [], "capabilities": {}}`, exact("0.2")},
		// A name, a url and capabilities do not make a card.
		{`{"name": "A", "url": "https://a.example", "version": "1", "capabilities": [{"name": "x"}]}`, parse.Claim{}},
		{`{"name": "A", "url": "https://a.example/mcp", "protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}`, parse.Claim{}},
		{`{"name": "A", "url": "https://a.example", "version": "1", "skills": [{"name": "x", "digest": "sha256:00"}], "capabilities": {}}`, parse.Claim{}},
		{`{"name": "A", "skills": []}`, parse.Claim{}},
		{`{"version": "1.3", "origin": "a.example", "payout_address": "0x0"}`, parse.Claim{}},
		{`{"awp_version": "0.2", "domain": "a.example", "intent": "x", "actions": []}`, parse.Claim{}},
		{`{"Name": "A", "URL": "https://a.example", "Skills": [], "capabilities": {}}`, parse.Claim{}},
		{`[{"name": "A", "url": "https://a.example", "skills": [], "capabilities": {}}]`, parse.Claim{}},
		{`{"name": "A", "skills": [`, parse.Claim{}},
		{`<!doctype html>`, parse.Claim{}},
		{`{}`, parse.Claim{}},
		{``, parse.Claim{}},
	} {
		if got := a2a.Format().Match(served(t, []byte(c.body))); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.body, got, c.want)
		}
	}
}

func TestSoundCardsHaveNoDiagnostics(t *testing.T) {
	for dialect, card := range map[string]object{"0.3": card03(nil), "1.0": card10(nil), "union": card10(object{
		"url": site + "/a2a", "preferredTransport": "JSONRPC", "protocolVersion": "0.3.0", "supportsAuthenticatedExtendedCard": true,
		"capabilities": object{"stateTransitionHistory": true, "extendedAgentCard": true}, "security": []any{object{"k": []string{}}},
		"securityRequirements": []any{object{"schemes": object{"k": object{"list": []string{}}}}},
		"securitySchemes": object{"k": object{
			"type": "apiKey", "in": "header", "name": "X-Key", "apiKeySecurityScheme": object{"location": "header", "name": "X-Key"},
		}},
	})} {
		r := read(t, card)
		if r.Dialect != dialect || r.Unusable != "" || r.Diagnostics != nil || len(r.Services[0].Interfaces) != 1 {
			t.Errorf("%s: dialect %q, unusable %q, %q, %q", dialect, r.Dialect, r.Unusable, codes(r.Diagnostics), places(r))
		}
	}
}

func TestLocations(t *testing.T) {
	var got []string
	for _, l := range a2a.Format().Locations {
		got = append(got, fmt.Sprintf("%s after %q base %t", l.Path, l.After, l.Base))
	}
	want := []string{
		`/.well-known/agent-card.json after "" base false`,
		`/.well-known/agent.json after "" base false`,
		`/.well-known/agent-card after "/.well-known/agent-card.json" base false`,
		`/.well-known/agent-card.json after "" base true`,
		`/v1/card after "/.well-known/agent-card.json" base false`,
		`/v1/card after "/.well-known/agent-card.json" base true`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("locations (-want +got):\n%s", diff)
	}
}

// Exactly the members that each version requires are required.
func TestRequiredMembers(t *testing.T) {
	base := map[string]object{
		"0.1": {"name": "A", "url": site + "/a2a", "version": "1", "capabilities": object{}, "skills": []any{object{"id": "a", "name": "A"}},
			"authentication": object{"schemes": []string{"none"}}},
		"0.2": card03(object{"protocolVersion": nil, "preferredTransport": nil}),
		"0.3": card03(nil),
		"1.0": card10(nil),
	}
	required := map[string]string{
		"0.1": "name url version capabilities skills",
		"0.2": "name description url version capabilities defaultInputModes defaultOutputModes skills",
		"0.3": "protocolVersion name description url version capabilities defaultInputModes defaultOutputModes skills",
		"1.0": "name description version supportedInterfaces capabilities defaultInputModes defaultOutputModes skills",
	}
	for dialect, card := range base {
		if r := read(t, card); r.Dialect != dialect || r.Diagnostics != nil {
			t.Fatalf("%s: dialect %q, %q", dialect, r.Dialect, codes(r.Diagnostics))
		}
		for member := range card {
			var missing []string
			for _, d := range read(t, formattest.Edit(card, object{member: nil})).Diagnostics {
				if d.Code == "a2a.missing" && d.Severity == wayfind.SeverityError && strings.Contains(d.Message, `"`+member+`"`) {
					missing = append(missing, member)
				}
			}
			want := strings.Contains(" "+required[dialect]+" ", " "+member+" ")
			if dialect == "1.0" && member == "supportedInterfaces" {
				want = false // without it the card has no known version
			}
			if (len(missing) == 1) != want {
				t.Errorf("%s without %s: reported %t, want %t", dialect, member, len(missing) == 1, want)
			}
		}
	}
}

func TestRequiredMembersOfSkills(t *testing.T) {
	for _, member := range []string{"id", "name", "description", "tags"} {
		for name, card := range map[string]object{
			"0.1": card03(object{"protocolVersion": "0.1", "skills": []any{skill(object{member: nil})}}),
			"0.3": card03(object{"skills": []any{skill(object{member: nil})}}),
			"1.0": card10(object{"skills": []any{skill(object{member: nil})}}),
		} {
			want := []string{"error missing /skills/0"}
			if name == "0.1" && (member == "description" || member == "tags") {
				want = nil
			}
			r := read(t, card)
			if diff := cmp.Diff(want, codes(r.Diagnostics)); diff != "" || len(formattest.IDs(r)) != 1 {
				t.Errorf("%s without %s: skills %q (-want +got):\n%s", name, member, formattest.IDs(r), diff)
			}
		}
	}
}

// Each archive in testdata contains cards and, after each, the result of reading it. -update
// rewrites the results. A card with a name that begins with "extended" is the extended card of
// the card before it.
func TestFixtures(t *testing.T) {
	known := map[*txtar.Archive]*wayfind.Service{}
	golden.Archives(t, func(t *testing.T, archive *txtar.Archive, f txtar.File) []byte {
		in, format := served(t, f.Data), a2a.Format()
		r, err := format.Parse(in)
		if strings.HasPrefix(f.Name, "extended") {
			r, err = format.Detail(in, parse.Subject{Service: known[archive]})
		} else if err == nil && r.Services != nil {
			known[archive] = &r.Services[0]
		}
		claim := formattest.ShowClaim(format.Match(in))
		if err != nil {
			return golden.Object(t, "claim", claim, "error", err.Error())
		}
		return golden.Object(t, "claim", claim, "dialect", r.Dialect, "version", r.Version, "unusable", r.Unusable, "services", r.Services,
			"signatures", r.Signatures, "diagnostics", formattest.Show(r.Diagnostics, "{severity} {code} {spec} {pointer}: {message}"))
	})
}

// Each code is explained, and a fixture causes each explained code.
func TestRulesExplainTheCodes(t *testing.T) { parsetest.Explains(t, a2a.Format(), golden.Text(t)) }
