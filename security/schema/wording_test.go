package schema_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/security/schema"
)

// talkative is a schema with a text of each kind in each place.
var talkative = `{"type":"object","description":"` + words("root") + `","properties":{
	"a":{"type":"string","title":"` + words("title a") + `","description":"` + words("text a") + `","default":"hidden","examples":["hidden","one"],"pattern":"^hidden(?!x)$"},
	"b":{"type":"object","description":"B.","properties":{
		"c":{"type":"array","description":"` + words("text c") + `","items":{"$ref":"#/$defs/d"}},
		"e":{"type":"integer","description":"E.","maximum":9}},"required":["e"],"additionalProperties":false},
	"f":{"anyOf":[{"type":"string","description":"` + words("text f") + `"},{"type":"object","properties":{"g":{"type":"string"}},"additionalProperties":{"type":"integer"}}]}},
	"required":["a"],"$defs":{"d":{"type":"object","description":"` + words("text d") + `","properties":{"h":{"type":"string","examples":["two"]},"i":{"type":"number"}},"required":["i"]}}}`

func words(about string) string {
	return strings.Repeat("A sentence about "+about+". ", 40)
}

func checked(t *testing.T, raw string) *schema.Schema {
	t.Helper()
	s, err := schema.Check([]byte(raw), schema.Draft202012, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// textsOf returns the titles and descriptions in a schema.
func textsOf(v any) (list []string) {
	switch v := v.(type) {
	case []any:
		for _, inner := range v {
			list = append(list, textsOf(inner)...)
		}
	case map[string]any:
		for name, inner := range v {
			if text, ok := inner.(string); ok && (name == "description" || name == "title") {
				list = append(list, text)
			}
			list = append(list, textsOf(inner)...)
		}
	}
	return list
}

// For each target the function of the Wording writes all texts and cuts them after a sentence.
// Each cut and each hidden value is reported as a loss at its place.
func TestTextsAreWrittenAsTheWordingSays(t *testing.T) {
	s := checked(t, talkative)
	for _, target := range schema.Targets() {
		words := schema.Wording{Most: 512, Text: strings.ToUpper, Shown: func(v string) bool { return !strings.Contains(v, "hidden") }}
		p, err := s.Worded(target, words)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(p.JSON, &v); err != nil {
			t.Fatal(err)
		}
		texts := textsOf(v)
		if len(texts) < 5 {
			t.Errorf("%s: %d texts", target, len(texts))
		}
		for _, text := range texts {
			said, _, _ := strings.Cut(text, " (") // one of our notes follows
			if len(text) > 512 || said != strings.ToUpper(said) || !strings.HasSuffix(said, ".") {
				t.Errorf("%s: %d bytes: %q", target, len(text), text)
			}
		}
		if strings.Contains(string(p.JSON), "hidden") {
			t.Errorf("%s: %s", target, p.JSON)
		}
		lost := func(pointer, keyword, code string) bool {
			return slices.Contains(p.Loss, schema.Loss{Pointer: pointer, Keyword: keyword, Effect: schema.None, Code: code})
		}
		if !lost("", "description", "cut") || !lost("/properties/a", "description", "cut") || !strings.Contains(fmt.Sprint(p.Loss), "hidden") {
			t.Errorf("%s: %+v", target, p.Loss)
		}
		if whole, err := s.For(target); err != nil || slices.ContainsFunc(whole.Loss, func(l schema.Loss) bool { return l.Code == "cut" || l.Code == "hidden" }) {
			t.Errorf("%s: %+v, %v", target, whole, err)
		}
	}
}

// Each step omits certain parts in addition to the parts that the earlier steps omit, in this
// order, with a loss for each part. Required properties remain.
func TestADefinitionIsMadeSmallInAFixedOrder(t *testing.T) {
	s := checked(t, talkative)
	type has struct{ examples, deep, third, second bool }
	want := map[schema.Brevity]has{
		schema.Whole: {true, true, true, true}, schema.Brevity(1): {false, true, true, true}, schema.Brevity(2): {false, false, true, true},
		schema.Brevity(3): {false, false, false, true}, 4: {false, false, false, false},
	}
	for _, target := range schema.Targets() {
		before := 1 << 30
		for _, b := range append([]schema.Brevity{schema.Whole}, schema.Steps()...) {
			p, err := s.Worded(target, schema.Wording{Brevity: b})
			if err != nil {
				t.Fatal(err)
			}
			out := string(p.JSON)
			got := has{strings.Contains(out, `"examples"`), strings.Contains(out, "about text c"), strings.Contains(out, `"h"`), strings.Contains(out, `"c"`)}
			w := want[b]
			if !strings.Contains(out, "about text a") || !strings.Contains(out, `"e"`) || len(out) > before {
				t.Errorf("%s %d: %s", target, b, out)
			}
			written, err := s.For(target)
			if err != nil {
				t.Fatal(err)
			}
			w.examples = w.examples && strings.Contains(string(written.JSON), `"examples"`)
			if got != w {
				t.Errorf("%s %d: %+v, want %+v: %s", target, b, got, w, out)
			}
			var lost []string
			for _, l := range p.Loss {
				if l.Code != "shortened" {
					continue
				}
				lost = append(lost, l.Keyword)
				effect := schema.None
				switch {
				case l.Keyword == "properties" && p.Strict: // its objects are closed
					effect = schema.Narrower
				case l.Keyword == "properties":
					effect = schema.Wider
				}
				if l.Effect != effect {
					t.Errorf("%s %d: %+v, want %s", target, b, l, effect)
				}
			}
			for keyword, gone := range map[string]bool{"description": !w.deep, "properties": !w.third} {
				if slices.Contains(lost, keyword) != gone {
					t.Errorf("%s %d: losses of %q, want %s: %t", target, b, lost, keyword, gone)
				}
			}
			before = len(out)
		}
	}
}

// The laws of projections hold for each step: valid values remain valid or the report contains
// the difference, and arguments are converted back.
func TestASmallDefinitionKeepsTheLaws(t *testing.T) {
	for _, r := range rows(t) {
		s, err := schema.Check(r.Schema, schema.Dialect(r.Dialect), nil)
		if err != nil {
			continue
		}
		t.Run(r.ID+" "+r.Group, func(t *testing.T) {
			for _, target := range schema.Targets() {
				for _, b := range schema.Steps() {
					r.lawful(t, s, target, schema.Wording{Brevity: b, Most: 40})
				}
			}
		})
	}
}

// A schema whose full definition is strict is strict in each step: arguments are decoded by the
// full schema.
func TestAStepKeepsStrictSchemasStrict(t *testing.T) {
	for _, r := range rows(t) {
		s, err := schema.Check(r.Schema, schema.Dialect(r.Dialect), nil)
		if err != nil {
			continue
		}
		for _, target := range []schema.Target{schema.OpenAIStrict, schema.AnthropicStrict} {
			whole, err := s.For(target)
			if err != nil || !whole.Strict {
				continue
			}
			for _, b := range schema.Steps() {
				if p, err := s.Worded(target, schema.Wording{Brevity: b}); err != nil || !p.Strict {
					t.Errorf("%s %s %d: %+v, %v", r.ID, target, b, p, err)
				}
			}
		}
	}
}

// A closed object without its optional properties cannot contain them, even if no property
// remains.
func TestAClosedObjectLosesWhatItLeavesOut(t *testing.T) {
	s := checked(t, `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":false}},"additionalProperties":false}`)
	for _, target := range []schema.Target{schema.OpenAIStrict, schema.AnthropicStrict} {
		p, err := s.Worded(target, schema.Wording{Brevity: 4})
		if want := (schema.Loss{Pointer: "/properties/a", Keyword: "properties", Effect: schema.Narrower, Code: "shortened"}); err != nil || !p.Strict || !slices.Contains(p.Loss, want) || strings.Contains(string(p.JSON), `"b"`) {
			t.Errorf("%s: %s, %+v, %v", target, p.JSON, p.Loss, err)
		}
	}
}
