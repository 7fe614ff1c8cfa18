package vendors

import (
	"encoding/json"
	"reflect"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

const plugin = `{"schema_version": "v1", "name_for_human": "Shop", "name_for_model": "shop", "description_for_human": "A shop.",
	"description_for_model": "Use it.", "auth": {"type": "none"}, "api": {"type": "openapi", "url": "https://shop.example/openapi.json"},
	"logo_url": "https://shop.example/logo.png", "contact_email": "a@shop.example", "legal_info_url": "https://shop.example/legal"}`

const api = `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, "servers": [{"url": "https://shop.example"}], "paths": {
	"/orders/{id}": {
		"get": {"operationId": "getOrder", "description": "One order.", "responses": {"200": {"description": "ok"}},
			"parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string", "pattern": "^[a-z]+$", "minLength": 2}},
				{"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "exclusiveMaximum": 50}},
				{"name": "state", "in": "query", "schema": {"type": "string", "enum": ["open", "closed"]}}]},
		"post": {"operationId": "refund", "description": "Money back.", "responses": {"200": {"description": "ok"}},
			"requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {
				"lines": {"type": "array", "minItems": 1, "items": {"type": "object", "properties": {"sku": {"type": "string"}, "n": {"type": ["integer", "null"]}}, "required": ["sku"]}},
				"to": {"oneOf": [{"type": "string"}, {"type": "object", "properties": {"iban": {"type": "string"}}}]}}}}}}}}}}`

// shop returns a Box of the document.
func shop(t *testing.T) (box *tools.Box) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		n.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": api})
		var err error
		if box, err = tools.Load(t.Context(), n.Client(), []string{"shop.example"}, nil); err != nil {
			t.Fatal(err)
		}
	})
	return box
}

// kept checks that a definition that was read into an SDK's type and written again is the same.
func kept(t *testing.T, raw json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	again, err := json.Marshal(into)
	if err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	var a, b any
	if json.Unmarshal(raw, &a) != nil || json.Unmarshal(again, &b) != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("%s comes back as %s", raw, again)
	}
}

// TestRequests reads all parts of a request for each vendor, whole and one by one.
func TestRequests(t *testing.T) {
	for v, judge := range judges(t) {
		for _, strict := range []bool{false, true} {
			d := shop(t).Render(v, &tools.RenderOptions{Strict: strict})
			if len(d.List) != 2 {
				t.Fatalf("%s: %+v", v, d)
			}
			for _, raw := range elements(t, d.Tools) {
				judge.element(t, raw)
			}
			for _, raw := range d.List {
				judge.definition(t, raw)
			}
		}
	}
}

// elements returns the members of a list that is not empty.
func elements(t *testing.T, raw json.RawMessage) (list []json.RawMessage) {
	t.Helper()
	if err := json.Unmarshal(raw, &list); err != nil || len(list) == 0 {
		t.Fatalf("%v: %s", err, raw)
	}
	return list
}
