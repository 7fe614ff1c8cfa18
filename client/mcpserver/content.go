package mcpserver

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
)

// maxContent is the largest number of resources and templates that are listed, and the largest
// number of prompts. A model finds the others by searching.
const maxContent = 1000

// isContent reports whether a tool reads a resource or gets a prompt of an MCP server.
func isContent(t *tools.Tool) bool {
	c := t.Capability
	return c != nil && c.Invocation != nil && c.Invocation.Protocol == "mcp" && (c.Kind == wayfind.KindPrompt || c.Kind == wayfind.KindResource)
}

// content returns the prompts, resources and templates of a Box.
func (s *surface) content(box *tools.Box) (list []offered) {
	seen := make(map[offerID]bool)
	count := make(map[wayfind.Kind]int)
	for _, t := range box.Tools() {
		if !isContent(&t) || s.opts.ReadOnly && !t.ReadOnly() || count[t.Capability.Kind] == maxContent {
			continue
		}
		o, ok := s.contentOf(box, t.Name)
		if !ok || seen[o.id()] {
			continue // a model finds its tool by searching
		}
		seen[o.id()] = true
		count[t.Capability.Kind]++
		list = append(list, o)
	}
	return list
}

// contentOf returns the offer of one tool. ok is false if hosts could not read it.
func (s *surface) contentOf(box *tools.Box, name string) (o offered, ok bool) {
	t, err := box.Tool(name)
	if err != nil {
		return o, false
	}
	c := t.Capability
	about := mcp.Meta{metaPrefix + "origin": t.Origin, metaPrefix + "key": t.Key}
	if c.Kind == wayfind.KindPrompt {
		p := &mcp.Prompt{Meta: about, Name: t.Name, Title: c.Title, Description: t.Description()}
		for _, param := range c.Params {
			p.Arguments = append(p.Arguments, &mcp.PromptArgument{Name: param.Name, Description: param.Description, Required: param.Required != nil && *param.Required})
		}
		return offered{prompt: p, get: s.getPrompt}, true
	}
	uri := c.Invocation.Operation
	if !isURI(uri) {
		return o, false
	}
	media := ""
	if len(c.OutputModes) == 1 {
		media = c.OutputModes[0]
	}
	o.read = s.readResource
	if variable.MatchString(uri) {
		o.template = &mcp.ResourceTemplate{Meta: about, URITemplate: hostURI(t, uri), Name: t.Name, Title: c.Title, Description: t.Description(), MIMEType: media}
	} else {
		o.resource = &mcp.Resource{Meta: about, URI: hostURI(t, uri), Name: t.Name, Title: c.Title, Description: t.Description(), MIMEType: media}
	}
	return o, true
}

// resourceOf returns the tool that reads a resource, and its arguments. A listed resource has
// precedence over a template.
func resourceOf(box *tools.Box, uri string) (name string, arguments json.RawMessage, ok bool) {
	for _, t := range box.Tools() {
		if !isContent(&t) || t.Capability.Kind != wayfind.KindResource {
			continue
		}
		template := hostURI(&t, t.Capability.Invocation.Operation)
		if values, matches := variables(template, uri); matches {
			raw, err := json.Marshal(values)
			if name, arguments, ok = t.Name, raw, err == nil; template == uri {
				return name, arguments, ok
			}
		}
	}
	return name, arguments, ok
}

// readResource answers resources/read.
func (s *surface) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	in := answered{about: aboutOf("resources/read", req.Params.URI, nil), state: req.Params.RequestState, responses: req.Params.InputResponses}
	res, err := s.inRoundTrips(ctx, req, in, func(questions mcp.InputRequestMap, state string) mcp.Result {
		return &mcp.ReadResourceResult{InputRequests: questions, RequestState: state}
	}, func(ctx context.Context, h *roundTrip) (mcp.Result, error) { return s.read(ctx, req, h) })
	if err != nil {
		return nil, err
	}
	return res.(*mcp.ReadResourceResult), nil
}

func (s *surface) read(ctx context.Context, req *mcp.ReadResourceRequest, h *roundTrip) (*mcp.ReadResourceResult, error) {
	box, _ := s.box(ctx, "")
	name, arguments, ok := resourceOf(box, req.Params.URI)
	if !ok {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	t, m, err := s.fetch(ctx, req, h, box, name, arguments)
	if err != nil {
		return nil, err
	}
	out := &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{}}
	for i := range m.Blocks {
		out.Contents = append(out.Contents, resourceContents(t, &m.Blocks[i], req.Params.URI))
	}
	return out, nil
}

// getPrompt answers prompts/get. The texts of the site keep their marks, because a host shows them
// to the model as words of the user.
func (s *surface) getPrompt(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	arguments, err := json.Marshal(req.Params.Arguments)
	if err != nil || req.Params.Arguments == nil {
		arguments = rawJSON(`{}`)
	}
	in := answered{about: aboutOf("prompts/get", req.Params.Name, arguments), state: req.Params.RequestState, responses: req.Params.InputResponses}
	res, err := s.inRoundTrips(ctx, req, in, func(questions mcp.InputRequestMap, state string) mcp.Result {
		return &mcp.GetPromptResult{InputRequests: questions, RequestState: state}
	}, func(ctx context.Context, h *roundTrip) (mcp.Result, error) { return s.prompt(ctx, req, h, arguments) })
	if err != nil {
		return nil, err
	}
	return res.(*mcp.GetPromptResult), nil
}

func (s *surface) prompt(ctx context.Context, req *mcp.GetPromptRequest, h *roundTrip, arguments json.RawMessage) (*mcp.GetPromptResult, error) {
	box, name := s.box(ctx, req.Params.Name)
	t, m, err := s.fetch(ctx, req, h, box, name, arguments)
	if err != nil {
		return nil, err
	}
	out := &mcp.GetPromptResult{Description: t.Description(), Messages: []*mcp.PromptMessage{}}
	for i := range m.Blocks {
		for _, c := range s.blockContent(box, t, &m.Blocks[i]) {
			out.Messages = append(out.Messages, &mcp.PromptMessage{Role: mcp.Role(m.Blocks[i].Role), Content: c})
		}
	}
	return out, nil
}

// fetch reads a resource or gets a prompt. It asks no person, because both only read according to
// the protocol. If there is still a reason to ask, a flag must have allowed it. Otherwise fetch
// returns an error that names wayfind_call, which can ask.
func (s *surface) fetch(ctx context.Context, req mcp.Request, h *roundTrip, box *tools.Box, name string, arguments json.RawMessage) (*tools.Tool, *call.ModelResult, error) {
	t, err := box.Tool(name)
	if err != nil || !isContent(t) || s.opts.ReadOnly && !t.ReadOnly() {
		return nil, nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "there is no such resource or prompt"}
	}
	caller, _ := s.hearing(ctx, req, t.Domain)
	caller = s.asking(caller, req, h)
	res, err := caller.Call(ctx, box, name, arguments)
	if e, _ := errors.AsType[*call.Error](err); e != nil && e.Code == call.ConfirmationRequired && s.grants.allows(t) {
		res, err = caller.CallConfirmed(ctx, box, name, arguments, res.Program.Ticket)
	}
	if r := res.Program.Request; r != nil && len(r.Credentials) > 0 {
		s.credentialUsed()
	}
	switch e, _ := errors.AsType[*call.Error](err); {
	case e != nil && e.Code == call.ConfirmationRequired:
		return nil, nil, errors.New("a person must agree to this first: use " + tools.MetaCall + " with the name " + name + ", or start wayfind with --allow " + name)
	case err != nil:
		return nil, nil, errors.New(failed(t.Domain, &res.Model))
	}
	return t, &res.Model, nil
}

// blockContent returns a block of an answer as content. Text is marked as data.
func (s *surface) blockContent(box *tools.Box, t *tools.Tool, b *call.Block) []mcp.Content {
	uri := hostURI(t, b.URI)
	switch {
	case b.Link:
		if _, _, ok := resourceOf(box, uri); !ok {
			return []mcp.Content{theirs(t.Domain, "(a link to the resource "+b.Name+", "+b.URI+", which cannot be read here)")}
		}
		return []mcp.Content{&mcp.ResourceLink{URI: uri, Name: b.Name, MIMEType: b.Media}}
	case b.Part != nil && b.URI == "":
		return contents([]call.Part{*b.Part})
	case b.URI != "":
		return embedded(t, b, uri)
	}
	return []mcp.Content{theirs(t.Domain, b.Text)}
}

// blocks returns the content of an answer of MCP in its order. If the answer does not begin with
// text, a text before it names the origin of the data. If the answer has JSON, its texts are left
// out, because they repeat it.
func (s *surface) blocks(box *tools.Box, t *tools.Tool, m *call.ModelResult) (list []mcp.Content) {
	for i := range m.Blocks {
		b := &m.Blocks[i]
		isText := b.Part == nil && b.URI == "" && !b.Link
		if m.JSON != nil && isText {
			continue
		}
		if i == 0 && !isText && m.JSON == nil {
			list = append(list, follows(t.Domain))
		}
		list = append(list, s.blockContent(box, t, b)...)
	}
	return list
}
