package openapi

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// maxMedia is the number of media types of one content that are listed, and maxExamples the
// number of examples of an operation.
const (
	maxMedia    = 50
	maxExamples = 20
)

const bodySection = "Request Body Object"

// media chooses one media type of a content: JSON first, then forms, then others.
func (r *reader) media(content parse.Node) (kind string, media parse.Node) {
	best := 5
	for name, n := range content.Members() {
		if rank := mediaRank(name); rank < best {
			best, kind, media = rank, name, n
		}
	}
	if media.Get("$ref").Exists() { // 3.2
		media = r.Deref(media, "Media Type Object")
	}
	return kind, media
}

// mediaRank returns how well a media type fits a caller that prefers JSON.
func mediaRank(kind string) int {
	kind, _, _ = strings.Cut(strings.ToLower(kind), ";")
	switch kind = strings.TrimSpace(kind); {
	case kind == "application/json":
		return 0
	case strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "/json"):
		return 1
	case kind == "application/x-www-form-urlencoded" || kind == "multipart/form-data":
		return 2
	case strings.Contains(kind, "*"):
		return 4
	}
	return 3
}

// mediaTypes lists the media types of a content.
func mediaTypes(content parse.Node) []string {
	var list []string
	for name := range content.Members() {
		if list = append(list, name); len(list) == maxMedia {
			break
		}
	}
	return list
}

// mediaSchema returns the schema of a media type, or the schema of its items if it is a
// sequence (3.2).
func mediaSchema(media parse.Node) parse.Node {
	if schema := media.Get("schema"); schema.Exists() {
		return schema
	}
	return media.Get("itemSchema")
}

// readBody reads the request body of version 3.
func (d *detail) readBody() {
	n := d.Object(d.op.node, "requestBody", parse.Optional, "Operation Object")
	if n = d.reader.described(n, bodySection); n.Kind() != parse.Object {
		return
	}
	content := d.Object(n, "content", parse.Must, bodySection)
	kind, media := d.media(content)
	required, _ := n.Get("required").Bool()
	if kind != "" {
		d.bodyRequired = &required
	}
	if d.request != nil {
		d.contentType = kind
		if kind != "" {
			d.body(n, mediaSchema(media), required, "")
			d.readEncodings(media)
		}
		return
	}
	d.contentType, d.c.InputModes = kind, mediaTypes(content)
	d.examplesOf(content, media, func(e *wayfind.Example, value parse.Raw) { e.Request = value })
	d.requestBody = append(d.rest(n, "description", "content", "required"), d.content(content, kind, inRequest)...)
	if kind != "" {
		d.body(n, mediaSchema(media), required, "")
		d.readEncodings(media)
	}
	d.keep("requestBody", rawjson.Some(d.requestBody))
}

// readForm reads the request body of version 2.0: one parameter, or the fields
// of a form.
func (d *detail) readForm(list []parameter) {
	consumes := d.Strings(d.op.node, "consumes", parse.Optional, "Operation Object")
	if consumes == nil {
		consumes = d.consumes
	}
	file, form, required := false, false, false
	for _, p := range list {
		switch p.in {
		case "body":
			d.contentType = bestOf(consumes, "application/json")
			required, _ := p.node.Get("required").Bool()
			d.bodyRequired = &required
			d.body(p.node, p.node.Get("schema"), required, p.name)
			if d.request == nil {
				d.keep("requestBody", rawjson.Some(d.requestBody))
				d.restOfParam(p)
			}
		case "formData":
			form, file = true, file || typeOf(p.node) == "file"
			param := d.param(p.node, p.node)
			param.Name, param.In = p.name, "body"
			required = required || param.Required != nil && *param.Required
			d.formEncoding(p)
			if d.request == nil {
				d.keepSerialization(p)
				d.restOfParam(p)
			}
			d.add(param, p.node, p.node)
		}
	}
	if form {
		d.bodyRequired = &required
		d.contentType = bestOf(slices.DeleteFunc(slices.Clone(consumes), func(kind string) bool { return mediaRank(kind) != 2 }), "application/x-www-form-urlencoded")
		if file {
			d.contentType = "multipart/form-data"
		}
	}
	if d.contentType != "" {
		d.c.InputModes = slices.Clone(consumes[:min(len(consumes), maxMedia)])
	}
}

// bestOf chooses one of a list of media types.
func bestOf(list []string, byDefault string) string {
	best := byDefault
	for i, kind := range list {
		if i == 0 || mediaRank(kind) < mediaRank(best) {
			best = kind
		}
	}
	return best
}

// body adds a request body. The members of a plain object become parameters, unless another
// parameter has one of their names; any other body is one parameter for the whole.
func (d *detail) body(at, schema parse.Node, required bool, name string) {
	target := schema
	if schema.Get("$ref").Exists() {
		target = d.Target(schema, schemaSection)
	}
	xml := isXML(d.contentType)
	if !xml && d.isFlat(target) && (required || target.Get("required").Len() == 0) {
		if d.request != nil {
			d.flatRequest(target)
			return
		}
		d.flat(target)
		members := []rawjson.Member{{Name: "description"}, {Name: "schema", Value: rawjson.Some(d.rest(target, "type", "properties", "required", "additionalProperties"))}}
		if text := at.Get("description"); text.Kind() == parse.String {
			members[0].Value = d.copied(text)
		}
		d.requestBody = append(members, d.requestBody...)
		return
	}
	p := d.param(at, schema)
	p.In, p.Whole, p.Name, p.Required, p.Defaulted = "body", true, name, &required, []string{"name"}
	for p.Name == "" || d.named[p.Name] != "" {
		p.Name = strings.TrimPrefix(p.Name+"_body", "_")
	}
	if xml {
		p.Schema = d.xmlView(schema)
	}
	if d.request != nil {
		d.request.Whole(target)
	}
	d.add(p, at, schema)
}

// isFlat reports whether the members of an object are everything that a body can contain.
func (d *detail) isFlat(schema parse.Node) bool {
	properties := schema.Get("properties")
	for keyword, value := range schema.Members() {
		switch keyword {
		case "type":
			if kind, _ := value.Str(); kind != "object" {
				return false
			}
		case "additionalProperties":
			if open, ok := value.Bool(); !ok || open {
				return false
			}
		case "properties", "required", "title", "description", "example", "examples", "xml", "externalDocs", "$schema", "$id":
		default:
			if !strings.HasPrefix(keyword, "x-") || keyword == "x-nullable" {
				return false
			}
		}
	}
	for name := range properties.Members() {
		if d.named[name] != "" {
			return false
		}
	}
	for _, name := range undeclared(schema) {
		if d.named[name] != "" || schema.Get("additionalProperties").Exists() {
			return false
		}
	}
	return properties.Len() > 0 && properties.Len()+len(d.c.Params) <= maxParams
}

// flat adds the members of an object as parameters, except read-only ones.
func (d *detail) flat(schema parse.Node) {
	required := namesIn(schema.Get("required"))
	for name, member := range d.written(schema) {
		target := member
		if member.Get("$ref").Exists() {
			target = d.Target(member, schemaSection)
		}
		p := d.param(parse.Node{}, member)
		p.Name, p.In, p.Required = name, "body", new(required[name] && member.Exists())
		if text := target.Get("description"); len(text.Raw()) <= maxSmall {
			p.Description, _ = text.Str()
		}
		if text, ok := member.Get("description").Str(); ok {
			p.Description = text
		}
		d.add(p, parse.Node{}, member)
	}
	if unknown := undeclared(schema); len(unknown) > 0 {
		d.Report(ruleRequiredUnknown, schema.Get("required"), "the schema of the body requires %q and describes no such member, so it is an optional argument%s", unknown[0], andMore(len(unknown)-1))
	}
}

// andMore says that the same holds for others.
func andMore(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("; the same holds for %d more", n)
}

// undeclared returns the members that an object requires but does not describe.
func undeclared(schema parse.Node) (names []string) {
	for _, item := range schema.Get("required").Items() {
		name, ok := item.Str()
		if ok && !schema.Get("properties").Get(name).Exists() && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// written yields the members of an object that a request may have. A member that is required
// but not described may have any value, or be absent: publishers misspell names in that list.
func (d *detail) written(schema parse.Node) iter.Seq2[string, parse.Node] {
	return func(yield func(string, parse.Node) bool) {
		for name, member := range schema.Get("properties").Members() {
			if readOnly, _ := member.Get("readOnly").Bool(); !readOnly && !yield(name, member) {
				return
			}
		}
		for _, name := range undeclared(schema) {
			if !yield(name, parse.Node{}) {
				return
			}
		}
	}
}

// namesIn returns the strings of a list.
func namesIn(list parse.Node) map[string]bool {
	names := make(map[string]bool)
	for _, item := range list.Items() {
		if name, ok := item.Str(); ok {
			names[name] = true
		}
	}
	return names
}
