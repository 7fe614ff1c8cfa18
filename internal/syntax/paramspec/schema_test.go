package paramspec_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

func TestTypeSchema(t *testing.T) {
	for word, want := range map[string]string{
		"string": `{"type":"string"}`, "STRING": `{"type":"string"}`, " int ": `{"type":"integer"}`,
		"float": `{"type":"number"}`, "bool": `{"type":"boolean"}`, "dict": `{"type":"object"}`, "list": `{"type":"array"}`,
		"url": `{"type":"string","format":"uri"}`, "date": `{"type":"string","format":"date"}`,
		"timestamp": `{"type":"string","format":"date-time"}`, "file": `{"type":"string","format":"binary"}`,
		"any":               `{}`,
		"string[]":          `{"type":"array","items":{"type":"string"}}`,
		"array<int>":        `{"type":"array","items":{"type":"integer"}}`,
		"array[object]":     `{"type":"array","items":{"type":"object"}}`,
		"array of strings":  `{"type":"array","items":{"type":"string"}}`,
		"string[][]":        `{"type":"array","items":{"type":"array","items":{"type":"string"}}}`,
		"any[]":             `{"type":"array","items":{}}`,
		"string or array":   `{"type":["string","array"]}`,
		"string|null":       `{"type":["string","null"]}`,
		"string|string":     `{"type":["string"]}`,
		"string | string[]": `{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}`,
		"string|any":        `{}`,
		// not known
		"": "", "airport_code": "", "string|airport_code": "", "string[][][][][]": "", "enum[a, b]": "",
	} {
		schema, ok := paramspec.TypeSchema(word)
		if ok != (want != "") {
			t.Errorf("TypeSchema(%q) known: %t", word, ok)
		}
		if got := string(rawjson.Obj(schema...)); ok && got != want {
			t.Errorf("TypeSchema(%q) = %s, want %s", word, got, want)
		}
	}
}

func TestParamSchema(t *testing.T) {
	p := wayfind.Param{
		Type: "integer", Enum: []json.RawMessage{[]byte(`1`), []byte(`1000000`)}, Minimum: new(1.0), Maximum: new(1e6), Default: []byte(`1`),
	}
	schema, known := paramspec.ParamSchema(&p)
	if want := `{"type":"integer","enum":[1,1000000],"minimum":1,"maximum":1e+06,"default":1}`; string(schema) != want || !known {
		t.Errorf("schema %s, known %t; want %s", schema, known, want)
	}
	schema, known = paramspec.ParamSchema(&wayfind.Param{Type: "airport_code", Default: []byte(`"BER"`)})
	if want := `{"default":"BER"}`; string(schema) != want || known {
		t.Errorf("schema %s, known %t; want %s", schema, known, want)
	}
	if got := string(rawjson.Obj(paramspec.ParamConstraints(&p)...)); got != `{"enum":[1,1000000],"minimum":1,"maximum":1e+06,"default":1}` {
		t.Errorf("constraints %s", got)
	}
}

func TestInputSchema(t *testing.T) {
	if got := paramspec.InputSchema(nil); got != nil {
		t.Errorf("no parameters: %s", got)
	}
	params := []wayfind.Param{
		{Name: "id", In: "path", Required: new(false), Schema: []byte(`{}`), Example: []byte(`7`)},
		{Name: "to", Type: "string", Required: new(true), Description: `say "who"`},
		{Name: "to", In: "query", Type: "integer"},
		{Name: "deep", Type: "object", Example: []byte(`{"a":1}`)},
		{Name: "free", Schema: []byte(`true`), Description: "not put into a schema that is no object"},
	}
	before := wayfind.Param{Name: "id", In: "path", Required: new(false), Schema: []byte(`{}`), Example: []byte(`7`)}
	const want = `{"type":"object","properties":{"id":{"examples":[7]},"to":{"type":"string","description":"say \"who\""},` +
		`"deep":{"type":"object"},"free":true},"required":["id","to"]}`
	got := paramspec.InputSchema(params)
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
	if !json.Valid(got) {
		t.Error("it is not JSON")
	}
	if diff := cmp.Diff(before, params[0]); diff != "" {
		t.Errorf("a parameter was changed (-want +got):\n%s", diff)
	}
}

func TestEffectsOf(t *testing.T) {
	safe := &wayfind.Effects{ReadOnly: new(true), Idempotent: new(true), Destructive: new(false), Defaulted: []string{"readOnly", "idempotent", "destructive"}}
	plain := &wayfind.Effects{ReadOnly: new(false), Idempotent: new(false), Defaulted: []string{"readOnly", "idempotent"}}
	for method, want := range map[string]*wayfind.Effects{
		"GET": safe, "HEAD": safe, "OPTIONS": safe, "POST": plain, "PATCH": plain,
		"PUT":    {ReadOnly: new(false), Idempotent: new(true), Defaulted: []string{"readOnly", "idempotent"}},
		"DELETE": {ReadOnly: new(false), Idempotent: new(true), Destructive: new(true), Defaulted: []string{"readOnly", "idempotent", "destructive"}},
		"get":    nil, "LIST": nil, "": nil,
	} {
		if diff := cmp.Diff(want, paramspec.EffectsOf(method)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", method, diff)
		}
	}
}

func TestPlaceParam(t *testing.T) {
	endpoint, ok := parse.ParseTemplate("/a/{id}?q={q}{&more}")
	if !ok {
		t.Fatal("no template")
	}
	tests := []struct {
		param  wayfind.Param
		method string
		want   wayfind.Param
	}{
		{wayfind.Param{Name: "id"}, "GET", wayfind.Param{Name: "id", In: "path", Required: new(true), Defaulted: []string{"required"}}},
		{wayfind.Param{Name: "id", Required: new(false)}, "GET", wayfind.Param{Name: "id", In: "path", Required: new(false)}},
		{wayfind.Param{Name: "id", In: "query"}, "GET", wayfind.Param{Name: "id", In: "query"}},
		{wayfind.Param{Name: "q"}, "POST", wayfind.Param{Name: "q", In: "query"}},
		{wayfind.Param{Name: "more"}, "POST", wayfind.Param{Name: "more", In: "query"}},
		{wayfind.Param{Name: "x"}, "GET", wayfind.Param{Name: "x", In: "query", Defaulted: []string{"in"}}},
		{wayfind.Param{Name: "x"}, "DELETE", wayfind.Param{Name: "x", In: "query", Defaulted: []string{"in"}}},
		{wayfind.Param{Name: "x"}, "POST", wayfind.Param{Name: "x", In: "body", Defaulted: []string{"in"}}},
		{wayfind.Param{Name: "x"}, "", wayfind.Param{Name: "x"}},
		{wayfind.Param{Name: "x", In: "path"}, "", wayfind.Param{Name: "x", In: "path", Required: new(true), Defaulted: []string{"required"}}},
	}
	for _, tt := range tests {
		p := tt.param
		paramspec.PlaceParam(&p, tt.method, endpoint)
		if diff := cmp.Diff(tt.want, p); diff != "" {
			t.Errorf("%+v with %q (-want +got):\n%s", tt.param, tt.method, diff)
		}
	}
	want := wayfind.Param{Name: "id", In: "path", Required: new(true), Defaulted: []string{"required"}, Schema: []byte(`{"type":"string"}`)}
	if diff := cmp.Diff(want, paramspec.VariableParam("id", endpoint)); diff != "" {
		t.Errorf("VariableParam (-want +got):\n%s", diff)
	}
	want = wayfind.Param{Name: "q", In: "query", Schema: []byte(`{"type":"string"}`)}
	if diff := cmp.Diff(want, paramspec.VariableParam("q", endpoint)); diff != "" {
		t.Errorf("VariableParam (-want +got):\n%s", diff)
	}
}

func TestContentTypeOf(t *testing.T) {
	query, body, file := wayfind.Param{In: "query", Type: "file"}, wayfind.Param{In: "body"}, wayfind.Param{In: "body", Type: "File"}
	for want, params := range map[string][]wayfind.Param{
		"": {query}, "application/json": {query, body}, "multipart/form-data": {body, file},
	} {
		if got := paramspec.ContentTypeOf(params); got != want {
			t.Errorf("%+v: %q, want %q", params, got, want)
		}
	}
}

func TestRate(t *testing.T) {
	for text, want := range map[string]wayfind.Limit{
		"30/minute":                           {N: 30, Per: 60e9},
		"30 / min":                            {N: 30, Per: 60e9},
		"10 requests/second":                  {N: 10, Per: 1e9},
		"Max 1 request per second.":           {N: 1, Per: 1e9},
		"at most 1,000 API calls per hour":    {N: 1000, Per: 3600e9},
		"60 rpm":                              {N: 60, Per: 60e9},
		"100 requests a day":                  {N: 100, Per: 86400e9},
		"100 per 15 minutes":                  {N: 100, Per: 900e9},
		"Rate limit: 5 requests per second":   {N: 5, Per: 1e9},
		"5 requests per second per client":    {N: 5, Per: 1e9},
		"":                                    {},
		"be kind":                             {},
		"0/minute":                            {},
		"-1/minute":                           {},
		"30":                                  {},
		"30 per":                              {},
		"30 per fortnight":                    {},
		"10/second, 1000/day":                 {},
		"99999999999999999999/minute":         {},
		"wait 5 seconds":                      {},
		"per 30 minutes":                      {},
		"10 requests per 99999999999 days":    {},
		"Cache for 24 hours. 2 in a row":      {},
		"1 ///// minute":                      {},
		"we serve 3 cities with 2 per minute": {N: 2, Per: 60e9},
	} {
		got, ok := paramspec.Rate(text)
		if got != want || ok != (want.N > 0) {
			t.Errorf("Rate(%q) = %+v, %t; want %+v", text, got, ok, want)
		}
	}
}
