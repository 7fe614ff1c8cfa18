package mcp

import (
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// maxToolName is the longest name that a tool should have, in characters.
const maxToolName = 128

// primitives reads the lists that a document has about a server. Each may be the word
// "dynamic": only the server knows the list.
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
		for _, at := range lists(obj) {
			for _, c := range r.primitive(at, obj, k, s) {
				c.ID = scope + c.ID
				if !via {
					c.Invocation = nil
				}
				s.Capabilities = append(s.Capabilities, c)
			}
		}
	}
	r.keepCapabilities(obj, &s.Extensions)
}

// primitive reads the lists of one kind in an object: a server, or its declared capabilities.
// In the latter, a value other than a list declares whether the server has any.
func (r *reader) primitive(at, obj parse.Node, k kind, s *wayfind.Service) []wayfind.Capability {
	var found []wayfind.Capability
	for _, member := range k.members {
		switch n := at.Get(member); {
		case isDynamic(n) && at.Pointer() == obj.Pointer():
			parse.SetExtension(&s.Extensions, member, n)
		case isDynamic(n), n.Kind() != parse.Array && !isKeyed(n) && at.Pointer() != obj.Pointer():
		default:
			found = append(found, r.capabilities(at, member, k)...)
		}
	}
	return found
}

// lists returns the objects that contain the lists of a server: the server itself, and its
// declared capabilities, where some documents put the entries.
func lists(obj parse.Node) []parse.Node {
	if under := obj.Get("capabilities"); under.Kind() == parse.Object {
		return []parse.Node{obj, under}
	}
	return []parse.Node{obj}
}

// keepCapabilities keeps the declared capabilities of a server, without the lists that were
// read.
func (r *reader) keepCapabilities(obj parse.Node, into *map[string]parse.Raw) {
	under := obj.Get("capabilities")
	var others []rawjson.Member
	for member, n := range under.Members() {
		read := (n.Kind() == parse.Array || isKeyed(n)) && !isDynamic(n)
		if read && slices.ContainsFunc(kinds(), func(k kind) bool { return slices.Contains(k.members, member) }) {
			continue
		}
		others = append(others, rawjson.Member{Name: member, Value: n.Copy()})
	}
	switch {
	case under.Kind() != parse.Object:
		parse.SetExtension(into, "capabilities", under)
	case others != nil:
		parse.Keep(into, "capabilities", rawjson.Obj(others...))
	}
}

// kind is one of the lists of a server.
type kind struct {
	method  string // the method that lists it
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

// capabilities reads one list of an object. Entries without an identity are dropped; a
// duplicate name is reported and read.
func (r *reader) capabilities(obj parse.Node, member string, k kind) []wayfind.Capability {
	list := obj.Get(member)
	switch {
	case list.Kind() == parse.Bool: // as in declared capabilities: it has some, or none
		return nil
	case isKeyed(list):
		r.Report(ruleKeyed.At(k.section), list, "the entries of %q stand under their names where a list belongs; they were read", member)
		return r.entries(list, k)
	}
	return r.entries(r.Array(obj.IfSet(member), member, parse.Optional, k.section), k)
}

// isKeyed recognises an object in place of a list, with the entries as members under their
// names: objects with the members of an entry.
func isKeyed(list parse.Node) bool {
	if list.Kind() != parse.Object || list.Len() == 0 {
		return false
	}
	for name, item := range list.Members() {
		if !isAside(name) && (item.Kind() != parse.Object || !hasSchema(item) && !hasAny(item, "description", "title", "name", "uri", "uriTemplate")) {
			return false
		}
	}
	return true
}

// isAside recognises members that are not entries.
func isAside(name string) bool { return strings.HasPrefix(name, "_") || strings.HasPrefix(name, "x-") }

// withSchemas reports whether all entries of an object, by their names, have the schema of a
// call.
func withSchemas(keyed parse.Node) bool {
	for name, item := range keyed.Members() {
		if !isAside(name) && !hasSchema(item) {
			return false
		}
	}
	return true
}

// entries reads the entries of a list, or of an object that has them by name.
func (r *reader) entries(list parse.Node, k kind) []wayfind.Capability {
	n := min(list.Len(), r.left)
	if n < list.Len() {
		r.Report(ruleTruncated.At(k.section), list, "of %d entries the first %d were read", list.Len(), n)
	}
	r.left -= n
	var items []parse.Node
	var names []string
	for _, item := range list.Items() {
		items = append(items, item)
	}
	for name, item := range list.Members() {
		if !isAside(name) {
			items, names = append(items, item), append(names, name)
		}
	}
	defer func() { r.key = "" }()
	var found []wayfind.Capability
	first := make(map[string]parse.Node, n)
	for i, item := range items[:min(n, len(items))] {
		if names != nil {
			r.key = names[i]
		}
		c, ok := k.read(r, item)
		if !ok {
			continue
		}
		c.Claimed, c.Sources = !r.live, parse.SourcesAt(item)
		c.Invocation = &wayfind.Invocation{Protocol: protocol, Via: protocol, Operation: c.ID}
		if before, twice := first[c.ID]; twice {
			r.Report(ruleDuplicate.At(k.section), item, "%.100q stands twice: %s", c.ID, before.Pointer())
		} else {
			first[c.ID] = item
		}
		found = append(found, c)
	}
	return found
}

// named reads the members that all entries of the lists have. An entry may be just the name.
func (r *reader) named(item parse.Node, kind wayfind.Kind, identity, section string) (c wayfind.Capability, ok bool) {
	c = wayfind.Capability{Kind: kind}
	switch item.Kind() {
	case parse.String:
		c.ID, _ = item.Str()
		r.Report(ruleBareName.At(section), item, "an entry is a name alone; it was read")
	case parse.Object:
		if c.ID = r.key; r.key == "" || item.Get(identity).Exists() {
			c.ID = r.String(item, identity, parse.Must, section)
		}
		c.Title = r.String(item.IfSet("title"), "title", parse.Optional, section)
		c.Description = r.String(item.IfSet("description"), "description", parse.Optional, section)
	default:
		r.Report(ruleWrongType.At(section).AsWarning(), item, "an entry is %v where object belongs; it is ignored", item.Kind())
		return c, false
	}
	if strings.TrimSpace(c.ID) == "" {
		if item.Kind() == parse.String || isString(item.Get(identity)) {
			r.Report(ruleEmptyName.At(section), item, "the name is empty; the entry is ignored")
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
		r.Report(ruleToolName, item, "the name %.150q should be 1 to 128 letters, digits, underscores, hyphens and dots", c.Name)
	}
	annotations := r.Object(item.IfSet("annotations"), "annotations", parse.Optional, secTools)
	if c.Title == "" {
		c.Title = r.String(annotations.IfSet("title"), "title", parse.Optional, secTools)
	}
	c.Effects = r.effects(item, annotations)
	if !annotations.HasOnly(append(hintNames(), "title")...) {
		r.keepAnnotations(annotations, &c)
	}
	r.inputs(item, &c)
	c.Output = r.schema(item, "outputSchema", parse.Optional)
	r.rest(item, &c.Extensions, "name", "title", "description", "inputSchema", "input_schema", "parameters", "arguments", "outputSchema", "annotations",
		"readOnlyHint", "readOnly", "destructiveHint", "destructive", "idempotentHint", "idempotent")
	if name, err := headerParams(item.Get("inputSchema")); err != nil {
		r.Report(ruleHeaderParam, item, "the x-mcp-header of parameter %.100q is invalid: %s; the tool is dropped", name, err)
		return c, false
	}
	return c, true
}

// hintNames returns the names of hints: the names in the specification, and other names in
// use.
func hintNames() []string {
	return []string{"readOnlyHint", "readOnly", "destructiveHint", "destructive", "idempotentHint", "idempotent"}
}

// keepAnnotations keeps the annotations that are not effects.
func (r *reader) keepAnnotations(annotations parse.Node, c *wayfind.Capability) {
	parse.Keep(&c.Extensions, "annotations", rawjson.Some(rawjson.Copies(r.UnknownMembers(annotations, append(hintNames(), "title")...))))
}

// hint reads a hint about a tool, among its annotations or next to them, where some documents
// have it. A publisher's value takes precedence over a default, and the first of several
// values is used.
func (r *reader) hint(item, annotations parse.Node, names ...string) *bool {
	var said *bool
	for _, at := range [...]parse.Node{annotations, item} {
		for i, member := range names {
			v := r.Bool(at.IfSet(member), member, parse.Optional, secTools)
			switch {
			case v == nil:
			case said != nil && *v != *said:
				r.Report(ruleHints, at.Get(member), "the hint says the opposite of another; it is ignored")
			case i > 0 || at.Pointer() == item.Pointer():
				r.Report(ruleHintPlace, at.Get(member), "the hint belongs into annotations, as %s; it was read", names[0])
			}
			if said == nil {
				said = v
			}
		}
	}
	return said
}

// effects reads hints, which are claims of the server. Missing hints have the defaults of the
// specification. A tool that only reads neither destroys anything nor has an effect when it is
// repeated.
func (r *reader) effects(item, n parse.Node) *wayfind.Effects {
	e := &wayfind.Effects{
		ReadOnly:    r.hint(item, n, "readOnlyHint", "readOnly"),
		Destructive: r.hint(item, n, "destructiveHint", "destructive"),
		Idempotent:  r.hint(item, n, "idempotentHint", "idempotent"),
	}
	if e.ReadOnly == nil {
		e.ReadOnly, e.Defaulted = new(false), append(e.Defaulted, "readOnly")
	}
	if *e.ReadOnly {
		if e.Destructive != nil && *e.Destructive {
			r.Report(ruleHints, n, "the tool is said to read only and to destroy")
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

// inputs reads the input schema of a tool, or the list of arguments that catalogues have
// instead.
func (r *reader) inputs(item parse.Node, c *wayfind.Capability) {
	member := item.Pick("inputSchema", "input_schema", "parameters")
	if member != "inputSchema" {
		r.Report(ruleSchemaMember, item.Get(member), "%s stands where inputSchema belongs; it was read", member)
	}
	if arguments := item.Get("arguments"); arguments.Kind() == parse.Array && !has(item, member) {
		r.Report(ruleArguments, arguments, "the arguments stand in a list instead of a schema; they were read")
		c.Params = r.params(item, secTools)
		c.Input = paramspec.InputSchema(c.Params)
		return
	}
	need := parse.Optional
	if r.live || r.shape == shapeTools {
		need = parse.Must
	}
	c.Input = r.schema(item, member, need)
}

// schema reads a JSON Schema, which must be a schema for an object. References in it are never
// followed.
func (r *reader) schema(item parse.Node, member string, need parse.Need) parse.Raw {
	if need == parse.Optional {
		item = item.IfSet(member)
	}
	n := r.Object(item, member, need, secTools)
	if !n.Exists() {
		return nil
	}
	r.CheckSchema(n)
	if kind, _ := n.Get("type").Str(); kind != "object" && (kind == "" || jsonschema.IsType(kind)) {
		r.Report(ruleSchemaType, n, "the type of %s must be \"object\"", member)
	}
	return n.Copy()
}

// params reads a list of arguments: of a prompt, or of a tool in a catalogue.
func (r *reader) params(item parse.Node, section string) []wayfind.Param {
	var params []wayfind.Param
	for _, n := range r.bounded(item.Get("arguments"), r.Objects(item.IfSet("arguments"), "arguments", parse.Optional, section)) {
		p := wayfind.Param{Name: r.String(n, "name", parse.Must, section)}
		if p.Name == "" {
			continue
		}
		describe := n.Pick("description", "desc")
		p.Description = r.String(n.IfSet(describe), describe, parse.Optional, section)
		p.Type = r.String(n.IfSet("type"), "type", parse.Optional, section)
		p.Required = r.Bool(n.IfSet("required"), "required", parse.Optional, section)
		if optional, ok := n.Get("optional").Bool(); ok {
			p.Required = new(!optional)
		}
		params = append(params, p)
	}
	return params
}
