package wayfind_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
)

// An argument that Input requires has a place in Params: a call over plain HTTP has no other word for
// it. An optional one without a place leaves a call possible.
func TestCapabilityCheckInput(t *testing.T) {
	http := &wayfind.Invocation{Protocol: "http", Method: "POST", URL: "https://example.com/x"}
	for _, tt := range []struct {
		input  string
		params []wayfind.Param
		call   *wayfind.Invocation
		want   string
	}{
		{`{"properties":{"n":{}},"required":["n"]}`, nil, http, `requires the argument "n"`},
		{`{"properties":{"n":{}},"required":["n"]}`, []wayfind.Param{{Name: "m", In: "body"}}, http, `requires the argument "n"`},
		{`{"properties":{"n":{}},"required":["n"]}`, []wayfind.Param{{Name: "n", In: "body"}}, http, ""},
		{`{"properties":{"n":{}},"required":["n"]}`, []wayfind.Param{{Name: "m", Argument: "n", In: "query"}}, http, ""},
		{`{"properties":{"n":{}},"required":["n"]}`, nil, &wayfind.Invocation{Protocol: "mcp", Via: "mcp", Operation: "x"}, ""},
		{`{"properties":{"n":{}}}`, nil, http, ""}, {`{"required":true}`, nil, http, ""}, {`true`, nil, http, ""}, {``, nil, http, ""},
	} {
		check(t, wayfind.Capability{Kind: wayfind.KindOperation, Invocation: tt.call, Params: tt.params, Input: json.RawMessage(tt.input)}, tt.want)
	}
}

// An invocation must be sufficient to make the call.
func TestCapabilityCheckInvocation(t *testing.T) {
	type in = wayfind.Invocation
	id := []wayfind.Param{{Name: "id", In: "path"}}
	tests := []struct {
		name   string
		call   in
		params []wayfind.Param
		want   string // a part of the text; "" means callable
	}{
		{"url", in{Protocol: "http", Method: "GET", URL: "https://example.com/x"}, nil, ""},
		{"http url", in{Protocol: "http", Method: "GET", URL: "http://example.com/x"}, nil, ""},
		{"other method", in{Protocol: "http", Method: "VERSION-CONTROL", URL: "https://example.com/x"}, nil, ""},
		{"template", in{Protocol: "http", Method: "GET", Template: "https://example.com/{id}"}, id, ""},
		{"template of a query", in{Protocol: "http", Method: "GET", Template: "https://example.com{?id*}"}, id, ""},
		{"template of a path", in{Protocol: "http", Method: "GET", Template: "https://example.com{/id}"}, id, ""},
		{"template of a port", in{Protocol: "http", Method: "GET", Template: "https://{id}.example.com:{id}/"}, id, ""},
		{"interface", in{Protocol: "mcp", Via: "mcp", Operation: "x"}, nil, ""},
		{"interface with a URL", in{Protocol: "a2a", URL: "https://example.com/a2a"}, nil, ""},
		{"other scheme", in{Protocol: "a2a", URL: "wss://example.com/a2a"}, nil, ""},

		{"nothing", in{}, nil, "no protocol"},
		{"nowhere", in{Protocol: "http", Method: "GET"}, nil, "neither a URL nor an interface"},
		{"twice", in{Protocol: "http", Method: "GET", URL: "https://example.com/", Template: "https://example.com/{id}"}, id, "a URL and a template"},
		{"no tool", in{Protocol: "mcp", Via: "mcp"}, nil, "no tool"},
		{"no method", in{Protocol: "http", URL: "https://example.com/x"}, nil, "no method"},
		{"lower case", in{Protocol: "http", Method: "get", URL: "https://example.com/x"}, nil, "upper case"},
		{"two methods", in{Protocol: "http", Method: "GET POST", URL: "https://example.com/x"}, nil, "upper case"},
		{"tunnel", in{Protocol: "http", Method: "CONNECT", URL: "https://example.com/x"}, nil, "not for calling"},
		{"path", in{Protocol: "http", Method: "GET", URL: "/x"}, nil, "not an absolute URL"},
		{"no host", in{Protocol: "http", Method: "GET", URL: "https:///x"}, nil, "not an absolute URL"},
		{"no URL", in{Protocol: "a2a", URL: "%zz"}, nil, "not an absolute URL"},
		{"scheme", in{Protocol: "http", Method: "GET", URL: "ftp://example.com/x"}, nil, "neither https nor http"},
		{"braces in the URL", in{Protocol: "http", Method: "GET", URL: "https://example.com/{id}"}, id, "it is a template"},
		{"variable", in{Protocol: "http", Method: "GET", Template: "https://example.com/{id}/{part}"}, id, `variable "part"`},
		{"variable of a list", in{Protocol: "http", Method: "GET", Template: "https://example.com/{?id,part:3}"}, id, `variable "part"`},
		{"variable of the host", in{Protocol: "http", Method: "GET", Template: "https://{tenant}.example.com/{id}"}, id, `variable "tenant"`},
		{"open brace", in{Protocol: "http", Method: "GET", Template: "https://example.com/{id"}, id, "not well-formed"},
		{"closing brace", in{Protocol: "http", Method: "GET", Template: "https://example.com/id}"}, id, "not well-formed"},
		{"nested braces", in{Protocol: "http", Method: "GET", Template: "https://example.com/{a{id}}"}, id, "not well-formed"},
		{"no name", in{Protocol: "http", Method: "GET", Template: "https://example.com/{}"}, id, "not well-formed"},
		{"relative template", in{Protocol: "http", Method: "GET", Template: "/x/{id}"}, id, "its template is not an absolute URL"},
		{"template scheme", in{Protocol: "http", Method: "GET", Template: "ftp://example.com/{id}"}, id, "scheme of its template"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			check(t, wayfind.Capability{Kind: wayfind.KindOperation, Invocation: &tt.call, Params: tt.params}, tt.want)
		})
	}
}

// Check returns the reason for each kind of capability without an invocation.
func TestCapabilityCheckKind(t *testing.T) {
	detail := []string{"https://example.com/detail"}
	tests := []struct {
		cap  wayfind.Capability
		want string
	}{
		{wayfind.Capability{Kind: wayfind.KindOperation}, "no well-formed contract"},
		{wayfind.Capability{Kind: wayfind.KindTool}, "a tool is used through an interface"},
		{wayfind.Capability{Kind: wayfind.KindSkill}, "a skill has no contract"},
		{wayfind.Capability{Kind: wayfind.KindRPCMethod}, "an rpc_method is used through an interface"},
		{wayfind.Capability{Kind: wayfind.KindStatement}, "a statement has no contract"},
		{wayfind.Capability{Kind: wayfind.KindAgent}, "an agent has no contract"},
		{wayfind.Capability{Kind: wayfind.KindIntent}, "an intent has no contract"},
		{wayfind.Capability{Kind: wayfind.KindFlow}, "several calls"},
		{wayfind.Capability{Kind: wayfind.KindResource}, "a resource is used through an interface"},
		{wayfind.Capability{Kind: wayfind.KindPrompt}, "a prompt is used through an interface"},
		{wayfind.Capability{Kind: wayfind.KindSkillFile}, "to be read"},
		{wayfind.Capability{Kind: "of a later version"}, "no well-formed contract"},
		{wayfind.Capability{Kind: wayfind.KindOperation, Lazy: true, DetailURLs: detail}, "call Describe"},
		{wayfind.Capability{Kind: wayfind.KindSkill, Lazy: true, DetailURLs: detail}, "call Describe"},
		{wayfind.Capability{Kind: wayfind.KindOperation, Lazy: true}, "no usable URL"},
	}
	for _, tt := range tests {
		check(t, tt.cap, tt.want)
	}
}

// check compares the error of Check.
func check(t *testing.T, c wayfind.Capability, want string) {
	t.Helper()
	c.Key = "adp:x"
	err := c.Check()
	if want == "" {
		if err != nil {
			t.Errorf("Check = %v, want nil", err)
		}
		return
	}
	var e *wayfind.Error
	if !errors.As(err, &e) || !errors.Is(err, wayfind.ErrInvalid) || e.Op != "check" || e.Code != wayfind.CodeSchema {
		t.Fatalf("Check of a %s = %v, want an *Error of kind ErrInvalid", c.Kind, err)
	}
	if !strings.Contains(err.Error(), want) || e.URL != "adp:x" {
		t.Errorf("Check of a %s = %v, want the key and %q", c.Kind, err, want)
	}
}
