package call

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/act/httpcall"
	"github.com/wayfindhq/wayfind/internal/act/mcp"
	"github.com/wayfindhq/wayfind/internal/syntax/mcpera"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/internal/syntax/uritemplate"
	"github.com/wayfindhq/wayfind/parse"
)

// The methods for calling a tool and for completing an argument.
const (
	mcpCallTool = "tools/call"
	mcpComplete = "completion/complete"
)

// mcpOperation is a request to an MCP server.
type mcpOperation struct {
	method string
	// name is the value of the field Mcp-Name; empty if the field is not sent.
	name   string
	params []rawjson.Member
}

// mcpOperationOf returns the operation of a tool, a resource or a prompt, and the arguments
// that do not fit anywhere in the request.
func mcpOperationOf(t *target) (op *mcpOperation, unplaced []string, err error) {
	c := t.tool.Capability
	name := c.Invocation.Operation
	if name == "" {
		return nil, nil, fail(Refused, nil, "nothing says which of the server's tools it is")
	}
	if t.completion != nil {
		return completionOf(c, t.completion), nil, nil
	}
	args, err := t.introduced()
	if err != nil {
		return nil, nil, err
	}
	op = &mcpOperation{mcpCallTool, name, []rawjson.Member{{Name: "name", Value: rawjson.Quote(name)}, {Name: "arguments", Value: args}}}
	switch c.Kind { // any other kind is a tool, or an action of another format that names a tool
	case wayfind.KindPrompt:
		op.method = "prompts/get"
	case wayfind.KindResource:
		op.method = "resources/read"
		if op.name, unplaced, err = resourceURI(c, t.args); err != nil {
			return nil, nil, err
		}
		op.params = []rawjson.Member{{Name: "uri", Value: rawjson.Quote(op.name)}}
	}
	return op, unplaced, nil
}

// with writes the params, followed by more.
func (o *mcpOperation) with(more ...rawjson.Member) parse.Raw {
	return rawjson.Obj(append(slices.Clone(o.params), more...)...)
}

// resourceURI returns the URI of a resource, with its template filled. Although only the
// server reads the URI, a value must not contain path segments of dots.
func resourceURI(c *wayfind.Capability, args []byte) (uri string, unplaced []string, err error) {
	uri = c.Invocation.Operation
	if len(c.Params) == 0 {
		return uri, nil, nil
	}
	t, err := uritemplate.Parse(uri)
	if err != nil {
		return "", nil, fail(Refused, err, "its template cannot be filled")
	}
	root, err := (&parse.Input{Body: args}).JSONObject()
	if err != nil {
		return "", nil, fail(InvalidArguments, err, "")
	}
	for name := range root.Members() {
		if !slices.Contains(t.Names(), name) {
			unplaced = append(unplaced, name)
		}
	}
	values := make(map[string]uritemplate.Value)
	for _, name := range t.Names() {
		n := root.Get(name)
		s, isText := n.Str()
		switch {
		case !n.Exists() || n.Kind() == parse.Null:
			continue
		case n.Kind() == parse.Array || n.Kind() == parse.Object:
			return "", nil, fail(InvalidArguments, nil, "a variable of its address is no text, number or truth value")
		case !isText:
			s = string(n.Raw())
		}
		if s == "" || strings.ContainsFunc(s, isControl) || httpcall.CheckSegments(url.PathEscape(s)) != nil {
			return "", nil, fail(InvalidArguments, nil, "a variable of its address climbs, is empty or has control characters")
		}
		values[name] = uritemplate.Text(s)
	}
	if uri, err = t.Expand(func(name string) uritemplate.Value { return values[name] }); err != nil {
		return "", nil, fail(InvalidArguments, err, "")
	}
	return uri, unplaced, nil
}

// take shows a result.
func (o *mcpOperation) take(s sent, res *Result, result parse.Node) error {
	switch o.method {
	case mcpComplete:
		s.show(res, "application/json", result.Get("completion").Raw())
		return nil
	case "resources/read":
		mime, said := mcp.Contents(result.Get("contents"))
		s.show(res, mime, []byte(said))
		for _, c := range result.Get("contents").Items() {
			s.mcpBlock(res, "", c)
		}
		return nil
	case "prompts/get":
		var texts []string
		for _, m := range result.Get("messages").Items() {
			role, _ := m.Get("role").Str()
			s.mcpBlock(res, cmp.Or(role, "user"), m.Get("content"))
			texts = append(texts, text.PlainWord(role)+": "+mcp.Text(m.Get("content")))
		}
		s.show(res, "text/plain", []byte(strings.Join(texts, "\n")))
		return nil
	}
	failed := saysFailed(result.Get("isError"))
	for _, c := range result.Get("content").Items() {
		if !failed {
			s.mcpBlock(res, "", c)
		}
	}
	if structured := result.Get("structuredContent"); structured.Exists() && !failed {
		s.show(res, "application/json", structured.Raw())
		return nil
	}
	var texts []string
	for _, c := range result.Get("content").Items() {
		texts = append(texts, mcp.Text(c))
	}
	s.show(res, "text/plain", []byte(strings.Join(texts, "\n")))
	if failed {
		return fail(UpstreamError, nil, "the tool reports an error")
	}
	return nil
}

// fields returns header fields that repeat a part of the body, so that intermediaries can
// route the request by them.
func (o *mcpOperation) fields(t *target) (http.Header, error) {
	h := http.Header{"Mcp-Protocol-Version": {mcpera.Modern}, "Mcp-Method": {o.method}}
	if o.name != "" {
		h["Mcp-Name"] = []string{fieldForm(o.name)}
	}
	if o.method != mcpCallTool {
		return h, nil
	}
	args, err := (&parse.Input{Body: t.args}).JSONObject()
	if err != nil {
		return nil, fail(InvalidArguments, err, "")
	}
	schema, err := (&parse.Input{Body: t.tool.Capability.Input}).JSON()
	if err != nil {
		return h, nil
	}
	if err := paramFields(h, schema, args); err != nil {
		return nil, err
	}
	return h, nil
}

// saysFailed reports whether a word says that a call failed: one of another type than a boolean does, but for
// the text "false".
func saysFailed(n parse.Node) bool {
	if said, isText := n.Str(); isText {
		return !strings.EqualFold(said, "false")
	}
	failed, isBool := n.Bool()
	return failed || !isBool && n.Exists() && n.Kind() != parse.Null
}
