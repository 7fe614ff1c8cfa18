package openapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/openapi"
	"github.com/wayfindhq/wayfind/parse"
)

// numbered returns a list of n values.
func numbered(n int, value func(i int) any) list {
	made := make(list, n)
	for i := range made {
		made[i] = value(i)
	}
	return made
}

// byNumber returns an object with n members.
func byNumber(n int, value func(i int) any) object {
	made := object{}
	for i := range n {
		made[fmt.Sprintf("m%d", i)] = value(i)
	}
	return made
}

func same(v any) func(int) any { return func(int) any { return v } }

// Each list of a document is limited.
func TestListsAreBounded(t *testing.T) {
	in := one(t, object{
		"parameters": numbered(1500, func(i int) any { return object{"name": fmt.Sprintf("p%d", i), "in": "query"} }),
		"responses":  object{"200": object{"content": byNumber(80, func(int) any { return object{"examples": byNumber(30, same(object{"value": 1}))} })}},
	}, object{
		"servers":  numbered(150, func(i int) any { return object{"url": fmt.Sprintf("https://s%d.example", i)} }),
		"tags":     numbered(1500, func(i int) any { return object{"name": fmt.Sprint(i)} }),
		"webhooks": byNumber(1500, same(object{})),
		"components": object{"securitySchemes": byNumber(150, func(int) any {
			return object{"type": "oauth2", "flows": object{"implicit": object{"scopes": byNumber(1200, same(""))}}}
		})},
	})
	r := read(t, in)
	d, c := detailOf(t, in)
	s := r.Services[0]
	webhooks, err := (&parse.Input{Body: s.Extensions["webhooks"]}).JSON()
	if err != nil {
		t.Fatal(err)
	}
	got := []int{len(s.Interfaces), len(s.Tags), webhooks.Len(), len(s.Auth.Schemes), len(s.Auth.Schemes["m0"].Flows[0].Scopes), len(c.Params), len(c.OutputModes), len(c.Examples)}
	if diff := cmp.Diff([]int{100, 1000, 1000, 100, 1000, 1000, 50, 20}, got); diff != "" {
		t.Errorf("lengths (-want +got):\n%s", diff)
	}
	for _, list := range [][]wayfind.Diagnostic{r.Diagnostics, d.Diagnostics} {
		if !slices.ContainsFunc(list, func(d wayfind.Diagnostic) bool { return d.Code == "openapi.truncated" }) {
			t.Errorf("nothing is told: %v", codes(list))
		}
	}
}

// Operations contain short copies of their schemes: without texts and lists of scopes, and
// without URLs and names that are longer than usual.
func TestSchemesInOperationsAreShort(t *testing.T) {
	long := strings.Repeat("x", 3000)
	r := read(t, one(t, object{"security": list{object{"o": list{"a"}, "k": list{}}}}, object{"components": object{"securitySchemes": object{
		"o": object{"type": "oauth2", "description": long, "flows": object{"authorizationCode": object{
			"authorizationUrl": "https://shop.example/" + long, "tokenUrl": "https://shop.example/t", "scopes": object{"a": "", "b": ""}}}},
		"k": object{"type": "apiKey", "in": "query", "name": long},
	}}}))
	s := r.Services[0]
	want := &wayfind.Auth{
		Schemes: map[string]wayfind.Scheme{
			"o": {Kind: wayfind.SchemeOAuth2, Flows: []wayfind.OAuthFlow{{Grant: "authorization_code", TokenURL: "https://shop.example/t"}}},
			"k": {Kind: wayfind.SchemeAPIKey, In: "query"},
		},
		Requirements: s.Capabilities[0].Auth.Requirements,
	}
	if diff := cmp.Diff(want, s.Capabilities[0].Auth); diff != "" {
		t.Errorf("operation (-want +got):\n%s", diff)
	}
	whole := s.Auth.Schemes["o"]
	if diff := cmp.Diff([]string{"a", "b"}, whole.Flows[0].Scopes); diff != "" || whole.Description != long {
		t.Errorf("service (-want +got):\n%s", diff)
	}
	if len(s.Capabilities[0].Auth.Requirements[0]) != 2 {
		t.Errorf("requirements %v", s.Capabilities[0].Auth.Requirements)
	}
}

// An operation contains the security of the document if it repeats it. Unreadable security
// never means that nothing is required.
func TestSecurity(t *testing.T) {
	none := [][]wayfind.Requirement{{{Scheme: "none"}}}
	k := [][]wayfind.Requirement{{{Scheme: "k"}}}
	for _, c := range []struct {
		security any
		want     [][]wayfind.Requirement
		unknown  bool
	}{
		{list{}, none, false}, {list{object{}}, none, false}, {list{object{"k": list{}}, object{}}, append(slices.Clone(none), k...), false},
		{list{7}, nil, true}, {list{object{"gone": list{}}}, [][]wayfind.Requirement{{{Scheme: "gone"}}}, true}, {list{nil}, nil, true},
		{list{object{"none": list{}}}, [][]wayfind.Requirement{{{Scheme: "none-scheme"}}}, false},
	} {
		components := object{"securitySchemes": object{"k": object{"type": "http", "scheme": "basic"}, "none": object{"type": "http", "scheme": "basic"}}}
		r := read(t, one(t, object{"security": c.security}, object{"components": components}))
		got := r.Services[0].Capabilities[0].Auth
		if diff := cmp.Diff(c.want, got.Requirements); diff != "" || got.Unknown != c.unknown {
			t.Errorf("%v: unknown %t (-want +got):\n%s", c.security, got.Unknown, diff)
		}
		whole := read(t, one(t, object{"security": c.security}, object{"components": components, "security": c.security})).Services[0]
		if diff := cmp.Diff(c.want, whole.Auth.Requirements); diff != "" || whole.Auth.Unknown != c.unknown {
			t.Errorf("document, %v: unknown %t (-want +got):\n%s", c.security, whole.Auth.Unknown, diff)
		}
		if diff := cmp.Diff(got, whole.Capabilities[0].Auth); diff != "" {
			t.Errorf("repeated, %v (-want +got):\n%s", c.security, diff)
		}
		if silent := read(t, one(t, object{}, object{"components": components, "security": c.security})).Services[0].Capabilities[0].Auth; silent != nil {
			t.Errorf("document only, %v: operation %+v", c.security, silent)
		}
	}
	if a := read(t, one(t, object{}, nil)).Services[0].Auth; !a.Unknown || a.Requirements != nil {
		t.Errorf("no word: %+v", a)
	}
}

// A statement of the publisher can make the effects of a call stricter, but never milder.
func TestEffects(t *testing.T) {
	for consequential, want := range map[any]bool{true: true, false: false, nil: false, "true": true, "yes": true, "false": false, " NO ": false, "": false, 1: true, 0: false, "so so": true} {
		e := read(t, one(t, object{"x-openai-isConsequential": consequential}, nil)).Services[0].Capabilities[0].Effects
		if got := e.NeedsConfirmation; (got != nil) != want || got != nil && !*got {
			t.Errorf("%v: %v", consequential, got)
		}
	}
}

// The URL of a call contains the default of a server variable once, and nothing else of the
// variable.
func TestServerVariables(t *testing.T) {
	for variable, want := range map[string]string{
		"v1": "https://shop.example/v1/things", "{v}": "https://shop.example/{v}/things", "//evil.example": "https://shop.example/{v}/things",
		"x#y": "https://shop.example/x/things", "x?y": "https://shop.example/x/things", "a b": "", strings.Repeat("x", 257): "https://shop.example/{v}/things",
	} {
		s := read(t, one(t, object{}, object{"servers": list{object{"url": "https://shop.example/{v}/", "variables": object{"v": object{"default": variable}}}}})).Services[0]
		got := ""
		if v := s.Capabilities[0].Invocation; v != nil {
			got = v.URL + v.Template
		}
		if got != want {
			t.Errorf("%.20q: got %q, want %q", variable, got, want)
		}
	}
}

// If the scheme or host of a server is a variable, its URL contains the defaults.
func TestServerTemplates(t *testing.T) {
	variables := object{"scheme": object{"default": "https", "enum": list{"https"}}, "host": object{"default": "shop.example"}, "whole": object{"default": "https://shop.example/v1"}}
	for text, want := range map[string]wayfind.Interface{
		"{scheme}://shop.example": {URL: "https://shop.example"},
		"{whole}":                 {URL: "https://shop.example/v1"},
		"https://{host}/":         {Template: "https://{host}", Variables: []wayfind.Variable{{Name: "host", Default: "shop.example"}}},
	} {
		all := variables
		if strings.Contains(text, "host}") {
			all = object{"host": variables["host"]}
		}
		s := read(t, one(t, object{}, object{"servers": list{object{"url": text, "variables": all}}})).Services[0]
		want.Protocol, want.Sources = "http", []wayfind.Ref{{Pointer: "/servers/0"}}
		if want.URL != "" {
			server, err := (&parse.Input{Body: s.Interfaces[0].Extensions["server"]}).JSON()
			if url, _ := server.Get("url").Str(); err != nil || url != text {
				t.Errorf("%q: kept %s, %v", text, s.Interfaces[0].Extensions, err)
			}
			s.Interfaces[0].Extensions = nil
		}
		if diff := cmp.Diff([]wayfind.Interface{want}, s.Interfaces); diff != "" || s.Capabilities[0].Invocation.URL == "" {
			t.Errorf("%q: %+v (-want +got):\n%s", text, s.Capabilities[0].Invocation, diff)
		}
	}
}

// The result for a document of any depth can be read again.
func TestDepth(t *testing.T) {
	for _, layout := range []string{`{"nullable":true,"not":…}`, `{"properties":{"a":…}}`, `{"allOf":[…]}`, `{"items":…}`, `{"default":[…]}`, `{"x":{"enum":[…]}}`} {
		for levels := 1; levels < 60; levels++ {
			schema := `{"default":` + strings.Repeat("[", 20) + strings.Repeat("]", 20) + `}`
			for range levels {
				schema = strings.Replace(layout, "…", schema, 1)
			}
			in := document(t, []byte(`{"openapi":"3.0.0","info":{"title":"T","version":"1"},"paths":{"/a":{"post":{
				"requestBody":{"content":{"a/b":{"schema":`+schema+`}}},"responses":{"200":{"content":{"a/b":{"schema":`+schema+`}}}}}}}}`))
			if _, err := in.JSON(); err != nil {
				break
			}
			_, c := detailOf(t, in)
			for _, raw := range []parse.Raw{c.Input, c.Output, c.Params[0].Schema} {
				if _, err := (&parse.Input{Body: raw}).JSON(); err != nil {
					t.Errorf("%d times %s: %v", levels, layout, err)
				}
			}
		}
	}
}

// A text that is too long to be repeated is omitted.
func TestResponses(t *testing.T) {
	_, c := detailOf(t, one(t, object{"responses": object{"200": object{"description": "fine"}, "404": object{"description": strings.Repeat("x", 5000)}, "500": object{"description": 7}}}, nil))
	if got, want := string(c.Extensions["responses"]), `{"200":"fine","404":"","500":""}`; got != want {
		t.Errorf("got %.80s, want %s", got, want)
	}
}

// Without a place, relative servers lead nowhere, and the rest is read.
func TestUnknownPlace(t *testing.T) {
	body := one(t, object{}, nil).Body
	r, err := openapi.Format().Parse(&parse.Input{Body: body})
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Services[0].Capabilities[0]; c.Invocation != nil || c.Lazy || c.DetailURLs != nil || len(r.Services[0].Interfaces) != 0 || len(r.Diagnostics) != 0 {
		t.Errorf("got %+v, %v", c, codes(r.Diagnostics))
	}
	if d, err := openapi.Format().Detail(&parse.Input{Body: body}, parse.Subject{}); err != nil || d.Services[0].Capabilities[0].Invocation != nil {
		t.Errorf("detail %+v, %v", d, err)
	}
}

// Two readings share no memory, because callers clean in place.
func TestReadingsAreFresh(t *testing.T) {
	in := made(t, object{"paths": object{"/a": object{"get": object{"tags": list{"x"}}, "put": object{"tags": list{"y"}}}}})
	first := read(t, in).Services[0].Capabilities
	for i := range first {
		first[i].DetailURLs[0], first[i].Tags[0] = "changed", "changed"
		*first[i].Effects.ReadOnly = false
	}
	for _, c := range read(t, in).Services[0].Capabilities {
		if c.DetailURLs[0] != place || c.Tags[0] == "changed" || c.ID == "GET /a" && !*c.Effects.ReadOnly {
			t.Errorf("%s: %+v", c.ID, c)
		}
	}
	if first[0].DetailURLs[0] = "again"; first[1].DetailURLs[0] == "again" {
		t.Error("two operations share their DetailURLs")
	}
}

// Definitions with the same name get different names, which also differ from original names of
// this kind.
func TestDefinitionNames(t *testing.T) {
	ref := func(place string) object { return object{"$ref": "#/x/" + place} }
	_, c := detailOf(t, one(t, object{"responses": object{"200": object{"content": object{"application/json": object{"schema": object{
		"allOf": list{ref("0/A"), ref("1/A_2"), ref("2/A"), ref("0/A"), ref("3/A"), ref("4/A%20%C2%AB"), ref("5/A_20_C2_AB")}}}}}}},
		object{"x": list{object{"A": object{"const": 0}}, object{"A_2": object{"const": 1}}, object{"A": object{"const": 2}}, object{"A": object{"const": 3}},
			object{"A «": object{"const": 4}}, object{"A_20_C2_AB": object{"const": 5}}}}))
	want := `{"allOf":[{"$ref":"#/$defs/A"},{"$ref":"#/$defs/A_2"},{"$ref":"#/$defs/A_3"},{"$ref":"#/$defs/A"},{"$ref":"#/$defs/A_4"},{"$ref":"#/$defs/A_20_C2_AB"},{"$ref":"#/$defs/A_20_C2_AB_2"}],` +
		`"$defs":{"A":{"const":0},"A_2":{"const":1},"A_3":{"const":2},"A_4":{"const":3},"A_20_C2_AB":{"const":4},"A_20_C2_AB_2":{"const":5}}}`
	if diff := cmp.Diff(want, string(c.Output)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
