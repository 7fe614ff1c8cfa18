package schema_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/security/schema"
)

// The JSON form of a target is its name, as a value and as a key.
func TestTargetsAreTheirNames(t *testing.T) {
	want := []schema.Target{schema.Plain, schema.MCP, schema.OpenAI, schema.OpenAIStrict, schema.Anthropic, schema.AnthropicStrict, schema.Gemini, schema.GeminiJSON, schema.Bedrock}
	if !slices.Equal(schema.Targets(), want) {
		t.Errorf("%s, want %s", schema.Targets(), want)
	}
	for _, target := range schema.Targets() {
		raw, err := json.Marshal(map[schema.Target]schema.Target{target: target})
		if want := `{"` + target.String() + `":"` + target.String() + `"}`; err != nil || string(raw) != want {
			t.Errorf("%s, %v, want %s", raw, err, want)
		}
		var back map[schema.Target]schema.Target
		if err := json.Unmarshal(raw, &back); err != nil || len(back) != 1 || back[target] != target {
			t.Errorf("%s: %v, %v", raw, back, err)
		}
	}
}

// The zero value and an unknown name are errors, and no schema is written for them.
func TestWhatIsNoTargetIsAnError(t *testing.T) {
	s, err := schema.Check([]byte(`{"type":"object"}`), schema.Draft202012, nil)
	if err != nil {
		t.Fatal(err)
	}
	var none schema.Target
	if p, err := s.For(none); p != nil || codeOf(err) != "dialect" {
		t.Errorf("%+v, %v", p, err)
	}
	if raw, err := none.MarshalText(); raw != nil || codeOf(err) != "dialect" {
		t.Errorf("%s, %v", raw, err)
	}
	for name, want := range map[string]string{
		"gemini-jsno": `"gemini-jsno" is no target of schemas; the nearest is "gemini-json"`, "claude": "there are plain, mcp, openai, ", "": `"" is no target`, "\x1b": `"\x1b" is no target`,
	} {
		target := schema.MCP
		if err := target.UnmarshalText([]byte(name)); err == nil || target != none || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %s, %v", name, target, err)
		}
	}
}

// A strict target names another target for schemas that cannot be strict, and docs/SCHEMAS.md
// contains each target.
func TestStrictTargetsHaveAnother(t *testing.T) {
	s, err := schema.Check([]byte(`{"type":"object","additionalProperties":{"type":"string"}}`), schema.Draft202012, nil)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(golden.Read(t, golden.Root(t)+"/docs/SCHEMAS.md"))
	for _, target := range schema.Targets() {
		if !strings.Contains(doc, "`"+target.String()+"`") {
			t.Errorf("docs/SCHEMAS.md says nothing about %s", target)
		}
		p, err := s.For(target)
		if err != nil || p.Target != target || p.Strict || strings.HasSuffix(target.String(), "-strict") != (p.Why == "open_object") {
			t.Errorf("%s: %+v, %v", target, p, err)
		}
	}
}
