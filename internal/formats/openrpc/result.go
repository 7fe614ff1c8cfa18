package openrpc

import (
	"fmt"
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

const (
	// maxErrors is the number of errors of a method that are read. Real ones list up to a dozen.
	maxErrors = 100
	// maxExamples is the number of examples of a method that are read. It also divides
	// jsonschema.MaxBytes into the largest size of each.
	maxExamples = 20
)

// result reads the result of a call. A method without a result is a notification (since 1.3).
func (r *reader) result(n parse.Node, c *wayfind.Capability) {
	if !n.Get("result").Exists() {
		if r.minor < 3 {
			r.Missing(n, "result", parse.Must, methodSection)
			return
		}
		parse.Keep(&c.Extensions, "notification", rawjson.QuoteBool(true))
		return
	}
	item := r.Object(n, "result", parse.Must, methodSection)
	result, alternatives := r.descriptor(item)
	if !result.Exists() {
		return
	}
	schema := r.contentSchema(result, item)
	if schema != result {
		r.String(result, "name", parse.Must, contentSection)
	}
	if schema == result { // a schema in its place
		parse.Keep(&c.Extensions, "result", rawjson.Obj(
			rawjson.Member{Name: "summary", Value: r.small(result.Get("summary"))},
			rawjson.Member{Name: "description", Value: r.small(result.Get("description"))},
		))
	} else {
		parse.Keep(&c.Extensions, "result", rawjson.Obj(r.rest(result, "schema", "required", "deprecated")...))
	}
	w := r.writer(r.budget())
	if c.Output = w.Alone(schema); alternatives != nil {
		w = r.writer(r.budget())
		c.Output = w.Close(oneOf(w, alternatives))
	}
}

// contentSchema returns the schema of the Content Descriptor n, to which item leads. If the value
// is a schema in place of a descriptor, it returns the value.
func (r *reader) contentSchema(n, item parse.Node) parse.Node {
	schema := n.Get("schema")
	if schema.Exists() || n.Kind() != parse.Object {
		return schema
	}
	what := "a schema"
	if n != item {
		what = "a reference to a schema"
	}
	for _, keyword := range [...]string{"type", "properties", "enum", "allOf", "anyOf", "oneOf"} {
		if n.Get(keyword).Exists() && !n.Get("name").Exists() {
			r.Report(ruleBareSchema, item, "%s takes the place of a Content Descriptor; it was read as the schema of one", what)
			return n
		}
	}
	r.Missing(n, "schema", parse.Must, contentSection)
	return schema
}

// errors keeps the errors that a method may return.
func (r *reader) errors(n parse.Node, c *wayfind.Capability) {
	const section = "Error Object"
	var list []parse.Raw
	var codes []int64
	for i, item := range r.Array(n, "errors", parse.Optional, methodSection).Items() {
		if i == maxErrors {
			r.Report(ruleTruncated.AsInfo(), item, "there are more than %d errors; the others are not listed", maxErrors)
			break
		}
		e := r.Deref(item, section)
		if e.Kind() != parse.Object {
			if e.Exists() {
				r.Report(ruleWrongType.At("Error Object").AsWarning(), item, "the error is %v where object belongs; it is ignored", e.Kind())
			}
			continue
		}
		r.String(e, "message", parse.Must, section)
		if code := r.Int(e, "code", parse.Must, section); code != nil {
			if slices.Contains(codes, *code) {
				r.Report(ruleDuplicateError, item, "another error of the method has the code %d", *code)
			}
			codes = append(codes, *code)
		}
		list = append(list, rawjson.Obj(r.rest(e)...))
	}
	if list != nil {
		parse.Keep(&c.Extensions, "errors", rawjson.Arr(list...))
	}
}

// examples reads pairs of params and result.
func (r *reader) examples(n parse.Node, p *params, c *wayfind.Capability) {
	const section = "Example Pairing Object"
	r.exampleTexts = nil
	defer func() { parse.Keep(&c.Extensions, "examples", rawjson.Some(r.exampleTexts)) }()
	for _, item := range r.Array(n, "examples", parse.Optional, methodSection).Items() {
		if len(c.Examples) == maxExamples {
			r.Report(ruleTruncated.AsInfo(), item, "there are more than %d examples; the others are not listed", maxExamples)
			return
		}
		pair := r.Deref(item, section)
		if pair.Kind() != parse.Object {
			if pair.Exists() {
				r.Report(ruleWrongType.At("Example Pairing Object").AsWarning(), item, "the example is %v where object belongs; it is ignored", pair.Kind())
			}
			continue
		}
		e := wayfind.Example{Title: r.Prose(pair, "name", section), Text: r.about(pair, section), Request: r.request(pair, p)}
		r.spend(len(e.Title) + len(e.Text))
		result := r.Deref(r.Object(pair, "result", parse.Optional, section), "Example Object")
		if result.Exists() {
			e.Response = r.value(result)
		}
		r.restOfExample(pair, result)
		c.Examples = append(c.Examples, e)
	}
}

// restOfExample keeps the members of an example other than its texts and values, by its name.
func (r *reader) restOfExample(pair, result parse.Node) {
	members := r.rest(pair, "name", "summary", "description", "params", "result")
	members = append(members, rawjson.Member{Name: "result", Value: rawjson.Some(r.rest(result, "name", "value"))})
	var params []parse.Raw
	for i, item := range pair.Get("params").Items() {
		if i == parse.DefaultItems {
			break
		}
		params = append(params, rawjson.Some(r.rest(r.Target(item, "Example Object"), "name", "value")))
	}
	if slices.ContainsFunc(params, func(v parse.Raw) bool { return v != nil }) {
		members = append(members, rawjson.Member{Name: "params", Value: rawjson.Arr(params...)})
	}
	if said := rawjson.Some(members); said != nil {
		name, _ := pair.Get("name").Str()
		if n := len(r.exampleTexts); slices.ContainsFunc(r.exampleTexts, func(m rawjson.Member) bool { return m.Name == name }) {
			name = fmt.Sprint(name, "~", n+1)
		}
		r.exampleTexts = append(r.exampleTexts, rawjson.Member{Name: name, Value: said})
	}
}

// request makes params of the values of an example: by name if the method accepts that, and by
// position otherwise. If the name of an example is not the name of a parameter, it is an
// example of the parameter at its position.
func (r *reader) request(pair parse.Node, p *params) parse.Raw {
	size := 0
	var values []parse.Raw
	var named []rawjson.Member
	for i, item := range r.Array(pair, "params", parse.Optional, "Example Pairing Object").Items() {
		if i == parse.DefaultItems || r.full() {
			break
		}
		example := r.Deref(item, "Example Object")
		value := r.value(example)
		if size += len(value); value == nil || size > jsonschema.MaxBytes/maxExamples {
			return nil // the remaining arguments would make another request
		}
		name, _ := example.Get("name").Str()
		if !p.has(name) && i < len(p.list) {
			name = p.list[i].Name
		}
		values, named = append(values, value), append(named, rawjson.Member{Name: name, Value: value})
	}
	switch {
	case pair.Get("params").Kind() != parse.Array:
		return nil
	case p.structure == byPosition:
		return rawjson.Arr(values...)
	}
	return rawjson.Obj(named...)
}

// has reports whether there is a parameter of that name.
func (p *params) has(name string) bool {
	return slices.ContainsFunc(p.list, func(q wayfind.Param) bool { return q.Name == name })
}

// value returns the value of an example, or nil if there is none or it is too long.
func (r *reader) value(example parse.Node) parse.Raw {
	n := example.Get("value")
	if example.Kind() == parse.Object && !n.Exists() {
		r.Report(ruleExampleValue, example, "the example has no value in the document")
	}
	if len(n.Raw()) > jsonschema.MaxBytes/maxExamples || r.full() {
		return nil
	}
	r.spend(len(n.Raw()))
	return n.Copy()
}
