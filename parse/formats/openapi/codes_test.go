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
	shared := fmt.Appendf(nil, `{"openapi":"3.1.0","info":{"title":"T","version":"1","description":%q},"paths":{%s},"components":{"pathItems":{"A":{"get":{"description":%q}}}}}`,
		"", parsetest.Repeat(50, `"/N":{"$ref":"#/components/pathItems/A"}`), strings.Repeat("x", 50_000))
	long := object{"components": object{"securitySchemes": object{"k": object{"type": "apiKey", "in": "query", "name": strings.Repeat("x", 300)}}}}
	tags := object{"tags": numbered(1001, same(object{"name": "x"}))}
	d, _ := detailOf(t, document(t, []byte(chain(400))))
	parsetest.Explains(t, openapi.Format(), golden.Text(t), read(t, document(t, shared)), read(t, one(t, object{}, long)), read(t, one(t, object{}, tags)), d)
}
