package call

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/placing"
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

// mcpOperationOf is the operation of a tool, a resource or a prompt.
func mcpOperationOf(r *run) (*mcpOperation, error) {
	c := r.tool.Capability
	name := c.Invocation.Operation
	if name == "" {
		return nil, fail(Refused, nil, "nothing says which of the server's tools it is")
	}
	switch c.Kind {
	default: // a tool, or an action of another format that names one
		return &mcpOperation{mcpCallTool, name, []parse.Member{{Name: "name", Value: parse.Quote(name)}, {Name: "arguments", Value: parse.Raw(r.args)}}}, nil
	case wayfind.KindPrompt:
		return &mcpOperation{"prompts/get", name, []parse.Member{{Name: "name", Value: parse.Quote(name)}, {Name: "arguments", Value: parse.Raw(r.args)}}}, nil
	case wayfind.KindResource:
		uri, err := r.resourceURI(c)
		if err != nil {
			return nil, err
		}
		return &mcpOperation{"resources/read", uri, []parse.Member{{Name: "uri", Value: parse.Quote(uri)}}}, nil
	}
}

// with writes the params, with more behind.
func (o *mcpOperation) with(more ...parse.Member) json.RawMessage {
	return json.RawMessage(parse.Obj(append(slices.Clone(o.params), more...)...))
}

// resourceURI is the URI of a resource, its template filled. The server alone reads it,
// but a value must not climb out of its place all the same.
func (r *run) resourceURI(c *wayfind.Capability) (string, error) {
	uri := c.Invocation.Operation
	if len(c.Params) == 0 {
		return uri, nil
	}
	t, err := uritemplate.Parse(uri)
	if err != nil {
		return "", fail(Refused, err, "its template cannot be filled")
	}
	root, err := (&parse.Input{Body: r.args}).JSONObject()
	if err != nil {
		return "", fail(InvalidArguments, err, "")
	}
	for name := range root.Members() {
		if !slices.Contains(t.Names(), name) {
			r.unplaced = append(r.unplaced, name)
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
			return "", fail(InvalidArguments, nil, "a variable of its address is no text, number or truth value")
		case !isText:
			s = string(n.Raw())
		}
		if s == "" || strings.ContainsFunc(s, isControl) || placing.CheckSegments(url.PathEscape(s)) != nil {
			return "", fail(InvalidArguments, nil, "a variable of its address climbs, is empty or has control characters")
		}
		values[name] = uritemplate.Text(s)
	}
	if uri, err = t.Expand(func(name string) uritemplate.Value { return values[name] }); err != nil {
		return "", fail(InvalidArguments, err, "")
	}
	return uri, nil
}

// takeMCP puts a result into the Result.
func (r *run) takeMCP(a *answer, result parse.Node) error {
	p := &r.result.Program
	p.Status, p.Header, p.Body = a.status, r.redactHeader(a.header), slices.Clone(result.Raw())
	switch r.mcp.method {
	case "resources/read":
		var list []parse.Node
		for _, c := range result.Get("contents").Items() {
			list = append(list, c)
		}
		r.takeContents(list)
		return nil
	case "prompts/get":
		var texts []string
		for _, m := range result.Get("messages").Items() {
			role, _ := m.Get("role").Str()
			said, _ := contentText(m.Get("content"))
			texts = append(texts, plainWord(role)+": "+said)
		}
		r.show("text/plain", []byte(strings.Join(texts, "\n")))
		return nil
	}
	return r.takeTool(result)
}

// takeTool shows the result of a tool.
func (r *run) takeTool(result parse.Node) error {
	var texts []string
	for _, c := range result.Get("content").Items() {
		said, _ := contentText(c)
		texts = append(texts, said)
	}
	failed, _ := result.Get("isError").Bool()
	if s := result.Get("structuredContent"); s.Exists() && !failed {
		r.show("application/json", s.Raw())
		return nil
	}
	r.show("text/plain", []byte(strings.Join(texts, "\n")))
	if failed {
		return fail(UpstreamError, nil, "the tool reports an error")
	}
	return nil
}

// takeContents shows what a resource holds: one text by its type, else all in turn.
func (r *run) takeContents(list []parse.Node) {
	if len(list) == 1 {
		if said, ok := list[0].Get("text").Str(); ok {
			mime, _ := list[0].Get("mimeType").Str()
			if mime == "" {
				mime = "text/plain"
			}
			r.show(mime, []byte(said))
			return
		}
	}
	var texts []string
	for _, c := range list {
		said, _ := resourceText(c)
		texts = append(texts, said)
	}
	r.show("text/plain", []byte(strings.Join(texts, "\n")))
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
		return octets(plainWord(kind), data, c), false
	}
	return "(content of a kind that is not shown: " + plainWord(kind) + ")", false
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
