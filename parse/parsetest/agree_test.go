package parsetest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// Check tells how Input and Params of a call over plain HTTP disagree.
func TestCheckComparesInputWithParams(t *testing.T) {
	yes := true
	query := func(name string) wayfind.Param { return wayfind.Param{Name: name, In: "query"} }
	required := func(name string) wayfind.Param { return wayfind.Param{Name: name, In: "query", Required: &yes} }
	for _, test := range []struct {
		input  string
		params []wayfind.Param
		want   string // the argument of the message; "" for none
	}{
		{`{"type":"object","properties":{"size":{}}}`, []wayfind.Param{query("size")}, ""},
		{`{"type":"object","properties":{"size":{}}}`, []wayfind.Param{{Name: "SIZE", Argument: "size", In: "query"}}, ""},
		{`{"type":"object","properties":{"size":{}}}`, nil, `"size" in Input, and no parameter`},
		{`{"type":"object","properties":{"size":{}}}`, []wayfind.Param{query("Size")}, `"size" in Input, and no parameter`},
		{`{"type":"object","required":["size"]}`, nil, `"size" in Input, which describes none`},
		{`{"type":"object","properties":{"size":{}}}`, []wayfind.Param{query("size"), required("table")}, `"table", which Input does not have`},
		{`{"type":"object","properties":{"size":{}}}`, []wayfind.Param{query("size"), {Name: "table", In: "path"}}, `"table", which Input does not have`},
		{`{"type":"object","additionalProperties":false}`, []wayfind.Param{required("table")}, `"table", which Input does not have`},
		{`{"type":"object","properties":{"size":{}}}`, []wayfind.Param{query("size"), query("table")}, ""},
		{`{"type":"object"}`, []wayfind.Param{required("table")}, ""},
		{`{"type":"object","properties":{},"required":["table"]}`, []wayfind.Param{required("table")}, ""},
		{"", []wayfind.Param{required("table")}, ""},
	} {
		for _, protocol := range []string{"http", "mcp"} {
			f := with(func(_ *parse.Input, r *parse.Reading) {
				for i := range r.Services {
					for j := range r.Services[i].Capabilities {
						c := &r.Services[i].Capabilities[j]
						c.Input, c.Params = parse.Raw(test.input), test.params
						if test.input == "" {
							c.Input = nil
						}
						c.Invocation = &wayfind.Invocation{Protocol: protocol, Method: "GET", Template: "https://e.example/{table}"}
					}
				}
			})
			said := strings.Join(parsetest.Check(f, parsetest.Doc{Body: []byte(small)}), "\n")
			want := test.want != "" && protocol == "http"
			if got := strings.Contains(said, "Input"); got != want || want && !strings.Contains(said, test.want) {
				t.Errorf("%s with %+v over %s: %s", test.input, mustText(t, test.params), protocol, said)
			}
		}
	}
}

func mustText(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
