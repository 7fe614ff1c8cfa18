package mcpserver

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// offered is one offer of a server: a tool, a prompt, a resource or a template, with its handler.
type offered struct {
	tool     *mcp.Tool
	handler  mcp.ToolHandler
	prompt   *mcp.Prompt
	get      mcp.PromptHandler
	resource *mcp.Resource
	template *mcp.ResourceTemplate
	read     mcp.ResourceHandler
}

// The kinds of offers.
const (
	aTool = iota
	aPrompt
	aResource
	aTemplate
)

// offerID identifies an offer. Offers of different kinds may have the same name.
type offerID struct {
	kind int
	name string
}

// id returns the kind of the offer and its name or URI.
func (o *offered) id() offerID {
	switch {
	case o.prompt != nil:
		return offerID{aPrompt, o.prompt.Name}
	case o.resource != nil:
		return offerID{aResource, o.resource.URI}
	case o.template != nil:
		return offerID{aTemplate, o.template.URITemplate}
	}
	return offerID{aTool, o.tool.Name}
}

// shown returns the definition that a host sees.
func (o *offered) shown() any {
	switch {
	case o.prompt != nil:
		return o.prompt
	case o.resource != nil:
		return o.resource
	case o.template != nil:
		return o.template
	}
	return o.tool
}

// add adds the offer to a server.
func (o *offered) add(server *mcp.Server) {
	switch {
	case o.prompt != nil:
		server.AddPrompt(o.prompt, o.get)
	case o.resource != nil:
		server.AddResource(o.resource, o.read)
	case o.template != nil:
		server.AddResourceTemplate(o.template, o.read)
	default:
		server.AddTool(o.tool, o.handler)
	}
}

// remove removes an offer from a server.
func (id offerID) remove(server *mcp.Server) {
	switch id.kind {
	case aPrompt:
		server.RemovePrompts(id.name)
	case aResource:
		server.RemoveResources(id.name)
	case aTemplate:
		server.RemoveResourceTemplates(id.name)
	default:
		server.RemoveTools(id.name)
	}
}
