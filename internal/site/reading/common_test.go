package reading_test

import (
	"fmt"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/parse"
)

// listing is a format that finds n capabilities in any document, and a fault in
// the first one and in the document.
func listing(n int) *parse.Format {
	return &parse.Format{
		Name:  "listing",
		Match: func(*parse.Input) parse.Claim { return parse.Claim{Level: parse.Exact} },
		Parse: func(*parse.Input) (*parse.Reading, error) {
			list := make([]wayfind.Capability, n)
			for i := range list {
				list[i] = wayfind.Capability{ID: fmt.Sprint(i), Sources: []wayfind.Ref{{Pointer: fmt.Sprintf("/list/%d", i)}}}
			}
			return &parse.Reading{
				Services:    []wayfind.Service{{Capabilities: list}},
				Diagnostics: []wayfind.Diagnostic{{Code: "own", Pointer: "/list/0/name"}, {Code: "common", Pointer: "/lists"}, {Code: "whole"}},
			}, nil
		},
	}
}

// The pointers of capabilities are found once for all whose diagnostics are taken
// apart.
func TestCommonDiagnosticsDoNotCostAllCapabilitiesAgain(t *testing.T) {
	cost := func(n int) float64 {
		d := (&reading.Reader{Formats: []*parse.Format{listing(n)}, MaxBytes: 1 << 10}).Read(nil, answer(t, `{}`))
		_, diags := d.At(reading.At{Requested: link(t, "https://shop.example.com/x"), Final: link(t, "https://shop.example.com/x")})
		common := d.Common(diags)
		if len(diags) != 3 || len(common) != 2 || common[0].Code != "common" || common[1].Code != "whole" {
			t.Fatalf("%+v of %+v", common, diags)
		}
		return testkit.Allocated(func() {
			for range 100 {
				d.Common(diags)
			}
		})
	}
	if few, many := cost(100), cost(1000); many > 1.5*few {
		t.Errorf("%.0f bytes are allocated among 1,000 capabilities, %.0f among 100", many, few)
	}
}
