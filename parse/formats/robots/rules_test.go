package robots_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/parse/formats/robots"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// Every code is explained, and a fixture gives every code that is, or a
// document that would be too long for a fixture.
func TestRulesExplainTheCodes(t *testing.T) {
	format := robots.Format()
	var emitted []string
	for _, path := range golden.Files(t, "testdata", "*.txtar") {
		emitted = append(emitted, parsetest.Codes(format, golden.Read(t, path))...)
	}
	long := read(t, "# "+strings.Repeat("x", 20_000)+"\n")
	for _, d := range long.Diagnostics {
		emitted = append(emitted, d.Code)
	}
	parsetest.Rules(t, format, emitted)
}
