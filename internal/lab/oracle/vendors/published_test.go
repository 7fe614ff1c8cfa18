package vendors

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// fewOf is the number of tools that are checked for each published description, unless
// WAYFIND_REQUESTS is "all".
const fewOf = 8

// TestPublishedDescriptionsReachTheModelsOfAllVendors passes the definitions of the published
// descriptions to the SDKs for Go and to the converters for JavaScript.
func TestPublishedDescriptionsReachTheModelsOfAllVendors(t *testing.T) {
	for _, file := range golden.Files(t, golden.APIs(t), "*.[jy]*") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			box := published(t, file)
			every := max(box.Len()/fewOf, 1)
			if os.Getenv("WAYFIND_REQUESTS") == "all" {
				every = 1
			}
			for v, judge := range judges(t) {
				for _, strict := range []bool{false, true} {
					t.Run(fmt.Sprint(v, strict), func(t *testing.T) {
						for _, raw := range definitions(t, box, every, v, strict) {
							judge.definition(t, raw)
						}
					})
				}
			}
			input := inputOf(t, box, every)
			for _, v := range tools.Vendors() {
				if n, want := len(input[v.String()]), (box.Len()+every-1)/every; n != want {
					t.Errorf("%s: %d of %d definitions", v, n, want)
				}
			}
			convert(t, input)
		})
	}
}

// published returns a Box of a description.
func published(t *testing.T, file string) *tools.Box {
	t.Helper()
	kind := "application/json"
	if filepath.Ext(file) != ".json" {
		kind = "application/yaml"
	}
	n := clienttest.New(t)
	n.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin}).
		Handle("/openapi.json", clienttest.Page{Header: http.Header{"Content-Type": {kind}}, Body: string(golden.Read(t, file))})
	box, err := tools.Load(t.Context(), n.Client(), []string{"shop.example"}, nil)
	if err != nil || box.Len() == 0 {
		t.Fatal(err, box.Skipped())
	}
	return box
}
