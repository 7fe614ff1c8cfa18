package openrpc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/openrpc"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// Each code in the fixtures, and in documents that are too large for a fixture, has a rule, and
// a document causes the code of each rule.
func TestRules(t *testing.T) {
	long := strings.Repeat("x", 3000)
	var more []*parse.Reading
	for _, in := range []object{
		{"externalDocs": object{"url": "https://shop.example/" + long}},
		{"methods": numbered(1001, func(i int) any { return object{"name": fmt.Sprint(i), "params": list{}} })},
		{"methods": numbered(60, func(int) any { return object{"$ref": "#/components/x"} }), "components": object{"x": object{"name": "m", "params": list{}, "description": strings.Repeat(long, 10)}}},
		{"methods": list{object{"name": "m", "params": list{}, "notes": long + long}}},
		shared(),
	} {
		more = append(more, read(t, made(t, in)))
	}
	parsetest.Explains(t, openrpc.Format(), golden.Text(t), more...)
}

// numbered returns a list of n values.
func numbered(n int, value func(i int) any) list {
	made := make(list, n)
	for i := range made {
		made[i] = value(i)
	}
	return made
}

// shared returns a hundred methods with the same large result.
func shared() object {
	return object{
		"methods": numbered(100, func(i int) any {
			return object{"name": fmt.Sprintf("m%d", i), "params": list{}, "result": object{"name": "r", "schema": object{"$ref": "#/components/schemas/A"}}}
		}),
		"components": object{"schemas": object{"A": object{"description": strings.Repeat("x", 10_000)}}},
	}
}
