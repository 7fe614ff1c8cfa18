package schema

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/run/fuel"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
)

// A schema that always requires a further value of itself has no value. One escape on the way is enough.
func TestARequiredCircleHasNoValue(t *testing.T) {
	for _, test := range []struct {
		name, a, b string // two definitions that the argument, an a, leads to
		never      bool
	}{
		{"itself", `{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/a"}}}`, `{}`, true},
		{"two", `{"type":"object","required":["b"],"properties":{"b":{"$ref":"#/$defs/b"}}}`, `{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/a"}}}`, true},
		{"optional", `{"type":"object","required":["b"],"properties":{"b":{"$ref":"#/$defs/b"}}}`, `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}}}`, false},
		{"null", `{"type":"object","required":["b"],"properties":{"b":{"$ref":"#/$defs/b"}}}`, `{"type":["object","null"],"required":["a"],"properties":{"a":{"$ref":"#/$defs/a"}}}`, false},
		{"anyOf", `{"type":"object","required":["b"],"properties":{"b":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}]}}}`, `{}`, false},
		{"anyOf without an escape", `{"type":"object","required":["b"],"properties":{"b":{"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}]}}}`, `{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/a"}}}`, true},
		{"oneOf", `{"type":"object","required":["b"],"properties":{"b":{"oneOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}]}}}`, `{"type":"object"}`, false},
		{"no type", `{"required":["a"],"properties":{"a":{"$ref":"#/$defs/a"}}}`, `{}`, false},
		{"allOf", `{"type":"object","allOf":[{"$ref":"#/$defs/b"},{"required":["a"],"properties":{"a":{"$ref":"#/$defs/a"}}}]}`, `{"properties":{"id":{"type":"string"}}}`, true},
		{"allOf in parts", `{"type":"object","required":["a"],"allOf":[{"$ref":"#/$defs/b"}]}`, `{"properties":{"a":{"$ref":"#/$defs/a"}}}`, true},
		{"allOf in parts, two types", `{"type":"object","required":["a"],"allOf":[{"$ref":"#/$defs/b"},{"properties":{"a":{"type":"integer"}}}]}`, `{"properties":{"a":{"type":"string"}}}`, true},
		{"an array", `{"type":"array","items":{"$ref":"#/$defs/a"}}`, `{}`, false},
		{"an array that is not empty", `{"type":"array","minItems":1,"items":{"$ref":"#/$defs/a"}}`, `{}`, true},
		{"an array by parts", `{"allOf":[{"type":"array","minItems":1},{"items":{"$ref":"#/$defs/a"}}]}`, `{}`, true},
		{"a first item", `{"type":"array","minItems":1,"prefixItems":[{"$ref":"#/$defs/a"}]}`, `{}`, true},
		{"a second item", `{"type":"array","minItems":1,"prefixItems":[{"type":"string"},{"$ref":"#/$defs/a"}]}`, `{}`, false},
		{"contains", `{"type":"array","contains":{"$ref":"#/$defs/a"}}`, `{}`, true},
		{"contains none", `{"type":"array","minContains":0,"contains":{"$ref":"#/$defs/a"}}`, `{}`, false},
		{"a map", `{"type":"object","additionalProperties":{"$ref":"#/$defs/a"}}`, `{}`, false},
		{"a map that is not empty", `{"type":"object","minProperties":1,"additionalProperties":{"$ref":"#/$defs/a"}}`, `{}`, true},
		{"a map with a name", `{"type":"object","minProperties":1,"properties":{"id":{"type":"string"}},"additionalProperties":{"$ref":"#/$defs/a"}}`, `{}`, false},
		{"a map with too few names", `{"type":"object","minProperties":2,"properties":{"id":{"type":"string"}},"additionalProperties":{"$ref":"#/$defs/a"}}`, `{}`, true},
		{"a name of a map", `{"type":"object","required":["x"],"additionalProperties":{"$ref":"#/$defs/a"}}`, `{}`, true},
		{"a pattern", `{"type":"object","required":["x1"],"patternProperties":{"^x":{"$ref":"#/$defs/a"}}}`, `{}`, true},
		{"another pattern", `{"type":"object","required":["y1"],"patternProperties":{"^x":{"$ref":"#/$defs/a"}}}`, `{}`, false},
		{"a pattern that is not supported", `{"type":"object","required":["y1"],"patternProperties":{"^(?!x)":{"$ref":"#/$defs/a"}},"additionalProperties":false}`, `{}`, false},
		{"names", `{"type":"object","minProperties":1,"propertyNames":{"type":"integer"}}`, `{}`, true},
		{"if", `{"if":{"type":"object"},"then":{"required":["a"],"properties":{"a":{"$ref":"#/$defs/a"}}},"else":false}`, `{}`, true},
		{"if with an escape", `{"if":{"type":"object"},"then":{"required":["a"],"properties":{"a":{"$ref":"#/$defs/a"}}},"else":{}}`, `{}`, false},
		{"types that contradict each other", `{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/b"}}}`, `{"allOf":[{"enum":["x"]},{"type":"integer"}]}`, false}, // as in the vectors,
	} {
		raw := `{"type":"object","required":["arg"],"properties":{"arg":{"$ref":"#/$defs/a"}},"$defs":{"a":` + test.a + `,"b":` + test.b + `}}`
		s, err := Check([]byte(raw), Draft202012, nil)
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		d := &Definitions{}
		d.Add("properties", "arg", []byte(`{"$ref":"#/$defs/a"}`), nil)
		for i, text := range []string{test.a, test.b} {
			d.Add("$defs", "ab"[i:i+1], []byte(text), nil)
			d.Name(i+1, "ab"[i:i+1])
		}
		shared, err := d.Object([]Member{{Name: "arg", Number: 0, Required: true}})
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		if s.Never() != test.never || shared.Never() != test.never {
			t.Errorf("%s: %t, shared %t, want %t", test.name, s.Never(), shared.Never(), test.never)
		}
	}
}

// No value satisfies a schema that is judged to have none: all small values are tried by the other
// keywords alone.
func TestWhatIsJudgedToHaveNoValueHasNone(t *testing.T) {
	r := rand.New(rand.NewPCG(60, 8))
	values := smallValues()
	judged, refuted := 0, 0
	tries := 300
	if os.Getenv("WAYFIND_LONG") != "" {
		tries = 10_000
	}
	for range tries {
		text := randomSchema(r)
		s, err := Check([]byte(text), Draft202012, nil)
		if err != nil {
			continue
		}
		never := make([]bool, len(s.nodes))
		for i, n := range s.nodes {
			no, is := n.source.Bool()
			never[i], n.never = n.never, is && !no
		}
		for i, n := range s.nodes {
			if never[i] {
				judged++
				own := *s
				own.root = n
				for _, v := range values {
					if own.Validate(v, 0) == nil {
						t.Errorf("%s: %s has no value, but %s", text, n.pointer(), v)
						refuted++
						break
					}
				}
			}
		}
	}
	if judged < tries/2 || refuted > 0 {
		t.Errorf("%d schemas have no value, %d of them have one", judged, refuted)
	}
}

// smallValues returns values of up to three levels.
func smallValues() (list [][]byte) {
	level := []string{`null`, `1`, `"x"`}
	for range 2 {
		next := []string{`null`, `1`, `"x"`, `[]`, `{}`}
		for _, v := range level {
			next = append(next, `[`+v+`]`, `{"a":`+v+`}`, `{"b":`+v+`}`)
			if len(level) < 10 {
				for _, w := range level {
					next = append(next, `{"a":`+v+`,"b":`+w+`}`, `[`+v+`,`+w+`]`)
				}
			}
		}
		level = next
	}
	for _, v := range level {
		list = append(list, []byte(v))
	}
	return list
}

// randomSchema returns four definitions that lead to each other.
func randomSchema(r *rand.Rand) string {
	ref := func() string { return fmt.Sprintf(`{"$ref":"#/$defs/%d"}`, r.IntN(4)) }
	var sub func(depth int) string
	sub = func(depth int) string {
		if depth == 0 || r.IntN(3) == 0 {
			return [...]func() string{ref, ref, func() string { return `{"type":"string"}` }, func() string { return `{"type":["null","integer"]}` }, func() string { return `false` }, func() string { return `{"enum":[1,"x"]}` }}[r.IntN(6)]()
		}
		var list []string
		add := func(often int, text func() string) {
			if r.IntN(often) == 0 {
				list = append(list, text())
			}
		}
		in := func() string { return sub(depth - 1) }
		add(2, func() string { return `"type":` + [...]string{`"object"`, `"array"`, `["object","array"]`}[r.IntN(3)] })
		add(2, func() string { return `"required":` + [...]string{`["a"]`, `["b"]`, `["a","b"]`}[r.IntN(3)] })
		add(2, func() string { return `"properties":{"a":` + in() + `,"b":` + in() + `}` })
		add(4, func() string { return `"additionalProperties":` + in() })
		add(5, func() string { return `"patternProperties":{"^a":` + in() + `}` })
		add(5, func() string { return fmt.Sprintf(`"minProperties":%d`, r.IntN(3)) })
		add(6, func() string { return fmt.Sprintf(`"maxProperties":%d`, r.IntN(2)) })
		add(3, func() string { return fmt.Sprintf(`"minItems":%d`, r.IntN(3)) })
		add(3, func() string { return `"items":` + in() })
		add(5, func() string { return `"prefixItems":[` + in() + `]` })
		add(6, func() string { return `"contains":` + in() })
		add(4, func() string { return `"allOf":[` + in() + `,` + in() + `]` })
		add(4, func() string { return `"anyOf":[` + in() + `,` + in() + `]` })
		add(6, func() string { return `"oneOf":[` + in() + `,` + in() + `]` })
		add(8, func() string { return `"if":` + in() + `,"then":` + in() + `,"else":` + in() })
		add(8, func() string { return `"propertyNames":{"type":["string","null"]}` })
		return `{` + strings.Join(list, ",") + `}`
	}
	return fmt.Sprintf(`{"$ref":"#/$defs/0","$defs":{"0":%s,"1":%s,"2":%s,"3":%s}}`, sub(2), sub(2), sub(2), sub(2))
}

// Circles and chains of any length are judged within the steps of a schema.
func TestLongCirclesAreJudgedInFewSteps(t *testing.T) {
	link := func(i, to int) string {
		return fmt.Sprintf(`"d%d":{"type":"object","required":["n"],"properties":{"n":{"$ref":"#/$defs/d%d"}}}`, i, to)
	}
	for name, test := range map[string]struct {
		size, width int
		last        string
		never       bool
	}{
		"circle":                {3000, 0, `{"$ref":"#/$defs/d0"}`, true},
		"chain":                 {3000, 0, `{"type":"string"}`, false},
		"circle with a way out": {3000, 0, `{"anyOf":[{"$ref":"#/$defs/d0"},{"type":"null"}]}`, false},
	} {
		for _, backwards := range []bool{false, true} {
			var defs []string
			for i := range test.size {
				defs = append(defs, link(i, i+1))
			}
			if backwards {
				for i := range len(defs) / 2 {
					defs[i], defs[len(defs)-1-i] = defs[len(defs)-1-i], defs[i]
				}
			}
			raw := fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s,"d%d":%s}}`, strings.Join(defs, ","), test.size, test.last)
			s, err := Check([]byte(raw), Draft202012, nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if s.Never() != test.never || s.Steps() > 100*int64(test.size) {
				t.Errorf("%s, backwards %t: never %t, %d steps", name, backwards, s.Never(), s.Steps())
			}
		}
	}
	// Each of many alternatives gets its types late.
	var defs, all []string
	for i := range 1500 {
		all = append(all, fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i))
		defs = append(defs, link(i, i+1))
	}
	raw := fmt.Sprintf(`{"type":"object","required":["n"],"properties":{"n":{"anyOf":[%s]}},"$defs":{%s,"d1500":{"$ref":"#"}}}`, strings.Join(all, ","), strings.Join(defs, ","))
	if s, err := Check([]byte(raw), Draft202012, nil); err != nil || !s.Never() || s.Steps() > 300_000 {
		t.Errorf("alternatives: %v, %+v", err, s)
	} else {
		t.Log(s.Steps())
	}
}

// Work that ends without steps leaves no judgement behind: other definitions are judged anew.
func TestAJudgementThatWasCutIsMadeAgain(t *testing.T) {
	d := &Definitions{}
	d.Add("$defs", "0", []byte(`{"type":"object","required":["n"],"properties":{"n":{"$ref":"#/$defs/1"}}}`), nil)
	d.Add("$defs", "1", []byte(`{"type":"string"}`), nil)
	d.settled = len(d.list)
	for _, one := range d.list {
		for _, p := range one.pending {
			p.from.ref = d.list[1].node
		}
	}
	for steps := int64(1); steps < jsonschema.MaxSteps; steps++ {
		d.cost.count = fuel.Within(steps)
		if guarded(d.cost.count, func() { d.judge(d.list[0]) }) == nil {
			break
		}
		if d.list[0].node.never || d.list[1].node.never {
			t.Fatalf("cut after %d steps, a schema has no value", steps)
		}
	}
	if d.cost.count.Steps() < 5 || d.list[0].node.never || d.list[1].node.never {
		t.Errorf("judged in %d steps: %t, %t", d.cost.count.Steps(), d.list[0].node.never, d.list[1].node.never)
	}
}
