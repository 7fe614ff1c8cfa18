package schemawriter_test

import (
	"fmt"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/schemawriter"
	"github.com/wayfindhq/wayfind/parse"
)

// draft has schemas that are JSON Schema 2020-12 already, but for "kind".
type draft struct{ *schemawriter.Writer }

func (d *draft) Reference(n parse.Node) parse.Raw {
	ref, _ := n.Get("$ref").Str()
	written, ok := d.Ref(n.Get("$ref"), ref)
	if !ok {
		return schemawriter.Any()
	}
	return schemawriter.Extend(written, d.Keywords(n, 0)...)
}

func (d *draft) Body(n parse.Node) parse.Raw {
	switch n.Kind() {
	case parse.Object:
		return rawjson.Obj(d.Keywords(n, 1)...)
	case parse.Bool:
		return n.Copy()
	}
	return d.NoSchema(n)
}

func (d *draft) Keyword(list []rawjson.Member, n parse.Node, keyword string, value parse.Node) []rawjson.Member {
	switch keyword {
	case "kind":
		return append(list, rawjson.Member{Name: "type", Value: d.Copied(value, value.Copy())})
	case "not":
		return append(list, rawjson.Member{Name: "not", Value: d.Schema(value)})
	}
	return d.Writer.Keyword(list, n, keyword, value)
}

func newDraft(refs *parse.Refs, budget *schemawriter.Budget) *draft {
	d := new(draft)
	d.Writer = schemawriter.New(refs, budget, d)
	return d
}

// A schema of a document, with what it refers to.
func ExampleWriter() {
	in := &parse.Input{Body: []byte(`{
		"menu": {"properties": {"soup": {"$ref": "#/parts/dish"}, "wine": {"$ref": "#/parts/none"}}},
		"parts": {"dish": {"kind": "string", "x-kitchen": 1}}}`)}
	doc, err := in.JSONObject()
	if err != nil {
		fmt.Println(err)
		return
	}
	refs := &parse.Refs{Reader: parse.NewReader(&parse.Format{Name: "menu"}), Root: doc}
	fmt.Printf("%s\n", newDraft(refs, new(schemawriter.Budget)).Alone(doc.Get("menu")))
	for _, d := range refs.Diagnostics() {
		fmt.Println(d.Code, d.Message)
	}
	// Output:
	// {"properties":{"soup":{"$ref":"#/$defs/dish"},"wine":{}},"$defs":{"dish":{"type":"string","x-kitchen":1}}}
	// menu.ref_dangling the reference "#/parts/none" leads nowhere
}

// referring is a document that was served at https://a.example/d.json.
func referring(t *testing.T, text string) *parse.Refs {
	t.Helper()
	root, err := (&parse.Input{Body: []byte(text)}).JSONObject()
	if err != nil {
		t.Fatal(err)
	}
	base := &url.URL{Scheme: "https", Host: "a.example", Path: "/d.json"}
	return &parse.Refs{Reader: parse.NewReader(&parse.Format{Name: "x"}), Root: root, Base: base}
}

func codesOf(list []wayfind.Diagnostic) string {
	var codes []string
	for _, d := range list {
		codes = append(codes, strings.TrimPrefix(d.Code, "x."))
	}
	return strings.Join(codes, " ")
}

func TestReferencesLeadInsideTheDocument(t *testing.T) {
	const text = `{"": 0, "a": {"b/c": [1, 2], "~": 3, "é": 4}, "to": {"$ref": "#/a/~0"}, "self": {"$ref": "#/self"}, "at": {"$ref": %s}}`
	for ref, want := range map[string]string{
		"#/a/b~1c/1":                  "2",
		"#/a/~0":                      "3",
		"#/a/%7E0":                    "3",
		"#/a/%C3%A9":                  "4",
		"#/":                          "0",
		"#/to":                        "3",
		"d.json#/a/~0":                "3",
		"https://a.example/d.json#/":  "0",
		"#":                           " ref_dangling",
		"#a":                          " ref_dangling",
		"#/a/none":                    " ref_dangling",
		"#/a/b~1c/2":                  " ref_dangling",
		"#/a/b~1c/x":                  " ref_dangling",
		"#/self":                      " ref_cycle",
		"#/at":                        " ref_cycle",
		"e.json#/a":                   " ref_external",
		"https://b.example/d.json#/a": " ref_external",
		"file:///etc/passwd":          " ref_external",
		"%zz#/a":                      " ref_external",
	} {
		r := referring(t, fmt.Sprintf(text, rawjson.Quote(ref)))
		n := r.Deref(r.Root.Get("at"), "")
		if got := strings.TrimSuffix(string(n.Raw())+" "+codesOf(r.Diagnostics()), " "); got != want {
			t.Errorf("%s leads to %q, want %q", ref, got, want)
		}
	}
	r := referring(t, `{"a": 1}`)
	if r.Base = (*url.URL)(nil); r.Deref(referring(t, `{"$ref": "d.json#/a"}`).Root, "").Exists() {
		t.Error("a document of no known place refers to itself by URL")
	}
}

// Get finds the same as Node.Get, in objects of any size.
func TestGetFindsEveryMember(t *testing.T) {
	for _, size := range []int{0, 1, 15, 16, 17, 100} {
		members := make([]rawjson.Member, size)
		for i := range members {
			members[i] = rawjson.Member{Name: fmt.Sprint(i), Value: rawjson.QuoteInt(int64(i))}
		}
		r := referring(t, string(rawjson.Obj(members...)))
		for i := range size + 2 {
			if got, want := r.Get(r.Root, fmt.Sprint(i)), r.Root.Get(fmt.Sprint(i)); got != want {
				t.Errorf("member %d of %d is %q, want %q", i, size, got.Raw(), want.Raw())
			}
		}
	}
}

func TestSchemasStandAlone(t *testing.T) {
	const parts = `{"a": {"$ref": "#/b"}, "b": {"kind": "string"}, "c": {"b": {"not": {"$ref": "#/c/b"}}}, "d e": true, "f": 1, "at": %s}`
	for schema, want := range map[string]string{
		`true`:                          `true`,
		`1`:                             `{} wrong_type`,
		`{"$ref": "#/a"}`:               `{"$ref":"#/$defs/b","$defs":{"b":{"type":"string"}}}`,
		`{"$ref": "#/b", "title": "T"}`: `{"$ref":"#/$defs/b","title":"T","$defs":{"b":{"type":"string"}}}`,
		`{"$ref": "#/d%20e"}`:           `{"$ref":"#/$defs/d_20e","$defs":{"d_20e":true}}`,
		`{"$ref": "#/f"}`:               `{} ref_kind`,
		`{"$ref": 1}`:                   `{}`,
		`{"allOf": [{"$ref": "#/b"}, {"$ref": "#/c/b"}]}`: `{"allOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b_2"}],"$defs":{"b":{"type":"string"},"b_2":{"not":{"$ref":"#/$defs/b_2"}}}}`,
		`{"example": 1, "x-a": 2, "xml": 3, "$id": "4"}`:  `{"examples":[1],"x-a":2,"xml":3}`,
		`{"default": {"$ref": "#/b"}, "const": [[1]]}`:    `{"const":[[1]]} left_out`,
	} {
		r := referring(t, fmt.Sprintf(parts, schema))
		got := string(newDraft(r, new(schemawriter.Budget)).Alone(r.Root.Get("at")))
		if codes := codesOf(r.Diagnostics()); codes != "" {
			got += " " + codes
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", schema, diff)
		}
	}
}

// What is beyond a budget is any value, which is told once.
func TestSchemasStayWithinTheirBudget(t *testing.T) {
	subschemas := `{"allOf": [` + strings.Repeat(`{"kind": "string"},`, 20_000) + `true]}`
	deep := strings.Repeat(`{"not":`, 60) + `true` + strings.Repeat(`}`, 60)
	long := fmt.Sprintf(`{"title": %q, "kind": "string"}`, strings.Repeat("x", jsonschema.MaxBytes+1))
	for name, text := range map[string]string{"subschemas": subschemas, "levels": deep, "bytes": long} {
		r := referring(t, text)
		budget := new(schemawriter.Budget)
		got := newDraft(r, budget).Alone(r.Root)
		if codes := codesOf(r.Diagnostics()); codes != "schema_limit" || len(got) >= len(text) {
			t.Errorf("%s: %q is told of %d bytes, written as %d", name, codes, len(text), len(got))
		}
		newDraft(r, budget).Alone(r.Root)
		if codes := codesOf(r.Diagnostics()); codes != "schema_limit" {
			t.Errorf("%s: the second schema tells %q", name, codes)
		}
	}
	room := 40
	a, b := &schemawriter.Budget{Overhead: 16, Shared: &room}, &schemawriter.Budget{Overhead: 16, Shared: &room}
	r := referring(t, `{"kind": "string", "title": "T"}`)
	first, second := newDraft(r, a).Alone(r.Root), newDraft(r, b).Alone(r.Root)
	if diff := cmp.Diff([]string{`{"type":"string","title":"T"}`, `{"x-wayfind-cut":true}`}, []string{string(first), string(second)}); diff != "" {
		t.Errorf("two schemas in one room (-want +got):\n%s", diff)
	}
}

// TestUnused: what only another unused definition, an extension or itself refers
// to is unused.
func TestUnused(t *testing.T) {
	r := referring(t, `{"a": [{"$ref": "#/defs/b"}, {"$ref": "#/defs/d~1e/x"}, {"$ref": "#/more/f%20g"}, {"$ref": "https://shop.example/x"}, {"$ref": 1}, {"$ref": "#/defs"}],
		"x-a": {"$ref": "#/defs/only-x"}, "defs": {"b": {"$ref": "#/defs/c"}, "c": {"$ref": "#/defs/c"}, "d/e": {}, "only-x": {}, "self": {"$ref": "#/defs/self"},
		"h": {"$ref": "#/defs/i"}, "i": {}}, "more": {"f g": {}, "j": {"$ref": "#/defs/h"}}, "none": 1}`)
	got := r.Unused(r.Root.Get("defs"), r.Root.Get("more"), r.Root.Get("none"), r.Root.Get("gone"))
	if diff := cmp.Diff([][]string{{"only-x", "self", "h", "i"}, {"j"}, nil, nil}, got); diff != "" {
		t.Error(diff)
	}
	if got := r.Unused(r.Root.Get("none")); len(got) != 1 || got[0] != nil {
		t.Errorf("without definitions: %q", got)
	}
}

// A keyword that would refuse more values because a schema within it is cut goes with it,
// also behind references. What else there is accepts the values of the publisher.
func TestACutAlternativeEndsItsChoice(t *testing.T) {
	many := `{"allOf": [` + strings.Repeat(`{"kind": "string"},`, 10_001) + `true]}`
	for name, row := range map[string]struct{ text, gone, stays string }{
		"oneOf":      {`{"title": "T", "oneOf": [{"kind": "string"}, ` + many + `]}`, `"oneOf"`, `"title":"T"`},
		"not":        {`{"title": "T", "not": ` + many + `}`, `"not"`, `"title":"T"`},
		"definition": {`{"title": "T", "oneOf": [{"kind": "string"}, {"$ref": "#/$defs/a"}], "$defs": {"a": {"properties": {"b": {"$ref": "#/$defs/c"}}}, "c": ` + many + `}}`, `"oneOf"`, `"title":"T"`},
		"properties": {`{"properties": {"oneOf": ` + many + `, "b": true}}`, `"b"`, `"oneOf":{`},
		"before":     {`{"allOf": [{"oneOf": [{"kind": "string"}, {"title": "U"}]}, ` + many + `]}`, `"T"`, `"oneOf":[{"type":"string"},{"title":"U"}]`},
	} {
		r := referring(t, row.text)
		got := string(newDraft(r, new(schemawriter.Budget)).Alone(r.Root))
		if strings.Contains(got, row.gone) || !strings.Contains(got, row.stays) || !strings.Contains(got, schemawriter.CutMark) {
			t.Errorf("%s: %.300s … %d bytes", name, got, len(got))
		}
		if _, err := (&parse.Input{Body: []byte(got)}).JSON(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
