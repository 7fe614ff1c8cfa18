package schema

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
)

// ruled has, for each rule, a schema that is against it as it is published, and the definition
// that leaves.
var ruled = []struct{ rule, target, published, leaves string }{
	{"root_type", "anthropic", `{"type":["object","null"],"properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`},
	{"root_combination", "mcp", `{"type":"object","anyOf":[{"properties":{"a":{"type":"string"}}}]}`, `{"type":"object","properties":{"a":{"type":"string"}}}`},
	{"root_keyword", "bedrock", `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"string"}},"additionalProperties":false}`, `{"type":"object","properties":{"a":{"type":"string"}}}`},
	{"properties", "openai", `{"type":"object","additionalProperties":false}`, `{"type":"object","properties":{},"additionalProperties":false}`},
	{"properties", "mcp", `{"type":"object","properties":{"a":{"type":["object","null"]}}}`, `{"type":"object","properties":{"a":{"type":["object","null"],"properties":{}}}}`},
	{"empty_object", "gemini", `{"type":"OBJECT","properties":{"a":{"type":"OBJECT"}}}`, `{"type":"OBJECT","properties":{"a":{"type":"STRING","description":"(a JSON object, as text)","pattern":"^\\s*\\{"}}}`},
	{"items", "mcp", `{"type":"object","properties":{"a":{"type":"array"}}}`, `{"type":"object","properties":{"a":{"type":"array","items":{}}}}`},
	{"property_name", "mcp", `{"type":"object","properties":{"$top":{"type":"integer"},"ids[]":{"type":"string"},"top":{"type":"string"}},"required":["ids[]"]}`,
		`{"type":"object","properties":{"top_2":{"type":"integer"},"ids":{"type":"string"},"top":{"type":"string"}},"required":["ids"]}`},
	{"type", "gemini", `{"type":"OBJECT","properties":{"a":{"type":["STRING","NULL"]}}}`, `{"type":"OBJECT","properties":{"a":{"type":"STRING","nullable":true}}}`},
	{"keyword", "gemini", `{"type":"object","properties":{"a":{"type":"string"}},"propertyNames":{"pattern":"^a"}}`, `{"type":"OBJECT","properties":{"a":{"type":"STRING"}}}`},
	{"enum", "gemini", `{"type":"object","properties":{"a":{"type":"integer","enum":[1,2]}}}`, `{"type":"OBJECT","properties":{"a":{"type":"INTEGER","description":"(one of 1, 2)"}}}`},
	{"pattern", "openai", `{"type":"object","properties":{"a":{"type":"string","pattern":"^\\p{L}+$"}}}`, `{"type":"object","properties":{"a":{"type":"string","description":"(pattern ^\\p{L}+$)"}}}`},
	{"pattern", "mcp", `{"type":"object","properties":{},"patternProperties":{"^[\\w-.]+$":{"type":"string"}}}`, `{"type":"object","properties":{}}`},
	{"required", "openai-strict", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`,
		`{"type":"object","properties":{"a":{"type":["string","null"]}},"required":["a"],"additionalProperties":false}`},
	{"required", "gemini", `{"type":"object","properties":{"a":{"type":"string"}},"required":["b c"]}`,
		`{"type":"OBJECT","properties":{"a":{"type":"STRING"},"b_c":{"anyOf":[{"type":"STRING"},{"type":"NUMBER"},{"type":"BOOLEAN"}],"nullable":true}},"required":["b_c"]}`},
	{"closed", "anthropic-strict", `{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}`},
}

// Each rule has a source in docs/SCHEMAS.md and finds what is against it. What leaves is against
// none.
func TestEachRuleOfVendorsIsFoundAndKept(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join(golden.Root(t), "docs", "SCHEMAS.md"))
	if err != nil {
		t.Fatal(err)
	}
	tried := make(map[string]bool)
	for _, c := range ruled {
		tried[c.rule] = true
		target := targetOf(c.target)
		text := c.published
		if target == Gemini {
			text = strings.ToLower(text)
		}
		s, err := Check([]byte(text), Draft202012, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.published, err)
		}
		if !against(t, target, c.rule, c.published) {
			t.Errorf("%s: %s is not against it", c.rule, c.published)
		}
		p, err := s.For(target)
		if err != nil || string(p.JSON) != c.leaves {
			t.Errorf("%s: %s, %v, want %s", c.rule, p.JSON, err, c.leaves)
		}
		if found := target.profile.broken(rootOf(t, c.leaves)); found != "" {
			t.Errorf("%s: %s is against %s", c.rule, c.leaves, found)
		}
	}
	for _, r := range vendorRules {
		if !tried[r.name] {
			t.Errorf("%s: nothing is against it", r.name)
		}
		if row := "| `" + r.name + "` |"; !strings.Contains(string(doc), row) || !strings.Contains(string(doc), "| "+r.source+" |") {
			t.Errorf("docs/SCHEMAS.md lacks %s … | %s |", row, r.source)
		}
	}
}

// against reports whether a schema, as it is published, is against a rule of a target.
func against(t *testing.T, target Target, rule, text string) bool {
	t.Helper()
	for i := range vendorRules {
		if vendorRules[i].name == rule {
			return target.profile.judge(vendorRules[i:i+1], rootOf(t, text), true) != ""
		}
	}
	return false
}

func rootOf(t *testing.T, text string) jsonscan.Node {
	t.Helper()
	doc, err := jsonscan.Scan([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc.Root()
}

// A schema that would leave against a rule is refused, or is not strict.
func TestADefinitionAgainstARuleDoesNotLeave(t *testing.T) {
	for _, target := range []Target{OpenAI, OpenAIStrict} {
		w := &projector{profile: target.profile}
		why, err := w.judged(&Projection{JSON: []byte(`{"type":"object"}`)})
		e, _ := err.(*Error)
		if strict := target == OpenAIStrict; strict && why != "rule_properties" || !strict && (e == nil || e.Code != codeRule) {
			t.Errorf("%s: %q, %v", target, why, err)
		}
	}
}

// The rules of mcp are those of all vendors together: a host may have any of them.
func TestAHostIsEveryVendorAtOnce(t *testing.T) {
	mcp := MCP.profile
	for _, name := range []string{"a", "A_1", "_a", strings.Repeat("a", 64), "$top", "a b", "a.b", "a-b", "1a", "", "Ünï", "ids[]", strings.Repeat("a", 65)} {
		every := true
		for _, target := range Targets() {
			every = every && (target == Plain || target == MCP || target.profile.names.takes(name))
		}
		if mcp.names.takes(name) != every {
			t.Errorf("%q: %v, and %v for all vendors", name, !every, every)
		}
	}
	for _, target := range Targets() {
		if target.profile.itemsNeeded && !mcp.itemsNeeded {
			t.Errorf("%s needs items, mcp does not", target)
		}
	}
}

// A pattern is portable exactly if Python's re compiles it, as far as RE2 can match it.
func TestPatternsThatEveryVendorCompiles(t *testing.T) {
	for _, pattern := range []string{`^[a-z]+$`, `[\w-]`, `[-\w]`, `\/`, `\-`, `[\b]`, `[a-z-9]`, `[a-z-\d]`, `\x41\u0041`, `\ud83d\ude00`, `{`, `a{,b}`, `[{,3}]`, `\{,3}`, `(^)*`, `[[:alpha:]]`, `[^\W_]`, `()`, `|a`, `(?:a)+?`, `\v\f\0`, `[+--]`, `\é`, ``} {
		if !portable(pattern) {
			t.Errorf("%q is refused", pattern)
		}
	}
	for _, pattern := range []string{`\p{L}`, `\P{L}`, `[\w-.]`, `[.-\w]`, `[a-\d]`, `[\s-_]`, `(?<n>a)`, `[^]`, `[]`, `\cA`, `\u{1F600}`, `{,5}`, `a{,3}`, `(?:{,})`, `a|{,5}`, `^*`, `$?`, `\b*`, `^+`} {
		if portable(pattern) {
			t.Errorf("%q is taken", pattern)
		}
	}
}

// An argument reaches the publisher under its own name, whatever name a host sends.
func TestNewNamesAndPublishedNamesAreTaken(t *testing.T) {
	s, err := Check([]byte(`{"properties":{"$top":{"type":"integer"},"a b":{"properties":{"a-b":{}},"required":["x y"]},"o":{"type":"object","properties":{},"required":["x/y"]},"a_b":{},"m":{"additionalProperties":true}},"required":["not described","top"]}`), Draft202012, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.For(MCP)
	if err != nil {
		t.Fatal(err)
	}
	for sent, want := range map[string]string{
		`{"top_2":1}`:               `{"$top":1}`,
		`{"$top":1}`:                `{"$top":1}`,
		`{"top":1}`:                 `{"top":1}`,
		`{"a_b_2":{"x_y":1}}`:       `{"a b":{"x_y":1}}`,
		`{"a_b_2":{"x y":1}}`:       `{"a b":{"x y":1}}`,
		`{"a_b":1}`:                 `{"a_b":1}`,
		`{"a b":{"a-b":1}}`:         `{"a b":{"a-b":1}}`,
		`{"o":{"x_y":1}}`:           `{"o":{"x/y":1}}`,
		`{"not_described":1}`:       `{"not described":1}`,
		`{"m":{"x_y":1,"top_2":2}}`: `{"m":{"x_y":1,"top_2":2}}`,
	} {
		if got, err := p.Decode([]byte(sent)); err != nil || string(got) != want {
			t.Errorf("%s is %s, %v, want %s; names %v", sent, got, err, want, p.Names)
		}
	}
	if twice, _ := p.Decode([]byte(`{"$top":1,"top_2":2}`)); s.Validate(twice, 0) == nil {
		t.Errorf("%s is taken", twice)
	}
}

// Where an object is written as a text for Gemini, the object comes back; where a text is meant,
// the text does.
func TestAnObjectThatIsWrittenAsATextComesBack(t *testing.T) {
	s, err := Check([]byte(`{"properties":{"o":{"type":"object"},"s":{"type":"string"},"either":{"type":["string","object"]},"l":{"type":"array","items":{"type":"object","additionalProperties":{"type":"integer"}}}}}`), Draft202012, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.For(Gemini)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"type":"OBJECT","properties":{"o":{"type":"STRING","description":"(a JSON object, as text)","pattern":"^\\s*\\{"},"s":{"type":"STRING"},"either":{"type":"STRING"},"l":{"type":"ARRAY","items":{"type":"STRING","description":"(a JSON object, as text)","pattern":"^\\s*\\{"}}}}`
	if string(p.JSON) != want {
		t.Errorf("%s, want %s", p.JSON, want)
	}
	for sent, want := range map[string]string{
		`{"o":"{\"a\":1.0}"}`:       `{"o":{"a":1.0}}`,
		`{"o":{"a":1}}`:             `{"o":{"a":1}}`,
		`{"s":"{\"a\":1}"}`:         `{"s":"{\"a\":1}"}`,
		`{"either":"{\"a\":1}"}`:    `{"either":"{\"a\":1}"}`,
		`{"l":["{}","{\"a\":1}"]}`:  `{"l":[{},{"a":1}]}`,
		`{"o":"{\"a\":1,\"a\":2}"}`: `{"o":"{\"a\":1,\"a\":2}"}`,
		`{"o":"[1]"}`:               `{"o":"[1]"}`,
	} {
		if got, err := p.Decode([]byte(sent)); err != nil || string(got) != want {
			t.Errorf("%s is %s, %v, want %s", sent, got, err, want)
		}
	}
}
