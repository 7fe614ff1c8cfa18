package mcp

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// resource reads a resource: something to read, by its URI.
func (r *reader) resource(item parse.Node) (wayfind.Capability, bool) {
	return r.readable(item, "uri")
}

// resourceTemplate reads a template of URIs (RFC 6570).
func (r *reader) resourceTemplate(item parse.Node) (wayfind.Capability, bool) {
	c, ok := r.readable(item, "uriTemplate")
	if !ok {
		return c, false
	}
	t, sound := parse.ParseTemplate(c.ID)
	if !sound {
		r.Report(ruleURITemplate, item, "the template %.200q is not well-formed; it is ignored", c.ID)
		return c, false
	}
	for _, name := range t.Names() {
		c.Params = append(c.Params, paramspec.VariableParam(name, t))
	}
	return c, true
}

// readable reads the members that resources and templates share.
func (r *reader) readable(item parse.Node, identity string) (wayfind.Capability, bool) {
	c, ok := r.named(item, wayfind.KindResource, identity, secResources)
	if !ok {
		return c, false
	}
	if name, ok := item.Get("name").Str(); ok && name != "" {
		c.Name = name
	}
	if mime := r.String(item.IfSet("mimeType"), "mimeType", parse.Optional, secResources); mime != "" {
		c.OutputModes = []string{mime}
	}
	r.rest(item, &c.Extensions, identity, "name", "title", "description", "mimeType")
	return c, true
}

// prompt reads a template of a prompt and its arguments.
func (r *reader) prompt(item parse.Node) (wayfind.Capability, bool) {
	c, ok := r.named(item, wayfind.KindPrompt, "name", secPrompts)
	if !ok {
		return c, false
	}
	c.Params = r.params(item, secPrompts)
	for i := range c.Params {
		if p := &c.Params[i]; p.Type == "" {
			p.Type = "string" // all arguments of prompts are strings
		}
	}
	c.Input = paramspec.InputSchema(c.Params)
	r.keepArguments(item, &c)
	r.rest(item, &c.Extensions, "name", "title", "description", "arguments")
	return c, true
}

// keepArguments keeps the members of arguments that a Param does not have, by their names.
func (r *reader) keepArguments(item parse.Node, c *wayfind.Capability) {
	var more []rawjson.Member
	for _, n := range item.Get("arguments").Items() {
		if len(more) == parse.DefaultItems {
			break
		}
		said := r.others(n, "name", "description", "desc", "type", "required", "optional")
		if name := textOf(n.Get("name")); said != nil && name != "" {
			more = append(more, rawjson.Member{Name: name, Value: rawjson.Obj(said...)})
		}
	}
	parse.Keep(&c.Extensions, "arguments", rawjson.Some(more))
}

// tooling reads a list of tools: an array, an object that contains one, a response with such
// an object as its result, or a single tool. If the list comes from a scan of a server, the
// members next to it identify the server.
func (r *reader) tooling(root parse.Node) wayfind.Service {
	s := wayfind.Service{Sources: parse.SourcesAt(root)}
	r.Report(ruleNoInterface.At(secTools), root, "the list does not say where the server is spoken to")
	if root.Kind() == parse.Array || isNamed(root) && hasSchema(root) {
		s.Capabilities = r.loose(root)
		return s
	}
	obj := root
	if inner := root.Get("result"); inner.Kind() == parse.Object {
		obj = inner
	}
	about := obj.Get("metadata")
	info := about.Get("serverInfo")
	who := obj
	if info.Kind() == parse.Object {
		who = info
	}
	s.Name = r.text(who, parse.Optional, "title", "name")
	s.Version = r.Text(who.IfSet("version"), "version", parse.Optional, secTools)
	s.Description = r.text(obj, parse.Optional, "description")
	r.primitives(obj, &s)
	if has(obj, "nextCursor") {
		r.Report(rulePartial, obj.Get("nextCursor"), "the list is one page of several, and further pages are not read")
	}
	if obj != root {
		r.rest(root, &s.Extensions, "jsonrpc", "id", "result")
	}
	r.rest(obj, &s.Extensions, "name", "title", "version", "description", "tools", "resources", "resourceTemplates", "resource_templates", "prompts",
		"metadata", "nextCursor", "ttlMs", "cacheScope", "resultType", "_meta")
	r.keepWithout(about, "metadata", &s.Extensions, "serverInfo")
	r.keepWithout(info, "serverInfo", &s.Extensions, "name", "title", "version")
	return s
}

// keepWithout keeps an object under a name, without the members that were read.
func (r *reader) keepWithout(obj parse.Node, name string, into *map[string]parse.Raw, read ...string) {
	if members := r.others(obj, read...); members != nil {
		parse.Keep(into, name, rawjson.Obj(members...))
	}
}

// loose reads tools without an enclosing object, or one tool.
func (r *reader) loose(root parse.Node) []wayfind.Capability {
	var found []wayfind.Capability
	if root.Kind() == parse.Array {
		r.Report(ruleBareArray, root, "the tools stand alone where they belong under \"tools\"")
		found = r.entries(root, kinds()[0])
	} else if c, ok := r.tool(root); ok {
		c.Claimed, c.Sources = true, parse.SourcesAt(root)
		found = append(found, c)
	}
	for i := range found {
		found[i].Invocation = nil
	}
	return found
}
