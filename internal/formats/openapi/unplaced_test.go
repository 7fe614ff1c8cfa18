package openapi_test

import (
	"slices"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/openapi"
	"github.com/wayfindhq/wayfind/parse"
)

// The definition names a required parameter that no request can contain. It does not name an
// optional parameter, or one that clients always send.
func TestARequiredParameterWithoutAPlaceIsNamed(t *testing.T) {
	for param, dropped := range map[string]bool{
		`{"name": "b", "in": "body", "required": true, "schema": {"type": "object"}}`:            true,
		`{"name": "q", "in": "qurey", "required": true, "schema": {"type": "string"}}`:           true,
		`{"name": "q", "required": true, "schema": {"type": "string"}}`:                          true,
		`{"name": "a b", "in": "header", "required": true, "schema": {"type": "string"}}`:        true,
		`{"name": "Cookie", "in": "header", "required": true, "schema": {"type": "string"}}`:     true,
		`{"name": "Host", "in": "header", "required": true, "schema": {"type": "string"}}`:       false,
		`{"name": "Accept", "in": "header", "required": true, "schema": {"type": "string"}}`:     false,
		`{"name": "b", "in": "body", "schema": {"type": "object"}}`:                              false,
		`{"name": "a b", "in": "header", "required": false, "schema": {"type": "string"}}`:       false,
		`{"name": "session", "in": "cookie", "required": true, "schema": {"type": "string"}}`:    false,
		`{"name": "q", "in": "query", "required": "true", "schema": {"type": "string"}}`:         false,
		`{"name": "b", "in": "formData", "required": true, "type": "string", "description": ""}`: true,
	} {
		doc := `{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "servers": [{"url": "https://shop.example"}],
			"paths": {"/a": {"parameters": [` + param + `], "post": {"operationId": "a", "responses": {"200": {"description": "ok"}}},
			"get": {"operationId": "b", "responses": {"200": {"description": "ok"}}}}}}`
		in := &parse.Input{Body: []byte(doc)}
		for _, id := range []string{"a", "b"} {
			reading, err := openapi.Format().Detail(in, parse.Subject{Capability: &wayfind.Capability{ID: id}})
			if err != nil {
				t.Fatal(err)
			}
			told := 0
			for _, d := range reading.Diagnostics {
				if d.Code == "openapi.unplaced_input" {
					told++
				}
			}
			if want := map[bool]int{true: 1}[dropped]; told != want {
				t.Errorf("%s of %s: told %d times, want %d: %v", param, id, told, want, reading.Diagnostics)
			}
		}
	}
}

// A parameter of the path has a variable of its name, apart from capitals, or the definition names
// it. Express and API Gateway write variables in other ways.
func TestAParameterOfThePathHasAPlace(t *testing.T) {
	const id = `{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}`
	for _, row := range []struct {
		path, params, template string
		codes                  []string
	}{
		{"/orders/{id}", id, "https://shop.example/orders/{id}", nil},
		{"/orders", id, "", []string{"openapi.unplaced_input"}},
		{"/orders", `{"name": "id", "in": "path", "schema": {"type": "string"}}`, "", []string{"openapi.path_optional", "openapi.unplaced_input"}},
		{"/orders/:id", id, "", []string{"openapi.unplaced_input", "openapi.unplaced_input"}},
		{"/orders/:id", "", "", []string{"openapi.unplaced_input"}},
		{"/orders:batch/:", "", "", nil},
		{"/orders/{ID}", id, "https://shop.example/orders/{ID}", []string{"openapi.path_param"}},
		{"/orders/{ID}/{Id}", id, "https://shop.example/orders/{ID}/{Id}", []string{"openapi.path_param", "openapi.path_param", "openapi.unplaced_input"}},
		{"/orders/{Id}", id + `, {"name": "Id", "in": "path", "required": true, "schema": {"type": "string"}}`, "https://shop.example/orders/{Id}", []string{"openapi.unplaced_input"}},
		{"/{proxy+}", `{"name": "proxy", "in": "path", "required": true, "schema": {"type": "string"}}`, "", []string{"openapi.path_param", "openapi.unplaced_input", "openapi.unplaced_input"}},
		{"/{proxy+}", "", "", []string{"openapi.path_param", "openapi.unplaced_input"}},
	} {
		doc := `{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "servers": [{"url": "https://shop.example"}],
			"paths": {"` + row.path + `": {"parameters": [` + row.params + `], "get": {"operationId": "a", "responses": {"200": {"description": "ok"}}}}}}`
		reading, err := openapi.Format().Detail(&parse.Input{Body: []byte(doc)}, parse.Subject{Capability: &wayfind.Capability{ID: "a"}})
		if err != nil {
			t.Fatal(err)
		}
		var codes []string
		for _, d := range reading.Diagnostics {
			codes = append(codes, d.Code)
		}
		slices.Sort(codes)
		if !slices.Equal(codes, row.codes) {
			t.Errorf("%s: %q, want %q", row.path, codes, row.codes)
		}
		c := reading.Services[0].Capabilities[0]
		if row.template != "" && (c.Invocation.Template != row.template || c.Check() != nil) {
			t.Errorf("%s: %+v, %v, want %s", row.path, c.Invocation, c.Check(), row.template)
		}
	}
}
