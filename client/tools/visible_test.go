package tools

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
)

// The model is not asked for a secret: not for the parameter of a security scheme, and
// not for the key of repetitions. Every other parameter is asked for.
func TestSecretsAreNotAskedOfTheModel(t *testing.T) {
	key := func(in, name string) *wayfind.Auth {
		return &wayfind.Auth{Schemes: map[string]wayfind.Scheme{"a": {Kind: wayfind.SchemeAPIKey, In: in, Name: name}}}
	}
	bearer := &wayfind.Auth{Schemes: map[string]wayfind.Scheme{"a": {Kind: wayfind.SchemeHTTP}}}
	two := &wayfind.Auth{Schemes: map[string]wayfind.Scheme{"a": {Kind: wayfind.SchemeAPIKey, In: "query", Name: "key"}, "b": {Kind: wayfind.SchemeAPIKey, In: "cookie", Name: "sid"}}}
	own := &wayfind.Effects{IdempotencyKey: "X-Once"}
	for _, row := range []struct {
		name    string
		in, par string
		auth    *wayfind.Auth
		effects *wayfind.Effects
		hidden  bool
	}{
		{"a key in the query", "query", "key", key("query", "key"), nil, true},
		{"a key in a header field", "header", "X-Key", key("header", "X-Key"), nil, true},
		{"a field in other letters", "header", "x-key", key("header", "X-Key"), nil, true},
		{"a query in other letters", "query", "KEY", key("query", "key"), nil, false},
		{"a key in a cookie", "cookie", "sid", key("cookie", "sid"), nil, true},
		{"the name of a key elsewhere", "query", "key", key("header", "key"), nil, false},
		{"one of two schemes", "cookie", "sid", two, nil, true},
		{"the field of all schemes", "header", "Authorization", bearer, nil, true},
		{"the same in other letters", "header", "authorization", key("query", "key"), nil, true},
		{"a query called Authorization", "query", "Authorization", bearer, nil, false},
		{"no scheme", "query", "key", nil, nil, false},
		{"the key of repetitions", "header", "Idempotency-Key", nil, nil, true},
		{"the same in a body", "body", "Idempotency-Key", nil, nil, true},
		{"the same in other letters of a field", "header", "idempotency-key", nil, nil, true},
		{"the same in other letters of a body", "body", "idempotency-key", nil, nil, false},
		{"the same in the path, where the call needs it", "path", "Idempotency-Key", nil, nil, false},
		{"a key of its own name", "header", "x-once", nil, own, true},
		{"beside which the usual name means nothing", "header", "Idempotency-Key", nil, own, false},
	} {
		c := &wayfind.Capability{Effects: row.effects, Params: []wayfind.Param{{Name: row.par, In: row.in, Required: new(true)}, {Name: "q", In: "query", Required: new(true)}}}
		for _, input := range []string{"", `{"type": "object", "properties": {"` + row.par + `": {}, "q": {}}, "required": ["` + row.par + `", "q"]}`} {
			c.Input = json.RawMessage(input)
			want := []string{row.par, "q"}
			if row.hidden {
				want = want[1:]
			}
			if properties, required := askedFor(t, visible(c, httpcall.OperationOf(c, row.auth))); !cmp.Equal(properties, want) || !cmp.Equal(required, want) {
				t.Errorf("%s: the model is asked for %q, of which it must give %q; want %q", row.name, properties, required, want)
			}
		}
	}
}

// askedFor are the properties of a schema and those that are required, in their order.
func askedFor(t *testing.T, raw json.RawMessage) (properties, required []string) {
	t.Helper()
	for _, m := range membersOf(raw) {
		switch m.Name {
		case "properties":
			for _, p := range membersOf(json.RawMessage(m.Value)) {
				properties = append(properties, p.Name)
			}
		case "required":
			if err := json.Unmarshal(m.Value, &required); err != nil {
				t.Fatal(err)
			}
		}
	}
	return properties, required
}

// A name that two parameters have stays, since only one of them is the key.
func TestANameOfTwoParametersIsAskedFor(t *testing.T) {
	c := &wayfind.Capability{Params: []wayfind.Param{{Name: "key", In: "query"}, {Name: "key", In: "body"}}, Input: json.RawMessage(`{"type": "object", "properties": {"key": {}}}`)}
	auth := &wayfind.Auth{Schemes: map[string]wayfind.Scheme{"a": {Kind: wayfind.SchemeAPIKey, In: "query", Name: "key"}}}
	if got, _ := askedFor(t, visible(c, httpcall.OperationOf(c, auth))); !cmp.Equal(got, []string{"key"}) {
		t.Errorf("asked for %q", got)
	}
	c.Params = c.Params[:1]
	c.Input = json.RawMessage(`true`)
	if got := string(visible(c, httpcall.OperationOf(c, auth))); got != "true" {
		t.Errorf("a schema without properties became %s", got)
	}
}

// Arguments that a method takes by their places have the names of its parameters.
func TestArgumentsByPlaceHaveNames(t *testing.T) {
	params := []wayfind.Param{{Name: "what", Required: new(true)}, {Name: "n", Required: new(false)}, {Name: "to"}}
	const byPosition = `"by-position"`
	for _, row := range []struct{ name, structure, input, want string }{
		{
			"by position", byPosition,
			`{"$defs": {"s": {}}, "type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}, {"$ref": "#/$defs/s"}], "minItems": 1, "maxItems": 3}`,
			`{"type":"object","properties":{"what":{"type": "string"},"n":{"type": "number"},"to":{"$ref": "#/$defs/s"}},"required":["what"],"additionalProperties":false,"$defs":{"s": {}}}`,
		},
		{"by name", `"by-name"`, `{"type": "array", "prefixItems": [{}, {}, {}]}`, `{"type": "array", "prefixItems": [{}, {}, {}]}`},
		{"no places", byPosition, `{"type": "object"}`, `{"type": "object"}`},
		{"fewer places than parameters", byPosition, `{"prefixItems": [{}]}`, `{"prefixItems": [{}]}`},
		{"places that are no list", byPosition, `{"prefixItems": 7}`, `{"prefixItems": 7}`},
		{"no object", byPosition, `true`, `true`},
	} {
		c := &wayfind.Capability{Params: params, Input: json.RawMessage(row.input), Extensions: map[string]json.RawMessage{"paramStructure": json.RawMessage(row.structure)}}
		if diff := cmp.Diff(row.want, string(visible(c, httpcall.OperationOf(c, nil)))); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", row.name, diff)
		}
	}
}
