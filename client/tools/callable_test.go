package tools_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
)

// A call that would always be refused is never offered: an argument that the model may never set is
// removed from the definition, and a call that requires one is no tool, with a reason.
func TestNothingIsOfferedThatIsAlwaysRefused(t *testing.T) {
	field := func(name string, required bool) string {
		return fmt.Sprintf(`, "parameters": [{"name": %q, "in": "header", "required": %t, "schema": {"type": "string"}}, {"name": "q", "in": "query", "schema": {"type": "string"}}]`, name, required)
	}
	body := func(media string, required bool) string {
		return fmt.Sprintf(`, "requestBody": {"required": %t, "content": {%q: {"schema": {"type": "string"}}}}`, required, media)
	}
	rows := []struct {
		id, more, server string
		code             string // of Skipped; "" for a tool
		hidden           string // from its definition
	}{
		{"content_range", field("Content-Range", true), "", tools.CodeContract, ""},
		{"content_md5", field("Content-MD5", false), "", "", "Content-MD5"},
		{"key", field("Idempotency-Key", true), "", "", "Idempotency-Key"},
		{"no_field_optional", field("a b", false), "", "", "a b"},
		{"xml", body("application/xml", true), "", tools.CodeContract, ""},
		{"xml_optional", body("application/xml", false), "", "", "body"},
		{"xml_unnamed", strings.Replace(body("application/xml", true), `"string"`, `"object", "properties": {"sku": {"type": "string"}}`, 1), "", tools.CodeContract, ""},
		{"xml_named", strings.Replace(body("application/xml", true), `"string"`, `"object", "xml": {"name": "order"}, "properties": {"sku": {"type": "string"}}`, 1), "", "", ""},
		{"sdp", body("application/sdp", true), "", "", ""},
		{"text", body("text/plain", true), "", "", ""},
		{"plain_http", "", "http://api.shop.example", tools.CodeRefused, ""},
		{"usual", "", "", "", ""},
	}
	var operations []string
	for _, r := range rows {
		servers := ""
		if r.server != "" {
			servers = fmt.Sprintf(`, "servers": [{"url": %q}]`, r.server)
		}
		operations = append(operations, fmt.Sprintf(`"/%s": {"post": {"operationId": %q, "responses": {"200": {"description": "ok"}}%s%s}}`, r.id, r.id, servers, r.more))
	}
	synctest.Test(t, func(t *testing.T) {
		n := clienttest.New(t)
		n.Host("shop.example", clienttest.Pages{"/.well-known/ai-plugin.json": plugin, "/openapi.json": `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "paths": {` + strings.Join(operations, ",") + `}}`})
		box, err := tools.Load(t.Context(), n.Client(), []string{"shop.example"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		skipped := make(map[string]tools.Skipped)
		for _, s := range box.Skipped() {
			skipped[s.Key[strings.LastIndex(s.Key, "/")+1:]] = s
		}
		for _, r := range rows {
			s, left := skipped[r.id]
			tool, err := box.Tool(r.id)
			if (err == nil) != (r.code == "") || left != (r.code != "") || s.Code != r.code || left && s.Err == nil {
				t.Errorf("%s: %v, skipped %+v, want %q", r.id, err, s, r.code)
				continue
			}
			if raw, err := schemaOf(tool); err != nil || r.hidden != "" && strings.Contains(raw, r.hidden) {
				t.Errorf("%s offers %s: %s, %v", r.id, r.hidden, raw, err)
			}
		}
		if len(skipped)+box.Len() != len(rows) {
			t.Errorf("%d tools, %d skipped, of %d operations", box.Len(), len(skipped), len(rows))
		}
	})
}

func schemaOf(t *tools.Tool) (string, error) {
	if t == nil {
		return "", nil
	}
	raw, err := t.Schema.JSON()
	return string(raw), err
}

// A key that makes a repetition harmless is the program's to fill. It is no credential, and
// an argument for it is refused by its own name.
func TestAKeyIsNoCredential(t *testing.T) {
	c := &wayfind.Capability{Invocation: &wayfind.Invocation{Protocol: "http", Method: "POST", URL: "https://shop.example/pay"},
		Params: []wayfind.Param{{Name: "Idempotency-Key", In: "header", Required: new(true)}}}
	op := httpcall.OperationOf(c, nil)
	if origin, err := op.Callable(); err != nil || origin != "https://shop.example" || op.Withheld(&c.Params[0]) != httpcall.CodeKey {
		t.Errorf("%s, %v, %v", origin, err, op.Withheld(&c.Params[0]))
	}
	_, err := httpcall.Place(op, []byte(`{"Idempotency-Key":"mine"}`))
	if err == nil || !strings.Contains(err.Error(), "the program fills in the key") || strings.Contains(err.Error(), "credential") {
		t.Error(err)
	}
}
