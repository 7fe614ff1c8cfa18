package schema_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/security/schema"
)

// again is a reference to the schema of tree.
const again = `{"$ref":"#/$defs/n"}`

// tree returns the schema of objects whose property "at" is a tree by the text.
func tree(text string) string {
	return `{"type":"object","properties":{"at":` + again + `},"$defs":{"n":` + strings.ReplaceAll(text, "@", again) + `,"d":` + strings.ReplaceAll(`{"properties":{"a":@},"items":@}`, "@", again) + `}}`
}

// A validator without memory needs few steps for deep arguments, for any schema of a publisher.
// A schema that refers to itself in two ways at once is cut at that place, which is a loss. All
// valid arguments are still accepted. Any other recursion is written unchanged.
func TestARecursionThatDoublesIsCutForHosts(t *testing.T) {
	for text, doubles := range map[string]bool{
		`{"allOf":[{"items":@},{"items":@}]}`:                                                             true,
		`{"allOf":[{"items":@,"minItems":0},{"prefixItems":[@]}]}`:                                        true,
		`{"allOf":[{"properties":{"a":@}},{"properties":{"a":@}}]}`:                                       true,
		`{"allOf":[{"properties":{"a":@}},{"additionalProperties":@}]}`:                                   true,
		`{"properties":{"a":@},"patternProperties":{"^a":@}}`:                                             true,
		`{"anyOf":[{"properties":{"a":@},"required":["a","x"]},{"properties":{"a":@}}]}`:                  true,
		`{"oneOf":[{"items":@},{"items":@,"maxItems":0}]}`:                                                true,
		`{"items":@,"not":{"items":@,"minItems":9}}`:                                                      true,
		`{"if":{"items":@},"then":{"items":@}}`:                                                           true,
		`{"items":@,"contains":@}`:                                                                        true,
		`{"allOf":[{"allOf":[{"$ref":"#/$defs/d"}]},{"allOf":[{"$ref":"#/$defs/d"}]}]}`:                   true, // a diamond
		`{"items":{"allOf":[@,@]}}`:                                                                       true,
		`{"properties":{"a":@,"b":@},"items":@}`:                                                          false,
		`{"properties":{"a":@},"additionalProperties":@}`:                                                 false,
		`{"prefixItems":[@,@],"items":@}`:                                                                 false,
		`{"anyOf":[{"properties":{"and":{"items":@}}},{"properties":{"or":{"items":@}}}]}`:                false,
		`{"allOf":[{"$ref":"#/$defs/d"},{"properties":{"b":@}}]}`:                                         false,
		`{"allOf":[{"items":{"type":"array"}},{"items":{"type":"array"}},{"properties":{"a":@}}]}`:        false,
		`{"type":"object","properties":{"a":{"allOf":[{"$ref":"#/$defs/n"}],"description":"The next."}}}`: false,
	} {
		s, err := schema.Check([]byte(tree(text)), schema.Draft202012, nil)
		if err != nil {
			t.Fatal(text, err)
		}
		for _, target := range []schema.Target{schema.MCP, schema.OpenAI, schema.OpenAIStrict, schema.Anthropic, schema.AnthropicStrict, schema.Gemini, schema.GeminiJSON, schema.Bedrock} {
			p, err := s.For(target)
			if err != nil {
				t.Fatal(text, target, err)
			}
			var root any
			if err := json.Unmarshal(p.JSON, &root); err != nil {
				t.Fatal(err)
			}
			for _, value := range deepValues(30) {
				forgetful := &forgetful{root: root}
				if forgetful.look(root, value); forgetful.steps > 10_000 {
					t.Errorf("%s for %s takes more than %d steps: %s", text, target, forgetful.steps, p.JSON)
				}
				if raw, _ := json.Marshal(value); s.Validate(raw, 0) == nil && !acceptedBy(t, p, raw) && !p.Narrows() {
					t.Errorf("%s for %s refuses a value of the publisher's without a word: %s", text, target, p.JSON)
				}
			}
			told := slices.ContainsFunc(p.Loss, func(l schema.Loss) bool { return l.Effect == schema.Wider })
			if whole := strings.Contains(string(p.JSON), `"$ref"`); !whole && !told || doubles && whole || !doubles && !whole && target == schema.MCP {
				t.Errorf("%s for %s: written whole: %t, a loss: %t", text, target, whole, told)
			}
		}
	}
}

// deepValues returns arguments of n levels, and with few levels for parts that need not be
// deep.
func deepValues(n int) (list []any) {
	for _, around := range []func(any) any{
		func(v any) any { return []any{v} },
		func(v any) any { return map[string]any{"a": v} },
	} {
		var v any = []any{}
		for range n {
			v = around(v)
		}
		list = append(list, map[string]any{"at": v})
	}
	return list
}

func acceptedBy(t *testing.T, p *schema.Projection, raw []byte) bool {
	t.Helper()
	s, err := schema.Check(p.JSON, schema.Draft202012, nil)
	return err == nil && s.Validate(raw, 0) == nil
}

// forgetful visits each schema that a validator needs for a value which it cannot refuse early,
// and remembers none.
type forgetful struct {
	root  any
	steps int
}

func (f *forgetful) look(schema, value any) {
	s, ok := schema.(map[string]any)
	if f.steps++; !ok || f.steps > 1_000_000 {
		return
	}
	if ref, ok := s["$ref"].(string); ok {
		f.look(f.root.(map[string]any)["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")], value)
	}
	for _, word := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := s[word].([]any)
		for _, one := range list {
			f.look(one, value)
		}
	}
	for _, word := range []string{"not", "if", "then", "else"} {
		f.look(s[word], value)
	}
	switch value := value.(type) {
	case []any:
		prefix, _ := s["prefixItems"].([]any)
		for i, v := range value {
			if i < len(prefix) {
				f.look(prefix[i], v)
			} else {
				f.look(s["items"], v)
			}
			f.look(s["contains"], v)
		}
	case map[string]any:
		f.members(s, value)
	}
}

func (f *forgetful) members(s, value map[string]any) {
	properties, _ := s["properties"].(map[string]any)
	patterns, _ := s["patternProperties"].(map[string]any)
	for name, v := range value {
		known := false
		if one, ok := properties[name]; ok {
			known = true
			f.look(one, v)
		}
		for pattern, one := range patterns {
			if strings.HasPrefix(name, strings.TrimPrefix(pattern, "^")) {
				known = true
				f.look(one, v)
			}
		}
		if !known {
			f.look(s["additionalProperties"], v)
		}
	}
}

// A schema is cut by its references, also in shared definitions.
func TestASharedRecursionThatDoublesIsCut(t *testing.T) {
	var d schema.Definitions
	for name, text := range []string{`{"items":{"$ref":"#/$defs/0"}}`, `{"allOf":[{"items":{"$ref":"#/$defs/1"}},{"items":{"$ref":"#/$defs/2"}}]}`, `{"items":{"$ref":"#/$defs/1"}}`, `{"$ref":"#/$defs/2"}`} {
		d.Add("$defs", "n"+strconv.Itoa(name), []byte(text), nil)
	}
	for number, doubles := range []bool{false, true, true, true} {
		s, err := d.Object([]schema.Member{{Name: "at", Number: number}})
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.For(schema.MCP)
		if cut := !strings.Contains(string(p.JSON), `"$ref"`); err != nil || cut != doubles {
			t.Errorf("%d: cut: %t, %v: %s", number, cut, err, p.JSON)
		}
	}
}
