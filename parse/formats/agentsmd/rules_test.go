package agentsmd_test

import (
	"testing"

	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats/agentsmd"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// Every code is explained, and a fixture gives every code that is, or a
// document that would be too long for a fixture.
func TestRulesExplainTheCodes(t *testing.T) {
	format := agentsmd.Format()
	var emitted []string
	for _, path := range golden.Files(t, "testdata", "*.txtar") {
		emitted = append(emitted, parsetest.Codes(format, golden.Read(t, path))...)
	}
	long := read(t, "## Can\n"+numbered(parse.DefaultItems+1))
	for _, d := range long.Diagnostics {
		emitted = append(emitted, d.Code)
	}
	parsetest.Rules(t, format, emitted)
}
