package openapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/formats/openapi"
	"github.com/wayfindhq/wayfind/parse"
)

// large returns a document of about 1 MiB with 1,000 operations, like the documents of
// frameworks.
func large() []byte {
	var paths, schemas strings.Builder
	for i := range 500 {
		item := fmt.Sprintf(`
    "/v1/resources%d/{id}": {
      "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string", "format": "uuid"}}],
      "get": {"operationId": "getResource%d", "summary": "Get a resource", "description": "Returns the resource with its state, as it was when the last change to it or to one of its parts was confirmed. Archived resources are returned as well; those that were removed are not.", "tags": ["resources"],
        "parameters": [{"name": "expand", "in": "query", "description": "What to add.", "schema": {"type": "array", "items": {"type": "string"}}}],
        "responses": {"200": {"description": "The resource.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Resource%d"}}}}, "404": {"description": "There is none."}}},
      "put": {"operationId": "putResource%d", "summary": "Replace a resource", "tags": ["resources"], "security": [{"oauth": ["write"]}],
        "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Resource%d"}}}},
        "responses": {"200": {"description": "The resource.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Resource%d"}}}}}}
    },`, i, i, i, i, i, i)
		paths.WriteString(item)
		fmt.Fprintf(&schemas, `
      "Resource%d": {"type": "object", "required": ["id", "name"], "properties": {
        "id": {"type": "string", "format": "uuid", "description": "Its identifier, which never changes and is not used again when the resource has been removed."},
        "name": {"type": "string", "maxLength": 100, "description": "The name that people see. It may have any characters, is shown as it is written and kept for as long as the resource is; applications that print it cut it behind a hundred characters, which is what the interface for people does as well. It need not be unique among the resources of an owner."},
        "state": {"type": "string", "enum": ["open", "closed", "archived"]},
        "parent": {"$ref": "#/components/schemas/Resource%d"}, "made": {"type": "string", "format": "date-time", "example": "2024-01-01T00:00:00Z"}}},`, i, i)
	}
	return fmt.Appendf(nil, `{
  "openapi": "3.0.3",
  "info": {"title": "Resources", "version": "1.0"},
  "servers": [{"url": "https://api.shop.example"}],
  "security": [{"oauth": ["read"]}],
  "paths": {%s
  },
  "components": {
    "securitySchemes": {"oauth": {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://shop.example/token", "scopes": {"read": "", "write": ""}}}}},
    "schemas": {%s
    }
  }
}`, strings.TrimSuffix(paths.String(), ","), strings.TrimSuffix(schemas.String(), ","))
}

// BenchmarkParse reads 1 MiB of JSON with 1,000 operations, for comparison with encoding/json
// into any. Detail reads one operation.
func BenchmarkParse(b *testing.B) {
	body := large()
	run := func(name string, read func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if err := read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	f := openapi.Format()
	in := func() *parse.Input { return document(b, body) }
	r, err := f.Parse(in())
	if err != nil || len(r.Services[0].Capabilities) != 1000 {
		b.Fatal(err)
	}
	run("wayfind", func() error { _, err := f.Parse(in()); return err })
	run("encoding-json", func() error { var v any; return json.Unmarshal(body, &v) })
	run("wayfind-detail", func() error {
		_, err := f.Detail(in(), parse.Subject{Capability: &r.Services[0].Capabilities[999]})
		return err
	})
}
