package openapi

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

const responseSection = "Response Object"

// readResponses reads what a call gives: the schema of the first success, its
// media types and examples, and what the others mean. Headers of all responses,
// and examples of the others, are kept by status.
func (d *detail) readResponses() {
	responses := d.Object(d.op.node, "responses", parse.Optional, "Operation Object")
	status, success := "", parse.Node{}
	var others, headers, samples []parse.Member
	for code, n := range responses.Members() {
		if strings.HasPrefix(code, "x-") {
			continue
		}
		if n = d.Deref(n, responseSection); n.Kind() != parse.Object {
			continue
		}
		if len(others) < maxMedia {
			text, ok := small(n.Get("description")), n.Get("description").Kind() == parse.String
			if text == nil || !ok {
				text = parse.Quote("")
			}
			others = append(others, parse.Member{Name: code, Value: text})
			headers = append(headers, parse.Member{Name: code, Value: d.headerTexts(n)})
			samples = append(samples, parse.Member{Name: code, Value: d.samples(n)})
		}
		if rank := successRank(code); rank != "" && (status == "" || rank < status) {
			status, success = rank, n
		}
	}
	if others != nil {
		d.keep("responses", parse.Obj(others...))
	}
	if status != "" { // its examples are those of the operation
		samples = slices.DeleteFunc(samples, func(m parse.Member) bool { return successRank(m.Name) == status })
	}
	d.keepAny("responseHeaders", headers)
	d.keepAny("responseExamples", samples)
	parse.SetExtension(&d.c.Extensions, "links", success.Get("links"))
	d.output(success)
}

// keepAny puts an object into the Extensions, unless it has no members.
func (d *detail) keepAny(name string, members []parse.Member) {
	if slices.ContainsFunc(members, func(m parse.Member) bool { return m.Value != nil }) {
		d.keep(name, parse.Obj(members...))
	}
}

// headerTexts are what a response says of its header fields, nil when it does
// not.
func (d *detail) headerTexts(response parse.Node) parse.Raw {
	var list []parse.Member
	for name, n := range response.Get("headers").Members() {
		if len(list) == maxMedia {
			break
		}
		text := small(d.Deref(n, "Header Object").Get("description"))
		if text == nil || text[0] != '"' {
			text = parse.Quote("")
		}
		list = append(list, parse.Member{Name: name, Value: text})
	}
	if list == nil {
		return nil
	}
	return parse.Obj(list...)
}

// samples are the examples of a response, nil when there are none.
func (d *detail) samples(response parse.Node) parse.Raw {
	var list []parse.Raw
	add := func(n parse.Node) {
		if value := small(n); value != nil && len(list) < maxExamples {
			list = append(list, value)
		}
	}
	for _, n := range response.Get("examples").Members() { // 2.0
		add(n)
	}
	_, media := d.media(response.Get("content"))
	add(media.Get("example"))
	for _, n := range media.Get("examples").Members() {
		add(d.Deref(n, "Example Object").Get("value"))
	}
	if list == nil {
		return nil
	}
	return parse.Arr(list...)
}

// successRank orders the responses that are a success: by number, a range
// behind its numbers, "default" last. It is "" for others.
func successRank(code string) string {
	switch {
	case len(code) == 3 && code[0] == '2':
		return code
	case code == "default":
		return code
	}
	return ""
}

// output reads the response to a call that went well.
func (d *detail) output(n parse.Node) {
	schema := n.Get("schema")
	if d.isSwagger() {
		produces := d.Strings(d.op.node, "produces", parse.Optional, "Operation Object")
		if produces == nil {
			produces = d.produces
		}
		if schema.Exists() {
			d.c.OutputModes = slices.Clone(produces[:min(len(produces), maxMedia)])
		}
		for kind, value := range n.Get("examples").Members() {
			d.example(kind, value, func(e *wayfind.Example, value parse.Raw) { e.Response = value })
		}
	} else {
		content := d.Object(n, "content", parse.Optional, responseSection)
		_, media := d.media(content)
		d.c.OutputModes, schema = mediaTypes(content), mediaSchema(media)
		d.examples(media, func(e *wayfind.Example, value parse.Raw) { e.Response = value })
	}
	d.c.Output = d.writer(inResponse, new(parse.SchemaBudget)).Alone(schema)
}

// examples reads those of a media type.
func (d *detail) examples(media parse.Node, set func(*wayfind.Example, parse.Raw)) {
	d.example("", media.Get("example"), set)
	for name, n := range d.Object(media, "examples", parse.Optional, "Media Type Object").Members() {
		n = d.Deref(n, "Example Object")
		value := n.Get("value")
		if !value.Exists() {
			value = n.Get("dataValue") // 3.2
		}
		title := d.Prose(n, "summary", "Example Object")
		if title == "" {
			title = name
		}
		d.example(title, value, set)
	}
}

// example adds one. One that has too many bytes is left out.
func (d *detail) example(title string, value parse.Node, set func(*wayfind.Example, parse.Raw)) {
	if !value.Exists() || len(d.c.Examples) == maxExamples || len(value.Raw()) > parse.MaxSchema/maxExamples {
		return
	}
	e := wayfind.Example{Title: title}
	set(&e, value.Copy())
	d.c.Examples = append(d.c.Examples, e)
}
