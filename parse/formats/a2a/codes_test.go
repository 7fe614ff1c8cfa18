package a2a_test

import (
	"testing"

	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/parse/formats/a2a"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// Every code is explained, and a fixture gives every code that is.
func TestRulesExplainTheCodes(t *testing.T) {
	format := a2a.Format()
	var emitted []string
	for _, path := range golden.Files(t, "testdata", "*.txtar") {
		emitted = append(emitted, parsetest.Codes(format, golden.Read(t, path))...)
	}
	parsetest.Rules(t, format, emitted)
}
