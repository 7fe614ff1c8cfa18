package openapi

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/schemawriter"
	"github.com/wayfindhq/wayfind/parse"
)

// maxParams is the number of parameters of one operation that are read.
const maxParams = parse.DefaultItems

const paramSection = "Parameter Object"

// parameter is one entry of a list of parameters, after following its reference.
type parameter struct {
	node     parse.Node
	name, in string
}

// parameters joins the parameters of the path and of the operation. A parameter of the
// operation replaces one of the path with the same name and place.
func (r *reader) parameters(op operation) []parameter {
	var list []parameter
	at := make(map[[2]string]int)
	for _, obj := range []parse.Node{op.item, op.node} {
		here := make(map[[2]string]bool)
		for _, n := range r.Objects(obj, "parameters", parse.Optional, "Operation Object") {
			p, ok := r.parameter(n)
			if !ok {
				continue
			}
			key := [2]string{p.name, p.in}
			if here[key] {
				r.Report(ruleDuplicateParam, n, "the list has the parameter %q in %q twice", p.name, p.in)
			}
			here[key] = true
			if i, known := at[key]; known {
				list[i] = p
				continue
			}
			if len(list) == maxParams {
				r.Report(ruleTruncated.At(paramSection).AsInfo(), n, "there are more than %d parameters; the others are not read", maxParams)
				return list
			}
			at[key], list = len(list), append(list, p)
		}
	}
	return list
}

// parameter reads the name and the place of an entry. An entry without either is dropped, and
// so are header fields that must not be parameters by the specification, or that clients set
// themselves.
func (r *reader) parameter(n parse.Node) (p parameter, ok bool) {
	if n = r.described(n, paramSection); n.Kind() != parse.Object {
		return p, false
	}
	p = parameter{n, r.String(n, "name", parse.Must, paramSection), r.String(n, "in", parse.Must, paramSection)}
	if p.name == "" || p.in == "" {
		r.drop(p)
		return p, false
	}
	switch p.in {
	case "path", "query", "cookie":
		return p, true
	case "header":
		if strings.EqualFold(p.name, "Accept") || strings.EqualFold(p.name, "Content-Type") || strings.EqualFold(p.name, "Authorization") {
			r.Report(ruleParamIgnored, n, "the header field %q is described elsewhere; the parameter is ignored", p.name)
			return p, false
		}
		if err := fieldname.CheckField(p.name); err != nil {
			r.Report(ruleHeaderName.At(paramSection).AsWarning(), n, "the parameter %q cannot be sent: %s", p.name, err)
			if !isSentAnyway(p.name) {
				r.drop(p)
			}
			return p, false
		}
		return p, true
	case "body", "formData":
		if r.isSwagger() {
			return p, true
		}
	case "querystring":
		if r.dialect == Dialect32 {
			return p, true
		}
	}
	r.Report(ruleParamIn, n.Get("in"), "a parameter cannot go into %q; it is ignored", p.in)
	r.drop(p)
	return p, false
}

// described follows the reference that a parameter or a body may be. If it leads nowhere, the arguments of
// the operation are not known: the parameter may be required.
func (r *reader) described(n parse.Node, section string) parse.Node {
	target := r.Deref(n, section)
	if ref, is := n.Get("$ref").Str(); is && !target.Exists() {
		r.Outside = cmp.Or(r.Outside, fmt.Sprintf("the reference %q leads nowhere", ref))
	}
	return target
}

// drop records a required parameter that no request can have: without it, the server would
// refuse every call.
func (r *reader) drop(p parameter) {
	if required, ok := p.node.Get("required").Bool(); ok && required && r.dropped == nil {
		r.dropped = &p
	}
}

// isSentAnyway reports whether a client sets a field in each request that needs it.
func isSentAnyway(name string) bool {
	switch strings.ToLower(name) {
	case "host", "content-length", "transfer-encoding", "connection", "te":
		return true
	}
	return false
}

// readParams reads the parameters that are not the body, and adds parameters for variables of
// the path that have no description.
func (d *detail) readParams(list []parameter) {
	described := d.place(list)
	for _, p := range list {
		if p.in == "body" || p.in == "formData" {
			continue
		}
		schema := d.paramSchema(p.node)
		param := d.param(p.node, schema)
		param.Name, param.In = p.name, p.in
		if p.in == "querystring" {
			param.In, param.Whole = "query", true
		}
		d.style(&param, p)
		if p.in == "path" && (param.Required == nil || !*param.Required) {
			d.Report(rulePathOptional, p.node, "the parameter %q stands in the path and must be required", p.name)
			param.Required = new(true)
		}
		if d.request == nil {
			d.keepSerialization(p)
			d.restOfParam(p)
		}
		d.add(param, p.node, schema)
	}
	for _, name := range d.template.Names() {
		if described[name] {
			continue
		}
		d.Report(rulePathParam, d.op.node, "the path has the variable %q, and no parameter describes it", name)
		if param := paramspec.VariableParam(name, d.template); d.named[name] == "" {
			d.add(param, parse.Node{}, parse.Node{})
		}
	}
}

// paramSchema returns the schema of a parameter. It is in the parameter, in its content, or
// the parameter itself (2.0).
func (d *detail) paramSchema(n parse.Node) parse.Node {
	if d.isSwagger() {
		return n
	}
	if schema := n.Get("schema"); schema.Exists() {
		return schema
	}
	_, media := d.media(d.Object(n, "content", parse.Optional, paramSection))
	return mediaSchema(media)
}

// param reads the members that parameters and members of a body have in common.
func (d *detail) param(n, schema parse.Node) wayfind.Param {
	if d.request != nil {
		p := wayfind.Param{Required: d.Bool(n, "required", parse.Optional, paramSection)}
		if format, _ := schema.Get("format").Str(); format == "binary" { // as media types have
			p.Schema = rawjson.Obj(rawjson.Member{Name: "format", Value: rawjson.Quote(format)})
		}
		return p
	}
	p := wayfind.Param{
		Description: d.Prose(n, "description", paramSection), Required: d.Bool(n, "required", parse.Optional, paramSection),
		Schema: d.view(n, schema),
	}
	target := schema
	if schema.Get("$ref").Exists() {
		target = d.Target(schema, schemaSection)
	}
	p.Type = typeOf(target)
	p.Default = small(target.Get("default"))
	if p.Example = small(n.Get("example")); p.Example == nil {
		p.Example = small(target.Get("example"))
	}
	for _, e := range n.Get("examples").Members() {
		if p.Example == nil {
			p.Example = small(d.Deref(e, "Example Object").Get("value"))
		}
	}
	if p.Example == nil {
		p.Example = small(target.Get("examples").Index(0))
	}
	p.Enum = d.views.Enum(target)
	if v, ok := target.Get("minimum").Float(); ok {
		p.Minimum = &v
	}
	if v, ok := target.Get("maximum").Float(); ok {
		p.Maximum = &v
	}
	return p
}

// maxSmall is the largest default or example of a parameter, in bytes. The schema contains
// longer ones.
const maxSmall = 4 << 10

// small copies a value unless it is too long or could be taken for a reference.
func small(n parse.Node) parse.Raw {
	if len(n.Raw()) > maxSmall || !schemawriter.IsData(n) {
		return nil
	}
	return n.Copy()
}

// typeOf returns the type of a schema as the publisher writes it. The types of a list are
// joined by bars.
func typeOf(schema parse.Node) string {
	n := schema.Get("type")
	if text, ok := n.Str(); ok && len(text) <= maxWord {
		return text
	}
	var words []string
	for _, item := range n.Items() {
		if text, ok := item.Str(); ok && len(words) < 8 && len(text) <= maxWord {
			words = append(words, text)
		}
	}
	return strings.Join(words, "|")
}

// keepSerialization keeps the parts of the serialization of a parameter that the model has no
// fields for.
func (d *detail) keepSerialization(p parameter) {
	if empty := small(p.node.Get("allowEmptyValue")); empty != nil {
		members := rawjson.Obj(rawjson.Member{Name: "in", Value: rawjson.Quote(p.in)}, rawjson.Member{Name: "allowEmptyValue", Value: empty})
		d.serialization = append(d.serialization, rawjson.Member{Name: p.name, Value: members})
	}
}
