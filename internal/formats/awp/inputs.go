package awp

import (
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// inputMembers returns the members of an input that are read (§9).
func inputMembers() []string {
	return []string{"type", "required", "default", "options", "description"}
}

// inputs reads the inputs of a call (§9), and adds the variables of the endpoint that
// are not among them.
func (r *reader) inputs(entry parse.Node, c *wayfind.Capability, how call, need parse.Need) {
	obj := r.Object(entry, "inputs", need, "§9")
	if isSchema(obj) {
		r.schemaInputs(entry, obj, c, how)
		return
	}
	refs := &references{}
	// plain are the schemas of single parameters, without references to entities,
	// which would have no target there.
	var plain []parse.Raw
	more := false
	for name, spec := range obj.Members() {
		if len(c.Params) == parse.DefaultItems {
			r.Report(ruleTruncated, obj, "of %d inputs the first %d were read", obj.Len(), parse.DefaultItems)
			break
		}
		p, n, ok := r.input(name, spec)
		if !ok {
			continue
		}
		r.place(spec, &p, how)
		p.Schema = r.inputSchema(n, &p, refs)
		plain = append(plain, r.inputSchema(n, &p, nil))
		c.Params = append(c.Params, p)
		more = more || len(r.Extensions(spec, inputMembers()...)) > 0
	}
	if more {
		parse.SetExtension(&c.Extensions, "inputs", obj)
	}
	defs, ok := r.entities.defs(refs)
	if !ok {
		r.cutEntities(obj)
		for i := range c.Params {
			c.Params[i].Schema = plain[i]
		}
	}
	added := r.variables(entry, c, how)
	if c.Input = paramspec.InputSchema(c.Params); c.Input == nil && obj.Exists() {
		c.Input = objectSchema(nil) // an empty list means that there are no inputs
	}
	c.Input = withDefs(c.Input, defs)
	for i := range len(c.Params) - added {
		c.Params[i].Schema = plain[i]
	}
}

// input reads one input. n is the node of its type.
func (r *reader) input(name string, spec parse.Node) (p wayfind.Param, n parse.Node, ok bool) {
	p.Name = name
	switch {
	case name == "":
		r.Report(ruleInputName, spec, "the name of the input is empty; it is ignored")
		return p, n, false
	case spec.Kind() == parse.String:
		p.Type, _ = spec.Str()
		r.Report(ruleInputText, spec, "the input is a string where an object belongs; it was read as its type")
		return p, spec, true
	case spec.Kind() != parse.Object:
		r.wrongType(spec, "§9", parse.Object)
		return p, n, false
	}
	p.Type = r.String(spec, "type", parse.Must, "§9")
	p.Description = r.String(spec, "description", parse.Optional, "§9")
	p.Required = r.Bool(spec, "required", parse.Optional, "§9")
	p.Default = spec.Get("default").Copy()
	for _, option := range r.Array(spec, "options", parse.Optional, "§9").Items() {
		p.Enum = append(p.Enum, option.Copy())
	}
	return p, spec.Get("type"), true
}

// place sets the place of an input, which the format does not define, and the default
// of required.
func (r *reader) place(spec parse.Node, p *wayfind.Param, how call) {
	paramspec.PlaceParam(p, how.method, how.endpoint.Ref)
	switch {
	case p.Required == nil:
		p.Required, p.Defaulted = new(false), append(p.Defaulted, "required")
	case p.In == "path" && !*p.Required:
		r.Report(rulePathParameter, spec, "the input %q stands in the path of the endpoint, and is not required", p.Name)
	}
}

// variables adds the variables of the endpoint that are not inputs, and returns their
// number.
func (r *reader) variables(entry parse.Node, c *wayfind.Capability, how call) (added int) {
	for _, v := range how.endpoint.Ref.Names() {
		if slices.ContainsFunc(c.Params, func(p wayfind.Param) bool { return p.Name == v }) {
			continue
		}
		r.Report(rulePathParameter, entry.Get("endpoint"), "the variable %q of the endpoint is not among the inputs; it was added", v)
		c.Params = append(c.Params, paramspec.VariableParam(v, how.endpoint.Ref))
		added++
	}
	return added
}

// isSchema recognises a JSON Schema in the place of a list of inputs or outputs.
func isSchema(obj parse.Node) bool {
	kind, _ := obj.Get("type").Str()
	return kind == "object" && obj.Get("properties").Kind() == parse.Object
}

// schemaInputs keeps a JSON Schema as written, and reads its properties as inputs.
func (r *reader) schemaInputs(entry, obj parse.Node, c *wayfind.Capability, how call) {
	r.Report(ruleJSONSchema, obj, "a JSON Schema stands where typed inputs belong; it was taken as it is")
	c.Input = obj.Copy()
	required := setOf(r.Strings(obj, "required", parse.Optional, "§9"))
	for name, spec := range obj.Get("properties").Members() {
		if name == "" || spec.Kind() != parse.Object || len(c.Params) == parse.DefaultItems {
			continue
		}
		p := wayfind.Param{Name: name, Required: new(required[name]), Default: spec.Get("default").Copy(), Schema: spec.Copy()}
		p.Type, _ = spec.Get("type").Str()
		p.Description, _ = spec.Get("description").Str()
		paramspec.PlaceParam(&p, how.method, how.endpoint.Ref)
		c.Params = append(c.Params, p)
	}
	r.variables(entry, c, how)
}

// outputs reads the results (§9), which are names and words for types. It returns nil
// if the document has none.
func (r *reader) outputs(entry parse.Node, c *wayfind.Capability, need parse.Need) parse.Raw {
	n := entry.Get("outputs")
	schema := func(*references) parse.Raw { return nil }
	switch {
	case isSchema(n):
		r.Report(ruleJSONSchema, n, "a JSON Schema stands where typed outputs belong; it was taken as it is")
		r.CheckSchema(n)
		return n.Copy()
	case n.Kind() == parse.String:
		r.Report(ruleOutputText, n, "outputs is a string where an object belongs; it was read as one type")
		word, _ := n.Str()
		schema = func(refs *references) parse.Raw { return rawjson.Obj(r.typeOf(n, word, refs)...) }
	case r.Object(entry, "outputs", need, "§9").Exists():
		schema = func(refs *references) parse.Raw { return objectSchema(r.properties(n, refs)) }
		for _, value := range n.Members() {
			if value.Kind() == parse.Object && len(r.Extensions(value, "type", "description")) > 0 {
				parse.SetExtension(&c.Extensions, "outputs", n)
			}
		}
	}
	refs := &references{}
	made := schema(refs)
	defs, ok := r.entities.defs(refs)
	if !ok {
		r.cutEntities(n)
		return schema(nil)
	}
	return withDefs(made, defs)
}
