package openapi

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

const responseSection = "Response Object"

// readResponses reads what a call gives: the schema of the first success, its
// media types, and what the others mean.
func (d *detail) readResponses() {
	responses := d.Object(d.op.node, "responses", parse.Optional, "Operation Object")
	status, success := "", parse.Node{}
	var others []parse.Member
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
		}
		if rank := successRank(code); rank != "" && (status == "" || rank < status) {
			status, success = rank, n
		}
	}
	if others != nil {
		d.keep("responses", parse.Obj(others...))
	}
	parse.Keep(&d.c.Extensions, "links", success.Get("links"))
	d.output(success)
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
