package msagents

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// toolsOf reads the tools that an agent declares: names, or objects with a name and an
// optional schema. Only the agent calls them: they have no invocation. Their IDs contain the
// agent's ID, because agents of one application share tools.
func (r *reader) toolsOf(entry parse.Node, agent string, kept *map[string]parse.Raw) []wayfind.Capability {
	list := entry.Get("tools")
	switch list.Kind() {
	case parse.Missing, parse.Null:
		return nil
	case parse.Array:
	default:
		r.Report(ruleWrongType.At(r.section()).AsWarning(), list, "member \"tools\" is %v where array belongs; it is kept as it is written", list.Kind())
		parse.SetExtension(kept, "tools", list)
		return nil
	}
	n := min(list.Len(), r.tools)
	if n < list.Len() {
		r.Report(ruleTruncated.At(r.section()), list, "of %d tools the first %d were read", list.Len(), n)
	}
	r.tools -= n
	var tools []wayfind.Capability
	first := make(map[string]parse.Node, n)
	for i := range n {
		item := list.Index(i)
		c, ok := r.tool(item)
		if !ok {
			continue
		}
		if before, twice := first[c.Name]; twice {
			r.Report(ruleDuplicateTool.At(r.section()), item, "the tool %.100q is listed before: %s", c.Name, before.Pointer())
		} else {
			first[c.Name] = item
		}
		c.ID = agent + "/" + c.Name
		tools = append(tools, c)
	}
	return tools
}

// tool reads one tool, without its ID. An object may be the object of a function, or contain
// one.
func (r *reader) tool(item parse.Node) (wayfind.Capability, bool) {
	c := wayfind.Capability{Kind: wayfind.KindTool, Claimed: true, Sources: parse.SourcesAt(item)}
	title := item
	if item.Kind() == parse.Object {
		function := item.Get("function")
		if function.Kind() == parse.Object {
			c.Extensions = r.Extensions(item, "function")
		} else {
			function = item
		}
		title = function.Get("name")
		r.function(function, &c)
	}
	c.Name, _ = title.Str()
	if strings.TrimSpace(c.Name) == "" {
		r.Report(ruleToolName.At(r.section()), item, "a tool has no name; it is ignored")
		return c, false
	}
	return c, true
}

// function reads the members of an object other than the name. Several names of its schema are
// in use.
func (r *reader) function(obj parse.Node, c *wayfind.Capability) {
	c.Description = r.text(obj, "description", &c.Extensions)
	for _, member := range [...]string{"parameters", "input_schema", "inputSchema"} {
		if c.Input == nil {
			c.Input = r.schema(obj, member, &c.Extensions)
		} else {
			parse.SetExtension(&c.Extensions, member, obj.Get(member))
		}
	}
	for member, n := range r.UnknownMembers(obj, "name", "description", "parameters", "input_schema", "inputSchema") {
		parse.SetExtension(&c.Extensions, member, n)
	}
}
