package openapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/schemawriter"
	"github.com/wayfindhq/wayfind/parse"
)

// maxRest bounds a value that is kept as it is written, in bytes.
const maxRest = 16 << 10

// copied returns a value as it is written. A value that is too long, too deep or could be
// taken for a reference is left out, and reported.
func (r *reader) copied(n parse.Node) parse.Raw {
	if !n.Exists() {
		return nil
	}
	if size := len(n.Raw()); size <= maxRest && size <= r.spare && schemawriter.IsData(n) {
		r.spare -= size
		return n.Copy()
	}
	r.leftOut(n)
	return nil
}

// leftOut reports a value that is not kept.
func (r *reader) leftOut(n parse.Node) {
	r.Report(ruleLeftOut, n, "the value of %d bytes is too long, too deep or one too many, or has a reference; it is left out", len(n.Raw()))
}

// rest returns the members of an object except the known ones, which are kept elsewhere.
// Variants of them in another case are reported elsewhere.
func (r *reader) rest(obj parse.Node, known ...string) []rawjson.Member {
	var list []rawjson.Member
	for name, value := range obj.Members() {
		if !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, name) }) {
			list = append(list, rawjson.Member{Name: name, Value: r.copied(value)})
		}
	}
	return list
}

// listed has members of the Extensions of a service, by the names of their subjects.
type listed []rawjson.Member

// add adds one entry. If several have the same name, the later ones get a number.
func (l *listed) add(name string, members []rawjson.Member) {
	value := rawjson.Some(members)
	if value == nil {
		return
	}
	number := 1
	for _, m := range *l {
		if before, _, _ := strings.Cut(m.Name, "~"); before == name {
			number++
		}
	}
	if number > 1 {
		name = fmt.Sprint(name, "~", number)
	}
	*l = append(*l, rawjson.Member{Name: name, Value: value})
}

// itemsMembers returns the members of an object of version 2.0 that is a schema by itself.
func itemsMembers() []string {
	return []string{"type", "format", "items", "default", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength",
		"pattern", "maxItems", "minItems", "uniqueItems", "enum", "multipleOf"}
}

// keepRest keeps the members of the operation, its path and its servers that have not been
// read.
func (d *detail) keepRest() {
	known := []string{"operationId", "summary", "description", "tags", "deprecated", "parameters", "requestBody", "responses", "security", "servers",
		"callbacks", "externalDocs", "consumes", "produces", "schemes"}
	for name := range d.op.node.Members() {
		if strings.HasPrefix(name, "x-") {
			known = append(known, name)
		}
	}
	parse.Keep(&d.c.Extensions, "operation", rawjson.Some(d.rest(d.op.node, known...)))
	known = append(d.methods(), "parameters", "additionalOperations", "$ref")
	for _, member := range [...]string{"summary", "description"} {
		if text := d.op.node.Get(member); !text.Exists() {
			known = append(known, member) // the operation takes it from the path
		}
	}
	own := d.op.node.Get("servers").Len() > 0
	if !own {
		known = append(known, "servers")
	}
	parse.Keep(&d.c.Extensions, "path", rawjson.Some(d.rest(d.op.item, known...)))
	list := d.op.item.Get("servers")
	if own {
		list = d.op.node.Get("servers")
	}
	var servers []parse.Raw
	for _, n := range list.Items() {
		known := []string{}
		if text, _ := n.Get("url").Str(); text != "" && d.c.Invocation != nil && strings.HasPrefix(d.c.Invocation.URL+d.c.Invocation.Template, text) {
			known = append(known, "url") // the one that is called
		}
		servers = append(servers, rawjson.Some(d.rest(n, known...)))
	}
	if slices.ContainsFunc(servers, func(v parse.Raw) bool { return v != nil }) {
		d.keep("servers", rawjson.Arr(servers...))
	}
}

// restOfParam keeps the facts about a parameter that a Param has no fields for.
func (d *detail) restOfParam(p parameter) {
	known := []string{"name", "in", "description", "required", "schema", "content", "style", "explode", "allowReserved", "allowEmptyValue",
		"collectionFormat", "example", "examples"}
	if d.isSwagger() {
		known = append(known, itemsMembers()...)
	}
	if small(p.node.Get("example")) == nil {
		known = slices.DeleteFunc(known, func(name string) bool { return name == "example" })
	}
	members := d.rest(p.node, known...)
	examples := p.node.Get("examples")
	for name, e := range examples.Members() {
		e = d.Deref(e, "Example Object")
		if taken := []string{"value"}; examples.Len() > 1 || e.Len() > 1 {
			if examples.Len() > 1 {
				taken = nil
			}
			members = append(members, rawjson.Member{Name: "example " + name, Value: rawjson.Some(d.rest(e, taken...))})
		}
	}
	kind, _ := d.media(p.node.Get("content"))
	members = append(members, d.content(p.node.Get("content"), kind, inRequest, "schema")...)
	d.params.add(p.name, members)
}

// content returns the members of media types that are not read from the chosen one, whose read
// members are in known. It adds the schemas of the others unless these are elsewhere.
func (d *detail) content(content parse.Node, chosen string, towards way, known ...string) []rawjson.Member {
	var list listed
	_, best := d.media(content)
	number := 0
	for kind, media := range content.Members() {
		if number++; number > maxMedia {
			break
		}
		media = d.Deref(media, "Media Type Object")
		members := d.rest(media, append(known, "schema", "itemSchema", "example", "examples")...)
		if schema := mediaSchema(media); towards != elsewhere && kind != chosen && string(schema.Raw()) != string(mediaSchema(best).Raw()) {
			members = append(members, rawjson.Member{Name: "schema", Value: d.writer(towards, d.others).Alone(schema)})
		}
		list.add(kind, members)
	}
	if list == nil {
		return nil
	}
	return []rawjson.Member{{Name: "content", Value: rawjson.Obj(list...)}}
}

// restOfExample keeps the members of an example other than its title and value.
func (d *detail) restOfExample(name string, e parse.Node, known ...string) {
	if len(d.texts) < maxExamples {
		d.texts.add(name, d.rest(e, append(known, "value", "dataValue")...))
	}
}

// restOfHeaders returns the schemas of the header fields of a response, and their other
// members except the description.
func (d *detail) restOfHeaders(response parse.Node) parse.Raw {
	var list listed
	for name, n := range response.Get("headers").Members() {
		if len(list) == maxMedia {
			break
		}
		n = d.Deref(n, "Header Object")
		known, w := []string{"description", "schema"}, d.writer(inResponse, d.others)
		written := w.Alone(n.Get("schema"))
		if d.isSwagger() {
			known = append(known, itemsMembers()...)
			written = w.Close(w.items(n))
		}
		list.add(name, append(d.rest(n, known...), rawjson.Member{Name: "schema", Value: written}))
	}
	return rawjson.Some(list)
}
