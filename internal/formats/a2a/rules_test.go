package a2a_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/parse"
)

// face returns a valid interface of 1.0 with replaced members.
func face(replace object) object {
	return formattest.Edit(object{"url": "https://a.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}, replace)
}

// The order of a card is the order of preference (1.0 §8.3.2). The protocol of a place is read
// regardless of the spelling of its name.
func TestInterfacesOf10(t *testing.T) {
	const at, version = "/supportedInterfaces/0", " [1.0] A2A-Version"
	for _, c := range []struct {
		face  object
		place string
		want  []string
	}{
		{nil, "a2a jsonrpc https://a.example/a2a" + version, nil},
		{object{"tenant": " T/ü "}, "a2a jsonrpc https://a.example/a2a [1.0]  T/ü  A2A-Version", nil},
		{object{"tenant": ""}, "a2a jsonrpc https://a.example/a2a" + version, nil},
		{object{"protocolBinding": "GRPC"}, "a2a grpc https://a.example/a2a" + version, nil},
		{object{"protocolBinding": "HTTP+JSON"}, "a2a http+json https://a.example/a2a" + version, nil},
		{object{"protocolBinding": "urn:x:y"}, "a2a urn:x:y https://a.example/a2a" + version, nil},
		{object{"protocolBinding": "json-rpc"}, "a2a jsonrpc https://a.example/a2a" + version, []string{"warning binding " + at + "/protocolBinding"}},
		{object{"protocolBinding": "REST"}, "a2a http+json https://a.example/a2a" + version, []string{"warning binding " + at + "/protocolBinding"}},
		{object{"protocolBinding": "HTTP+HTML"}, "a2a HTTP+HTML https://a.example/a2a" + version, []string{"warning binding " + at + "/protocolBinding"}},
		{object{"protocolBinding": ""}, "a2a  https://a.example/a2a" + version, []string{"error binding " + at + "/protocolBinding"}},
		{object{"protocolBinding": nil}, "a2a  https://a.example/a2a" + version, []string{"error missing " + at}},
		{object{"protocolBinding": nil, "transport": "JSONRPC"}, "a2a jsonrpc https://a.example/a2a" + version, []string{"error interface_transport " + at + "/transport"}},
		{object{"protocolBinding": nil, "transport": "sse", "protocol": "MCP", "protocolVersion": nil}, "mcp sse https://a.example/a2a []",
			[]string{"error interface_protocol " + at + "/protocol"}},
		{object{"protocolVersion": "0.3"}, "a2a jsonrpc https://a.example/a2a [0.3]", nil},
		{object{"protocolVersion": "1.0.1"}, "a2a jsonrpc https://a.example/a2a [1.0.1] A2A-Version", []string{"warning version " + at + "/protocolVersion"}},
		{object{"protocolVersion": "2.0"}, "a2a jsonrpc https://a.example/a2a [2.0] A2A-Version", []string{"warning version " + at + "/protocolVersion"}},
		{object{"protocolVersion": nil}, "a2a jsonrpc https://a.example/a2a [] A2A-Version", []string{"error missing " + at}},
		{object{"url": "/a2a"}, "a2a jsonrpc " + site + "/a2a" + version, []string{"warning endpoint_relative " + at + "/url"}},
		{object{"url": "https://{tenant}.a.example/"}, "a2a jsonrpc https://{tenant}.a.example/" + version, []string{"warning endpoint_host " + at + "/url"}},
	} {
		r := read(t, face10(face(c.face)))
		if diff := cmp.Diff([]string{c.place}, places(r)); diff != "" {
			t.Errorf("%v: places (-want +got):\n%s", c.face, diff)
		}
		if diff := cmp.Diff(c.want, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%v: diagnostics (-want +got):\n%s", c.face, diff)
		}
	}
	r := read(t, face10(face(object{"protocolBinding": "GRPC"}), face(nil), face(nil), face(object{"tenant": "a"}), face(object{"protocolVersion": "0.3"})))
	want := []string{
		"a2a grpc https://a.example/a2a [1.0] A2A-Version", "a2a jsonrpc https://a.example/a2a [1.0] A2A-Version",
		"a2a jsonrpc https://a.example/a2a [1.0] a A2A-Version", "a2a jsonrpc https://a.example/a2a [0.3]",
	}
	if diff := cmp.Diff(want, places(r)); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"warning duplicate_interface /supportedInterfaces/2"}, codes(r.Diagnostics)); diff != "" {
		t.Errorf("duplicates (-want +got):\n%s", diff)
	}
}

// A gRPC address is host:port and never becomes a URL.
func TestGRPCAddresses(t *testing.T) {
	for address, want := range map[string]string{
		"grpc.a.example:443":        `"grpc.a.example:443"`,
		"grpc.a.example:50051":      `"grpc.a.example:50051"`,
		"[2001:db8::1]:443":         `"[2001:db8::1]:443" endpoint_host`,
		"localhost:443":             `"localhost:443" endpoint_host`,
		"127.0.0.1:443":             `"127.0.0.1:443" endpoint_host`,
		"grpc://grpc.a.example:443": `"grpc.a.example:443" grpc_address`,
		"dns:///grpc.a.example:443": `"grpc.a.example:443" grpc_address`,
		"grpc.a.example":            "- grpc_address",
		"grpc.a.example:0":          "- grpc_address",
		"grpc.a.example:65536":      "- grpc_address",
		"grpc.a.example:+443":       "- grpc_address",
		"user@grpc.a.example:443":   "- grpc_address",
		":443":                      "- grpc_address",
		"a b:443":                   "- grpc_address",
		"[::1:443":                  "- grpc_address",
		"a\r\nb:443":                "- grpc_address",
		"":                          "- grpc_address",
	} {
		for _, card := range []object{
			face10(face(nil), face(object{"protocolBinding": "GRPC", "url": address})),
			card03(object{"additionalInterfaces": []any{object{"url": site + "/a2a", "transport": "JSONRPC"}, object{"url": address, "transport": "GRPC"}}}),
		} {
			r := read(t, card)
			got := "-"
			for _, f := range r.Services[0].Interfaces {
				if f.Transport == "grpc" {
					got = string(f.Extensions["address"])
					if f.URL != "" || f.Template != "" {
						t.Errorf("%q: URL %q", address, f.URL+f.Template)
					}
				}
			}
			for _, d := range r.Diagnostics {
				got += " " + strings.TrimPrefix(d.Code, "a2a.")
			}
			if got != want {
				t.Errorf("%q: got %s, want %s", address, got, want)
			}
		}
	}
}

// Before 1.0 the main URL is the preferred place, and an unnamed transport is JSONRPC. Further
// places follow (0.3 §5.6).
func TestInterfacesBefore10(t *testing.T) {
	more := func(list ...any) object { return object{"additionalInterfaces": list} }
	for name, c := range map[string]struct {
		card   object
		places []string
		want   []string
	}{
		"default": {card03(object{"preferredTransport": nil}), []string{"a2a jsonrpc " + site + "/a2a [0.3.0]"}, []string{"warning missing "}},
		"repeated": {card03(more(object{"url": site + "/a2a", "transport": "JSONRPC"}, object{"url": site + "/rest", "transport": "HTTP+JSON"})),
			[]string{"a2a jsonrpc " + site + "/a2a [0.3.0]", "a2a http+json " + site + "/rest [0.3.0]"}, nil},
		"not repeated": {card03(more(object{"url": site + "/rest", "transport": "HTTP+JSON"})),
			[]string{"a2a jsonrpc " + site + "/a2a [0.3.0]", "a2a http+json " + site + "/rest [0.3.0]"}, []string{"warning main_interface /additionalInterfaces"}},
		"in conflict": {card03(more(object{"url": site + "/a2a", "transport": "JSONRPC"}, object{"url": site + "/a2a", "transport": "HTTP+JSON"})),
			[]string{"a2a jsonrpc " + site + "/a2a [0.3.0]", "a2a http+json " + site + "/a2a [0.3.0]"}, []string{"error transport_conflict /additionalInterfaces/1"}},
		"another version": {card03(object{"protocolVersion": "1.0"}), []string{"a2a jsonrpc " + site + "/a2a [1.0]"}, []string{"warning version /protocolVersion"}},
		"a number":        {card03(object{"protocolVersion": 0.3}), []string{"a2a jsonrpc " + site + "/a2a [0.3]"}, []string{"warning wrong_type /protocolVersion"}},
	} {
		r := read(t, c.card)
		if diff := cmp.Diff(c.places, places(r)); diff != "" {
			t.Errorf("%s: places (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(c.want, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%s: diagnostics (-want +got):\n%s", name, diff)
		}
	}
}

// In a union the interfaces of 1.0 come first, without duplicates.
func TestInterfacesOfUnions(t *testing.T) {
	for name, c := range map[string]struct {
		card object
		want []string
	}{
		"the same place": {
			formattest.Edit(face10(face(object{"protocolVersion": "0.3"})), object{"url": "https://a.example/a2a", "preferredTransport": "JSONRPC", "protocolVersion": "0.3.0"}),
			[]string{"a2a jsonrpc https://a.example/a2a [0.3]"},
		},
		"a default says nothing": {
			formattest.Edit(face10(face(object{"url": "https://a.example/", "protocolBinding": "HTTP+JSON"})), object{"url": "https://a.example"}),
			[]string{"a2a http+json https://a.example/ [1.0] A2A-Version"},
		},
		"another place": {
			formattest.Edit(face10(face(nil)), object{"url": "https://a.example/old", "protocolVersion": "0.3.0", "preferredTransport": "JSONRPC"}),
			[]string{"a2a jsonrpc https://a.example/a2a [1.0] A2A-Version", "a2a jsonrpc https://a.example/old [0.3.0]"},
		},
		"only the former": {
			formattest.Edit(face10(), object{"url": "https://a.example/old", "protocolVersion": "0.3.0", "preferredTransport": "JSONRPC"}),
			[]string{"a2a jsonrpc https://a.example/old [0.3.0]"},
		},
	} {
		r := read(t, c.card)
		if diff := cmp.Diff(c.want, places(r)); diff != "" || r.Dialect != "union" || r.Unusable != "" {
			t.Errorf("%s: dialect %q, unusable %q (-want +got):\n%s", name, r.Dialect, r.Unusable, diff)
		}
	}
}

// In a union each member is reported with the version that defines it.
func TestSpecOfUnions(t *testing.T) {
	r := read(t, formattest.Edit(face10(face(object{"protocolBinding": "json"})), object{"url": "https://a.example/x", "preferredTransport": "grpc2"}))
	var got []string
	for _, d := range r.Diagnostics {
		got = append(got, d.Spec.String()+" "+d.Pointer)
	}
	if diff := cmp.Diff([]string{"A2A 1.0 §4.4.6 /supportedInterfaces/0/protocolBinding", "A2A 0.3 §5.6 /preferredTransport"}, got); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
}

// Calls must name required extensions, in the field of their version.
func TestRequiredExtensions(t *testing.T) {
	required := object{"extensions": []any{object{"uri": "urn:a", "required": false}, object{"uri": "urn:b", "required": true}}}
	for want, card := range map[string]object{
		"X-A2A-Extensions":           card03(object{"capabilities": required}),
		"A2A-Extensions A2A-Version": card10(object{"capabilities": required}),
		"A2A-Version":                card10(object{"capabilities": object{"extensions": []any{object{"uri": "urn:a"}}}}),
	} {
		if got := strings.Join(read(t, card).Services[0].Interfaces[0].RequiredHeaders, " "); got != want {
			t.Errorf("headers %q, want %q", got, want)
		}
	}
	r := read(t, formattest.Edit(face10(face(nil), face(object{"protocolVersion": "0.3"})), object{"capabilities": required}))
	if got := r.Services[0].Interfaces[1].RequiredHeaders; !slices.Equal(got, []string{"X-A2A-Extensions"}) {
		t.Errorf("headers of the former version: %q", got)
	}
}

// The place of the extended card depends on version and transport.
func TestExtendedCards(t *testing.T) {
	flag := object{"capabilities": object{"extendedAgentCard": true}}
	for name, c := range map[string]struct {
		card    object
		urls    []string
		methods string
	}{
		"0.2.5 below a path": {card03(object{"protocolVersion": "0.2.5", "supportsAuthenticatedExtendedCard": true, "url": site + "/x/y/"}),
			[]string{site + "/x/agent/authenticatedExtendedCard"}, ""},
		"0.2.5 at the root": {card03(object{"protocolVersion": "0.2.5", "supportsAuthenticatedExtendedCard": true, "url": site}),
			[]string{site + "/agent/authenticatedExtendedCard"}, ""},
		"0.3 JSON-RPC":  {card03(object{"supportsAuthenticatedExtendedCard": true}), nil, `{"methods":["agent/getAuthenticatedExtendedCard"]}`},
		"0.3 REST":      {card03(object{"supportsAuthenticatedExtendedCard": true, "preferredTransport": "HTTP+JSON"}), []string{site + "/a2a/v1/card"}, ""},
		"0.3 REST /v1":  {card03(object{"supportsAuthenticatedExtendedCard": true, "preferredTransport": "HTTP+JSON", "url": site + "/v1"}), []string{site + "/v1/card", site + "/v1/v1/card"}, ""},
		"0.3 not there": {card03(object{"supportsAuthenticatedExtendedCard": false}), nil, ""},
		"1.0 JSON-RPC":  {card10(flag), nil, `{"methods":["GetExtendedAgentCard"]}`},
		"1.0 REST":      {formattest.Edit(face10(face(object{"protocolBinding": "HTTP+JSON"})), flag), []string{"https://a.example/a2a/extendedAgentCard?A2A-Version=1.0"}, ""},
		"1.0 tenant": {formattest.Edit(face10(face(object{"protocolBinding": "HTTP+JSON", "tenant": "../x"})), flag),
			[]string{"https://a.example/a2a/..%2Fx/extendedAgentCard?A2A-Version=1.0"}, ""},
		"1.0 tenant of dots": {formattest.Edit(face10(face(object{"protocolBinding": "HTTP+JSON", "tenant": ".."})), flag),
			[]string{"https://a.example/a2a/%2E%2E/extendedAgentCard?A2A-Version=1.0"}, ""},
		"1.0 gRPC":     {formattest.Edit(face10(face(object{"protocolBinding": "GRPC", "url": "a.example:443"})), flag), nil, `{"methods":["GetExtendedAgentCard"]}`},
		"1.0 custom":   {formattest.Edit(face10(face(object{"protocolBinding": "urn:x"})), flag), nil, ""},
		"1.0 not said": {card10(nil), nil, ""},
	} {
		s := read(t, c.card).Services[0]
		if diff := cmp.Diff(c.urls, s.DetailURLs); diff != "" || s.Lazy != (c.urls != nil) || string(s.Extensions["extendedCard"]) != c.methods {
			t.Errorf("%s: lazy %t, methods %s (-want +got):\n%s", name, s.Lazy, s.Extensions["extendedCard"], diff)
		}
	}
}

// An extended card is a complete card, and names no further one.
func TestDetail(t *testing.T) {
	format := a2a.Format()
	card := card03(object{"supportsAuthenticatedExtendedCard": true, "skills": []any{skill(nil), skill(object{"id": "more"})}})
	public := read(t, card03(object{"supportsAuthenticatedExtendedCard": true, "preferredTransport": "HTTP+JSON"})).Services[0]
	r, err := format.Detail(served(t, formattest.JSON(t, card)), parse.Subject{Service: &public})
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Services[0]; s.Lazy || s.DetailURLs != nil || s.Extensions["extendedCard"] != nil || r.Diagnostics != nil || !slices.Equal(formattest.IDs(r), []string{"find", "more"}) {
		t.Errorf("lazy %t, at %q, skills %q, %q", s.Lazy, s.DetailURLs, formattest.IDs(r), codes(r.Diagnostics))
	}
	for _, body := range []string{`{"error": {"code": 404}}`, `[]`, ``, `{"jsonrpc": "2.0", "result": {}}`} {
		if r, err := format.Detail(served(t, []byte(body)), parse.Subject{}); err == nil {
			t.Errorf("%s: read as %+v", body, r)
		}
	}
}

// Skills are not calls, and must not look like contracts.
func TestSkillsHaveNoInvocation(t *testing.T) {
	r := read(t, card10(object{
		"defaultInputModes": []string{"text/plain"}, "defaultOutputModes": []string{"text/plain", "image/*"},
		"skills": []any{skill(object{"outputModes": []string{"application/json"}, "examples": []string{"Find me a shoe"}, "x-cost": 1})},
	}))
	want := wayfind.Capability{
		ID: "find", Name: "Find", Description: "Finds things.", Tags: []string{"search"}, Kind: wayfind.KindSkill, Claimed: true,
		InputModes: []string{"text/plain"}, OutputModes: []string{"application/json"}, Examples: []wayfind.Example{{Text: "Find me a shoe"}},
		Sources: []wayfind.Ref{{Pointer: "/skills/0"}}, Extensions: map[string]parse.Raw{"x-cost": parse.Raw("1")},
	}
	if diff := cmp.Diff(want, r.Services[0].Capabilities[0]); diff != "" {
		t.Errorf("skill (-want +got):\n%s", diff)
	}
}

// Lists of media types are limited, and each skill has its own copy.
func TestModes(t *testing.T) {
	var many []string
	for i := range 100 {
		many = append(many, fmt.Sprint("a/", i))
	}
	r := read(t, card10(object{"defaultInputModes": many, "skills": []any{skill(nil), skill(object{"id": "b"})}}))
	list := r.Services[0].Capabilities
	if len(list[0].InputModes) != 32 || !slices.Equal(codes(r.Diagnostics), []string{"warning truncated /defaultInputModes"}) {
		t.Errorf("%d modes, %q", len(list[0].InputModes), codes(r.Diagnostics))
	}
	list[0].InputModes[0] = "changed"
	if list[1].InputModes[0] != "a/0" {
		t.Error("skills share a list")
	}
	for mode, sound := range map[string]bool{
		"text/plain": true, "*/*": true, "application/json; charset=utf-8": true, "application/vnd.x+json": true,
		"text": false, "": false, "text/": false, "/plain": false, "a/b/c": false, "text /plain": false,
	} {
		r := read(t, card10(object{"skills": []any{skill(object{"inputModes": []string{mode}})}}))
		if got := r.Services[0].Capabilities[0].InputModes; !slices.Equal(got, []string{mode}) || (r.Diagnostics == nil) != sound {
			t.Errorf("%q: read %q, %q", mode, got, codes(r.Diagnostics))
		}
	}
}

// The amount of data that is copied for one card is limited.
func TestCopiedSchemesAreBounded(t *testing.T) {
	scopes := object{}
	for i := range 500 {
		scopes[fmt.Sprint("s", i)] = ""
	}
	var skills []any
	for i := range 100 {
		skills = append(skills, skill(object{"id": fmt.Sprint("i", i), "security": []any{object{"o": []string{}}}}))
	}
	r := read(t, card03(object{"skills": skills, "securitySchemes": object{"o": object{"type": "oauth2", "flows": object{
		"clientCredentials": object{"tokenUrl": "https://a.example/t", "scopes": scopes},
	}}}}))
	copied := 0
	for _, c := range r.Services[0].Capabilities {
		if c.Auth.Schemes["o"].Kind != wayfind.SchemeOAuth2 {
			t.Fatalf("%s: %+v", c.ID, c.Auth)
		}
		for _, f := range c.Auth.Schemes["o"].Flows {
			copied += len(f.Scopes)
		}
	}
	if copied == 0 || copied > 10_000 || !slices.Equal(codes(r.Diagnostics), []string{"warning truncated /skills/19"}) {
		t.Errorf("%d scopes were copied, %q", copied, codes(r.Diagnostics))
	}
}
