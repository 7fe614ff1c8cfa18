package schema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/security/schema"
)

// A vendor requires items for each array, which then evaluates all elements. unevaluatedItems
// keeps its meaning, or its loss is reported.
func TestItemsThatAVendorNeedsLoseNothingSilently(t *testing.T) {
	const root = `{"type":"object","properties":{"v":$},"$defs":{"pair":{"type":"array","prefixItems":[{"type":"string"}]}}}`
	for text, exact := range map[string]bool{
		`{"type":"array","prefixItems":[{"type":"string"}],"unevaluatedItems":false}`:                                         true,
		`{"type":"array","prefixItems":[{"type":"string"}],"unevaluatedItems":{"type":"string"}}`:                             true,
		`{"type":"array","unevaluatedItems":{"type":"string"}}`:                                                               true,
		`{"type":"array","allOf":[{"prefixItems":[{"type":"string"}]}],"unevaluatedItems":false}`:                             false,
		`{"type":"array","contains":{"type":"string"},"unevaluatedItems":false}`:                                              false,
		`{"allOf":[{"type":"array","prefixItems":[{"type":"string"}]}],"unevaluatedItems":false}`:                             false,
		`{"anyOf":[{"allOf":[{"type":"array","prefixItems":[{"type":"string"}]}]},{"type":"null"}],"unevaluatedItems":false}`: false,
		`{"$ref":"#/$defs/pair","unevaluatedItems":false}`:                                                                    false,
	} {
		s, err := schema.Check([]byte(replaced(root, text)), schema.Draft202012, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, target := range []schema.Target{schema.OpenAI, schema.MCP, schema.Plain} {
			p, err := s.For(target)
			if err != nil {
				t.Fatal(err)
			}
			again, err := schema.Check(p.JSON, schema.Draft202012, nil)
			if err != nil {
				t.Fatalf("%s: %v", p.JSON, err)
			}
			lost := slices.ContainsFunc(p.Loss, func(l schema.Loss) bool { return l.Keyword == "unevaluatedItems" && l.Effect == schema.Wider })
			for _, value := range []string{`{"v":["a"]}`, `{"v":["a",1]}`, `{"v":[1]}`, `{"v":[]}`, `{"v":["a","b"]}`} {
				ours, theirs := s.Validate([]byte(value), 0), again.Validate([]byte(value), 0)
				if ours == nil && theirs != nil || ours != nil && theirs == nil && !lost {
					t.Errorf("%v: %s is written as %s, which says %v of %s, not %v", target, text, p.JSON, theirs, value, ours)
				}
			}
			if want := !exact && target != schema.Plain; lost != want {
				t.Errorf("%v: %s: lost %+v", target, text, p.Loss)
			}
		}
	}
}

func replaced(root, text string) string { return strings.Replace(root, "$", text, 1) }
