package schema_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/security/schema"
)

// row is a row of vectors/tools/schemas.jsonl.
type row struct {
	ID, Group, Dialect string
	Schema             json.RawMessage
	Valid, Invalid     []json.RawMessage
	Lifted             json.RawMessage
	Refuse             string
	Vendors            map[schema.Target]vendor
}

type vendor struct {
	Strict      *bool
	MayBeStrict bool
	Refuse      string
	Drops       []int
	NowAccepts  []int
	Keeps       []int
	Names       map[string]string // by pointer
}

func rows(t *testing.T) (list []row) {
	t.Helper()
	for line := range bytes.Lines(golden.Read(t, golden.Vectors(t, "tools", "schemas.jsonl"))) {
		var r row
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if r.Dialect == "unknown" {
			r.Dialect = ""
		}
		list = append(list, r)
	}
	if len(list) < golden.Least(t, golden.EnvVectors, 171) {
		t.Fatalf("%d rows", len(list))
	}
	return list
}

// TestVectors checks the laws of each row of the shared vectors.
func TestVectors(t *testing.T) {
	for _, r := range rows(t) {
		t.Run(r.ID+" "+r.Group, func(t *testing.T) {
			s, err := schema.Check(r.Schema, schema.Dialect(r.Dialect), nil)
			if string(codeOf(err)) != r.Refuse {
				t.Fatalf("Check: %v, want %q", err, r.Refuse)
			}
			if err != nil {
				return
			}
			r.judged(t, s)
			for target, v := range r.Vendors {
				t.Run(target.String(), func(t *testing.T) { r.projected(t, s, target, v) })
			}
			for _, target := range schema.Targets() {
				r.lawful(t, s, target, schema.Wording{})
			}
		})
	}
}

// judged checks that the lifted schema accepts valid values and refuses invalid ones, unless
// lifting reports that it had to be wider.
func (r *row) judged(t *testing.T, s *schema.Schema) {
	for _, v := range r.Valid {
		if err := s.Validate(v, 0); err != nil {
			t.Errorf("valid %s: %v", v, err)
		}
	}
	wider := slices.ContainsFunc(s.Losses(), func(l schema.Loss) bool { return l.Effect == schema.Wider })
	for _, v := range r.Invalid {
		if s.Validate(v, 0) == nil && !wider {
			t.Errorf("invalid %s is taken", v)
		}
	}
	// The lifted schema has the same meaning after it is read again.
	lifted, err := s.JSON()
	if err != nil {
		t.Fatal(err)
	}
	again, err := schema.Check(lifted, schema.Draft202012, nil)
	if err != nil {
		t.Fatalf("lifted: %v: %s", err, lifted)
	}
	for _, v := range append(slices.Clone(r.Valid), r.Invalid...) {
		if a, b := s.Validate(v, 0), again.Validate(v, 0); (a == nil) != (b == nil) {
			t.Errorf("lifted %s says %v of %s, not %v", lifted, b, v, a)
		}
	}
}

// projected checks the laws of a row for one vendor.
func (r *row) projected(t *testing.T, s *schema.Schema, target schema.Target, v vendor) {
	p, err := s.For(target)
	if (err != nil) != (v.Refuse != "") {
		t.Fatalf("For: %v, want refused %q", err, v.Refuse)
	}
	if err != nil {
		return
	}
	if v.Strict != nil && !*v.Strict && p.Strict && !v.MayBeStrict {
		t.Errorf("strict")
	}
	if v.Strict != nil && *v.Strict && !p.Strict {
		t.Errorf("not strict: %s", p.Why)
	}
	for pointer, want := range v.Names {
		name := pointer[strings.LastIndexByte(pointer, '/')+1:]
		name = strings.ReplaceAll(name, "~1", "/")
		for next, original := range p.Names {
			if original == name && strings.HasPrefix(next, want) && len(name) > 64 {
				want = next // the length of a shortened name is not specified
			}
		}
		if p.Names[want] != name {
			t.Errorf("%q is renamed by %q, want %q", name, p.Names, want)
		}
	}
	if v.Keeps == nil || p.JSON == nil {
		return
	}
	for i, instance := range r.Valid {
		if _, ok := accepts(t, p, instance, true); !ok && !slices.Contains(v.Drops, i) {
			t.Errorf("%s drops %s", p.JSON, instance)
		}
	}
	for i, instance := range r.Invalid {
		if _, ok := accepts(t, p, instance, false); ok && !slices.Contains(v.NowAccepts, i) {
			t.Errorf("%s takes %s", p.JSON, instance)
		}
	}
}

// lawful checks the laws for any target and Wording.
func (r *row) lawful(t *testing.T, s *schema.Schema, target schema.Target, words schema.Wording) {
	t.Helper()
	p, err := s.Worded(target, words)
	if err != nil {
		refusals := []schema.Code{"root_type", schema.CodeNever, schema.CodeOutput, schema.CodeCost}
		if !slices.Contains(refusals, codeOf(err)) {
			t.Errorf("%s: %v", target, err)
		}
		return
	}
	again, err := s.Worded(target, words)
	if err != nil || !reflect.DeepEqual(p, again) {
		t.Errorf("%s: not the same twice", target)
	}
	for _, broken := range breaks(t, p) {
		t.Errorf("%s: %s: %s", target, broken, p.JSON)
	}
	lossOf := func(e schema.Effect) bool {
		return slices.ContainsFunc(p.Loss, func(l schema.Loss) bool { return l.Effect == e })
	}
	for _, instance := range r.Valid {
		encoded, ok := accepts(t, p, instance, true)
		if !ok && !lossOf(schema.Narrower) {
			t.Errorf("%s: %s drops %s silently", target, p.JSON, instance)
		}
		if !ok {
			continue
		}
		decoded, err := p.Decode(encoded)
		if err != nil {
			t.Errorf("%s: %v", target, err)
		} else if err := s.Validate(decoded, 0); err != nil {
			t.Errorf("%s: %s comes back as %s: %v", target, encoded, decoded, err)
		}
	}
	for _, instance := range r.Invalid {
		// A value that comes back changed is equal to the original.
		encoded, ok := accepts(t, p, instance, true)
		if decoded, err := p.Decode(encoded); ok && err == nil && same(decoded, instance) && !lossOf(schema.Wider) {
			t.Errorf("%s: %s takes %s silently", target, p.JSON, instance)
		}
	}
}

// accepts reports whether a projection accepts a value, and returns the value in the form of
// the projection.
func accepts(t *testing.T, p *schema.Projection, instance []byte, nulls bool) ([]byte, bool) {
	t.Helper()
	if p.JSON == nil {
		return instance, true // there is nothing to convert
	}
	var out, v any
	if exact(p.JSON, &out) != nil || exact(instance, &v) != nil {
		t.Fatalf("no JSON: %s, %s", p.JSON, instance)
	}
	if p.Target == schema.Gemini {
		out = plain(out)
	}
	names := make(map[string]string)
	for next, old := range p.Names {
		names[old] = next
	}
	v = encode(out, v, names, nulls && p.Target == schema.OpenAIStrict && p.Strict)
	said, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.Check(text, schema.Draft202012, nil)
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return said, s.Validate(said, 0) == nil
}

// exact keeps numbers as written.
func exact(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(v)
}

func same(a, b []byte) bool {
	var x, y any
	return exact(a, &x) == nil && exact(b, &y) == nil && reflect.DeepEqual(x, y)
}

// plain converts Gemini's schemas to JSON Schema.
func plain(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for k := range v {
			if k != "enum" {
				v[k] = plain(v[k])
			}
		}
		if word, ok := v["type"].(string); ok {
			v["type"] = strings.ToLower(word)
		}
		if v["nullable"] == true {
			delete(v, "nullable")
			return map[string]any{"anyOf": []any{v, map[string]any{"type": "null"}}}
		}
	}
	return v
}

// encode writes a value as a model would: with the names of the definition, and null for absent
// values.
func encode(out, v any, names map[string]string, nulls bool) any {
	s, _ := out.(map[string]any)
	switch v := v.(type) {
	case []any:
		for i := range v {
			items := s["items"]
			for _, b := range branchesOf(s) {
				if items == nil {
					items = b["items"]
				}
			}
			v[i] = encode(items, v[i], names, nulls)
		}
	case map[string]any:
		if asText(s) {
			text, _ := json.Marshal(v)
			return string(text)
		}
		best := s
		for _, b := range branchesOf(s) {
			if fits(b, v, names) {
				best = b
				break
			}
		}
		properties, _ := best["properties"].(map[string]any)
		object := make(map[string]any)
		for name, c := range v {
			next := name
			if n, ok := names[name]; ok && properties[n] != nil {
				next = n
			}
			object[next] = encode(properties[next], c, names, nulls)
		}
		required, _ := best["required"].([]any)
		for _, name := range required {
			if _, there := object[name.(string)]; !there && nulls {
				object[name.(string)] = nil
			}
		}
		return object
	}
	return v
}

// asText reports whether a schema has a text where the publisher's has an object: see
// Projection.Decode.
func asText(s map[string]any) bool {
	note, _ := s["description"].(string)
	return strings.Contains(note, "a JSON object, as text") || slices.ContainsFunc(branchesOf(s), asText) && !slices.ContainsFunc(branchesOf(s), func(b map[string]any) bool { return b["type"] == "object" })
}

func branchesOf(s map[string]any) (list []map[string]any) {
	anyOf, _ := s["anyOf"].([]any)
	for _, b := range anyOf {
		if m, ok := b.(map[string]any); ok {
			list = append(list, m)
			list = append(list, branchesOf(m)...)
		}
	}
	return list
}

// fits reports whether all members of v are properties of the branch, and whether its tags
// agree.
func fits(b, v map[string]any, names map[string]string) bool {
	properties, _ := b["properties"].(map[string]any)
	for name, c := range v {
		if n, ok := names[name]; ok {
			name = n
		}
		p, ok := properties[name].(map[string]any)
		if !ok {
			return false
		}
		if enum, ok := p["enum"].([]any); ok && !slices.ContainsFunc(enum, func(e any) bool { return reflect.DeepEqual(e, c) }) {
			return false
		}
	}
	return len(v) > 0
}
