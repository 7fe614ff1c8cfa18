package schema_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/security/schema"
)

// rankingSchemas returns the schemas in the sets of vectors/tools/ranking.
func rankingSchemas(b *testing.B) (list [][]byte) {
	b.Helper()
	for _, set := range []string{"livemcp", "bfcl"} {
		for line := range bytes.Lines(golden.Read(b, golden.Vectors(b, "tools", "ranking", set+".tools.jsonl"))) {
			var tool struct{ Schema json.RawMessage }
			if err := json.Unmarshal(line, &tool); err != nil {
				b.Fatal(err)
			}
			list = append(list, tool.Schema)
		}
	}
	return list
}

// BenchmarkCheckAndProject is for comparison with BenchmarkDecodeAndEncode.
func BenchmarkCheckAndProject(b *testing.B) {
	list := rankingSchemas(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, raw := range list {
			s, err := schema.Check(raw, schema.Unknown, nil)
			if err != nil {
				continue
			}
			if _, err := s.For(schema.OpenAIStrict); err != nil {
				b.Log(err)
			}
		}
	}
}

func BenchmarkDecodeAndEncode(b *testing.B) {
	list := rankingSchemas(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, raw := range list {
			var v any
			if err := json.Unmarshal(raw, &v); err != nil {
				b.Fatal(err)
			}
			if _, err := json.Marshal(v); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkValidate(b *testing.B) {
	s, err := schema.Check([]byte(`{"type":"object","properties":{"to":{"type":"array","items":{"type":"string","minLength":3},"maxItems":50},"n":{"type":"integer","minimum":1}},"required":["to"]}`), schema.Unknown, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Validate([]byte(`{"to":["a@b.example","c@d.example"],"n":7}`), 0); err != nil {
			b.Fatal(err)
		}
	}
}
