package llmstxt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats/llmstxt"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// Every code is explained, and a fixture gives every code that is, or a
// document that would be too long for a fixture.
func TestRulesExplainTheCodes(t *testing.T) {
	format := llmstxt.Format()
	var emitted []string
	for _, path := range golden.Files(t, "testdata", "*.txtar") {
		emitted = append(emitted, parsetest.Codes(format, golden.Read(t, path))...)
	}
	var links strings.Builder
	for i := range parse.DefaultItems + 1 {
		fmt.Fprintf(&links, "- [a](/%d)\n", i)
	}
	long := read(t, "# T\n## A\n"+links.String()+"## B\n"+strings.Repeat("text ", 10_000))
	for _, d := range long.Diagnostics {
		emitted = append(emitted, d.Code)
	}
	parsetest.Rules(t, format, emitted)
}
