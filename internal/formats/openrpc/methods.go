package openrpc

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

const (
	// maxMethods is the number of methods that are read.
	maxMethods = parse.DefaultItems
	// maxTags is the number of tags of a method that are read.
	maxTags = 100
)

const methodSection = "Method Object"

// method is one entry of the list.
type method struct {
	name string
	node parse.Node
}

// methods returns the methods in the order of the document, up to the limit.
func (r *reader) methods() []method {
	var list []method
	first := make(map[string]parse.Node)
	for i, n := range r.Array(r.Root, "methods", parse.Must, "OpenRPC Object").Items() {
		if len(list) == maxMethods {
			all := r.Root.Get("methods").Len()
			r.Report(ruleTruncated.At("OpenRPC Object").Beyond("methods", all, maxMethods), n, "there are %d methods; the first %d that can be read were", all, maxMethods)
			break
		}
		if n = r.entry(n, i); !n.Exists() {
			continue
		}
		name := r.String(n, "name", parse.Must, methodSection)
		if name == "" {
			if n.Get("name").Kind() == parse.String {
				r.Report(ruleEmpty.At(methodSection), n.Get("name"), "the method has no name; it is ignored")
			}
			continue
		}
		if other, twice := first[name]; twice {
			r.Report(ruleDuplicateMethod, n, "the name %q is that of %s", name, other.Pointer())
		} else {
			first[name] = n
		}
		if strings.HasPrefix(name, "rpc.") && name != "rpc.discover" {
			r.Report(ruleReservedName, n.Get("name"), "names like %q are reserved for extensions of JSON-RPC", name)
		}
		list = append(list, method{name, n})
	}
	return list
}

// entry returns a method, after following its reference.
func (r *reader) entry(n parse.Node, i int) parse.Node {
	target := r.Deref(n, methodSection)
	if target != n {
		if r.borrow -= len(target.Raw()); r.borrow < 0 {
			r.Report(ruleRefLimit.At(methodSection), n, "methods refer to the same ones too often; method %d is ignored", i)
			return parse.Node{}
		}
	}
	if target.Exists() && target.Kind() != parse.Object {
		r.Report(ruleWrongType.At(methodSection).AsWarning(), n, "the method is %v where object belongs; it is ignored", target.Kind())
		return parse.Node{}
	}
	return target
}

// brief returns the fields that a caller needs to choose a method.
func (r *reader) brief(m method) wayfind.Capability {
	r.CaseVariants(m.node, "name", "tags", "summary", "description", "externalDocs", "params", "result", "deprecated", "servers", "errors", "links", "paramStructure", "examples")
	c := wayfind.Capability{
		ID: m.name, Name: m.name, Kind: wayfind.KindRPCMethod, Claimed: true, Sources: parse.SourcesAt(m.node),
		Title: r.Prose(m.node, "summary", methodSection), Description: r.Prose(m.node, "description", methodSection),
		Invocation: r.invocation(m),
	}
	if deprecated := r.Bool(m.node, "deprecated", parse.Optional, methodSection); deprecated != nil {
		c.Deprecated = *deprecated
	}
	r.tags(m.node, &c)
	return c
}

// tags returns the names of the tags. Their other members are kept by name.
func (r *reader) tags(n parse.Node, c *wayfind.Capability) {
	var more []rawjson.Member
	for _, item := range r.Array(n, "tags", parse.Optional, methodSection).Items() {
		if len(c.Tags) == maxTags {
			r.Report(ruleTruncated.AsInfo(), item, "there are more than %d tags; the others are not listed", maxTags)
			break
		}
		tag := r.Target(item, "Tag Object")
		name, ok := tag.Str()
		if ok {
			r.Report(ruleWrongType.At("Tag Object").AsWarning(), item, "the tag is string where object belongs; it was read as its name")
		} else if !tag.Exists() {
			continue
		} else if name = r.String(tag, "name", parse.Must, "Tag Object"); tag.Kind() != parse.Object {
			r.Report(ruleWrongType.At("Tag Object").AsWarning(), item, "the tag is %v where object belongs; it is ignored", tag.Kind())
		}
		if len(name) > maxWord {
			r.Report(ruleTooLong.At("Tag Object").AsWarning(), item, "the name of the tag has more than %d bytes; it is ignored", maxWord)
		} else if name != "" {
			c.Tags = append(c.Tags, name)
		}
		members := r.rest(item, append(extensionsOf(item), "name", "$ref")...)
		for _, member := range extensionsOf(item) {
			members = append(members, rawjson.Member{Name: member, Value: item.Get(member).Copy()})
		}
		if said := rawjson.Some(members); said != nil {
			more = append(more, rawjson.Member{Name: name, Value: said})
		}
	}
	parse.Keep(&c.Extensions, "tags", rawjson.Some(more))
}

// invocation returns the invocation of a method, or nil if it is unknown.
func (r *reader) invocation(m method) *wayfind.Invocation {
	v := &wayfind.Invocation{Protocol: protocol, Via: protocol, Operation: m.name}
	if own := m.node.Get("servers"); own.Exists() && own.Kind() != parse.Null && (own.Kind() != parse.Array || own.Len() > 0) {
		s := r.called(own, r.serverList(m.node)) // all are in the Extensions
		if s == nil || strings.Contains(s.Base, "{") {
			return nil
		}
		if v.URL = s.Base; s.transport == "http" {
			v.ContentType = "application/json"
		}
		return v
	}
	for _, s := range r.servers {
		if s.Text != "" {
			return v
		}
	}
	return nil
}

// fill adds the facts that the entry in the list does not have.
func (r *reader) fill(m method, c *wayfind.Capability) {
	p := r.params(m.node)
	c.Params, c.Input = p.list, p.input()
	if p.structure != "" {
		parse.Keep(&c.Extensions, "paramStructure", rawjson.Quote(p.structure))
		if p.defaulted {
			c.Defaulted = []string{"paramStructure"}
		}
	}
	r.result(m.node, c)
	r.errors(m.node, c)
	r.examples(m.node, p, c)
	for _, member := range [...]string{"servers", "links", "externalDocs"} {
		r.spend(len(m.node.Get(member).Raw()))
		parse.SetExtension(&c.Extensions, member, m.node.Get(member))
	}
	parse.Keep(&c.Extensions, "params", rawjson.Some(p.more))
	parse.SetExtensions(&c.Extensions, m.node)
	known := []string{"name", "tags", "summary", "description", "externalDocs", "params", "result", "deprecated", "servers", "errors", "links", "paramStructure", "examples"}
	parse.Keep(&c.Extensions, "method", rawjson.Some(r.rest(m.node, append(known, extensionsOf(m.node)...)...)))
}

// extensionsOf returns the names of members that begin with "x-".
func extensionsOf(obj parse.Node) []string {
	var names []string
	for name := range obj.Members() {
		if strings.HasPrefix(name, "x-") {
			names = append(names, name)
		}
	}
	return names
}
