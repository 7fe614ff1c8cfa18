package httpcall_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// The bytes that an operation takes grow as its description does: variables of the path, of which a name
// of a document has room for some hundreds, and the members and schemas of a form. The large description is
// four times the small one.
func TestGrowthOfDescriptions(t *testing.T) {
	variables := func(n int, query bool) *httpcall.Operation {
		var template strings.Builder
		var params []wayfind.Param
		template.WriteString("https://api.example")
		for i := range n {
			fmt.Fprintf(&template, "/{v%d}", i)
			params = append(params, wayfind.Param{Name: fmt.Sprint("v", i), In: "path", Schema: json.RawMessage(`{"type":"string"}`)})
		}
		if query {
			template.WriteString("?")
			for i := range n {
				fmt.Fprintf(&template, "&q%d={q%d}", i, i)
				params = append(params, wayfind.Param{Name: fmt.Sprint("q", i)})
			}
		}
		return operation("GET", template.String(), "", params...)
	}
	form := func(n int, kind, schema string) *httpcall.Operation {
		var params []wayfind.Param
		var encodings []wayfind.Encoding
		for i := range n {
			name := fmt.Sprint("v", i)
			params = append(params, wayfind.Param{Name: name, In: "body", Schema: json.RawMessage(schema)})
			encodings = append(encodings, wayfind.Encoding{Name: name, ContentType: kind})
		}
		op := operation("POST", "https://api.example/", "multipart/form-data", params...)
		op.Invocation.Encodings = encodings
		return op
	}
	arguments := func(n int, value string) []byte {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"v%d":%s,"q%[1]d":%[2]s,`, i, value)
		}
		return []byte(`{` + strings.TrimSuffix(b.String(), ",") + `}`)
	}
	chain := func(n int) string { // objects without a node in each other, in n elements
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"e%d":{"type":"object","xml":{"name":"e%d"},"properties":{"in":{"$ref":"#/$defs/n0"}}},`, i, i)
		}
		b.WriteString(`"z":{"type":"string"}},"$defs":{`)
		for i := range n {
			fmt.Fprintf(&b, `"n%d":{"type":"object","xml":{"nodeType":"none"},"properties":{"n":{"$ref":"#/$defs/n%d"}}},`, i, i+1)
		}
		return `{"type":"object","xml":{"name":"d"},"properties":{` + b.String() + fmt.Sprintf(`"n%d":{"type":"string"}}}`, n)
	}
	const part = `{"type":"object","xml":{"name":"p"},"properties":{"a":{"type":"string","xml":{"attribute":true}}}}`
	for name, tt := range map[string]struct {
		op   func(n int) *httpcall.Operation
		args func(n int) []byte
	}{
		"path":               {func(n int) *httpcall.Operation { return variables(n, false) }, func(n int) []byte { return arguments(n, `"x"`) }},
		"path and query":     {func(n int) *httpcall.Operation { return variables(n, true) }, func(n int) []byte { return arguments(n, `"x"`) }},
		"parts in JSON":      {func(n int) *httpcall.Operation { return form(n, "application/json", `{}`) }, func(n int) []byte { return arguments(n, `{}`) }},
		"parts in XML":       {func(n int) *httpcall.Operation { return form(n, "application/xml", part) }, func(n int) []byte { return arguments(n, `{"a":"x"}`) }},
		"elements and parts": {func(n int) *httpcall.Operation { return xmlOperation(chain(n / 4)) }, func(int) []byte { return []byte(`{"b":{"z":"x"}}`) }},
	} {
		cost := func(n int) float64 {
			op, args := tt.op(n), tt.args(n)
			return testkit.Allocated(func() {
				for i := range op.Params {
					op.Written(&op.Params[i])
					op.Withheld(&op.Params[i])
				}
				if _, err := op.Callable(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				if _, err := httpcall.Place(op, args); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
		small, large := cost(100), cost(400)
		if large > 6*small {
			t.Errorf("%s: %.0f bytes, and %.0f for four times the size", name, small, large)
		}
	}
}
