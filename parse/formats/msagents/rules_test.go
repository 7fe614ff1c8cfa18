package msagents_test

import (
	"testing"

	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats/msagents"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// Every code is explained, and a fixture gives every code that is, or a
// document that would be too long for a fixture.
func TestRulesExplainTheCodes(t *testing.T) {
	format := msagents.Format()
	var emitted []string
	for _, path := range golden.Files(t, "testdata", "*.txtar") {
		emitted = append(emitted, parsetest.Codes(format, golden.Read(t, path))...)
	}
	long := read(t, list(t, map[string]any{"name": "a", "tools": make([]string, parse.DefaultItems)}))
	for _, d := range long.Diagnostics {
		emitted = append(emitted, d.Code)
	}
	parsetest.Rules(t, format, emitted)
}
