package mcp

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// maxToolName is the longest name that a tool should have, in characters.
const maxToolName = 128

// primitives reads what a document says a server has. Each may be the word
// "dynamic", which says that only the server knows.
func (r *reader) primitives(obj parse.Node, s *wayfind.Service) {
	var via bool
	for i := range s.Interfaces {
		via = via || s.Interfaces[i].URL != "" || s.Interfaces[i].Template != ""
	}
	scope := s.ID
	if scope != "" {
		scope += "/"
	}
	for _, k := range kinds() {
		for _, member := range k.members {
			n := obj.Get(member)
			if isDynamic(n) {
				parse.Keep(&s.Extensions, member, n)
				continue
			}
			for _, c := range r.capabilities(obj, member, k) {
				c.ID = scope + c.ID
				if !via {
					c.Invocation = nil
				}
				s.Capabilities = append(s.Capabilities, c)
			}
		}
	}
}

// kind is one of the lists of a server.
type kind struct {
	method  string // that lists it
	members []string
	section string
	read    func(*reader, parse.Node) (wayfind.Capability, bool)
}

func kinds() []kind {
	return []kind{
		{"tools/list", []string{"tools"}, secTools, (*reader).tool},
		{"resources/list", []string{"resources"}, secResources, (*reader).resource},
		{"resources/templates/list", []string{"resourceTemplates", "resource_templates"}, secResources, (*reader).resourceTemplate},
		{"prompts/list", []string{"prompts"}, secPrompts, (*reader).prompt},
	}
}

// isDynamic recognises "dynamic" and ["dynamic"] (SEP-1649).
func isDynamic(n parse.Node) bool {
	if n.Kind() == parse.Array && n.Len() == 1 {
		n = n.Index(0)
	}
	text, _ := n.Str()
	return text == "dynamic"
}

// capabilities reads one list of an object. Entries without an identity are
// dropped; the same name twice is reported and read.
func (r *reader) capabilities(obj parse.Node, member string, k kind) []wayfind.Capability {
	list := obj.Get(member)
	if list.Kind() == parse.Bool { // as in capabilities: it has some, or none
		return nil
	}
	return r.entries(r.Array(some(obj, member), member, parse.Optional, k.section), k)
}

// entries reads the entries of a list.
func (r *reader) entries(list parse.Node, k kind) []wayfind.Capability {
	n := min(list.Len(), r.left)
	if n < list.Len() {
		r.Doubt("truncated", list, k.section, "of %d entries the first %d were read", list.Len(), n)
	}
	r.left -= n
	var found []wayfind.Capability
	first := make(map[string]parse.Node, n)
	for i := range n {
		item := list.Index(i)
		c, ok := k.read(r, item)
		if !ok {
			continue
		}
		c.Claimed, c.Sources = !r.live, parse.SourcesAt(item)
		c.Invocation = &wayfind.Invocation{Protocol: protocol, Via: protocol, Operation: c.ID}
		if before, twice := first[c.ID]; twice {
			r.Fault("duplicate", item, k.section, "%.100q stands twice: %s", c.ID, before.Pointer())
		} else {
			first[c.ID] = item
		}
		found = append(found, c)
	}
	return found
}

// named reads the members that all entries of the lists have. An entry may be
// the name alone.
func (r *reader) named(item parse.Node, kind wayfind.Kind, identity, section string) (c wayfind.Capability, ok bool) {
	c = wayfind.Capability{Kind: kind}
	switch item.Kind() {
	case parse.String:
		c.ID, _ = item.Str()
		r.Doubt("bare_name", item, section, "an entry is a name alone; it was read")
	case parse.Object:
		c.ID = r.String(item, identity, parse.Must, section)
		c.Title = r.String(some(item, "title"), "title", parse.Optional, section)
		c.Description = r.String(some(item, "description"), "description", parse.Optional, section)
	default:
		r.Doubt("wrong_type", item, section, "an entry is %v where object belongs; it is ignored", item.Kind())
		return c, false
	}
	if strings.TrimSpace(c.ID) == "" {
		if item.Kind() == parse.String || isString(item.Get(identity)) {
			r.Fault("empty_name", item, section, "the name is empty; the entry is ignored")
		}
		return c, false
	}
	c.Name = c.ID
	return c, true
}

// tool reads a tool.
func (r *reader) tool(item parse.Node) (wayfind.Capability, bool) {
	c, ok := r.named(item, wayfind.KindTool, "name", secTools)
	if !ok {
		return c, false
	}
	if !isWord(c.Name, "_.-") || len(c.Name) > maxToolName {
		r.Doubt("tool_name", item, secTools, "the name %.150q should be 1 to 128 letters, digits, underscores, hyphens and dots", c.Name)
	}
	annotations := r.Object(some(item, "annotations"), "annotations", parse.Optional, secTools)
	if c.Title == "" {
		c.Title = r.String(some(annotations, "title"), "title", parse.Optional, secTools)
	}
	c.Effects = r.effects(annotations)
	if !holdsOnly(annotations, "title", "readOnlyHint", "destructiveHint", "idempotentHint") {
		parse.Keep(&c.Extensions, "annotations", annotations)
	}
	r.input(item, &c)
	c.Output = r.schema(item, "outputSchema", parse.Optional)
	r.rest(item, &c.Extensions, "name", "title", "description", "inputSchema", "input_schema", "parameters", "arguments", "outputSchema", "annotations")
	if name, why := headerParams(item.Get("inputSchema")); why != "" {
		r.Fault("header_param", item, secTools, "the x-mcp-header of parameter %.100q is invalid: %s; the tool is dropped", name, why)
		return c, false
	}
	return c, true
}

// effects reads annotations, which are the server's word. What they do not say
// has the defaults of the specification; a tool that only reads neither
// destroys nor repeats anything.
func (r *reader) effects(n parse.Node) *wayfind.Effects {
	hint := func(member string) *bool { return r.Bool(some(n, member), member, parse.Optional, secTools) }
	e := &wayfind.Effects{ReadOnly: hint("readOnlyHint"), Destructive: hint("destructiveHint"), Idempotent: hint("idempotentHint")}
	if e.ReadOnly == nil {
		e.ReadOnly, e.Defaulted = new(false), append(e.Defaulted, "readOnly")
	}
	if *e.ReadOnly {
		if e.Destructive != nil && *e.Destructive {
			r.Doubt("hints", n, secTools, "the tool is said to read only and to destroy")
		}
		return e
	}
	if e.Destructive == nil {
		e.Destructive, e.Defaulted = new(true), append(e.Defaulted, "destructive")
	}
	if e.Idempotent == nil {
		e.Idempotent, e.Defaulted = new(false), append(e.Defaulted, "idempotent")
	}
	return e
}

// input reads the schema of what goes into a tool, or the list of arguments
// that catalogues have instead.
func (r *reader) input(item parse.Node, c *wayfind.Capability) {
	member := pick(item, "inputSchema", "input_schema", "parameters")
	if member != "inputSchema" {
		r.Doubt("schema_member", item.Get(member), secTools, "%s stands where inputSchema belongs; it was read", member)
	}
	if arguments := item.Get("arguments"); arguments.Kind() == parse.Array && !has(item, member) {
		r.Note("arguments", arguments, secTools, "the arguments stand in a list instead of a schema; they were read")
		c.Params = r.params(item, secTools)
		c.Input = parse.InputSchema(c.Params)
		return
	}
	need := parse.Optional
	if r.live || r.shape == shapeTools {
		need = parse.Must
	}
	c.Input = r.schema(item, member, need)
}

// schema reads a JSON Schema, which must be that of an object. References in it
// are never followed.
func (r *reader) schema(item parse.Node, member string, need parse.Need) parse.Raw {
	if need == parse.Optional {
		item = some(item, member)
	}
	n := r.Object(item, member, need, secTools)
	if !n.Exists() {
		return nil
	}
	if kind, _ := n.Get("type").Str(); kind != "object" {
		r.Fault("schema_type", n, secTools, "the type of %s must be \"object\"", member)
	}
	return n.Copy()
}

// params reads a list of arguments: of a prompt, or of a tool in a catalogue.
func (r *reader) params(item parse.Node, section string) []wayfind.Param {
	var params []wayfind.Param
	for _, n := range r.bounded(item.Get("arguments"), r.Objects(some(item, "arguments"), "arguments", parse.Optional, section)) {
		p := wayfind.Param{Name: r.String(n, "name", parse.Must, section)}
		if p.Name == "" {
			continue
		}
		describe := pick(n, "description", "desc")
		p.Description = r.String(some(n, describe), describe, parse.Optional, section)
		p.Type = r.String(some(n, "type"), "type", parse.Optional, section)
		p.Required = r.Bool(some(n, "required"), "required", parse.Optional, section)
		if optional, ok := n.Get("optional").Bool(); ok {
			p.Required = new(!optional)
		}
		params = append(params, p)
	}
	return params
}
