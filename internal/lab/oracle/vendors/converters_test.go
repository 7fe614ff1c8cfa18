package vendors

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/wayfindhq/wayfind/client/tools"
)

// TestConverters passes rendered definitions to the converters in the vendors' JavaScript
// libraries. They must accept each definition, and must not change a strict one.
//
// WAYFIND_CONVERTERS is a copy of the folder npm in which npm ci was run. The default is the
// folder itself.
func TestConverters(t *testing.T) {
	npmFolder(t)
	input := inputOf(t, everything(t), 1)
	convert(t, input)
	for vendor, list := range input {
		if len(list) < 100 {
			t.Errorf("%s: only %d definitions", vendor, len(list))
		}
	}
}

// inputOf returns the definitions of every every-th tool of a Box by vendor, in the form for
// the converters.
func inputOf(t *testing.T, box *tools.Box, every int) map[string][]json.RawMessage {
	t.Helper()
	input := make(map[string][]json.RawMessage)
	for _, v := range tools.Vendors() {
		input[v.String()] = definitions(t, box, every, v, false)
		if strict := definitions(t, box, every, v, true); len(strict) > 0 {
			input[v.String()+"-strict"] = strict
		}
	}
	return input
}

// convert passes definitions by vendor to the converters, which must accept each.
func convert(t *testing.T, input map[string][]json.RawMessage) {
	t.Helper()
	text, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "convert.mjs")
	cmd.Dir, cmd.Stdin, cmd.Stderr = npmFolder(t), bytes.NewReader(text), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	seen := 0
	for line := range bytes.Lines(out) {
		var row struct {
			Vendor, Wrong string
			Definition    json.RawMessage
			Seen          map[string]int
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if row.Seen == nil {
			t.Errorf("%s: %s: %s", row.Vendor, row.Wrong, row.Definition)
		}
		for vendor, n := range row.Seen {
			t.Logf("%s: %d definitions", vendor, n)
			seen += n
		}
	}
	for _, list := range input {
		seen -= len(list)
	}
	if seen != 0 {
		t.Errorf("%d definitions were not seen", -seen)
	}
}

// npmFolder returns a folder in which npm has installed the packages.
func npmFolder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("WAYFIND_CONVERTERS")
	if folder == "" {
		folder = "npm"
	}
	if _, err := os.Stat(filepath.Join(folder, "node_modules")); err != nil {
		t.Skip("the packages of npm are not installed: run npm ci in internal/lab/oracle/vendors/npm, or .ci/run converters own")
	}
	return folder
}
