package httpcall

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonscan"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
)

// The parameters that the expansion of a template compares grow as the template does, whatever names
// and places the document gives them.
func TestStepsOfTheExpansion(t *testing.T) {
	for name, params := range map[string]func(i int) []wayfind.Param{
		"variables": func(i int) []wayfind.Param { return []wayfind.Param{{Name: fmt.Sprint("v", i), In: "path"}} },
		"names in other places": func(i int) []wayfind.Param {
			return []wayfind.Param{{Name: fmt.Sprint("v", i), In: "query"}, {Name: fmt.Sprint("v", i), In: "path"}}
		},
		"one name": func(i int) []wayfind.Param {
			return []wayfind.Param{{Name: fmt.Sprint("v", i), In: "path"}, {Name: "v0", In: "cookie"}}
		},
		"arguments of other names": func(i int) []wayfind.Param {
			return []wayfind.Param{{Name: fmt.Sprint("v", i), In: "path", Argument: fmt.Sprint("v", i+1)}}
		},
		"none of the document": func(i int) []wayfind.Param { return []wayfind.Param{{Name: fmt.Sprint("x", i), In: "query"}} },
	} {
		steps := func(n int) int {
			var template, args strings.Builder
			var list []wayfind.Param
			for i := range n {
				fmt.Fprintf(&template, "/{v%d}", i)
				fmt.Fprintf(&args, `"v%d":"x",`, i)
				for _, p := range params(i) {
					p.Schema = json.RawMessage(`{"type":"string"}`)
					list = append(list, p)
				}
			}
			fmt.Fprintf(&template, "?%s", strings.Repeat("&q={v0}", n))
			doc, err := jsonscan.Scan([]byte("{" + args.String() + fmt.Sprintf(`"v%d":"x"}`, n)))
			if err != nil {
				t.Fatal(err)
			}
			op := &Operation{Invocation: &wayfind.Invocation{Protocol: "http", Method: "GET", Template: "https://api.example" + template.String()}, Params: list}
			op.Prepare()
			var p placer
			p.begin(op, doc.Root())
			p.url = *op.template
			func() {
				defer func() { // a name in two places may be ambiguous, after it was looked for
					if e := recover(); e != nil {
						if _, ok := e.(refusal); !ok {
							panic(e)
						}
					}
				}()
				p.expand()
			}()
			return p.steps
		}
		small, large := steps(100), steps(400)
		if small == 0 || large > 5*small {
			t.Errorf("%s: %d steps, and %d for four times the size", name, small, large)
		}
	}
}

// A template that repeats a variable writes at most as much as arguments may have.
func TestARepeatedVariableIsBounded(t *testing.T) {
	long := strings.Repeat("x", jsonschema.MaxValue/8)
	for _, template := range []string{strings.Repeat("/{a}", 300), "/x?" + strings.Repeat("&q={a}", 300), "/x?q=" + strings.Repeat("{a}", 300)} {
		op := &Operation{Invocation: &wayfind.Invocation{Protocol: "http", Method: "GET", Template: "https://api.example" + template}}
		for args, want := range map[string]Code{`{"a":"x"}`: {}, `{"a":"` + long + `"}`: CodeSize} {
			var code Code
			_, err := Place(op, []byte(args))
			if e, ok := errors.AsType[*Error](err); ok {
				code = e.Code
			}
			if code != want {
				t.Errorf("%.20s with %d bytes: %v", template, len(args), err)
			}
		}
	}
}
