package tdmrep_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/formats/tdmrep"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

const place = "https://shop.example" + tdmrep.Path

func documents(t testing.TB) (docs []parsetest.Doc) {
	for _, f := range golden.Inputs(t) {
		docs = append(docs, parsetest.Doc{Name: f.Name, URL: place, MediaType: "application/json", Body: f.Data})
	}
	return docs
}

func TestLaws(t *testing.T) { parsetest.Run(t, tdmrep.Format(), documents(t)...) }
func FuzzLaws(f *testing.F) { parsetest.Fuzz(f, tdmrep.Format(), documents(f)...) }

// The file is an array, a wrapped array, or a single object with underscores.
func TestFilesOfPoliciesAreRead(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte {
		in := formattest.Input(t, place, "application/json", f.Data)
		claim := formattest.ShowClaim(tdmrep.Format().Match(in))
		r, err := tdmrep.Format().Parse(in)
		if err != nil {
			return golden.Object(t, "claim", claim, "error", err.Error())
		}
		return golden.Object(t, "claim", claim, "policies", r.Policies, "diagnostics", formattest.Show(r.Diagnostics, "{severity} {code} {pointer}: {message}"))
	})
}

func TestRules(t *testing.T) {
	many := "[" + formattest.Repeat(1001, `{"location":"/N","tdm-reservation":1}`) + "]"
	parsetest.Explains(t, tdmrep.Format(), golden.Text(t), formattest.Read(t, tdmrep.Format(), formattest.Input(t, place, "", []byte(many))))
}

func TestCorpusOthers(t *testing.T) {
	golden.Others(t, func(body []byte) parse.Claim { return tdmrep.Format().Match(&parse.Input{Body: body}) }, "tdmrep")
}

func TestCorpusDocuments(t *testing.T) {
	for _, path := range golden.Files(t, golden.Corpus(t, "tdmrep"), "*") {
		body := golden.Read(t, path)
		in := formattest.Input(t, place, "", body)
		if claim := tdmrep.Format().Match(in); !claim.Aside || len(formattest.Read(t, tdmrep.Format(), in).Policies) == 0 {
			t.Errorf("%s: %+v", path, claim)
		}
	}
}

// A file contains policies and nothing that can be used.
func TestAFileOfPoliciesHasNothingUsable(t *testing.T) {
	res, err := client.Parse(t.Context(), []byte(`[{"location": "/", "tdm-reservation": 1}]`), &client.ParseOptions{URL: place, Formats: []*parse.Format{tdmrep.Format()}})
	if err != nil || res.Usable || len(res.Site.Policies) != 1 || res.Format != "" {
		t.Errorf("%v, %+v", err, res)
	}
}

func TestGrowth(t *testing.T) {
	formattest.Growth(t, tdmrep.Format(), func(n int) map[string]string {
		return map[string]string{"rules": "[" + formattest.Repeat(n/45, `{"location":"/N","tdm-reservation":1}`) + "]", "nested": strings.Repeat("[", n)}
	}, place, 8<<10, 64<<10)
}

func Example() {
	reading, err := tdmrep.Format().Parse(&parse.Input{Body: []byte(`[{"location": "/images/*", "tdm-reservation": 1}]`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(reading.Policies[0].Paths, reading.Policies[0].Values)
	// Output:
	// [/images/*] map[tdm-reservation:1]
}
