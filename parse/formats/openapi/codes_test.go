package openapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/parse/formats/openapi"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// Every code of the fixtures, and of documents too large for one, has a rule;
// every rule has a document that gives its code.
func TestRules(t *testing.T) {
	format := openapi.Format()
	var emitted []string
	for _, path := range golden.Files(t, "testdata", "*.txtar") {
		emitted = append(emitted, parsetest.Codes(format, golden.Read(t, path))...)
	}
	shared := fmt.Appendf(nil, `{"openapi":"3.1.0","info":{"title":"T","version":"1","description":%q},"paths":{%s},"components":{"pathItems":{"A":{"get":{"description":%q}}}}}`,
		"", repeat(50, `"/N":{"$ref":"#/components/pathItems/A"}`), strings.Repeat("x", 50_000))
	long := object{"components": object{"securitySchemes": object{"k": object{"type": "apiKey", "in": "query", "name": strings.Repeat("x", 300)}}}}
	tags := object{"tags": numbered(1001, same(object{"name": "x"}))}
	for _, r := range [][]string{codes(read(t, document(t, shared)).Diagnostics), codes(read(t, one(t, object{}, long)).Diagnostics), codes(read(t, one(t, object{}, tags)).Diagnostics)} {
		for _, code := range r {
			emitted = append(emitted, "openapi."+strings.Fields(code)[1])
		}
	}
	d, _ := detailOf(t, document(t, []byte(chain(400))))
	for _, diagnostic := range d.Diagnostics {
		emitted = append(emitted, diagnostic.Code)
	}
	parsetest.Rules(t, format, emitted)
}
