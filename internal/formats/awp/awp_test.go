package awp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/awp"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// object is a JSON object. A nil member removes the member from a valid document.
type object = map[string]any

// site is the origin of the documents in the tests.
const site = "https://shop.example"

// documents returns the inputs of all fixtures.
func documents(t testing.TB) (docs []parsetest.Doc) {
	for _, f := range golden.Inputs(t) {
		docs = append(docs, parsetest.Doc{Name: f.Name, URL: site + awp.Path, MediaType: "application/json", Body: fixtureBody(t, f)})
	}
	return docs
}

func TestLaws(t *testing.T) { parsetest.Run(t, awp.Format(), documents(t)...) }

func FuzzLaws(f *testing.F) { parsetest.Fuzz(f, awp.Format(), documents(f)...) }

// document returns a document as the site of the tests serves it.
func document(t testing.TB, body []byte) *parse.Input {
	return formattest.Input(t, site+awp.Path, "application/json", body)
}

// action returns a valid action with replaced members.
func action(replace object) object {
	return formattest.Edit(object{
		"id": "find", "description": "x", "auth_required": false, "inputs": object{}, "outputs": object{},
		"endpoint": "/find", "method": "GET",
	}, replace)
}

// changed returns a valid document with replaced members.
func changed(t testing.TB, replace object) *parse.Input {
	return document(t, formattest.JSON(t, formattest.Edit(object{
		"awp_version": "0.2", "domain": "shop.example", "intent": "Sells things.", "actions": []any{action(nil)},
	}, replace)))
}

func read(t testing.TB, in *parse.Input) *parse.Reading {
	t.Helper()
	return formattest.Read(t, awp.Format(), in)
}

// readAction reads a valid document with one action with replaced members.
func readAction(t testing.TB, replace object) (*parse.Reading, *wayfind.Capability) {
	t.Helper()
	r := read(t, changed(t, object{"actions": []any{action(replace)}}))
	if len(r.Services[0].Capabilities) != 1 {
		t.Fatalf("action %v: got %d", replace, len(r.Services[0].Capabilities))
	}
	return r, &r.Services[0].Capabilities[0]
}

func codes(list []wayfind.Diagnostic) []string {
	return formattest.Show(list, "{severity} {name} {pointer}")
}

func lines(list []wayfind.Diagnostic) []string {
	return formattest.Show(list, "{severity} {code} {section} {pointer}: {message}")
}

func TestMatch(t *testing.T) {
	exact := parse.Claim{Level: parse.Exact}
	other := func(kind string) parse.Claim { return parse.Claim{Other: true, Dialect: kind} }
	for _, c := range []struct {
		body string
		want parse.Claim
	}{
		{`{"awp_version": 1, "actions": "none"}`, exact},
		{`{"awp_version": "0.1", "domain": "a.example"}`, exact},
		{`{"awp_version": "0.2", "intent": "x", "protocols": {}}`, exact},
		{`{"protocol": "awp/1.0", "capabilities": {"actions": []}}`, parse.Claim{Level: parse.Exact, Dialect: awp.DialectEarly}},
		{`{"domain": "a.example", "intent": "x", "actions": []}`, parse.Claim{Level: parse.Likely}},
		// A union of a card and a document belongs to both. The other format reports this
		// itself.
		{`{"awp_version": "0.2", "actions": [], "name": "A", "url": "https://a.example", "skills": [], "capabilities": {}}`, exact},
		{`{"version": "1.3", "origin": "a.example", "payout_address": "0x0"}`, other("agent-json")},
		{`{"version": "1.4", "origin": "a.example", "payout_address": "0x0", "intents": [{"name": "find", "description": "x"}]}`, other("agent-json")},
		{`{"name": "A", "url": "https://a.example", "version": "1.0.0", "capabilities": {}, "skills": []}`, other("a2a")},
		{`{"name": "A", "supportedInterfaces": [], "skills": []}`, other("a2a")},
		// Other protocols with a member of the same name.
		{`{"awp_version": "0.8.0", "workstate_id": "urn:uuid:1", "title": "x", "modules": []}`, parse.Claim{}},
		{`{"awp_version": "0.1", "server_name": "s", "features": []}`, parse.Claim{}},
		{`{"awp_version": "0.2"}`, parse.Claim{}},
		{`{"version": "2.0", "origin": "a.example", "payout_address": "0x0"}`, parse.Claim{}},
		{`{"version": "1.x", "origin": "a.example", "payout_address": "0x0"}`, parse.Claim{}},
		{`{"name": "A", "skills": []}`, parse.Claim{}},
		{`{"name": "A", "url": "https://a.example", "skills": [{"digest": "x"}]}`, parse.Claim{}},
		{`{"protocol": "awp/1.0", "capabilities": []}`, parse.Claim{}},
		{`{"domain": "a.example", "actions": []}`, parse.Claim{}},
		{`{"AWP_Version": "0.2", "Domain": "a.example"}`, parse.Claim{}},
		{`[{"awp_version": "0.2", "domain": "a.example"}]`, parse.Claim{}},
		{`{"awp_version": "0.2", "domain":`, parse.Claim{}},
		{`<!doctype html>`, parse.Claim{}},
		{``, parse.Claim{}},
	} {
		if got := awp.Format().Match(document(t, []byte(c.body))); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.body, got, c.want)
		}
	}
}

func TestLocations(t *testing.T) {
	var paths []string
	for _, l := range awp.Format().Locations {
		if l.After != "" || l.Section != "§3" {
			t.Errorf("%s: asked after %q, section %q", l.Path, l.After, l.Section)
		}
		paths = append(paths, l.Path)
	}
	if diff := cmp.Diff([]string{"/agent.json", "/.well-known/agent.json"}, paths); diff != "" {
		t.Errorf("locations (-want +got):\n%s", diff)
	}
	in := changed(t, nil)
	in.URL = formattest.URL(t, site+awp.WellKnown)
	if diff := cmp.Diff([]string{"info location "}, codes(read(t, in).Diagnostics)); diff != "" {
		t.Errorf("at the other place (-want +got):\n%s", diff)
	}
}

// The members in §5 and §9 are required. An action with a protocol may omit the members that
// the examples of §5.5 omit.
func TestRequiredMembers(t *testing.T) {
	for _, member := range []string{"awp_version", "domain", "intent"} {
		r := read(t, changed(t, object{member: nil}))
		if diff := cmp.Diff([]string{"error missing "}, codes(r.Diagnostics)); diff != "" || r.Unusable != "" {
			t.Errorf("%s: unusable %q (-want +got):\n%s", member, r.Unusable, diff)
		}
	}
	r := read(t, changed(t, object{"actions": nil}))
	if diff := cmp.Diff([]string{"error missing ", "error no_action "}, codes(r.Diagnostics)); diff != "" || r.Unusable == "" {
		t.Errorf("actions: unusable %q (-want +got):\n%s", r.Unusable, diff)
	}
	for member, want := range map[string]string{
		"description": "warning", "auth_required": "error", "inputs": "error", "outputs": "error", "endpoint": "error", "method": "error",
	} {
		r, c := readAction(t, object{member: nil})
		if diff := cmp.Diff([]string{want + " missing /actions/0"}, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", member, diff)
		}
		if direct := member != "endpoint" && member != "method"; (c.Invocation != nil) != direct {
			t.Errorf("%s: invocation %+v", member, c.Invocation)
		}
	}
	r = read(t, changed(t, object{
		"protocols": object{"a2a": object{"version": "1.0", "endpoint": "https://shop.example/a2a"}},
		"actions":   []any{object{"id": "find", "via": "a2a", "operation": "product.search"}},
	}))
	want := []string{"warning missing /actions/0"}
	for _, got := range codes(r.Diagnostics) {
		if got != want[0] {
			t.Errorf("through a protocol: %s", got)
		}
	}
}

// A list without actions is a list (§5). A list whose actions are all unusable is not.
func TestNoActions(t *testing.T) {
	r := read(t, changed(t, object{"actions": []any{}}))
	if diff := cmp.Diff([]string{"warning no_action /actions"}, codes(r.Diagnostics)); diff != "" || r.Unusable != "" {
		t.Errorf("empty: unusable %q (-want +got):\n%s", r.Unusable, diff)
	}
	r = read(t, changed(t, object{"actions": nil, "protocols": object{"mcp": object{"version": "1", "endpoint": "https://shop.example/mcp"}}}))
	if r.Unusable != "" || len(r.Services[0].Interfaces) != 1 {
		t.Errorf("protocols alone: unusable %q, interfaces %+v", r.Unusable, r.Services[0].Interfaces)
	}
}
