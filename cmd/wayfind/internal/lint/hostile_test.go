package lint

import (
	"bytes"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// TestAReportOfAnUncleanedDocumentIsEscaped: the texts of a result that was not cleaned are escaped
// before they reach a terminal or a file.
func TestAReportOfAnUncleanedDocumentIsEscaped(t *testing.T) {
	h := golden.NewHostile(t)
	for range 5 {
		var out bytes.Buffer
		l := &linter{App: &ui.App{Out: &out, Err: &out, Schemas: Schemas()}}
		var result client.ParseResult
		h.Fill(&result)
		result.Usable = false
		report := l.report(h.Text(), &result)
		l.print(report)
		l.PrintJSON(report, nil)
		if why := h.Hidden(out.String()); why != "" {
			t.Fatal(why)
		}
		if out.Len() < 1000 {
			t.Fatalf("only %d bytes were printed", out.Len())
		}
	}
}
