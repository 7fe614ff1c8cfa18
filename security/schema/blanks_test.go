package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/security/schema"
)

// A value with a no-break space is shown with a plain space, and converted back to the
// original, in each place and for each target. If two values would look alike, both are shown
// unchanged.
func TestAValueWithOtherBlanksIsShownWithPlainOnes(t *testing.T) {
	const raw = `{"type":"object","required":["in","fix","list"],"properties":{
		"in":{"type":"string","enum":["x","a\u00a0b","c\u3000d"]},"fix":{"type":"string","const":"e\u2003f"},
		"list":{"type":"array","items":{"anyOf":[{"type":"integer"},{"$ref":"#/$defs/v"}]}}},
		"$defs":{"v":{"type":"string","enum":["g\u00a0h"]}}}`
	s, err := schema.Check([]byte(raw), schema.Draft202012, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []schema.Target{schema.MCP, schema.OpenAI, schema.OpenAIStrict, schema.Anthropic, schema.AnthropicStrict, schema.Gemini, schema.GeminiJSON, schema.Bedrock} {
		p, err := s.For(target)
		if err != nil {
			t.Fatal(err)
		}
		for _, shown := range []string{`"a b"`, `"c d"`, `"e f"`, `"g h"`} {
			if !strings.Contains(string(p.JSON), shown) {
				t.Errorf("%s does not show %s: %s", target, shown, p.JSON)
			}
		}
		if !lostTo(p, "blanks") {
			t.Errorf("%s: %+v", target, p.Loss)
		}
		got, err := p.Decode([]byte(`{"in":"a b","fix":"e f","list":["g h",1]}`))
		if err != nil {
			t.Fatal(err)
		}
		var args map[string]any
		if err := json.Unmarshal(got, &args); err != nil || args["in"] != "a\u00a0b" || args["fix"] != "e\u2003f" || args["list"].([]any)[0] != "g\u00a0h" || s.Validate(got, 0) != nil {
			t.Errorf("%s: %s, %v", target, got, err)
		}
	}
	two, err := schema.Check([]byte(`{"type":"object","properties":{"in":{"enum":["a b","a\u00a0b"]}}}`), schema.Draft202012, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := two.For(schema.MCP)
	if err != nil || lostTo(p, "blanks") || !strings.Contains(string(p.JSON), `"a b"`) {
		t.Fatalf("%s, %v", p.JSON, err)
	}
	if got, err := p.Decode([]byte(`{"in":"a b"}`)); err != nil || string(got) != `{"in":"a b"}` {
		t.Errorf("%s, %v", got, err)
	}
}

func lostTo(p *schema.Projection, code string) bool {
	for _, l := range p.Loss {
		if l.Code == code && l.Effect == schema.None {
			return true
		}
	}
	return false
}
