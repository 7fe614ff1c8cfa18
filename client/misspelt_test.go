package client_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/client"
)

const soundCard = `{"name": "A", "description": "Finds trains.", "version": "1", "capabilities": {"streaming": true},
 "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
 "skills": [{"id": "find", "name": "Find", "description": "Finds.", "tags": ["t"]}],
 "supportedInterfaces": [{"url": "https://a.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}],
 "securitySchemes": {"k": {"httpAuthSecurityScheme": {"scheme": "Bearer"}}}}`

const soundTools = `{"tools": [{"name": "find", "description": "Finds.", "inputSchema": {"type": "object", "required": ["q"], "properties": {"q": {"type": "string"}}}}]}`

const soundCatalog = `{"specVersion": "1.0", "host": {"displayName": "A"}, "entries": [
 {"identifier": "urn:air:a.example:mcp:x", "displayName": "X", "type": "application/mcp-server-card+json", "url": "https://a.example/mcp/server-card"}]}`

const soundAPI = `{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "servers": [{"url": "https://a.example"}],
 "paths": {"/q": {"get": {"operationId": "q", "parameters": [{"name": "a", "in": "query", "schema": {"type": "string"}}], "responses": {"200": {"description": "ok"}}}}}}`

const soundRPC = `{"openrpc": "1.3.2", "info": {"title": "T", "version": "1"}, "servers": [{"url": "https://a.example/rpc"}],
 "methods": [{"name": "m", "params": [{"name": "p", "schema": {"type": "string"}}], "result": {"name": "r", "schema": {"type": "string"}}}]}`

const soundServer = `{"name": "io.github.a/b", "description": "B.", "version": "1", "packages": [{"registryType": "npm", "identifier": "b", "version": "1", "transport": {"type": "stdio"}}]}`

const soundSkill = "---\nname: pdf\ndescription: Reads PDF files.\n---\n# Text\n"

// A file may have links that are no linkset.
const soundLinks = `{"linkset": [{"anchor": "https://a.example/", "service-desc": [{"href": "https://a.example/openapi.json"}]}]}`

const otherLinks = `{"subject": "https://a.example/", "linkz": [{"rel": "self", "href": "https://a.example/x"}]}`

// A misspelt name, with up to two edits or in another style, is one finding with both names, at the
// member. The diagnostic about the missing member is left out.
func TestMisspeltMembersAreNamedOnce(t *testing.T) {
	for _, c := range []struct{ doc, from, to, want string }{
		{soundCard, `"skills"`, `"skils"`, "error a2a.misspelt /skils"},
		{soundCard, `"protocolBinding"`, `"protocol_binding"`, "error a2a.misspelt /supportedInterfaces/0/protocol_binding"},
		{soundCard, `"protocolBinding"`, `"ProtocolBinding"`, "error a2a.misspelt /supportedInterfaces/0/ProtocolBinding"},
		{soundCard, `"protocolBinding"`, `"protocolBindng"`, "error a2a.misspelt /supportedInterfaces/0/protocolBindng"},
		{soundCard, `"description": "Finds trains."`, `"descripton": "Finds trains."`, "error a2a.misspelt /descripton"},
		{soundCard, `"streaming"`, `"steaming"`, "warning a2a.misspelt /capabilities/steaming"},
		{soundCard, `"skills"`, `"x-skils": 1, "skills"`, ""},
		{soundCard, `"skills"`, `"skill": 1, "skills"`, ""},         // the other is there
		{soundCard, `"tags"`, `"tabs": 1, "_meta": {}, "tags"`, ""}, // so is this one
		{soundTools, `"inputSchema"`, `"inputShema"`, "error mcp.misspelt /tools/0/inputShema"},
		{soundTools, `"required"`, `"requried"`, "warning mcp.misspelt /tools/0/inputSchema/requried"},
		{soundTools, `"type": "string"`, `"type": "strng"`, "error mcp.schema_word /tools/0/inputSchema/properties/q/type"},
		{soundTools, `"properties": {"q"`, `"properties": {"tilte": {"type": "string"}, "q"`, ""}, // a name of the publisher's
		{soundCatalog, `"entries"`, `"entires"`, "error aicatalog.misspelt /entires"},
		{soundAPI, `"operationId"`, `"operationID"`, "warning openapi.misspelt /paths/~1q/get/operationID"},
		{soundAPI, `"type": "string"`, `"type": "strng"`, "error openapi.schema_word /paths/~1q/get/parameters/0/schema/type"},
		{soundRPC, `"schema"`, `"shema"`, "error openrpc.misspelt /methods/0/params/0/shema"},
		{soundServer, `"transport"`, `"trasport"`, "warning mcp.misspelt /packages/0/trasport"},
		{soundServer, `"packages"`, `"pakages"`, "error mcp.misspelt /pakages"},
		{soundServer, `"io.github.a/b"`, "7", "error mcp.wrong_type /name"},
		{soundSkill, "description", "descripton", "error agentskills.misspelt "},
		{soundLinks, "linkset", "links", "error apicatalog.misspelt /links"},
		{otherLinks, "linkz", "links", ""},
		{soundAPI, `"parameters"`, `"paramters"`, "warning openapi.misspelt /paths/~1q/get/paramters"},
	} {
		got := newFindings(t, c.doc, strings.Replace(c.doc, c.from, c.to, 1))
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s as %s (-want +got):\n%s", c.from, c.to, diff)
		}
	}
}

// newFindings are the findings of a changed document that the sound one has not.
func newFindings(t *testing.T, sound, changed string) string {
	t.Helper()
	known := map[string]bool{}
	for _, line := range findings(t, sound) {
		known[line] = true
	}
	var list []string
	for _, line := range findings(t, changed) {
		if !known[line] {
			list = append(list, line)
		}
	}
	return strings.Join(list, "\n")
}

func findings(t *testing.T, doc string) (list []string) {
	t.Helper()
	result, err := client.Parse(context.Background(), []byte(doc), &client.ParseOptions{Full: true, Path: pathOf(doc)})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range result.Diagnostics {
		list = append(list, string(d.Severity)+" "+d.Code+" "+d.Pointer)
	}
	return list
}

// pathOf is the place of a document whose name decides its format.
func pathOf(doc string) string {
	if doc[0] == '-' {
		return "/skills/pdf/SKILL.md"
	}
	return ""
}
