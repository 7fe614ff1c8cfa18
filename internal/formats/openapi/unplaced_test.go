package openapi_test

import (
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
