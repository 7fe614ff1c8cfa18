package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// The demo publishes a document of every format, but of those that are asked for
// on request only.
func TestDemoHasEveryFormat(t *testing.T) {
	text := string(golden.Read(t, filepath.Join("testdata", "demo.jsonl")))
	for _, f := range formats.All() {
		if !strings.Contains(text, `"format":"`+f.Name+`"`) && f.Name != "oauth" {
			t.Errorf("no document of %s is in the demo", f.Name)
		}
	}
}
