package adp_test

import (
	"testing"

	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats/adp"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// Every code has a rule, and every rule a document that breaks it: in an
// archive, but for those that depend on size or on where a document is from.
func TestRulesExplainAllCodes(t *testing.T) {
	f := adp.Format()
	var emitted []string
	for _, path := range golden.Files(t, "testdata", "*.txtar") {
		emitted = append(emitted, parsetest.Codes(f, golden.Read(t, path))...)
	}
	many := make([]any, parse.DefaultItems+1)
	for i := range many {
		many[i] = map[string]any{}
	}
	baseless := manifest(t, map[string]any{"base_url": nil})
	baseless.FinalURL = mustURL(t, "https://postbox.example"+adp.Path)
	for _, in := range []*parse.Input{manifest(t, map[string]any{"capabilities": many}), baseless} {
		for _, d := range read(t, in).Diagnostics {
			emitted = append(emitted, d.Code)
		}
	}
	parsetest.Rules(t, f, emitted)
}
