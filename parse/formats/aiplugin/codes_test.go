package aiplugin_test

import (
	"testing"

	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/parse/formats/aiplugin"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// Every code of the fixtures has a rule, and every rule a document that gives
// its code.
func TestRules(t *testing.T) {
	format := aiplugin.Format()
	var emitted []string
	for _, path := range golden.Files(t, "testdata", "*.txtar") {
		emitted = append(emitted, parsetest.Codes(format, golden.Read(t, path))...)
	}
	parsetest.Rules(t, format, emitted)
}
