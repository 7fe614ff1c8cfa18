package call_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
)

// hardNames are names of parameters that the models of some vendor do not accept, or confuse
// with another name.
var hardNames = []string{
	"filter[id]", "filter_id", "filter.id", "$top", "top", "created[gte]", "created[lte]", "größe", "サイズ", "x-y", "a/b", "page size", "7",
	strings.Repeat("n", 70), strings.Repeat("n", 69) + "m",
}

// Arguments that a model writes with the names of its definition arrive under the publisher's
// names, whatever the vendor, in strict mode too, and in every place of a parameter.
func TestWhatAModelIsShownArrives(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var query, members []string
		wantQuery, wantBody := make(url.Values), make(map[string]any)
		for i, name := range hardNames {
			query = append(query, fmt.Sprintf(`{"name": %q, "in": "query", "description": "%d", "schema": {"type": "string"}}`, name, i))
			members = append(members, fmt.Sprintf(`%q: {"type": "string", "description": "%d"}`, name, i))
			wantQuery.Set(name, fmt.Sprint("v", i))
			wantBody[name] = fmt.Sprint("v", i)
		}
		s := newShop(t, document("", operation("delete", "/api/orders", "drop", `, "parameters": [`+strings.Join(query, ",")+`]`),
			operation("post", "/api/made", "add", `, "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {`+strings.Join(members, ",")+`}}}}}`)), nil)
		caller := s.caller(&call.Options{Confirm: (&yes{verdict: call.AllowOnce}).confirm})
		for _, v := range tools.Vendors() {
			for _, strict := range []bool{false, true} {
				defs := s.box.Render(v, &tools.RenderOptions{Strict: strict})
				if len(defs.Names) != 2 {
					t.Fatalf("%s: %v, %+v", v, defs.Names, defs.Skipped)
				}
				for _, name := range defs.Names {
					arguments := inShownWords(t, defs.Projections[name].JSON)
					before := len(s.calls())
					res, err := caller.With(defs.Form).Call(t.Context(), s.box, name, arguments)
					wantCode(t, res, err, made)
					got := s.calls()[before:]
					if len(got) != 1 {
						t.Fatalf("%s, strict %t, %s: %+v", v, strict, name, got)
					}
					if target, err := url.Parse(got[0].target); err != nil || name == "drop" && !reflect.DeepEqual(target.Query(), wantQuery) {
						t.Errorf("%s, strict %t: %s, %v", v, strict, got[0].target, err)
					}
					var body map[string]any
					if err := json.Unmarshal([]byte(got[0].body), &body); name == "add" && (err != nil || !reflect.DeepEqual(body, wantBody)) {
						t.Errorf("%s, strict %t: %s, %v", v, strict, got[0].body, err)
					}
				}
			}
		}
	})
}

// inShownWords returns the arguments that a model would write for a schema that it was shown.
// It recognizes a property by its description, and writes "v" and the description.
func inShownWords(t *testing.T, shown json.RawMessage) []byte {
	t.Helper()
	var schema struct {
		Properties map[string]struct{ Description string }
	}
	if err := json.Unmarshal(shown, &schema); err != nil || len(schema.Properties) != len(hardNames) {
		t.Fatalf("%s, %v", shown, err)
	}
	arguments := make(map[string]string)
	for name, p := range schema.Properties {
		arguments[name] = "v" + p.Description
	}
	raw, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
