package tools_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
)

// The definition of each argument that is taken as base64 says so, and that of no other: whole bodies,
// parts of a form by their schema or by their media type, and lists of files.
func TestADefinitionSaysBase64(t *testing.T) {
	const text, file = `{"type":"string"}`, `{"type":"string","format":"binary"}`
	operation := func(id, media, body, rest string) string {
		return `"/` + id + `":{"post":{"operationId":"` + id + `","responses":{},"requestBody":{"required":true,"content":{"` + media + `":{"schema":` + body + rest + `}}}}}`
	}
	form := func(properties string) string { return `{"type":"object","properties":{` + properties + `}}` }
	all := []struct {
		operation string
		want      int
	}{
		{operation("whole", "application/octet-stream", file, ""), 1},
		{operation("free", "application/octet-stream", `{}`, ""), 1},
		{operation("image", "image/png", file, ""), 1},
		{operation("described", "application/octet-stream", `{"type":"string","format":"binary","description":"A picture"}`, ""), 1},
		{operation("parts", "multipart/form-data", form(`"a":`+file+`,"b":`+text+`,"c":{"type":"array","items":`+file+`}`), ""), 2},
		{operation("typed", "multipart/form-data", form(`"a":`+text+`,"b":`+text), `,"encoding":{"a":{"contentType":"image/png"}}`), 1},
		{operation("one", "multipart/form-data", `{"type":"object","minProperties":1,"properties":{"a":`+file+`,"b":`+text+`}}`, ""), 1},
		{operation("json", "application/json", form(`"a":`+file), ""), 0},
		{operation("plain", "text/plain", text, ""), 0},
	}
	synctest.Test(t, func(t *testing.T) {
		var paths []string
		for _, row := range all {
			paths = append(paths, row.operation)
		}
		n := clienttest.New(t)
		n.Host("shop.example", clienttest.Pages{
			"/.well-known/ai-plugin.json": plugin,
			"/openapi.json":               `{"openapi":"3.0.3","info":{"title":"Shop","version":"1"},"paths":{` + strings.Join(paths, ",") + `}}`,
		})
		box := load(t, n.Client(), []string{"shop.example"}, nil)
		for _, row := range all {
			name, _, _ := strings.Cut(strings.TrimPrefix(row.operation, `"/`), `"`)
			for _, v := range tools.Vendors() {
				raw, _, err := box.Define(v, name, false)
				if err != nil {
					t.Fatal(name, err)
				}
				if got := strings.Count(string(raw), "Write it in base64."); got != row.want {
					t.Errorf("%s for %v: %d times, want %d: %s", name, v, got, row.want, raw)
				}
				if name == "described" && !strings.Contains(string(raw), "A picture Write it") {
					t.Errorf("%v: the words of the publisher are gone: %s", v, raw)
				}
			}
		}
	})
}
