package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/security/pins"
)

// TestAPIDoc: docs/API.md names the schemas that files are written with.
func TestAPIDoc(t *testing.T) {
	text := string(golden.Read(t, filepath.Join("..", "..", "docs", "API.md")))
	own, err := new(pins.Set).Encode()
	if err != nil {
		t.Fatal(err)
	}
	approvals := filepath.Join(t.TempDir(), "approvals.json")
	if err := new(pins.Approvals).Save(approvals); err != nil {
		t.Fatal(err)
	}
	allowed, err := os.ReadFile(approvals)
	if err != nil {
		t.Fatal(err)
	}
	recording, _, _ := strings.Cut(string(new(client.Recording).Files()[document.RecordingIndex]), "\n")
	for _, schema := range []string{schemaIn(t, own), schemaIn(t, allowed), ui.SchemaResult, ui.SchemaSite, recording,
		"v1/e" + strconv.Itoa(cache.Schema), "wayfind:" + strconv.Itoa(cache.Schema) + ":…:e"} {
		if !strings.Contains(text, "`"+schema+"`") {
			t.Errorf("docs/API.md does not name %q", schema)
		}
	}
}

// schemaIn is the schema of a JSON file.
func schemaIn(t *testing.T, file []byte) string {
	t.Helper()
	m := regexp.MustCompile(`"schema": *"([^"]+)"`).FindSubmatch(file)
	if m == nil {
		t.Fatalf("no schema in %q", file)
	}
	return string(m[1])
}
