package awp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/awp"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// auths returns the ways in which a document can describe the authentication of an action.
func auths() map[string]*wayfind.Auth {
	none, bearer := wayfind.Scheme{Kind: wayfind.SchemeNone}, wayfind.Scheme{Kind: wayfind.SchemeHTTP, HTTPScheme: "bearer"}
	alone := func(name string, s wayfind.Scheme) *wayfind.Auth {
		return &wayfind.Auth{Schemes: map[string]wayfind.Scheme{name: s}, Requirements: [][]wayfind.Requirement{{{Scheme: name}}}}
	}
	return map[string]*wayfind.Auth{
		"":         nil,
		"none":     alone("none", none),
		"required": alone("bearer", bearer),
		"optional": {
			Schemes:      map[string]wayfind.Scheme{"none": none, "bearer": bearer},
			Requirements: [][]wayfind.Requirement{{{Scheme: "none"}}, {{Scheme: "bearer"}}},
		},
		"unknown": {Unknown: true},
	}
}

func TestAuthOfActions(t *testing.T) {
	in := []string{"find"}
	for _, c := range []struct {
		said               any // auth_required, or nil if it is missing
		kind               string
		required, optional []string
		want               string
		codes              []string
	}{
		{said: false, kind: "bearer", want: "none"},
		{said: true, kind: "bearer", want: "required"},
		{said: true, kind: "bearer", required: in, want: "required"},
		{said: false, kind: "bearer", required: in, want: "required", codes: []string{"warning auth_conflict /actions/0/auth_required"}},
		{said: false, kind: "bearer", optional: in, want: "optional"},
		{said: true, kind: "bearer", optional: in, want: "required", codes: []string{"warning auth_conflict /actions/0/auth_required"}},
		{said: true, kind: "bearer", required: in, optional: in, want: "required", codes: []string{"warning auth_conflict /auth/optional_for/0"}},
		{kind: "bearer", want: "", codes: []string{"error missing /actions/0"}},
		{kind: "bearer", required: in, want: "required", codes: []string{"error missing /actions/0"}},
		{kind: "bearer", optional: in, want: "optional", codes: []string{"error missing /actions/0"}},
		{said: "yes", kind: "bearer", want: "", codes: []string{"error wrong_type /actions/0/auth_required"}},
		{said: false, kind: "none", want: "none"},
		{said: false, kind: "none", optional: in, want: "none"},
		{said: true, kind: "none", want: "unknown", codes: []string{"warning auth_none /actions/0/auth_required"}},
		{said: true, kind: "", want: "unknown", codes: []string{"warning missing /auth"}},
		{said: false, kind: "", optional: in, want: "none", codes: []string{"warning missing /auth"}},
	} {
		auth := object{"type": c.kind, "required_for": c.required, "optional_for": c.optional}
		for name, value := range auth {
			if list, ok := value.([]string); value == "" || ok && list == nil {
				delete(auth, name)
			}
		}
		r := read(t, changed(t, object{"auth": auth, "actions": []any{action(object{"auth_required": c.said})}}))
		if diff := cmp.Diff(auths()[c.want], r.Services[0].Capabilities[0].Auth); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c, diff)
		}
		if diff := cmp.Diff(c.codes, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c, diff)
		}
	}
}

func TestAuthOfDocument(t *testing.T) {
	for kind, want := range map[string]wayfind.Scheme{
		"none":    {Kind: wayfind.SchemeNone},
		"api_key": {Kind: wayfind.SchemeAPIKey},
		"bearer":  {Kind: wayfind.SchemeHTTP, HTTPScheme: "bearer"},
		"oauth2":  {Kind: wayfind.SchemeOAuth2},
		"wallet":  {Kind: wayfind.SchemeCustom},
	} {
		r := read(t, changed(t, object{"auth": object{"type": kind}}))
		got := r.Services[0].Auth
		if diff := cmp.Diff(map[string]wayfind.Scheme{kind: want}, got.Schemes); diff != "" || got.Unknown != (kind == "wallet") {
			t.Errorf("%s: unknown %t (-want +got):\n%s", kind, got.Unknown, diff)
		}
		if told := slices.Contains(codes(r.Diagnostics), "warning auth_type /auth/type"); told != (kind == "wallet") {
			t.Errorf("%s: %v", kind, codes(r.Diagnostics))
		}
	}
	for _, auth := range []any{nil, object{}, 7} {
		if got := read(t, changed(t, object{"auth": auth})).Services[0].Auth; got == nil || !got.Unknown || got.Schemes != nil {
			t.Errorf("auth %v: got %+v, want unknown", auth, got)
		}
	}
	r := read(t, changed(t, object{"auth": object{"type": "none", "required_for": []string{"find"}}}))
	if !slices.Contains(codes(r.Diagnostics), "warning auth_none /auth/required_for") {
		t.Errorf("a type of none with required_for: %v", codes(r.Diagnostics))
	}
}

// An unknown version is read as the newest known one.
func TestUnknownVersionsDegradeToTheNewest(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
		codes []string
	}{
		{"0.1", "0.1", nil},
		{"0.2", "0.2", nil},
		{"0.9", "0.9", []string{"info version /awp_version"}},
		{"2.0", "2.0", []string{"warning version /awp_version"}},
		{"1", "1", []string{"error version /awp_version"}},
		{"0.2.1", "0.2.1", []string{"error version /awp_version"}},
		{"", "", []string{"error version /awp_version"}},
		{json.Number("0.2"), "0.2", []string{"error wrong_type /awp_version"}},
		{json.Number("2.0"), "2.0", []string{"error wrong_type /awp_version", "warning version /awp_version"}},
		{true, "", []string{"error wrong_type /awp_version"}},
		{nil, "", []string{"error missing "}},
	} {
		r := read(t, changed(t, object{"awp_version": c.value}))
		if r.Version != c.want || r.Unusable != "" || r.Services[0].Capabilities[0].Invocation == nil {
			t.Errorf("%v: version %q, unusable %q; want %q and usable", c.value, r.Version, r.Unusable, c.want)
		}
		if diff := cmp.Diff(c.codes, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.value, diff)
		}
	}
}

// A document about another host is read, and the host is reported.
func TestADocumentAboutAnotherHostIsReadAndTold(t *testing.T) {
	mismatch := []string{"warning domain_mismatch /domain"}
	for _, c := range []struct {
		domain, want string
		codes        []string
	}{
		{"shop.example", "shop.example", nil},
		{"SHOP.example.", "shop.example", nil},
		{"www.shop.example", "www.shop.example", []string{"info domain_mismatch /domain"}},
		{"bank.example", "bank.example", mismatch},
		{"notshop.example", "notshop.example", mismatch},
		{"shop.example.evil.example", "shop.example.evil.example", mismatch},
		{"example", "example", mismatch},
		{"https://shop.example/x", "shop.example", []string{"warning domain_syntax /domain"}},
		{"shop.example:443", "shop.example", []string{"warning domain_syntax /domain"}},
		{"https://bank.example", "bank.example", append([]string{"warning domain_syntax /domain"}, mismatch...)},
		{"bücher.example", "bücher.example", []string{"info domain_unicode /domain"}},
		{"", "", []string{"error domain /domain"}},
		{"The Shop", "", []string{"error domain /domain"}},
		{"*", "", []string{"error domain /domain"}},
		{"https://", "", []string{"error domain /domain"}},
		{"a@shop.example", "", []string{"error domain /domain"}},
	} {
		r := read(t, changed(t, object{"domain": c.domain}))
		if r.Domain != c.want || r.Unusable != "" || len(formattest.IDs(r)) != 1 {
			t.Errorf("%q: domain %q, unusable %q", c.domain, r.Domain, r.Unusable)
		}
		if diff := cmp.Diff(c.codes, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.domain, diff)
		}
		if got := r.Services[0].Capabilities[0].Invocation.URL; got != site+"/find" {
			t.Errorf("%q: the endpoint goes to %s", c.domain, got)
		}
	}
}

// A redirect serves a document from two hosts. Offline there is no comparison.
func TestDomainOfRedirect(t *testing.T) {
	in := changed(t, object{"domain": "bank.example"})
	in.FinalURL = formattest.URL(t, "https://bank.example/agent.json")
	r := read(t, in)
	if diff := cmp.Diff([]string(nil), codes(r.Diagnostics)); diff != "" {
		t.Errorf("redirected (-want +got):\n%s", diff)
	}
	if got := r.Services[0].Capabilities[0].Invocation.URL; got != "https://bank.example/find" {
		t.Errorf("redirected: the endpoint goes to %s", got)
	}
	in = changed(t, object{"domain": "bank.example"})
	in.URL, in.FinalURL = nil, nil
	r = read(t, in)
	c := r.Services[0].Capabilities[0]
	if diff := cmp.Diff([]string{"info endpoint_relative /actions/0/endpoint"}, codes(r.Diagnostics)); diff != "" {
		t.Errorf("offline (-want +got):\n%s", diff)
	}
	if c.Invocation != nil || string(c.Extensions["endpoint"]) != `"/find"` || len(r.Services[0].Interfaces) != 0 {
		t.Errorf("offline: invocation %+v, extensions %s", c.Invocation, c.Extensions)
	}
}

func TestConfidence(t *testing.T) {
	for written, want := range map[string]*float64{"0.87": new(0.87), "0": new(0.0), "1": new(1.0), "-3": nil, "87": nil, "1e300": nil} {
		r := read(t, changed(t, object{
			"source": "synthetic", "generated_by": "x", "confidence": json.Number(written), "last_verified": "2026-03-15",
		}))
		if diff := cmp.Diff(want, r.Confidence); r.Authority != wayfind.AuthoritySynthetic || diff != "" {
			t.Errorf("%s: authority %q, confidence (-want +got):\n%s", written, r.Authority, diff)
		}
		if told := slices.Contains(codes(r.Diagnostics), "warning confidence /confidence"); told != (want == nil) {
			t.Errorf("%s: %v", written, codes(r.Diagnostics))
		}
	}
	r := read(t, changed(t, object{"source": "native", "confidence": 0.1}))
	if r.Authority != "" || r.Confidence != nil || string(r.Services[0].Extensions["confidence"]) != "0.1" {
		t.Errorf("not synthetic: authority %q, confidence %v", r.Authority, r.Confidence)
	}
}

// §9: if a person must confirm a call, no other statement changes that.
func TestConfirmation(t *testing.T) {
	is := func(want bool) *bool { return &want }
	for _, c := range []struct {
		members object
		want    *bool
	}{
		{object{}, nil},
		{object{"sensitivity": "standard"}, nil},
		{object{"sensitivity": "standard", "requires_human_confirmation": false}, is(false)},
		{object{"sensitivity": "destructive"}, is(true)},
		{object{"sensitivity": "destructive", "requires_human_confirmation": false}, is(true)},
		{object{"sensitivity": "irreversible", "requires_human_confirmation": false, "reversible": true}, is(true)},
		{object{"sensitivity": "dangerous"}, is(true)},
		{object{"reversible": false}, is(true)},
		{object{"requires_human_confirmation": "yes"}, is(true)},
		{object{"requires_human_confirmation": true}, is(true)},
	} {
		_, got := readAction(t, formattest.Edit(object{"method": "POST"}, c.members))
		if diff := cmp.Diff(c.want, got.Effects.NeedsConfirmation); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.members, diff)
		}
	}
}

// Large entities to which many actions refer do not make a small document large: beyond the
// limit schemas name them without their fields.
func TestEntitiesAreBounded(t *testing.T) {
	fields := object{}
	for i := range 2000 {
		fields[fmt.Sprintf("field_%d", i)] = "string"
	}
	var actions []any
	for i := range 900 {
		actions = append(actions, action(object{"id": fmt.Sprint("a", i), "outputs": object{"all": "array[big]"}, "inputs": object{"one": object{"type": "object[big]"}}}))
	}
	in := changed(t, object{"entities": object{"big": object{"fields": fields}}, "actions": actions})
	r := read(t, in)
	size := 0
	for _, c := range r.Services[0].Capabilities {
		size += len(c.Input) + len(c.Output)
		for _, schema := range []json.RawMessage{c.Input, c.Output} {
			if refers, has := strings.Contains(string(schema), "$ref"), strings.Contains(string(schema), "$defs"); refers != has {
				t.Fatalf("%s: refers to an entity %t, has it %t", c.ID, refers, has)
			}
		}
	}
	if limit := 2 << 20; size > limit {
		t.Errorf("%d bytes of schemas from a document of %d, want at most %d", size, len(in.Body), limit)
	}
	if !slices.ContainsFunc(r.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "awp.entities_cut" }) {
		t.Errorf("nothing is said: %v", codes(r.Diagnostics))
	}
}

// Entities may refer to each other in circles, and may have strange names.
func TestEntityReferences(t *testing.T) {
	r := read(t, changed(t, object{
		"entities": object{
			"a": object{"fields": object{"b": "array[b/~c]"}}, "b/~c": object{"fields": object{"a": "object[a]"}}, "lone": object{"fields": object{}},
		},
		"actions": []any{action(object{"outputs": object{"x": "object[b/~c]"}})},
	}))
	c := &r.Services[0].Capabilities[0]
	want := `{"type":"object","properties":{"x":{"$ref":"#/$defs/b~1~0c"}},"$defs":{` +
		`"b/~c":{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}}},` +
		`"a":{"type":"object","properties":{"b":{"type":"array","items":{"$ref":"#/$defs/b~1~0c"}}}}}}`
	if diff := cmp.Diff(want, string(c.Output)); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

// A long chain of dependencies that ends in a circle is one circle.
func TestDependencyCircles(t *testing.T) {
	const n = 10000
	needs := object{}
	for i := range n {
		needs[fmt.Sprint("s", i)] = []string{fmt.Sprint("s", (i+1)%n)}
	}
	for i := range 150 {
		needs[fmt.Sprint("self", i)] = []string{fmt.Sprint("self", i)}
	}
	needs["find"] = []string{"s0"}
	r := read(t, changed(t, object{"dependencies": needs}))
	if diff := cmp.Diff([]string{"s0"}, r.Services[0].Capabilities[0].DependsOn); diff != "" {
		t.Errorf("DependsOn (-want +got):\n%s", diff)
	}
	r = read(t, changed(t, object{
		"actions":      []any{action(object{"id": "a"}), action(object{"id": "b"}), action(object{"id": "c"})},
		"dependencies": object{"a": []string{"b"}, "b": []string{"c", "a"}, "c": []string{}},
	}))
	if diff := cmp.Diff([]string{"warning dependency_cycle /dependencies/a"}, codes(r.Diagnostics)); diff != "" {
		t.Errorf("two in a circle (-want +got):\n%s", diff)
	}
}

func TestEarlyForm(t *testing.T) {
	in := document(t, []byte(`{"protocol": "AWP/1.0", "url": "https://bank.example", "intent": "x", "capabilities": {"actions": [{"name": 7}]}}`))
	r := read(t, in)
	if r.Dialect != awp.DialectEarly || r.Version != "1.0" || r.Domain != "bank.example" || r.Unusable == "" {
		t.Errorf("got %+v", r)
	}
	want := []string{"error early_form /protocol", "warning domain_mismatch /url", "error wrong_type /capabilities/actions/0/name",
		"warning missing /capabilities/actions/0", "error no_action /capabilities/actions"}
	if diff := cmp.Diff(want, codes(r.Diagnostics)); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}

// Each code has a rule, and a document breaks each rule: in an archive, except for rules that
// depend on the size or the origin of a document.
func TestRulesExplainAllCodes(t *testing.T) {
	many := make([]any, parse.DefaultItems+1)
	for i := range many {
		many[i] = object{}
	}
	fields := object{}
	for i := range 1 << 9 {
		fields[fmt.Sprint(i, strings.Repeat("x", 1<<11))] = "string"
	}
	large := changed(t, object{
		"entities": object{"big": object{"fields": fields}},
		"actions":  []any{action(object{"outputs": object{"one": "object[big]"}})},
	})
	nowhere, elsewhere := changed(t, nil), changed(t, nil)
	nowhere.URL, nowhere.FinalURL = nil, nil
	elsewhere.URL = formattest.URL(t, site+awp.WellKnown)
	parsetest.Explains(t, awp.Format(), golden.Text(t), read(t, changed(t, object{"actions": many})), read(t, large), read(t, nowhere), read(t, elsewhere))
}
