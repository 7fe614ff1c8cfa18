package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/security/schema"
)

// TestSuite runs the mandatory tests of JSON-Schema-Test-Suite (44401e0, MIT) for drafts 4 to
// 2020-12. Each result equals the result in the suite, or the schema is refused.
// testdata/refused.golden contains the refusals.
func TestSuite(t *testing.T) {
	var refused []string
	total := 0
	for folder, dialect := range map[string]schema.Dialect{
		"draft4": schema.Draft4, "draft6": schema.Draft6, "draft7": schema.Draft7,
		"draft2019-09": schema.Draft201909, "draft2020-12": schema.Draft202012, "draft3": schema.Draft3,
	} {
		files, err := filepath.Glob(filepath.Join(golden.Vectors(t, "jsonschema", "tests"), folder, "*.json"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files, %v", folder, err)
		}
		for _, file := range files {
			n, no := suiteFile(t, folder+"/"+filepath.Base(file), file, dialect)
			total += n
			refused = append(refused, no...)
		}
	}
	slices.Sort(refused)
	if golden.Published(t, golden.EnvVectors) {
		golden.Compare(t, []byte(strings.Join(refused, "\n")+"\n"), filepath.Join("testdata", "refused.golden"))
	}
	t.Logf("%d tests answered, %d schemas refused", total, len(refused))
	if total < golden.Least(t, golden.EnvVectors, 5000) {
		t.Errorf("only %d tests", total)
	}
}

func suiteFile(t *testing.T, name, file string, dialect schema.Dialect) (answered int, refused []string) {
	t.Helper()
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var groups []struct {
		Description string
		Schema      json.RawMessage
		Tests       []struct {
			Description string
			Data        json.RawMessage
			Valid       bool
		}
	}
	if err := json.Unmarshal(body, &groups); err != nil {
		t.Fatal(err)
	}
	for _, g := range groups {
		s, err := schema.Check(g.Schema, dialect, nil)
		if no, ok := errors.AsType[*schema.Error](err); ok {
			refused = append(refused, fmt.Sprintf("%s: %s: %s", name, no.Code, g.Description))
			continue
		}
		for _, tt := range g.Tests {
			answered++
			if got := s.Validate(tt.Data, 0); (got == nil) != tt.Valid {
				t.Errorf("%s: %s: %s: %v, want valid %t", name, g.Description, tt.Description, got, tt.Valid)
			}
		}
	}
	return answered, refused
}
