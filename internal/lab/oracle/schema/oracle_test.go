package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
	ours "github.com/wayfindhq/wayfind/security/schema"
)

// nothing refuses to load the references of a schema.
type nothing struct{}

func (nothing) Load(string) (any, error) { return nil, errors.New("nothing is loaded") }

// theirs compiles a schema. It returns nil if this fails.
func theirs(t *testing.T, raw []byte, draft *jsonschema.Draft) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(nothing{})
	c.DefaultDraft(draft)
	if c.AddResource("https://shop.example/schema", doc) != nil {
		return nil
	}
	s, err := c.Compile("https://shop.example/schema")
	if err != nil {
		return nil
	}
	return s
}

// drafts returns the dialects that both implement, with the folders of the suite.
func drafts() map[string]struct {
	dialect ours.Dialect
	draft   *jsonschema.Draft
} {
	return map[string]struct {
		dialect ours.Dialect
		draft   *jsonschema.Draft
	}{
		"draft4": {ours.Draft4, jsonschema.Draft4}, "draft6": {ours.Draft6, jsonschema.Draft6}, "draft7": {ours.Draft7, jsonschema.Draft7},
		"draft2019-09": {ours.Draft201909, jsonschema.Draft2019}, "draft2020-12": {ours.Draft202012, jsonschema.Draft2020},
	}
}

// TestSuiteCrossed checks the values of all schemas in a file of the suite with each schema of
// that file. The suite does not contain these results, but both implementations must agree.
func TestSuiteCrossed(t *testing.T) {
	compared := 0
	for folder, d := range drafts() {
		for _, file := range golden.Files(t, golden.Vectors(t, "jsonschema", "tests", folder), "*.json") {
			if filepath.Base(file) == "ecmascript-regex.json" {
				continue // they use patterns of RE2; ours are patterns of ECMA-262
			}
			var groups []struct {
				Description string
				Schema      json.RawMessage
				Tests       []struct{ Data json.RawMessage }
			}
			if err := json.Unmarshal(golden.Read(t, file), &groups); err != nil {
				t.Fatal(err)
			}
			var values [][]byte
			for _, g := range groups {
				for _, tt := range g.Tests {
					values = append(values, tt.Data)
				}
			}
			for _, g := range groups {
				compared += compare(t, file+": "+g.Description, g.Schema, values[:min(len(values), 150)], d.dialect, d.draft)
			}
		}
	}
	if compared < golden.Least(t, golden.EnvVectors, 50_000) {
		t.Errorf("%d comparisons", compared)
	}
	t.Logf("%d comparisons", compared)
}

// TestVectors checks the values of the shared vectors with the original and with our lifted
// schemas.
func TestVectors(t *testing.T) {
	compared := 0
	for line := range bytes.Lines(golden.Read(t, golden.Vectors(t, "tools", "schemas.jsonl"))) {
		var r struct {
			ID, Dialect    string
			Schema         json.RawMessage
			Valid, Invalid []json.RawMessage
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		s, err := ours.Check(r.Schema, dialectOf(r.Dialect), nil)
		if err != nil {
			continue
		}
		lifted, err := s.JSON()
		if err != nil {
			t.Fatal(err)
		}
		var values [][]byte
		for _, v := range append(r.Valid, r.Invalid...) {
			values = append(values, v)
		}
		other := theirs(t, lifted, jsonschema.Draft2020)
		if other == nil {
			t.Errorf("%s: they refuse what we lifted: %s", r.ID, lifted)
			continue
		}
		for _, v := range values {
			compared++
			if a, b := s.Validate(v, 0) == nil, judge(t, other, v); a != b {
				t.Errorf("%s: lifted to %s, we say %t and they %t of %s", r.ID, lifted, a, b, v)
			}
		}
	}
	if compared < golden.Least(t, golden.EnvVectors, 200) {
		t.Errorf("%d comparisons", compared)
	}
}

// dialectOf returns the dialect of a row.
func dialectOf(word string) ours.Dialect {
	if word == "unknown" {
		return ours.Unknown
	}
	return ours.Dialect(word)
}

func judge(t *testing.T, s *jsonschema.Schema, value []byte) bool {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v) == nil
}

// compare checks values with one schema. If it has a format, or a pattern that cannot be
// matched here, we may accept more.
func compare(t *testing.T, name string, raw []byte, values [][]byte, dialect ours.Dialect, draft *jsonschema.Draft) (compared int) {
	t.Helper()
	s, err := ours.Check(raw, dialect, nil)
	if err != nil {
		return 0
	}
	other := theirs(t, raw, draft)
	if other == nil {
		return 0
	}
	// Before 2019-09 they check formats and contents, but we do not.
	wider := bytes.Contains(raw, []byte(`"format"`)) || bytes.Contains(raw, []byte(`"content`))
	for _, l := range s.Losses() {
		wider = wider || l.Effect == ours.Wider
	}
	for _, v := range values {
		err := s.Validate(v, 0)
		if _, cannot := errors.AsType[*ours.Error](err); cannot {
			continue
		}
		compared++
		if a, b := err == nil, judge(t, other, v); a != b && !(a && wider) {
			t.Errorf("%s: %s: we say %v, they %t of %s", name, raw, err, b, v)
		}
	}
	return compared
}
