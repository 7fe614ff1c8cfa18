package requests

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/security/schema"
)

// TestArgumentsOfEveryFormMakeTheSameRequest writes arguments as a model would write them for
// the definition of a vendor: with the names of the definition, and in strict mode with null
// for absent values. The request must equal the request for the publisher's arguments.
func TestArgumentsOfEveryFormMakeTheSameRequest(t *testing.T) {
	compared, narrowed, rewritten := make(map[string]int), 0, 0
	ofEach, least := 80, 100 // for a description, and for a form
	if everything() {
		ofEach, least = 500, 2000
	}
	for _, file := range files(t) {
		if strings.Contains(file, "corpus") {
			continue
		}
		list, _ := read(t, file).examples(t)
		list = slices.DeleteFunc(list, func(e *example) bool { return e.request == nil || e.variant > 1 })
		for i, e := range list {
			if i%(len(list)/ofEach+1) != 0 {
				continue
			}
			for _, form := range forms() {
				written, ok := e.written(t, form)
				if !ok {
					narrowed++
					continue
				}
				compared[fmt.Sprint(form.Vendor, " ", form.Strict)]++
				if !sameJSON(written, marshal(t, e.arguments)) {
					rewritten++
				}
				e.compare(t, form, written)
			}
		}
	}
	total := 0
	for _, form := range forms() {
		n := compared[fmt.Sprint(form.Vendor, " ", form.Strict)]
		if total += n; n < least {
			t.Errorf("%v: only %d", form, n)
		}
	}
	t.Logf("%d round trips: %v; %d whose arguments differ from the publisher's; %d values that a definition does not take", total, compared, rewritten, narrowed)
	if total < 2000 || rewritten < 100 {
		t.Errorf("only %d round trips, %d of other arguments", total, rewritten)
	}
}

// forms returns the forms of all vendors, strict and not strict.
func forms() (list []tools.Form) {
	for _, v := range tools.Vendors() {
		list = append(list, tools.Form{Vendor: v}, tools.Form{Vendor: v, Strict: true})
	}
	return list
}

// written returns the arguments in a form. ok is false if the definition does not allow such a
// value and reports it.
func (e *example) written(t *testing.T, form tools.Form) (written []byte, ok bool) {
	t.Helper()
	p, err := e.tool.Projection(form)
	if err != nil {
		t.Fatal(err)
	}
	m := model{projection: p}
	if p.JSON != nil {
		if err := json.Unmarshal(p.JSON, &m.root); err != nil {
			t.Fatal(err)
		}
	}
	var arguments any
	if err := json.Unmarshal(marshal(t, e.arguments), &arguments); err != nil {
		t.Fatal(err)
	}
	written = marshal(t, m.written(m.root, arguments))
	return written, !p.Narrows() || takes(p, written)
}

// compare compares the request of a form with the request of the publisher's arguments.
func (e *example) compare(t *testing.T, form tools.Form, written []byte) {
	t.Helper()
	got, err := e.document.caller.With(form).DryRun(t.Context(), e.document.box, e.tool.Name, written)
	if err != nil {
		t.Errorf("%s: %v: %v\n  %s", e, form, err, written)
	} else if !sameRequest(got.Request, e.request) {
		t.Errorf("%s: %v: %s\n  %s %s %s\n  %s", e, form, written, got.Request.Method, got.Request.URL, got.Request.Body, e.sent())
	}
}

// takes reports whether the arguments are valid by the definition.
func takes(p *schema.Projection, written []byte) bool {
	s, err := schema.Check(p.JSON, schema.Draft202012, nil)
	return err == nil && s.Validate(written, 1_000_000) == nil
}

// sameRequest compares requests. The boundaries of their parts differ.
func sameRequest(a, b *call.Request) bool {
	body := func(r *call.Request) string {
		_, boundary, found := strings.Cut(r.Header.Get("Content-Type"), "boundary=")
		if !found {
			return ""
		}
		return strings.ReplaceAll(string(r.Body), boundary, "B")
	}
	header := func(r *call.Request) http.Header {
		h := r.Header.Clone()
		if body(r) != "" {
			h.Del("Content-Type")
		}
		return h
	}
	if a.Method != b.Method || a.URL != b.URL || !reflect.DeepEqual(header(a), header(b)) {
		return false
	}
	return sameJSON(a.Body, b.Body) || string(a.Body) == string(b.Body) || body(a) != "" && body(a) == body(b)
}

// model writes arguments by a definition.
type model struct {
	projection *schema.Projection
	root       any
}

// written returns a value with the names of a schema.
func (m *model) written(at, v any) any {
	s := m.resolved(at)
	for _, word := range []string{"anyOf", "oneOf", "any_of"} {
		if list, ok := s[word].([]any); ok {
			for _, one := range list {
				if m.fits(one, v) {
					return m.written(one, v)
				}
			}
		}
	}
	switch v := v.(type) {
	case []any:
		out := []any{}
		for _, one := range v {
			out = append(out, m.written(s["items"], one))
		}
		return out
	case map[string]any:
		return m.object(s, v)
	}
	return v
}

func (m *model) object(s, v map[string]any) any {
	out := make(map[string]any)
	props, _ := s["properties"].(map[string]any)
	for name, one := range v {
		shown := name
		for renamed, was := range m.projection.Names {
			if _, here := props[renamed]; here && was == name && props[name] == nil {
				shown = renamed
			}
		}
		below := props[shown]
		if below == nil {
			below = s["additionalProperties"]
		}
		out[shown] = m.written(below, one)
	}
	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, given := out[name.(string)]; !given && m.projection.Strict {
			out[name.(string)] = nil
		}
	}
	return out
}

// resolved follows references.
func (m *model) resolved(at any) map[string]any {
	s, _ := at.(map[string]any)
	for range 20 {
		ref, ok := s["$ref"].(string)
		if !ok {
			break
		}
		root, _ := m.root.(map[string]any)
		s, _ = (&generator{root: root}).at(ref).(map[string]any)
	}
	return s
}

// fits distinguishes the alternatives of a union by types, constants and members.
func (m *model) fits(at, v any) bool {
	s := m.resolved(at)
	if list, ok := s["enum"].([]any); ok && !slices.ContainsFunc(list, func(one any) bool { return same(one, v) }) {
		return false
	}
	if one, ok := s["const"]; ok && !same(one, v) {
		return false
	}
	kinds, _ := s["type"].([]any)
	if one, ok := s["type"].(string); ok {
		kinds = []any{one}
	}
	if len(kinds) > 0 && !slices.ContainsFunc(kinds, func(kind any) bool {
		return strings.EqualFold(kind.(string), kindOf(v)) || kind == "integer" && kindOf(v) == "number"
	}) {
		return false
	}
	object, _ := v.(map[string]any)
	props, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, given := object[m.publishers(name.(string))]; object != nil && !given && !m.projection.Strict {
			return false
		}
	}
	for name, one := range props {
		if given, ok := object[m.publishers(name)]; ok && !m.fits(one, given) {
			return false
		}
	}
	return true
}

// publishers returns the name of a property in the publisher's schema.
func (m *model) publishers(name string) string {
	if was, ok := m.projection.Names[name]; ok {
		return was
	}
	return name
}

// kindOf returns the type of a value.
func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}
