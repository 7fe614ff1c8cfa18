package aidiscovery

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// params reads the parameters of a capability (§3.3) and adds the variables of the
// endpoint that are not among them. ok is false if they are neither an object nor a
// list: the inputs of a call are then unknown (§4.1).
func (r *reader) params(entry parse.Node, method string, endpoint parse.Template) (list []wayfind.Param, ok bool) {
	n, ok := r.paramsNode(entry)
	count := 0
	seen := map[string]bool{}
	for name, value := range described(n) {
		if count++; count > parse.DefaultItems {
			r.Report(ruleTooManyParams, n, "of %d parameters the first %d were read", n.Len(), parse.DefaultItems)
			break
		}
		p, ok := r.param(name, value, n.Kind() == parse.Array)
		switch {
		case !ok:
			continue
		case seen[p.Name]:
			r.Report(ruleDuplicateParam, value, "the parameter %q stands twice; the second is ignored", p.Name)
			continue
		}
		seen[p.Name] = true
		r.place(&p, value, method, endpoint)
		list = append(list, p)
	}
	for _, v := range endpoint.Names() {
		if !seen[v] {
			r.Report(rulePathParam.AsInfo(), entry.Get("endpoint"), "the variable %q of the endpoint is not among the parameters; it was added", v)
			list = append(list, paramspec.VariableParam(v, endpoint))
		}
	}
	return list, ok
}

// paramsNode returns the member with the parameters: params, or another name that
// publishers use.
func (r *reader) paramsNode(entry parse.Node) (n parse.Node, ok bool) {
	name := "params"
	n = entry.Get(name)
	if other := entry.Get("parameters"); !n.Exists() && other.Exists() {
		name, n = "parameters", other
		r.Report(ruleParamsForm, n, "the parameters stand in %q where %q belongs; they were read", name, "params")
	}
	switch n.Kind() {
	case parse.Array:
		r.Report(ruleParamsForm, n, "the parameters are a list where an object belongs; they were read")
	case parse.Null, parse.Missing, parse.Object:
	default:
		r.Object(entry, name, parse.Optional, "§3.3")
		return parse.Node{}, false
	}
	return n, true
}

// described yields parameters with their names: the members of an object, or the
// elements of a list, which contain their names.
func described(n parse.Node) func(yield func(name string, value parse.Node) bool) {
	if n.Kind() == parse.Object {
		return n.Members()
	}
	return func(yield func(string, parse.Node) bool) {
		for _, value := range n.Items() {
			if !yield("", value) {
				return
			}
		}
	}
}

// param reads one parameter. It drops a parameter without a name.
func (r *reader) param(name string, value parse.Node, listed bool) (p wayfind.Param, ok bool) {
	text, isText := value.Str()
	switch {
	case listed && isText:
		name, text = cutName(text)
	case listed:
		name = r.String(value, "name", parse.Optional, "§3.3")
	}
	if name == "" {
		r.Report(ruleParamName, value, "the parameter has no name; it is ignored")
		return p, false
	}
	p.Name = name
	switch {
	case isText:
		r.readText(&p, text, value)
	case value.Kind() == parse.Object:
		r.readObject(&p, value)
	default:
		r.Report(ruleWrongType.At("§3.3").AsWarning(), value, "the parameter %q is described by %v where string belongs; only its name was read", name, value.Kind())
	}
	if p.Schema == nil {
		p.Schema = schemaOf(&p)
	}
	if err := fieldname.CheckField(p.Name); p.In == "header" && err != nil {
		r.Report(ruleHeaderName.At("§3.3"), value, "the parameter is ignored: %s", err)
		return p, false
	}
	return p, true
}

// cutName separates the name in an element of a list from its notation, as in
// "q: string, required" and "q (string, required)".
func cutName(text string) (name, rest string) {
	name, rest, _ = strings.Cut(text, ":")
	if before, inner, ok := cutLastGroup(text); ok && !isName(name) {
		name, rest = before, inner
	}
	if name = strings.TrimSpace(name); !isName(name) {
		return "", ""
	}
	return name, strings.TrimSpace(rest)
}

// isName reports whether text may be a name before a notation.
func isName(text string) bool { return text != "" && !strings.ContainsAny(text, " \t\r\n(),|") }

// readText sets the fields of a parameter from a compact text.
func (r *reader) readText(p *wayfind.Param, text string, at parse.Node) {
	n := readNotation(text)
	p.Raw, _ = at.Str()
	p.Type, p.Required, p.In, p.Description = n.kind, n.required, n.place, n.description
	n.constrain(p)
	p.Confidence = new(n.confidence())
	r.notations.count(n.form, at)
	if n.kind != "" && !isType(n.kind) {
		r.Report(ruleParamType, at, "the type %q is none of string, integer, number, boolean and array", n.kind)
	}
}

// readObject sets the fields of a parameter from an object in place of a text.
func (r *reader) readObject(p *wayfind.Param, obj parse.Node) {
	r.notations.count(formObject, obj)
	p.Type = r.String(obj, "type", parse.Optional, "§3.3")
	p.Description = r.String(obj, "description", parse.Optional, "§3.3")
	p.Required = r.Bool(obj, "required", parse.Optional, "§3.3")
	p.Minimum = first(r.Number(obj, "minimum", parse.Optional, "§3.3"), r.Number(obj, "min", parse.Optional, "§3.3"))
	p.Maximum = first(r.Number(obj, "maximum", parse.Optional, "§3.3"), r.Number(obj, "max", parse.Optional, "§3.3"))
	if n := obj.Get("default"); n.Kind() != parse.Null {
		p.Default = n.Copy()
	}
	if n := obj.Get("example"); n.Kind() != parse.Null {
		p.Example = n.Copy()
	}
	for _, item := range r.Array(obj, "enum", parse.Optional, "§3.3").Items() {
		p.Enum = append(p.Enum, item.Copy())
	}
	switch place := strings.ToLower(r.String(obj, "in", parse.Optional, "§3.3")); place {
	case "path", "query", "header", "body", "cookie":
		p.In = place
	}
}

func first(a, b *float64) *float64 {
	if a != nil {
		return a
	}
	return b
}

// place sets the place of a parameter, which the draft does not define. A variable of
// the endpoint has its place there, and the method determines the place of any other
// (see paramspec.PlaceParam).
func (r *reader) place(p *wayfind.Param, at parse.Node, method string, endpoint parse.Template) {
	variable := endpoint.Place(p.Name)
	if p.In != "" && p.In != variable && (variable != "" || p.In == "path" && !endpoint.IsZero()) {
		r.Report(rulePathParam, at, "the parameter %q and the variables of the endpoint do not agree", p.Name)
		p.In = variable
	}
	paramspec.PlaceParam(p, method, endpoint)
	if p.In == "path" && !*p.Required {
		r.Report(rulePathParam, at, "the parameter %q stands in the path and is said to be optional", p.Name)
	}
}

// inputSchema returns the JSON Schema of all parameters together. An empty object
// means that there are no parameters; a missing one does not.
func inputSchema(entry parse.Node, list []wayfind.Param) parse.Raw {
	n := entry.Get("params")
	if len(list) == 0 && n.Kind() == parse.Object && n.Len() == 0 {
		return rawjson.Obj(rawjson.Member{Name: "type", Value: rawjson.Quote("object")}, rawjson.Member{Name: "properties", Value: rawjson.Obj()})
	}
	return paramspec.InputSchema(list)
}

// isType reports whether a word is a type of the specification (§3.3).
func isType(word string) bool {
	switch strings.ToLower(word) {
	case "string", "integer", "number", "boolean", "array":
		return true
	}
	return false
}
