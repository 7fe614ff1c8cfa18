package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
)

// maxValues is the largest number of values of a completion that a host gets (MCP 2025-11-25,
// Utilities, Completion).
const maxValues = 100

// complete answers completion/complete with the completion by the server that has the prompt or the
// template.
func (s *surface) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	name, ok := "", false
	box, _ := s.box(ctx, "")
	switch ref := req.Params.Ref; {
	case ref == nil:
	case ref.Type == "ref/prompt":
		box, name = s.box(ctx, ref.Name)
		ok = true
	case ref.Type == "ref/resource":
		name, ok = templateOf(box, hostsURI(box, ref.URI))
	}
	t, err := box.Tool(name)
	if !ok || err != nil || !isContent(t) || s.opts.ReadOnly && !t.ReadOnly() {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "there is no such prompt or resource template"}
	}
	out := &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}
	if !completes(t) {
		return out, nil // only other servers complete arguments
	}
	ask := &call.Completion{Argument: req.Params.Argument.Name, Value: req.Params.Argument.Value}
	if req.Params.Context != nil {
		ask.Given = req.Params.Context.Arguments
	}
	res, err := s.callerFor(ctx, req).Complete(ctx, box, name, ask)
	if r := res.Program.Request; r != nil && len(r.Credentials) > 0 {
		s.credentialUsed()
	}
	if err != nil {
		return nil, errors.New(res.Model.Text)
	}
	if err := json.Unmarshal(res.Model.JSON, &out.Completion); err != nil {
		return nil, errors.New("the server has answered with no completion")
	}
	if c := &out.Completion; len(c.Values) > maxValues {
		c.Values, c.HasMore = c.Values[:maxValues], true
	}
	if out.Completion.Values == nil {
		out.Completion.Values = []string{}
	}
	return out, nil
}

// templateOf returns the name of the tool of a resource or a template by the URI that a host sees.
func templateOf(box *tools.Box, uri string) (name string, ok bool) {
	for _, t := range box.Tools() {
		if isContent(&t) && t.Capability.Kind == wayfind.KindResource && hostURI(&t, t.Capability.Invocation.Operation) == uri {
			return t.Name, true
		}
	}
	return "", false
}

// completes reports whether the server of a tool declares that it completes arguments.
func completes(t *tools.Tool) bool {
	if t.Service == nil {
		return false
	}
	able, _ := abilitiesOf(t.Service)
	return able.Completions != nil
}

// declared removes completions from the capabilities of this server if no server behind it
// completes arguments.
func (s *Server) declared(res mcp.Result) {
	var own *mcp.ServerCapabilities
	switch res := res.(type) {
	case *mcp.InitializeResult:
		own = res.Capabilities
	case *mcp.DiscoverResult:
		own = res.Capabilities
	}
	if own != nil && !s.completes() {
		own.Completions = nil
	}
}

// completes reports whether a server behind this one completes arguments.
func (s *Server) completes() bool {
	return slices.ContainsFunc(s.Box().Tools(), func(t tools.Tool) bool { return isContent(&t) && completes(&t) })
}
