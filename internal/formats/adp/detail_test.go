package adp_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/parse"
)

// faced returns a subject whose service has interfaces with the given URLs. The last URL is
// from the document of the capability.
func faced(urls ...string) parse.Subject {
	s := &wayfind.Service{}
	for _, u := range urls {
		s.Interfaces = append(s.Interfaces, wayfind.Interface{Protocol: "http", URL: u, Sources: []wayfind.Ref{{Source: u}}})
	}
	return parse.Subject{Service: s, Capability: &wayfind.Capability{ID: "a", Sources: []wayfind.Ref{{Source: urls[len(urls)-1]}}}}
}

func TestEndpoint(t *testing.T) {
	const base = "https://api.postbox.example/v1"
	type result struct{ URL, Template string }
	for _, c := range []struct {
		endpoint string
		want     result
		codes    []string
	}{
		{"/a", result{URL: base + "/a"}, nil},
		{"/a?kind=b", result{URL: base + "/a?kind=b"}, nil},
		{"/a:search", result{URL: base + "/a:search"}, nil},
		{"/../a", result{URL: "https://api.postbox.example/a"}, []string{"warning adp.dot_segments /endpoint"}},
		{"/%2e%2e/a", result{URL: base + "/%2e%2e/a"}, []string{"warning adp.dot_segments /endpoint"}},
		{"a", result{URL: base + "/a"}, []string{"warning adp.endpoint_slash /endpoint"}},
		{"?a=b", result{URL: base + "?a=b"}, []string{"warning adp.endpoint_slash /endpoint"}},
		{"https://x.example/a#b", result{URL: "https://x.example/a"}, nil},
		{"http://x.example/a", result{URL: "http://x.example/a"}, []string{"warning adp.endpoint_scheme /endpoint"}},
		{"https://10.0.0.1/a", result{URL: "https://10.0.0.1/a"}, []string{"warning adp.endpoint_host /endpoint"}},
		{"/a/{id}", result{Template: base + "/a/{id}"}, nil},
		{"/a/:id", result{Template: base + "/a/{id}"}, []string{"warning adp.endpoint_notation /endpoint"}},
		{"/a/:other", result{URL: base + "/a/:other"}, nil},
		{"/a/{{id}}", result{Template: base + "/a/{id}"}, []string{"warning adp.endpoint_notation /endpoint"}},
		{"/a/<id>", result{Template: base + "/a/{id}"}, []string{"warning adp.endpoint_notation /endpoint"}},
		{"/a/{id=things/*}", result{Template: base + "/a/{id=things/*}"}, []string{"warning adp.endpoint_template /endpoint"}},
		{"/a{?id*}", result{Template: base + "/a{?id*}"}, []string{"warning adp.endpoint_template /endpoint"}},
		{"https://{id}.x.example:{id}/a", result{Template: "https://{id}.x.example:{id}/a"}, nil},
		{"/a/{id", result{}, []string{"error adp.endpoint /endpoint"}},
		{"/a/id}", result{}, []string{"error adp.endpoint /endpoint"}},
		{"/a/{b{id}}", result{}, []string{"error adp.endpoint /endpoint"}},
		{"/a/{}", result{}, []string{"error adp.endpoint /endpoint"}},
		{"/a/{?#id}", result{}, []string{"error adp.endpoint /endpoint"}},
		{"/a/{id,}", result{}, []string{"error adp.endpoint /endpoint"}},
		{"/%zz", result{}, []string{"error adp.endpoint /endpoint"}},
	} {
		in := detail(t, map[string]any{"endpoint": c.endpoint, "parameters": []any{
			map[string]any{"name": "id", "type": "string"},
		}})
		r, a := describe(t, in, faced("https://elsewhere.example", base))
		var got result
		if a.Invocation != nil {
			got = result{a.Invocation.URL, a.Invocation.Template}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.endpoint, diff)
		}
		if diff := cmp.Diff(c.codes, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.endpoint, diff)
		}
	}
}

// If a service has no HTTP interface, or one that cannot be a base, there is no invocation.
func TestEndpointWithoutBase(t *testing.T) {
	for _, s := range []*wayfind.Service{
		nil, {}, {Interfaces: []wayfind.Interface{{Protocol: "mcp", URL: "https://mcp.example"}, {Protocol: "http", URL: "nonsense"}}},
	} {
		r, c := describe(t, detail(t, map[string]any{"endpoint": "/a/{id}"}), parse.Subject{Service: s})
		if c.Invocation != nil || string(c.Extensions["endpoint"]) != `"/a/{id}"` || string(c.Extensions["method"]) != `"POST"` {
			t.Errorf("got %+v", c)
		}
		if len(c.Params) != 1 || c.Params[0].In != "path" {
			t.Errorf("the variable is lost: %+v", c.Params)
		}
		want := []string{"info adp.endpoint_relative /endpoint", "error adp.path_parameter /endpoint"}
		if diff := cmp.Diff(want, codes(r.Diagnostics)); diff != "" {
			t.Errorf("diagnostics (-want +got):\n%s", diff)
		}
	}
}

func TestMethod(t *testing.T) {
	for _, c := range []struct {
		method any
		want   string
		codes  []string
	}{
		{"PATCH", "PATCH", nil},
		{"get", "GET", []string{"info adp.method_case /method"}},
		{"LIST", "LIST", []string{"warning adp.method /method"}},
		{"TRACE", "", []string{"error adp.method /method"}},
		{"GET /a", "", []string{"error adp.method /method"}},
		{"", "", []string{"error adp.method /method"}},
		{1, "", []string{"error adp.wrong_type /method"}},
		{nil, "", []string{"error adp.missing "}},
	} {
		r, a := describe(t, detail(t, map[string]any{"method": c.method}), parse.Subject{})
		got := ""
		if a.Invocation != nil {
			got = a.Invocation.Method
		}
		if got != c.want {
			t.Errorf("%v became %q, want %q", c.method, got, c.want)
		}
		if diff := cmp.Diff(c.codes, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.method, diff)
		}
	}
}

func TestEffects(t *testing.T) {
	yes, no := new(true), new(false)
	two, three := []string{"readOnly", "idempotent"}, []string{"readOnly", "idempotent", "destructive"}
	for method, want := range map[string]*wayfind.Effects{
		"GET":     {ReadOnly: yes, Idempotent: yes, Destructive: no, Defaulted: three},
		"HEAD":    {ReadOnly: yes, Idempotent: yes, Destructive: no, Defaulted: three},
		"OPTIONS": {ReadOnly: yes, Idempotent: yes, Destructive: no, Defaulted: three},
		"PUT":     {ReadOnly: no, Idempotent: yes, Defaulted: two},
		"DELETE":  {ReadOnly: no, Idempotent: yes, Destructive: yes, Defaulted: three},
		"POST":    {ReadOnly: no, Idempotent: no, Defaulted: two},
		"PATCH":   {ReadOnly: no, Idempotent: no, Defaulted: two},
		"LIST":    nil,
	} {
		_, c := describe(t, detail(t, map[string]any{"method": method}), parse.Subject{})
		if diff := cmp.Diff(want, c.Effects); diff != "" {
			t.Errorf("%s (-want +got):\n%s", method, diff)
		}
	}
}

func TestParameterTypes(t *testing.T) {
	for word, want := range map[string]string{
		"string": `{"type":"string"}`, "Integer": `{"type":"integer"}`, " number ": `{"type":"number"}`,
		"boolean": `{"type":"boolean"}`, "bool": `{"type":"boolean"}`, "int": `{"type":"integer"}`,
		"float": `{"type":"number"}`, "text": `{"type":"string"}`, "json": `{"type":"object"}`, "list": `{"type":"array"}`,
		"object": `{"type":"object"}`, "array": `{"type":"array"}`, "null": `{"type":"null"}`,
		"any": `{}`, "file": `{"type":"string","format":"binary"}`, "binary": `{"type":"string","format":"binary"}`,
		"date": `{"type":"string","format":"date"}`, "url": `{"type":"string","format":"uri"}`,
		"datetime":           `{"type":"string","format":"date-time"}`,
		"string[]":           `{"type":"array","items":{"type":"string"}}`,
		"object[]":           `{"type":"array","items":{"type":"object"}}`,
		"any[]":              `{"type":"array","items":{}}`,
		"integer[][]":        `{"type":"array","items":{"type":"array","items":{"type":"integer"}}}`,
		"array<string>":      `{"type":"array","items":{"type":"string"}}`,
		"array of strings":   `{"type":"array","items":{"type":"string"}}`,
		"string or array":    `{"type":["string","array"]}`,
		"string|array":       `{"type":["string","array"]}`,
		"string | string":    `{"type":["string"]}`,
		"string|string[]":    `{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}`,
		"string or any":      `{}`,
		"string or moon":     `{}`,
		"moon":               `{}`,
		"array<":             `{}`,
		"string[][][][][][]": `{"type":"array","items":{"type":"array","items":{"type":"array","items":{"type":"array","items":{}}}}}`,
	} {
		_, c := describe(t, detail(t, map[string]any{"parameters": []any{map[string]any{"name": "p", "type": word}}}), parse.Subject{})
		p := c.Params[0]
		if string(p.Schema) != want || p.Type != word {
			t.Errorf("%q: type %q, schema %s, want %s", word, p.Type, p.Schema, want)
		}
		if input := `{"type":"object","properties":{"p":` + want + `}}`; string(c.Input) != input {
			t.Errorf("%q: input %s, want %s", word, c.Input, input)
		}
	}
}

func TestParameterPlaces(t *testing.T) {
	param := func(p map[string]any) map[string]any { p["name"], p["type"] = "id", "string"; return p }
	for _, c := range []struct {
		method, endpoint string
		param            map[string]any
		want             string
		defaulted        []string
		codes            []string
	}{
		{"GET", "/a", param(map[string]any{}), "query", []string{"in"}, nil},
		{"HEAD", "/a", param(map[string]any{}), "query", []string{"in"}, nil},
		{"DELETE", "/a", param(map[string]any{}), "query", []string{"in"}, nil},
		{"PUT", "/a", param(map[string]any{}), "body", []string{"in"}, nil},
		{"PUT", "/a/{id}", param(map[string]any{}), "path", []string{"required"}, nil},
		{"PUT", "/a{?id}", param(map[string]any{}), "query", nil, []string{"warning adp.endpoint_template /endpoint"}},
		{"PUT", "/a", param(map[string]any{"in": "query"}), "query", nil, nil},
		{"PUT", "/a", param(map[string]any{"location": "header"}), "header", nil, nil},
		{"GET", "/a", param(map[string]any{"in": "Body"}), "body", nil, nil},
		{"GET", "/a", param(map[string]any{"in": "formData"}), "body", nil, nil},
		{"GET", "/a", param(map[string]any{"in": "query", "location": "body"}), "query", nil, []string{"warning adp.parameter_in /parameters/0/location"}},
		{"GET", "/a", param(map[string]any{"in": "moon"}), "query", []string{"in"}, []string{"warning adp.parameter_in /parameters/0/in"}},
		{"GET", "/a", param(map[string]any{"in": "path", "required": true}), "path", nil, []string{"warning adp.path_parameter /parameters/0"}},
		{"GET", "/a/{id}", param(map[string]any{"in": "query"}), "query", nil, []string{"warning adp.path_parameter /parameters/0"}},
	} {
		in := detail(t, map[string]any{"method": c.method, "endpoint": "https://x.example" + c.endpoint, "parameters": []any{c.param}})
		r, a := describe(t, in, parse.Subject{})
		if len(a.Params) != 1 || a.Params[0].In != c.want {
			t.Errorf("%s %s %v: got %+v, want %s", c.method, c.endpoint, c.param, a.Params, c.want)
			continue
		}
		if diff := cmp.Diff(c.defaulted, a.Params[0].Defaulted); diff != "" {
			t.Errorf("%s %s %v: defaulted (-want +got):\n%s", c.method, c.endpoint, c.param, diff)
		}
		if diff := cmp.Diff(c.codes, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%s %s %v (-want +got):\n%s", c.method, c.endpoint, c.param, diff)
		}
	}
}

func TestContentType(t *testing.T) {
	body := []any{map[string]any{"name": "p", "type": "string"}}
	for _, c := range []struct {
		name    string
		replace map[string]any
		want    string
	}{
		{"no body", nil, ""},
		{"parameters", map[string]any{"parameters": body}, "application/json"},
		{"a file", map[string]any{"parameters": []any{map[string]any{"name": "p", "type": "file"}}}, "multipart/form-data"},
		{"an example", map[string]any{"request_example": map[string]any{"body": "x"}}, "application/json"},
		{"a header of the example", map[string]any{"parameters": body, "request_example": map[string]any{
			"headers": map[string]any{"content-TYPE": "application/x-www-form-urlencoded"},
		}}, "application/x-www-form-urlencoded"},
		{"a bad header of the example", map[string]any{"parameters": body, "request_example": map[string]any{
			"headers": map[string]any{"Content-Type": "a/b\r\nX: y"},
		}}, "application/json"},
	} {
		if _, a := describe(t, detail(t, c.replace), parse.Subject{}); a.Invocation.ContentType != c.want {
			t.Errorf("%s: got %q, want %q", c.name, a.Invocation.ContentType, c.want)
		}
	}
}

// Scopes belong to the OAuth schemes of the service, or to all schemes if there are no OAuth
// schemes.
func TestScopes(t *testing.T) {
	key, oauth := wayfind.Scheme{Kind: wayfind.SchemeAPIKey}, wayfind.Scheme{Kind: wayfind.SchemeOAuth2}
	none := wayfind.Scheme{Kind: wayfind.SchemeNone}
	scopes := []string{"write"}
	for _, c := range []struct {
		name    string
		service *wayfind.Auth
		want    *wayfind.Auth
	}{
		{"one of two", &wayfind.Auth{
			Schemes:      map[string]wayfind.Scheme{"k": key, "o": oauth},
			Requirements: [][]wayfind.Requirement{{{Scheme: "k"}}, {{Scheme: "o", Scopes: []string{"read"}}}},
		}, &wayfind.Auth{
			Schemes:      map[string]wayfind.Scheme{"k": key, "o": oauth},
			Requirements: [][]wayfind.Requirement{{{Scheme: "k"}}, {{Scheme: "o", Scopes: scopes}}},
		}},
		{"a key", &wayfind.Auth{
			Schemes: map[string]wayfind.Scheme{"k": key}, Requirements: [][]wayfind.Requirement{{{Scheme: "k"}}}, Unknown: true,
		}, &wayfind.Auth{
			Schemes: map[string]wayfind.Scheme{"k": key}, Requirements: [][]wayfind.Requirement{{{Scheme: "k", Scopes: scopes}}}, Unknown: true,
		}},
		{"none", &wayfind.Auth{
			Schemes: map[string]wayfind.Scheme{"none": none}, Requirements: [][]wayfind.Requirement{{{Scheme: "none"}}},
		}, nil},
		{"unknown", &wayfind.Auth{Unknown: true}, &wayfind.Auth{Unknown: true}}, // scopes name no scheme
	} {
		_, a := describe(t, detail(t, map[string]any{"auth_scopes": scopes}), parse.Subject{Service: &wayfind.Service{Auth: c.service}})
		if diff := cmp.Diff(c.want, a.Auth); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	if _, a := describe(t, detail(t, map[string]any{"auth_scopes": []any{}}), parse.Subject{}); a.Auth != nil {
		t.Errorf("no scopes gave %+v", a.Auth)
	}
}

// The answer of a server instead of a detail document is not a detail document.
func TestNoDetail(t *testing.T) {
	subject := parse.Subject{Capability: &wayfind.Capability{ID: "a"}}
	for _, body := range []string{`{}`, `{"error": "not found"}`, `{"name": "a", "description": "x"}`, string(manifest(t, nil).Body)} {
		for _, s := range []parse.Subject{{}, subject} {
			r, err := adp.Format().Detail(document([]byte(body)), s)
			if err != nil || r.Unusable == "" {
				t.Errorf("%s: got %+v, %v; want it unusable", body, r, err)
			}
		}
	}
}
