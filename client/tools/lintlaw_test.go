package tools_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
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
		if s.Code == tools.CodeDescribe || slices.ContainsFunc(besides(), func(reason string) bool { return strings.Contains(s.Reason, reason) }) {
			continue
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

// besides are the reasons that no fault of the document is: what it describes is no operation, or another
// document has the address or the contract.
func besides() []string {
	return []string{"is to be read, not to be called", "is used through an interface, but its documents name no interface", "no address is declared",
		"its documents contain no well-formed contract", "the arguments of the operation are not known"}
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
	for name, s := range lockedSchemes() {
		list["openapi "+name] = strings.TrimSuffix(api("/p", "get", `"security":[{"x":[]}]`), "}") + `,"components":{"securitySchemes":{"x":` + s + `}}}`
	}
	list["openapi trace"] = api("/p", "trace", `"summary":"T"`)
	list["openapi server at home"] = strings.Replace(api("/p", "get", `"summary":"T"`), "https://shop.example", "http://localhost:3000", 1)
	list["openapi server of the operation"] = api("/p", "get", `"servers":[{"url":"https://10.0.0.1"},{"url":"wss://shop.example"}]`)
	list["openrpc socket"] = `{"openrpc":"1.2.6","info":{"title":"A","version":"1"},"servers":[{"url":"wss://shop.example/rpc"}],"methods":[{"name":"a","params":[],"result":{"name":"x","schema":{}}}]}`
	list["openrpc without a server"] = `{"openrpc":"1.2.6","info":{"title":"A","version":"1"},"methods":[{"name":"a","params":[],"result":{"name":"x","schema":{}}}]}`
	list["openapi parameter that is missing"] = api("/p", "get", `"parameters":[{"$ref":"#/components/parameters/missing"}]`)
	list["openapi one of two parameters is missing"] = api("/p", "get", `"parameters":[{"name":"b","in":"query","schema":{"type":"string"}},{"$ref":"#/components/parameters/missing"}]`)
	list["openapi body that is missing"] = api("/p", "post", `"requestBody":{"$ref":"#/components/requestBodies/missing"}`)
	list["openapi digest or negotiate, with a key"] = strings.TrimSuffix(api("/p", "get", `"security":[{"x":[],"key":[]},{"y":[]}]`), "}") + `,"components":{"securitySchemes":{"key":{"type":"apiKey","in":"header","name":"X-Key"},"x":{"type":"http","scheme":"Digest"},"y":{"type":"http","scheme":"Negotiate"}}}}`
	for name, s := range circles() {
		list["openapi query "+name] = withSchemas(api("/p", "get", get("query", `"content":{"application/json":{"schema":{"$ref":"#/components/schemas/A"}}}`)), s)
		list["openapi body "+name] = withSchemas(api("/p", "post", body("application/json", `{"$ref":"#/components/schemas/A"}`)), s)
		list["openapi member "+name] = withSchemas(api("/p", "post", body("application/json", `{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/components/schemas/A"}}}`)), s)
		list["mcp "+name] = fmt.Sprintf(`{"tools":[{"name":"a","inputSchema":{"type":"object","required":["a"],"properties":{"a":{"$ref":"#/$defs/A"}},"$defs":%s}}]}`, strings.ReplaceAll(s, "#/components/schemas/", "#/$defs/"))
		list["openrpc "+name] = withSchemas(`{"openrpc":"1.2.6","info":{"title":"A","version":"1"},"servers":[{"url":"https://shop.example/rpc"}],"methods":[{"name":"a","params":[{"name":"a","required":true,"schema":{"$ref":"#/components/schemas/A"}}],"result":{"name":"x","schema":{}}}]}`, s)
	}
	for name, s := range neverSchemas() {
		list["openapi query "+name] = api("/p", "get", get("query", `"schema":`+s))
		list["openapi body "+name] = api("/p", "post", body("application/json", `{"type":"object","required":["a"],"properties":{"a":`+s+`}}`))
		list["mcp "+name] = fmt.Sprintf(`{"tools":[{"name":"a","inputSchema":{"type":"object","required":["a"],"properties":{"a":%s}}}]}`, s)
		list["openrpc "+name] = fmt.Sprintf(`{"openrpc":"1.2.6","info":{"title":"A","version":"1"},"servers":[{"url":"https://shop.example/rpc"}],"methods":[{"name":"a","params":[{"name":"a","required":true,"schema":%s}],"result":{"name":"x","schema":{}}}]}`, s)
	}
	return list
}

// lockedSchemes are security schemes that no grant fits.
func lockedSchemes() map[string]string {
	list := map[string]string{}
	for _, name := range []string{"digest", "Digest", "hoba", "mutual", "negotiate", "ntlm", "scram-sha-256"} {
		list[name] = fmt.Sprintf(`{"type":"http","scheme":%q}`, name)
	}
	return list
}

// An operation is offered if one of its alternatives can be met, or if it needs no credential.
func TestAnAlternativeThatCanBeMetIsEnough(t *testing.T) {
	for _, security := range []string{`[{"x":[]},{"basic":[]}]`, `[{"x":[]},{"mtls":[]}]`, `[{"x":[]},{"oidc":[]}]`, `[{"x":[]},{}]`, `[]`, `[{"dpop":[]}]`} {
		document := `{"openapi":"3.1.0","info":{"title":"A","version":"1"},"servers":[{"url":"https://shop.example"}],"paths":{"/p":{"get":{"responses":{},"security":` + security + `}}},"components":{"securitySchemes":{"x":{"type":"http","scheme":"digest"},"basic":{"type":"http","scheme":"Basic"},"dpop":{"type":"http","scheme":"DPoP"},"mtls":{"type":"mutualTLS"},"oidc":{"type":"openIdConnect","openIdConnectUrl":"https://shop.example/oidc"}}}}`
		if _, dead, offered := untold(t, "openapi.json", []byte(document)); dead != 0 || offered != 1 {
			t.Errorf("%s: %d tools, %d dead", security, offered, dead)
		}
	}
}

// An agent that takes only a credential that cannot be sent is no tool, in whatever form its card says
// so, and lint says so.
func TestAnAgentBehindDigestIsNoTool(t *testing.T) {
	for name, card := range map[string]string{
		"0.3": `{"protocolVersion":"0.3.0","name":"A","description":"B","url":"https://shop.example/a2a","version":"1","capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[{"id":"s","name":"S","description":"D","tags":["t"]}],"securitySchemes":{"x":{"type":"http","scheme":"Digest"}},"security":[{"x":[]}]}`,
		"1.0": `{"name":"A","description":"B","supportedInterfaces":[{"url":"https://shop.example/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"version":"1","capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[{"id":"s","name":"S","description":"D","tags":["t"]}],"securitySchemes":{"x":{"httpAuthSecurityScheme":{"scheme":"Digest"}}},"securityRequirements":[{"schemes":{"x":{"list":[]}}}]}`,
	} {
		n := clienttest.New(t)
		n.Host("shop.example", clienttest.Pages{"/.well-known/agent-card.json": card})
		box := load(t, n.Client(), []string{"shop.example"}, nil)
		if list := box.Skipped(); box.Len() != 0 || len(list) != 1 || !strings.Contains(list[0].Reason, "of a kind that cannot be sent") {
			t.Errorf("%s: %d tools, skipped %+v", name, box.Len(), list)
		}
		read, err := client.Parse(t.Context(), []byte(card), &client.ParseOptions{Full: true})
		if err != nil || !slices.ContainsFunc(read.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "call.impossible" }) {
			t.Errorf("%s: lint says %+v, %v", name, read.Diagnostics, err)
		}
	}
}

// circles are schemas of which A always requires a further value of itself.
func circles() map[string]string {
	const a = `{"$ref":"#/components/schemas/A"}`
	return map[string]string{
		"circle":           `{"A":{"type":"object","required":["a"],"properties":{"a":` + a + `}}}`,
		"circle of two":    `{"A":{"type":"object","required":["b"],"properties":{"b":{"$ref":"#/components/schemas/B"}}},"B":{"type":"object","required":["a"],"properties":{"a":` + a + `}}}`,
		"circle of allOf":  `{"A":{"type":"object","allOf":[{"$ref":"#/components/schemas/B"},{"type":"object","required":["a"]}]},"B":{"type":"object","properties":{"id":{"type":"string"},"a":` + a + `}}}`,
		"circle of arrays": `{"A":{"type":"object","required":["a"],"properties":{"a":{"type":"array","minItems":1,"items":` + a + `}}}}`,
		"circle of maps":   `{"A":{"type":"object","minProperties":1,"additionalProperties":` + a + `}}`,
	}
}

// withSchemas adds components to a document.
func withSchemas(document, schemas string) string {
	return strings.TrimSuffix(document, "}") + `,"components":{"schemas":` + schemas + `}}`
}

// A property that always requires a further value of itself is not offered where it is optional, and
// the operation is.
func TestAnOptionalCircleIsNotOffered(t *testing.T) {
	for name, s := range circles() {
		document := withSchemas(`{"openapi":"3.1.0","info":{"title":"A","version":"1"},"servers":[{"url":"https://shop.example"}],"paths":{"/p":{"post":{"responses":{},"requestBody":{"content":{"application/json":{"schema":{"type":"object","properties":{"left":{"$ref":"#/components/schemas/A"},"id":{"type":"string"}}}}}}}}}}`, s)
		c := clienttest.New(t).Client()
		target, err := c.AddDocument(t.Context(), &client.Document{Name: "openapi.json", Body: []byte(document), URL: "https://shop.example/openapi.json"})
		if err != nil {
			t.Fatal(err)
		}
		box := load(t, c, []string{target}, nil)
		if box.Len() != 1 {
			t.Fatalf("%s: %+v", name, box.Skipped())
		}
		raw, p, err := box.Define(tools.MCP, box.Tools()[0].Name, false)
		if err != nil || strings.Contains(string(raw), `"left"`) || !strings.Contains(string(raw), `"id"`) || !lost(p, "never") {
			t.Errorf("%s: %s, %v", name, raw, err)
		}
	}
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

// tellsOf reports whether there is an error at a place, in it, at servers of a part of the document
// around it, or about the servers that the document lacks.
func tellsOf(diags []wayfind.Diagnostic, at string) bool {
	for i := range diags {
		d := &diags[i]
		if d.Severity != wayfind.SeverityError {
			continue
		}
		around, servers := strings.CutSuffix(d.Pointer, "/servers")
		if d.Pointer == at || strings.HasPrefix(d.Pointer, at+"/") || servers && strings.HasPrefix(at, around) || d.Code == "call.impossible" && d.Pointer == "" {
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

// The reason why an operation is no tool is its own, also below servers of which none can be called.
func TestTheReasonOfAnOperationIsItsOwn(t *testing.T) {
	n := clienttest.New(t)
	n.Host("shop.example", clienttest.Pages{"/openapi.json": `{"openapi":"3.1.0","info":{"title":"A","version":"1"},"servers":[{"url":"http://localhost:3000"}],"paths":{
		"/a":{"get":{"operationId":"a","responses":{}}},
		"/b":{"post":{"operationId":"b","responses":{},"servers":[{"url":"https://shop.example"}],"requestBody":{"required":true,"content":{"application/x-protobuf":{"schema":{"type":"object"}}}}}}}}`})
	want := map[string]bool{"a": true, "b": false} // whether the servers are the reason
	for _, s := range load(t, n.Client(), []string{"shop.example"}, nil).Skipped() {
		_, name, _ := strings.Cut(s.Key, "/")
		if strings.Contains(s.Reason, "no server can be called") != want[name] {
			t.Errorf("%s: %s", s.Key, s.Reason)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("not skipped: %v", want)
	}
}
