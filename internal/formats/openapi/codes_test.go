package openapi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/openapi"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// Each code in the fixtures, and in documents that are too large for a fixture, has a rule, and
// a document causes the code of each rule.
func TestRules(t *testing.T) {
	shared := fmt.Appendf(nil, `{"openapi":"3.1.0","info":{"title":"T","version":"1","description":%q},"paths":{%s},"components":{"pathItems":{"A":{"get":{"description":%q}}}}}`,
		"", formattest.Repeat(50, `"/N":{"$ref":"#/components/pathItems/A"}`), strings.Repeat("x", 50_000))
	long := object{"components": object{"securitySchemes": object{"k": object{"type": "apiKey", "in": "query", "name": strings.Repeat("x", 300)}}}}
	tags := object{"tags": numbered(1001, same(object{"name": "x"}))}
	hooks := object{"webhooks": object{"paid": object{}}, "components": object{"schemas": object{"A": object{}}}}
	d, _ := detailOf(t, document(t, []byte(chain(400))))
	outside, _ := detailOf(t, one(t, object{"parameters": []any{object{"$ref": "https://other.example/p.json"}}}, nil))
	unplaced, _ := detailOf(t, one(t, object{"parameters": []any{object{"name": "b", "in": "body", "required": true}}}, nil))
	cased, _ := detailOf(t, one(t, bodyOf(requiredInCase("Id", "id")), nil))
	unknown, _ := detailOf(t, one(t, object{"requestBody": object{"required": true, "content": object{"application/json": object{"schema": object{"type": "object", "required": []string{"adress"}, "properties": object{"address": object{}}}}}}}, nil))
	left, _ := detailOf(t, one(t, object{"x-a": 1, "notes": strings.Repeat("x", 20_000)}, nil))
	alike := read(t, document(t, []byte(`{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{"/a/{b}":{"get":{}},"/a/{c}":{"get":{}}}}`)))
	parsetest.Explains(t, openapi.Format(), golden.Text(t), read(t, document(t, shared)), read(t, one(t, object{}, long)), read(t, one(t, object{}, tags)), read(t, one(t, object{}, hooks)), d, cased, unknown, alike, left, outside, unplaced, read(t, one(t, object{"callbacks": object{"paid": object{}}}, nil)))
}
