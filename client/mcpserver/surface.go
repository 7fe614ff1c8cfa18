package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/tools"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/parse"
)

// metaOpen is the tool that adds a domain to a server.
const metaOpen = "wayfind_open"

// reserved is the prefix of the names of the server's own tools.
const reserved = "wayfind_"

// surface is the state that all tools of one server share.
type surface struct {
	caller *call.Caller
	opts   Options
	// box returns the Box for a call, and the name in the Box for the name that a host uses. The
	// name is empty for a search.
	box            func(ctx context.Context, name string) (*tools.Box, string)
	names          func() *saved // the names of tools that hosts may have saved
	late           func() string // a text that names the domains missing in the answer to a search, or ""
	credentialUsed func()        // called when a credential was used
	pends          func()        // called when a host gets a handle for work that goes on
	apart          bool          // resources and prompts are listed as such, and not as tools
	askers         *askers
	levels         *levels // levels of log messages for hosts; nil for none
	seals          *seals
	grants         *grants
	roundTrips     roundTrips
	// while returns a context that ends with the server besides, and a function that releases it.
	while func(context.Context) (context.Context, func())
}

// AddTools adds the tools of a Box to a server: wayfind_search, wayfind_describe and wayfind_call,
// and the tools themselves if there are few of them. If a call needs the agreement of a person, the
// host asks for it first; see the package comment. If the Caller has Options.Confirm, that function
// decides instead.
func AddTools(server *mcp.Server, caller *call.Caller, box *tools.Box) {
	if server == nil {
		panic("mcpserver: the Server is nil: mcp.NewServer makes one")
	}
	s := &surface{caller: caller.With(shownForm()), credentialUsed: func() {}, pends: func() {}, names: func() *saved { return &saved{} }, late: func() string { return "" }, askers: newAskers(caller), seals: newSeals(), grants: &grants{},
		while: func(ctx context.Context) (context.Context, func()) {
			ctx, stop := context.WithCancel(ctx)
			return ctx, stop
		}}
	s.box = func(_ context.Context, name string) (*tools.Box, string) { return box, name }
	s.opts.AskTime, s.opts.Patience = defaultAskTime, defaultPatience
	for _, t := range s.metaTools(box) {
		server.AddTool(t.tool, t.handler)
	}
	s.pends = sync.OnceFunc(func() { wait := s.waitTool(); server.AddTool(wait.tool, wait.handler) })
	if mayPend(box) {
		s.pends()
	}
	list, _ := s.direct(box, false)
	for _, t := range list {
		server.AddTool(t.tool, t.handler)
	}
}

// metaTools returns the three tools through which a model reaches all tools of a Box.
func (s *surface) metaTools(box *tools.Box) (list []offered) {
	var defined []*mcp.Tool
	raw, err := box.MetaTools(tools.MCP)
	if err != nil || json.Unmarshal(raw, &defined) != nil {
		return nil // the definitions are constant, so there is no error
	}
	handlers := map[string]mcp.ToolHandler{tools.MetaSearch: s.search, tools.MetaDescribe: s.describe, tools.MetaCall: s.metaCall}
	for _, t := range defined {
		list = append(list, offered{tool: t, handler: handlers[t.Name]})
	}
	return list
}

// shownForm returns the form of the definitions that a host gets.
func shownForm() tools.Form { return tools.Form{Vendor: tools.MCP} }

// direct returns the tools of a Box if there are few of them. If many is set, because there were
// too many before, the limits are half as large. tooMany is true if the limits are exceeded.
func (s *surface) direct(box *tools.Box, many bool) (list []offered, tooMany bool) {
	most, tokens := maxDirect, maxDirectTokens
	if many {
		most, tokens = most/2, tokens/2
	}
	for _, t := range box.Tools() {
		if s.opts.ReadOnly && !t.ReadOnly() || strings.HasPrefix(strings.ToLower(t.Name), reserved) {
			continue // a tool with a reserved name is found and called through the server's own tools
		}
		if s.apart && isContent(&t) {
			continue
		}
		raw, _, err := box.Define(tools.MCP, t.Name, false)
		if err != nil {
			continue
		}
		tokens -= tools.EstimateTokens(string(raw))
		if most--; most < 0 || tokens < 0 {
			return nil, true
		}
		def, ok := definition(raw, &t)
		if ok {
			s.annotate(def, &t)
			list = append(list, offered{tool: def, handler: s.directCall})
		}
	}
	return list, false
}

// metaPrefix is the prefix of the server's own members of _meta.
const metaPrefix = "io.github.wayfindhq/"

// definition returns a tool in the form for a host. ok is false if no host could use it.
func definition(raw json.RawMessage, t *tools.Tool) (def *mcp.Tool, ok bool) {
	var own struct {
		mcp.Tool
		Schema json.RawMessage `json:"inputSchema"`
	}
	if err := json.Unmarshal(raw, &own); err != nil {
		return nil, false
	}
	var schema map[string]any
	if err := json.Unmarshal(own.Schema, &schema); err != nil || schema["type"] != "object" {
		return nil, false
	}
	own.InputSchema = own.Schema
	if strings.Contains(string(own.Schema), `"`+headerKeyword+`"`) {
		strip(schema)
		own.InputSchema = schema
	}
	own.Meta = mcp.Meta{metaPrefix + "origin": t.Origin, metaPrefix + "key": t.Key}
	return &own.Tool, true
}

// headerKeyword is a keyword in a schema that makes a host repeat an argument in a header field. It
// concerns only wayfind, as the client, and the server of the tool.
const headerKeyword = "x-mcp-header"

// strip removes headerKeyword from a schema.
func strip(v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, keyword := v[headerKeyword].(string); keyword {
			delete(v, headerKeyword)
		}
		for _, inner := range v {
			strip(inner)
		}
	case []any:
		for _, inner := range v {
			strip(inner)
		}
	}
}

// search answers wayfind_search.
func (s *surface) search(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	arguments := orEmpty(req.Params.Arguments)
	if s.opts.ReadOnly {
		var asked map[string]any
		if err := json.Unmarshal(arguments, &asked); err == nil && asked != nil {
			asked["read_only"] = true
			if raw, err := json.Marshal(asked); err == nil {
				arguments = raw
			}
		}
	}
	box, _ := s.box(ctx, "")
	found, err := box.Find(arguments)
	if err != nil {
		return refusal("The arguments are not those of the tool: " + err.Error() + "."), nil
	}
	answer := said(found)
	if late := s.late(); late != "" {
		answer.Content = append(answer.Content, ours(late))
	}
	return answer, nil
}

// describe answers wayfind_describe.
func (s *surface) describe(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var asked struct {
		Name string `json:"name"`
	}
	if err := strict(req.Params.Arguments, &asked); err != nil {
		return refusal("The arguments are not those of the tool: it takes a name."), nil
	}
	box, name := s.box(ctx, asked.Name)
	t, err := box.Tool(name)
	if err != nil {
		return unreadable("The definition cannot be had.", err), nil
	}
	if s.opts.ReadOnly && !t.ReadOnly() {
		return refusal(notReadOnly), nil
	}
	raw, _, err := box.Define(tools.MCP, name, false)
	if err != nil {
		return refusal(err.Error() + "."), nil
	}
	if def, ok := definition(raw, t); ok {
		s.annotate(def, t)
		if own, err := json.Marshal(def); err == nil {
			raw = own
		}
	}
	answer := said(raw)
	if about := instructions(t); about != "" {
		answer.Content = append(answer.Content, theirsAfter(serverSays, t.Domain, about))
	}
	return answer, nil
}

// maxInstructions is the largest number of characters of a server's instructions that a model sees.
const maxInstructions = 2000

// serverSays are our words before the instructions of a server.
const serverSays = "The server says this about its tools."

// instructions returns the instructions of the MCP server of a tool, or "" if it has none.
func instructions(t *tools.Tool) string {
	var words string
	if t.Service == nil || json.Unmarshal(t.Service.Extensions["instructions"], &words) != nil {
		return ""
	}
	return secret.Veil(nil).Show(words, secret.Lines, maxInstructions)
}

const notReadOnly = "This server only reads, and the tool may change something. The user can start the server without --read-only."

// metaCall answers wayfind_call.
func (s *surface) metaCall(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var asked struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	if err := strict(req.Params.Arguments, &asked); err != nil {
		return refusal("The arguments are not those of the tool: it takes a name and arguments."), nil
	}
	return s.call(ctx, req, asked.Name, asked.Arguments, false)
}

// directCall answers a call of a tool of the Box that is listed by its own name.
func (s *surface) directCall(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return s.call(ctx, req, req.Params.Name, req.Params.Arguments, true)
}

func orEmpty(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage(`{}`)
	}
	return raw
}

// strict reads arguments and refuses unknown members. It also refuses members that occur twice or
// have capital letters, because a host may have checked another member.
func strict(raw json.RawMessage, into any) error {
	raw = orEmpty(raw)
	root, err := (&parse.Input{Body: raw}).JSONObject()
	if err != nil {
		return err
	}
	for name := range root.Members() {
		if name != strings.ToLower(name) {
			return fmt.Errorf("there is no argument %.40q", name)
		}
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(into)
}
