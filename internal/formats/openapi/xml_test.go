package openapi_test

import (
	"encoding/json"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/openapi"
	"github.com/wayfindhq/wayfind/parse"
)

// A body in XML is one parameter, and its root has the name that the specification infers for it: that
// of the component, which no name of its own replaces (XML Object, "XML Node Names").
func TestTheRootOfABodyInXMLHasTheNameOfItsComponent(t *testing.T) {
	const parts = `"Named":{"type":"object","xml":{"name":"own"},"properties":{"x":{"type":"string"}}},"Plain":{"type":"object","properties":{"in":{"$ref":"#/components/schemas/Inner"}}},
		"Inner":{"type":"object","properties":{"y":{"type":"string"}}},"Text":{"type":"string"},"Kind":{"allOf":[{"$ref":"#/components/schemas/Inner"}]}`
	for _, tt := range []struct{ version, ref, root, inner string }{
		{"3.0.3", "Named", "", ""}, {"3.0.3", "Plain", "Plain", ""}, {"3.1.0", "Plain", "Plain", ""}, {"3.2.0", "Plain", "Plain", "Inner"}, {"3.0.3", "Text", "", ""}, {"3.2.0", "Kind", "Kind", ""},
	} {
		r, err := openapi.Format().Detail(document(t, []byte(`{"openapi":"`+tt.version+`","info":{"title":"W","version":"1"},"servers":[{"url":"https://shop.example"}],"paths":{"/a":{"post":{"operationId":"a",
			"requestBody":{"required":true,"content":{"text/xml; charset=utf-8":{"schema":{"$ref":"#/components/schemas/`+tt.ref+`"}}}},"responses":{}}}},"components":{"schemas":{`+parts+`}}}`)), parse.Subject{})
		if err != nil {
			t.Fatal(err)
		}
		c := r.Services[0].Capabilities[0]
		if len(c.Params) != 1 || !c.Params[0].Whole {
			t.Fatalf("%s: %v", tt.ref, c.Params)
		}
		type named struct {
			XML struct{ Name string }
		}
		var got struct {
			named
			Defs map[string]struct{ Properties map[string]named } `json:"$defs"`
		}
		if err := json.Unmarshal(c.Params[0].Schema, &got); err != nil {
			t.Fatal(err)
		}
		if inner := got.Defs[tt.ref].Properties["in"].XML.Name; got.XML.Name != tt.root || inner != tt.inner {
			t.Errorf("%s %s: the root is %q, want %q; inside it %q, want %q: %s", tt.version, tt.ref, got.XML.Name, tt.root, inner, tt.inner, c.Params[0].Schema)
		}
	}
}
