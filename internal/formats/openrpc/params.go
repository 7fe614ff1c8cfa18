package openrpc

import (
	"fmt"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/schemawriter"
	"github.com/wayfindhq/wayfind/parse"
)

// The structures that params may have.
const (
	byName     = "by-name"
	byPosition = "by-position"
	either     = "either"
)

// maxSmall is the largest default or example of a parameter, in bytes. The schema contains
// longer ones.
const maxSmall = 4 << 10

const contentSection = "Content Descriptor Object"

// params are the parameters of one method.
type params struct {
	structure string
	defaulted bool
	list      []wayfind.Param
	// schemas are the schemas of the parameters, written by the writer that has their definitions.
	schemas []parse.Raw
	writer  *writer
	// more has the members that a Param has no field for, by name.
	more []rawjson.Member
}

// params reads the parameters of a method.
func (r *reader) params(n parse.Node) *params {
	p := &params{writer: r.writer(r.budget())}
	p.structure, p.defaulted = r.structure(n)
	views := r.budget()
	seen := make(map[string]bool)
	for i, item := range r.Array(n, "params", parse.Must, methodSection).Items() {
		if i == parse.DefaultItems {
			r.Report(ruleTruncated, item, "there are more than %d parameters; the others were not read", parse.DefaultItems)
			break
		}
		if r.full() {
			break
		}
		d, alternatives := r.descriptor(item)
		param, schema := p.read(r, d, item, alternatives, views)
		if param.Name == "" {
			param.Name = fmt.Sprintf("param%d", i)
		}
		if seen[param.Name] {
			r.Report(ruleParamNames, item, "two parameters have the name %q; by name the first counts", param.Name)
		}
		seen[param.Name] = true
		if alternatives == nil && d.Get("schema").Exists() {
			p.more = append(p.more, rawjson.Member{Name: param.Name, Value: rawjson.Some(r.rest(d, "name", "summary", "description", "required", "schema", "deprecated"))})
		}
		p.list, p.schemas = append(p.list, param), append(p.schemas, schema)
	}
	r.checkOrder(n, p)
	return p
}

// structure returns the structure in which params are sent (Method Object: paramStructure),
// and whether it is a default. The default up to 1.2.4 is by position, which 1.2.6 accepts as
// well; tools make no difference between 1.2.x (Versions).
func (r *reader) structure(n parse.Node) (structure string, defaulted bool) {
	written := r.String(n, "paramStructure", parse.Optional, methodSection)
	switch written {
	case byName, byPosition, either:
		return written, false
	case "":
	default:
		r.Report(ruleParamStructure, n.Get("paramStructure"), "%q is none of by-name, by-position and either; it is ignored", written)
	}
	if r.minor < 3 {
		return byPosition, true
	}
	return either, true
}

// descriptor returns the Content Descriptor of a parameter or result. Before 1.3 it may be one
// of several alternatives (oneOf Object). The first then has the facts of all of them, except
// the schemas.
func (r *reader) descriptor(item parse.Node) (n parse.Node, alternatives []parse.Node) {
	n = r.Deref(item, contentSection)
	if n != item && r.left == nil {
		if r.borrow -= len(n.Raw()); r.borrow < 0 {
			r.Report(ruleRefLimit, item, "parameters refer to the same ones too often; this one is any value")
			return parse.Node{}, nil
		}
	}
	if n.Exists() && n.Kind() != parse.Object {
		r.Report(ruleWrongType.At(contentSection).AsWarning(), item, "the value is %v where a Content Descriptor belongs; it is any value", n.Kind())
		return parse.Node{}, nil
	}
	choices := n.Get("oneOf")
	if choices.Kind() != parse.Array || n.Get("name").Exists() {
		return n, nil
	}
	for i, choice := range choices.Items() {
		if i == maxTags {
			break
		}
		if d := r.Deref(choice, contentSection); d.Get("schema").Exists() {
			alternatives = append(alternatives, d)
		}
	}
	if len(alternatives) == 0 {
		return n, nil // a schema
	}
	if r.minor >= 3 {
		r.Report(ruleOneOf, item, "alternatives in place of a Content Descriptor are those of versions before 1.3; they were read")
	}
	return alternatives[0], alternatives
}

// read reads the Content Descriptor n of the parameter at item, and writes its schema for the
// schema of all.
func (p *params) read(r *reader, n, item parse.Node, alternatives []parse.Node, views *schemawriter.Budget) (param wayfind.Param, schema parse.Raw) {
	if param.Name = r.String(n, "name", parse.Must, contentSection); param.Name == "" {
		param.Defaulted = []string{"name"}
	}
	param.Description = r.about(n, contentSection)
	r.spend(2 * (len(param.Name) + len(param.Description)))
	if param.Required = r.Bool(n, "required", parse.Optional, contentSection); param.Required == nil {
		param.Required, param.Defaulted = new(false), append(param.Defaulted, "required")
	}
	view := r.writer(views)
	if alternatives != nil {
		param.Schema = view.Close(oneOf(view, alternatives))
		return param, oneOf(p.writer, alternatives)
	}
	node := r.contentSchema(n, item)
	if !node.Exists() {
		return param, described(schemawriter.Any(), param.Description, n)
	}
	param.Schema = view.Alone(node)
	r.facts(node, &param, views)
	return param, described(p.writer.Schema(node), param.Description, n)
}

// oneOf writes the schemas of alternatives as one.
func oneOf(w *writer, alternatives []parse.Node) parse.Raw {
	var list []parse.Raw
	for _, d := range alternatives {
		if schema := d.Get("schema"); schema.Exists() {
			list = append(list, w.Schema(schema))
		}
	}
	if list == nil {
		return schemawriter.Any()
	}
	return rawjson.Obj(rawjson.Member{Name: "oneOf", Value: rawjson.Arr(list...)})
}

// facts reads from a schema the fields of a flat view of a parameter.
func (r *reader) facts(schema parse.Node, p *wayfind.Param, views *schemawriter.Budget) {
	if schema.Get("$ref").Exists() {
		schema = r.Target(schema, schemaSection)
	}
	p.Type = typeOf(schema)
	p.Default = r.small(schema.Get("default"))
	if p.Example = r.small(schema.Get("examples").Index(0)); p.Example == nil {
		p.Example = r.small(schema.Get("example"))
	}
	p.Enum = views.Enum(schema)
	if v, ok := schema.Get("minimum").Float(); ok {
		p.Minimum = &v
	}
	if v, ok := schema.Get("maximum").Float(); ok {
		p.Maximum = &v
	}
}

// small copies a value unless it is too long or could be taken for a reference.
func (r *reader) small(n parse.Node) parse.Raw {
	if len(n.Raw()) > maxSmall || !schemawriter.IsData(n) {
		return nil
	}
	r.spend(len(n.Raw()))
	return n.Copy()
}

// typeOf returns the type of a schema as the publisher writes it. The types of a list are
// joined by bars.
func typeOf(schema parse.Node) string {
	n := schema.Get("type")
	if len(n.Raw()) > maxWord {
		return ""
	}
	if text, ok := n.Str(); ok {
		return text
	}
	var words []string
	for _, item := range n.Items() {
		if text, ok := item.Str(); ok {
			words = append(words, text)
		}
	}
	return strings.Join(words, "|")
}

// described adds the text of a descriptor to the schema of its parameter, if the schema has no
// text of its own.
func described(schema parse.Raw, text string, descriptor parse.Node) parse.Raw {
	root, err := (&parse.Input{Body: schema}).JSON()
	if err != nil || root.Kind() != parse.Object {
		return schema
	}
	var added []rawjson.Member
	if text != "" && !root.Get("description").Exists() {
		added = append(added, rawjson.Member{Name: "description", Value: rawjson.Quote(text)})
	}
	if deprecated, _ := descriptor.Get("deprecated").Bool(); deprecated && !root.Get("deprecated").Exists() {
		added = append(added, rawjson.Member{Name: "deprecated", Value: rawjson.QuoteBool(true)})
	}
	return schemawriter.Extend(schema, added...)
}

// checkOrder reports an optional parameter in front of a required one, because it cannot be
// left out by position.
func (r *reader) checkOrder(n parse.Node, p *params) {
	optional := ""
	for i := range p.list {
		switch required := *p.list[i].Required; {
		case !required && optional == "":
			optional = p.list[i].Name
		case required && optional != "":
			r.Report(ruleParamOrder, n.Get("params"), "the parameter %q is required and stands behind %q, which is not", p.list[i].Name, optional)
			return
		}
	}
}

// input returns the schema of params, or nil if there are none.
func (p *params) input() parse.Raw {
	if len(p.list) == 0 {
		return nil
	}
	if p.structure == byPosition {
		least := 0
		for i := range p.list {
			if *p.list[i].Required {
				least = i + 1
			}
		}
		return p.writer.Close(rawjson.Obj(
			rawjson.Member{Name: "type", Value: rawjson.Quote("array")},
			rawjson.Member{Name: "prefixItems", Value: rawjson.Arr(p.schemas...)},
			rawjson.Member{Name: "minItems", Value: rawjson.QuoteInt(int64(least))},
			rawjson.Member{Name: "maxItems", Value: rawjson.QuoteInt(int64(len(p.list)))},
		))
	}
	properties := make([]rawjson.Member, len(p.list))
	var required []string
	for i := range p.list {
		properties[i] = rawjson.Member{Name: p.list[i].Name, Value: p.schemas[i]}
		if *p.list[i].Required {
			required = append(required, p.list[i].Name)
		}
	}
	members := []rawjson.Member{{Name: "type", Value: rawjson.Quote("object")}, {Name: "properties", Value: rawjson.Obj(properties...)}}
	if required != nil {
		members = append(members, rawjson.Member{Name: "required", Value: rawjson.Quotes(required)})
	}
	return p.writer.Close(rawjson.Obj(members...))
}
