package call

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/text"
	"github.com/wayfindhq/wayfind/internal/uritemplate"
	"github.com/wayfindhq/wayfind/parse"
)

// mcpCallTool is the method that calls a tool.
const mcpCallTool = "tools/call"

// mcpOperation is a request to an MCP server.
type mcpOperation struct {
	method string
	// name is what the field Mcp-Name repeats.
	name   string
	params []parse.Member
}

// mcpOperationOf is the operation of a tool, a resource or a prompt, with the arguments that
// it has no place for.
func mcpOperationOf(t *target) (op *mcpOperation, unplaced []string, err error) {
	c := t.tool.Capability
	name := c.Invocation.Operation
	if name == "" {
		return nil, nil, fail(Refused, nil, "nothing says which of the server's tools it is")
	}
	op = &mcpOperation{mcpCallTool, name, []parse.Member{{Name: "name", Value: parse.Quote(name)}, {Name: "arguments", Value: parse.Raw(t.args)}}}
	switch c.Kind { // any other is a tool, or an action of another format that names one
	case wayfind.KindPrompt:
		op.method = "prompts/get"
	case wayfind.KindResource:
		op.method = "resources/read"
		if op.name, unplaced, err = resourceURI(c, t.args); err != nil {
			return nil, nil, err
		}
		op.params = []parse.Member{{Name: "uri", Value: parse.Quote(op.name)}}
	}
	return op, unplaced, nil
}

// with writes the params, with more behind.
func (o *mcpOperation) with(more ...parse.Member) parse.Raw {
	return parse.Obj(append(slices.Clone(o.params), more...)...)
}

// resourceURI is the URI of a resource, its template filled. The server alone reads it,
// but a value must not climb out of its place all the same.
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
		if s == "" || s == "." || s == ".." || strings.Contains(s, "../") || strings.ContainsFunc(s, isControl) {
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
	case "resources/read":
		mime, said := contentsText(result.Get("contents"))
		s.show(res, mime, []byte(said))
		return nil
	case "prompts/get":
		var texts []string
		for _, m := range result.Get("messages").Items() {
			role, _ := m.Get("role").Str()
			said, _ := contentText(m.Get("content"))
			texts = append(texts, text.PlainWord(role)+": "+said)
		}
		s.show(res, "text/plain", []byte(strings.Join(texts, "\n")))
		return nil
	}
	failed, _ := result.Get("isError").Bool()
	if structured := result.Get("structuredContent"); structured.Exists() && !failed {
		s.show(res, "application/json", structured.Raw())
		return nil
	}
	var texts []string
	for _, c := range result.Get("content").Items() {
		said, _ := contentText(c)
		texts = append(texts, said)
	}
	s.show(res, "text/plain", []byte(strings.Join(texts, "\n")))
	if failed {
		return fail(UpstreamError, nil, "the tool reports an error")
	}
	return nil
}

// contentsText is what a resource holds: one text by its type, else all in turn.
func contentsText(list parse.Node) (mime, said string) {
	if only := list.Index(0); list.Len() == 1 {
		if said, ok := only.Get("text").Str(); ok {
			mime, _ = only.Get("mimeType").Str()
			return cmp.Or(mime, "text/plain"), said
		}
	}
	var texts []string
	for _, c := range list.Items() {
		said, _ := resourceText(c)
		texts = append(texts, said)
	}
	return "text/plain", strings.Join(texts, "\n")
}

// contentText is a block of content as a model may read it: text as it is, links and
// embedded resources by their address, octets as facts.
func contentText(c parse.Node) (said string, isText bool) {
	if said, ok := c.Get("text").Str(); ok {
		return said, true
	}
	kind, _ := c.Get("type").Str()
	switch kind {
	case "resource":
		return resourceText(c.Get("resource"))
	case "resource_link":
		uri, _ := c.Get("uri").Str()
		name, _ := c.Get("name").Str()
		return fmt.Sprintf("(a link to the resource %s, %s%s)", oneLine(name), oneLine(uri), mimeOf(c)), false
	}
	if data, ok := c.Get("data").Str(); ok {
		return octets(text.PlainWord(kind), data, c), false
	}
	return "(content of a kind that is not shown: " + text.PlainWord(kind) + ")", false
}

// resourceText is a resource in a result.
func resourceText(c parse.Node) (said string, isText bool) {
	if said, ok := c.Get("text").Str(); ok {
		return said, true
	}
	uri, _ := c.Get("uri").Str()
	data, _ := c.Get("blob").Str()
	return octets("the resource "+oneLine(uri), data, c), false
}

// octets are told by their size, type and digest.
func octets(what, data string, c parse.Node) string {
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return "(" + what + mimeOf(c) + ", which is no base64)"
	}
	sum := sha256.Sum256(raw)
	return fmt.Sprintf("(%s%s, %d bytes, sha256 %s)", what, mimeOf(c), len(raw), hex.EncodeToString(sum[:]))
}

func mimeOf(c parse.Node) string {
	mime, _ := c.Get("mimeType").Str()
	if mime == "" {
		return ""
	}
	return ", " + oneLine(mime)
}

// oneLine is foreign text within a line of ours.
func oneLine(s string) string {
	clean, _ := text.Clean(s, false, 256)
	return clean
}
