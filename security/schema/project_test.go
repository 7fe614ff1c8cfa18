package schema_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/security/schema"
)

// TestSuiteProjected puts each schema of the suite into a property and checks the laws of its
// projections with the values of the suite: the rules of the target are obeyed, and nothing is
// lost or admitted silently.
func TestSuiteProjected(t *testing.T) {
	count := 0
	for _, folder := range []string{"draft2020-12", "draft7"} {
		files := golden.Files(t, golden.Vectors(t, "jsonschema", "tests", folder), "*.json")
		for _, file := range files {
			t.Run(folder+"/"+filepath.Base(file), func(t *testing.T) {
				for _, r := range wrapped(t, file, folder) {
					s, err := schema.Check(r.Schema, schema.Dialect(r.Dialect), nil)
					if err != nil {
						continue
					}
					count++
					r.split(s)
					for _, target := range schema.Targets() {
						r.lawful(t, s, target, schema.Wording{})
					}
				}
			})
		}
	}
	if count < golden.Least(t, golden.EnvVectors, 500) {
		t.Errorf("%d schemas", count)
	}
}

// split divides the values into valid and invalid ones by the schema. Formats and similar
// keywords are ignored.
func (r *row) split(s *schema.Schema) {
	all := r.Valid
	r.Valid = nil
	for _, v := range all {
		if s.Validate(v, 0) == nil {
			r.Valid = append(r.Valid, v)
		} else {
			r.Invalid = append(r.Invalid, v)
		}
	}
}

// wrapped returns rows for a file of the suite.
func wrapped(t *testing.T, file, folder string) (list []*row) {
	t.Helper()
	var groups []struct {
		Schema json.RawMessage
		Tests  []struct {
			Data json.RawMessage
		}
	}
	if err := json.Unmarshal(golden.Read(t, file), &groups); err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		inner := string(g.Schema)
		if strings.HasPrefix(inner, "{") && !strings.Contains(inner, `"$id"`) {
			inner = `{"$id":"urn:uuid:6e1f5a4e-0f37-4d83-9d0a-7bd3ed4f1f01",` + strings.TrimPrefix(inner, "{")
			if bytes.Equal(bytes.Join(bytes.Fields(g.Schema), nil), []byte("{}")) {
				inner = "{}"
			}
		}
		r := &row{Dialect: strings.TrimPrefix(strings.Replace(folder, "draft7", "draft-07", 1), "draft2"), Schema: json.RawMessage(`{"type":"object","properties":{"v":` + inner + `},"required":["v"]}`)}
		if folder == "draft2020-12" {
			r.Dialect = "2020-12"
		}
		for _, tt := range g.Tests {
			instance := json.RawMessage(`{"v":` + string(tt.Data) + `}`)
			r.Valid = append(r.Valid, instance)
		}
		list = append(list, r)
	}
	return list
}
