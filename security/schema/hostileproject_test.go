package schema_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/security/schema"
)

// complete returns a graph of definitions in which each refers to all.
func complete(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"type":"object","properties":{%s}},`, i, many(n, `"p%d":{"$ref":"#/$defs/d%d"}`, ","))
	}
	return `{"type":"object","properties":{"v":{"$ref":"#/$defs/d0"}},"$defs":{` + b.String() + `"x":{}}}`
}

// tower returns definitions in which each has two properties of the next.
func tower(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}},`, i, i+1, i+1)
	}
	return fmt.Sprintf(`{"type":"object","properties":{"v":{"$ref":"#/$defs/d0"}},"$defs":{%s"d%d":{}}}`, b.String(), n)
}

// chain returns definitions in which each has one property of the next.
func chain(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"}}},`, i, i+1)
	}
	return fmt.Sprintf(`{"type":"object","properties":{"v":{"$ref":"#/$defs/d0"}},"$defs":{%s"d%d":{}}}`, b.String(), n)
}

// TestHostileProjections checks schemas that pass Check but grow when references are replaced.
// They are refused with a code, within little memory. A target that supports references gets
// them unchanged.
func TestHostileProjections(t *testing.T) {
	big := `"x":{"type":"string","description":"` + strings.Repeat("a", 100_000) + `"}`
	tests := []struct {
		name, schema string
		inlined      schema.Code // for targets without references
	}{
		{"complete graph", complete(8), schema.CodeOutput},
		{"tower", tower(20), schema.CodeOutput},
		{"chain of properties", chain(2000), schema.CodeOutput},
		{"large text many times", `{"type":"object","properties":{` + many(3000, `"p%d":{"$ref":"#/$defs/x"}`, ",") + `},"$defs":{` + big + `}}`, schema.CodeOutput},
		{"large name many times", `{"type":"object","properties":{"` + strings.Repeat("n", 4000) + `":{"type":"object","properties":{` + many(1500, `"p%d":{"type":"string","minLength":1,"format":"x"}`, ",") + `}}}}`, ""},
		{"alternatives of alternatives", `{"type":"object","properties":{"v":{"allOf":[` + many(20, `{"anyOf":[{"minimum":%d},{"maximum":%d},{"multipleOf":3}]}`, ",") + `]}}}`, ""},
		{"alternatives of the root", `{"allOf":[` + many(20, `{"anyOf":[{"required":["a%d"]},{"required":["b%d"]}]}`, ",") + `],"properties":{"a0":{},"b0":{}}}`, ""},
		{"many alternatives", `{"type":"object","properties":{"v":{"oneOf":[` + many(2000, `{"type":"object","properties":{"k":{"const":"%d"}},"required":["k"]}`, ",") + `]}}}`, ""},
		{"names that become one", `{"type":"object","properties":{` + many(4000, `"é%d":{"type":"string"}`, ",") + `}}`, ""},
		{"names that are the same then", `{"type":"object","properties":{` + many(1000, `"p`+strings.Repeat("x", 80)+`%d":{"type":"string"}`, ",") + `}}`, ""},
		{"tuple", `{"type":"object","properties":{"v":{"type":"array","prefixItems":[` + many(3000, `{"enum":["%d"]}`, ",") + `]}}}`, ""},
		{"parts of a property", `{"type":"object","allOf":[` + many(900, `{"properties":{"a":{"minLength":%d}}}`, ",") + `]}`, ""},
		{"parts of many properties", `{"type":"object","allOf":[` + many(90, `{"properties":{`+many(25, `"q%d":{"minLength":1}`, ",")+`},"additionalProperties":{"maxLength":9}}`, ",") + `]}`, ""},
	}
	for _, tt := range tests {
		s, err := schema.Check([]byte(tt.schema), schema.Draft202012, nil)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for _, target := range schema.Targets() {
			before := allocated()
			p, err := s.For(target)
			used := allocated() - before
			inlines := slices.Contains([]schema.Target{schema.Gemini, schema.GeminiJSON, schema.Bedrock}, target)
			switch code := codeOf(err); {
			case inlines && code != tt.inlined:
				t.Errorf("%s, %s: %v, want code %q", tt.name, target, err, tt.inlined)
			case !inlines && err != nil:
				t.Errorf("%s, %s: %v", tt.name, target, err)
			case err == nil && len(p.JSON) > 1<<20:
				t.Errorf("%s, %s: %d bytes", tt.name, target, len(p.JSON))
			}
			if used > 64<<20 {
				t.Errorf("%s, %s: %d MiB", tt.name, target, used>>20)
			}
		}
	}
}
