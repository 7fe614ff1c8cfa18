package tools_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/security/schema"
)

// untold returns the operations of a document that no model is offered, and of which lint says
// nothing, as an error, to the publisher; dead is the number of operations that no model is offered, and
// offered that of the others.
func untold(t *testing.T, name string, body []byte) (untold []string, dead, offered int) {
	t.Helper()
	const u = "https://shop.example/"
	read, err := client.Parse(t.Context(), body, &client.ParseOptions{URL: u + name, Full: true})
	if err != nil || read.Format == "" {
		return nil, 0, 0
	}
	c := clienttest.New(t).Client()
	target, err := c.AddDocument(t.Context(), &client.Document{Name: name, Body: body, URL: u + name})
	if err != nil {
		return nil, 0, 0
	}
	box, err := tools.Load(t.Context(), c, []string{target}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range box.Skipped() {
		_, unwritten := errors.AsType[*httpcall.Error](s.Err)
		_, invalid := errors.AsType[*schema.Error](s.Err)
		if !unwritten && !invalid {
			continue // its server, or a document beside it, is the reason
		}
		_, known := read.Site.Capability(s.Key)
		if known == nil || len(known.Sources) == 0 {
			continue
		}
		dead++
		if at := known.Sources[0].Pointer; !tellsOf(read.Diagnostics, at) {
			untold = append(untold, fmt.Sprintf("%s (%s): %s: %s", s.Key, at, s.Code, s.Reason))
		}
	}
	return untold, dead, box.Len()
}

// deadOperations are documents of one operation each that no request can carry, whatever the arguments.
func deadOperations() map[string]string {
	api := func(path, method, operation string) string {
		return fmt.Sprintf(`{"openapi":"3.1.0","info":{"title":"A","version":"1"},"servers":[{"url":"https://shop.example"}],"paths":{%q:{%q:{"responses":{},%s}}}}`, path, method, operation)
	}
	get := func(in, rest string) string {
		return fmt.Sprintf(`"parameters":[{"name":"a","in":%q,"required":true,%s}]`, in, rest)
	}
	body := func(kind, schema string) string {
		return fmt.Sprintf(`"requestBody":{"required":true,"content":{%q:{"schema":%s}}}`, kind, schema)
	}
	const object = `{"type":"object","properties":{"b":{"type":"string"}}}`
	list := map[string]string{
		"openapi pipes":    api("/p", "get", get("query", `"style":"pipeDelimited","explode":true,"schema":`+object)),
		"openapi segment":  api("/p/{a}", "get", get("path", `"schema":{"type":"array","items":`+object+`}`)),
		"openapi no place": api("/p", "delete", get("path", `"schema":{"type":"string"}`)),
		"openapi colon":    api("/p/:a", "get", get("path", `"schema":{"type":"string"}`)),
		"openapi proxy":    api("/p/{a+}", "get", get("path", `"schema":{"type":"string"}`)),
		"openapi content":  api("/p", "get", get("query", `"content":{"application/x-protobuf":{"schema":`+object+`}}`)),
		"openapi body":     api("/p", "post", body("application/x-protobuf", object)),
		"openapi form":     api("/p", "post", body("application/x-www-form-urlencoded", `{"type":"array","items":{"type":"string"}}`)),
	}
	for name, s := range neverSchemas() {
		list["openapi query "+name] = api("/p", "get", get("query", `"schema":`+s))
		list["openapi body "+name] = api("/p", "post", body("application/json", `{"type":"object","required":["a"],"properties":{"a":`+s+`}}`))
		list["mcp "+name] = fmt.Sprintf(`{"tools":[{"name":"a","inputSchema":{"type":"object","required":["a"],"properties":{"a":%s}}}]}`, s)
		list["openrpc "+name] = fmt.Sprintf(`{"openrpc":"1.2.6","info":{"title":"A","version":"1"},"servers":[{"url":"https://shop.example/rpc"}],"methods":[{"name":"a","params":[{"name":"a","required":true,"schema":%s}],"result":{"name":"x","schema":{}}}]}`, s)
	}
	return list
}

// The publisher is told, as an error with a mend, of an operation that no model can be offered, in
// whatever format.
func TestLintTellsOfADeadOperation(t *testing.T) {
	for name, document := range deadOperations() {
		read, err := client.Parse(t.Context(), []byte(document), &client.ParseOptions{Full: true})
		if err != nil || len(read.Site.Services) != 1 || len(read.Site.Services[0].Capabilities) != 1 {
			t.Fatalf("%s: %+v, %v", name, read, err)
		}
		if at := read.Site.Services[0].Capabilities[0].Sources[0].Pointer; !tellsOf(read.Diagnostics, at) {
			t.Errorf("%s: lint says %+v", name, read.Diagnostics)
		}
		if _, _, offered := untold(t, "document.json", []byte(document)); offered > 0 {
			t.Errorf("%s: it is offered to a model", name)
		}
	}
}

// tellsOf reports whether there is an error at a place, in it, or at servers of a part of the document
// around it.
func tellsOf(diags []wayfind.Diagnostic, at string) bool {
	for i := range diags {
		d := &diags[i]
		if d.Severity != wayfind.SeverityError {
			continue
		}
		around, servers := strings.CutSuffix(d.Pointer, "/servers")
		if d.Pointer == at || strings.HasPrefix(d.Pointer, at+"/") || servers && strings.HasPrefix(at, around) {
			return true
		}
	}
	return false
}

// The publisher is told of each operation of a published document that no model is offered.
func TestLintTellsOfEachOperationThatNoModelIsOffered(t *testing.T) {
	testkit.Large(t)
	total := 0
	for i, file := range golden.Documents(t) {
		if i%testkit.Sizes(10, 3, 1) != 0 {
			continue
		}
		list, dead, _ := untold(t, filepath.Base(file), golden.Read(t, file))
		total += dead
		for _, one := range list {
			t.Errorf("%s: %s", file, one)
		}
	}
	t.Logf("%d operations are offered to no model", total)
}
