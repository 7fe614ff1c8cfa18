package golden

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// SampleAPIs returns the files of the sample descriptions, with the number of their operations.
func SampleAPIs() map[string]int {
	return map[string]int{"orders.json": 320, "orders.yaml": 120, "orders2.json": 160}
}

// writtenAPIs writes the sample descriptions to a folder, and returns it.
func writtenAPIs(t testing.TB) string {
	t.Helper()
	dir, index := t.TempDir(), "file\toperations\n"
	for _, file := range slices.Sorted(maps.Keys(SampleAPIs())) {
		operations := SampleAPIs()[file]
		index += fmt.Sprintf("%s\t%d\n", file, operations)
		description := Description(operations)
		if file == "orders2.json" {
			description = swagger(operations)
		}
		body := JSON(t, description)
		if filepath.Ext(file) == ".yaml" {
			body = []byte(yaml("", description))
		}
		writeFile(t, filepath.Join(dir, file), body)
	}
	writeFile(t, filepath.Join(dir, "index.tsv"), []byte(index))
	return dir
}

func writeFile(t testing.TB, path string, body []byte) {
	t.Helper()
	if err := os.WriteFile(path, body, 0o644); err != nil {
		t.Fatal(err)
	}
}

// prose is the text that a description has for people, about as much for each operation as
// published ones have.
func prose(about string) string {
	return strings.Repeat("People who use "+about+" for the first time find its purpose here, its price, and whom to ask. It can be tried for a month. ", 20)
}

type (
	object = map[string]any
	list   = []any
)

func ref(name string) object { return object{"$ref": "#/components/schemas/" + name} }

func answer(schema any) object {
	return object{"description": "Done", "content": object{"application/json": object{"schema": schema, "example": object{"note": prose("an answer")}}}}
}

// Description returns an OpenAPI document with a number of operations that share their schemas.
// Four of them belong to each collection: to list, to create, to read and to remove.
func Description(operations int) map[string]any {
	paths, schemas := object{}, object{}
	for i := range (operations + 3) / 4 {
		thing := fmt.Sprintf("Thing%d", i)
		schemas[thing] = thingSchema(i)
		all, one := crud(i, thing)
		for _, verb := range []string{"post", "get"}[:max(0, min(2, 4*(i+1)-operations))] {
			delete(all, verb)
		}
		if 4*(i+1)-operations > 2 {
			delete(one, "delete")
		}
		paths[fmt.Sprintf("/things%d", i)], paths[fmt.Sprintf("/things%d/{id}", i)] = all, one
	}
	maps.DeleteFunc(paths, func(_ string, item any) bool { return len(item.(object)) == 0 })
	schemas["Error"] = object{"type": "object", "required": list{"code"}, "properties": object{"code": object{"type": "integer"}, "message": object{"type": "string"}}}
	schemas["Money"] = object{"type": "object", "required": list{"amount", "currency"}, "properties": object{
		"amount": object{"type": "number", "minimum": 0}, "currency": object{"type": "string", "pattern": "^[A-Z]{3}$"}}}
	return object{
		"openapi": "3.0.3", "info": object{"title": "Orders of things", "version": "1.4.0", "description": "Keeps things of many kinds."},
		"servers":  list{object{"url": "https://api.shop.example/v1"}},
		"security": list{object{"key": list{}}},
		"paths":    paths,
		"components": object{"schemas": schemas, "securitySchemes": object{
			"key": object{"type": "apiKey", "in": "header", "name": "X-Key"}, "bearer": object{"type": "http", "scheme": "bearer"}}},
	}
}

// crud returns the operations of a collection and of one thing in it.
func crud(i int, thing string) (all, one object) {
	id := object{"name": "id", "in": "path", "required": true, "description": "Which one", "schema": object{"type": "string", "maxLength": 40}}
	failed := answer(ref("Error"))
	all = object{
		"get": object{"operationId": "list" + thing, "summary": "List all of kind " + thing, "description": prose("lists of " + thing), "tags": list{"lists"}, "parameters": list{
			object{"name": "limit", "in": "query", "schema": object{"type": "integer", "minimum": 1, "maximum": 100, "default": 20}},
			object{"name": "sort", "in": "query", "explode": false, "schema": object{"type": "array", "items": object{"type": "string", "enum": list{"name", "price", fmt.Sprint("field", i)}}}},
			object{"name": "X-Trace", "in": "header", "schema": object{"type": "string"}}},
			"responses": object{"200": answer(object{"type": "array", "items": ref(thing)}), "default": failed}},
		"post": object{"operationId": "create" + thing, "summary": "Create one of kind " + thing, "description": prose(thing),
			"requestBody": object{"required": true, "content": object{"application/json": object{"schema": ref(thing)}}},
			"responses":   object{"201": answer(ref(thing)), "default": failed}},
	}
	one = object{
		"get": object{"operationId": "get" + thing, "summary": "Read one of kind " + thing, "description": prose("one of " + thing), "parameters": list{id}, "security": list{object{"key": list{}}, object{"bearer": list{}}},
			"responses": object{"200": answer(ref(thing)), "404": failed}},
		"delete": object{"operationId": "remove" + thing, "summary": "Remove one of kind " + thing, "description": prose("the removal of " + thing), "parameters": list{id}, "responses": object{"204": object{"description": "Removed"}}},
	}
	return all, one
}

// thingSchema is the schema of a kind of things, which contains some of other kinds and of its own.
func thingSchema(i int) object {
	properties := object{
		"name": object{"type": "string", "description": strings.Repeat("The name under which people look for it. ", 1+i%4)}, "price": ref("Money"),
		"state":  object{"type": "string", "enum": list{"new", "sold", fmt.Sprint("kept", i)}},
		"parts":  object{"type": "array", "maxItems": 50, "items": ref(fmt.Sprintf("Thing%d", i))},
		"labels": object{"type": "object", "additionalProperties": object{"type": "string"}},
		"origin": object{"oneOf": list{object{"type": "string", "format": "uri"}, object{"type": "integer"}}},
	}
	if i%5 > 0 {
		properties["next"] = object{"allOf": list{ref(fmt.Sprintf("Thing%d", i-1)), object{"description": "The one before it"}}}
	}
	return object{"type": "object", "required": list{"name", "price"}, "properties": properties}
}

// swagger returns a document of version 2.0 with a number of operations.
func swagger(operations int) object {
	paths := object{}
	for i := range operations / 2 {
		thing := fmt.Sprintf("Thing%d", i)
		id := object{"name": "id", "in": "path", "required": true, "type": "string"}
		paths[fmt.Sprintf("/things%d/{id}", i)] = object{
			"get": object{"operationId": "get" + thing, "summary": "Read one of kind " + thing, "parameters": list{id, object{"name": "fields", "in": "query", "type": "array", "items": object{"type": "string"}, "collectionFormat": "csv"}},
				"responses": object{"200": object{"description": prose("an answer"), "schema": object{"$ref": "#/definitions/Thing"}}}},
			"put": object{"operationId": "put" + thing, "summary": "Change one of kind " + thing, "description": prose(thing),
				"parameters": list{id, object{"name": "thing", "in": "body", "required": true, "schema": object{"$ref": "#/definitions/Thing"}}},
				"responses":  object{"200": object{"description": prose("an answer"), "schema": object{"$ref": "#/definitions/Thing"}}}},
		}
	}
	return object{"swagger": "2.0", "info": object{"title": "Things", "version": "2"}, "host": "api.shop.example", "basePath": "/v2", "schemes": list{"https"},
		"consumes": list{"application/json"}, "produces": list{"application/json"}, "paths": paths,
		"definitions": object{"Thing": object{"type": "object", "required": list{"name"}, "properties": object{
			"name": object{"type": "string"}, "count": object{"type": "integer", "minimum": 0}, "parts": object{"type": "array", "items": object{"$ref": "#/definitions/Thing"}}}}}}
}

// yaml returns a value in the block style of YAML.
func yaml(indent string, v any) string {
	var b strings.Builder
	switch v := v.(type) {
	case object:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(indent + fmt.Sprintf("%q:", name) + yamlItem(indent, v[name]))
		}
	case list:
		for _, item := range v {
			b.WriteString(indent + "-" + yamlItem(indent, item))
		}
	}
	return b.String()
}

// yamlItem returns a value after its name or dash.
func yamlItem(indent string, v any) string {
	if inner := yaml(indent+"  ", v); inner != "" {
		return "\n" + inner
	}
	switch v := v.(type) {
	case string:
		return fmt.Sprintf(" %q\n", v)
	case list:
		return " []\n"
	case object:
		return " {}\n"
	default:
		return fmt.Sprintf(" %v\n", v)
	}
}
