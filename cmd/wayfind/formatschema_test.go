package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// TestSchemaOfAFormat: --schema prints a JSON Schema, or the reason why there is none.
func TestSchemaOfAFormat(t *testing.T) {
	code, out, errs := exec(t, "", "formats", "--schema", "a2a")
	var schema struct {
		Schema     string         `json:"$schema"`
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal([]byte(out), &schema); err != nil || code != ui.ExitFound || !strings.HasSuffix(schema.Schema, "2020-12/schema") || schema.Properties["skills"] == nil {
		t.Errorf("exit status %d: %v\n%s%s", code, err, out, errs)
	}
	for name, want := range map[string]string{"robots": "is not JSON", "a2b": "did you mean a2a?", "zzzzzz": "these have a schema: a2a"} {
		if code, out, errs := exec(t, "", "formats", "--schema", name); code != ui.ExitUsage || out != "" || !strings.Contains(errs, want) {
			t.Errorf("%s: exit status %d: %s%s", name, code, out, errs)
		}
	}
}
