package openapi

import (
	"github.com/wayfindhq/wayfind/internal/syntax/jsonschema"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/schemawriter"
	"github.com/wayfindhq/wayfind/parse"
)

const responseSection = "Response Object"

// readResponses reads the results of a call: the schema of the first success, its media types
// and examples, and the texts of the other responses. Headers of all responses, and examples
// of the others, are kept by status.
func (d *detail) readResponses() {
	responses := d.Object(d.op.node, "responses", parse.Optional, "Operation Object")
	status, success := "", parse.Node{}
	var others, headers, samples []rawjson.Member
	var list []response
	for code, n := range responses.Members() {
		if strings.HasPrefix(code, "x-") {
			continue
		}
		if n = d.Deref(n, responseSection); n.Kind() != parse.Object {
			continue
		}
		if len(others) < maxMedia {
			others = append(others, rawjson.Member{Name: code, Value: d.text(n.Get("description"))})
			headers = append(headers, rawjson.Member{Name: code, Value: d.headerTexts(n)})
			list = append(list, response{code, n})
		}
		if rank := successRank(code); rank != "" && (status == "" || rank < status) {
			status, success = rank, n
		}
	}
	if others != nil {
		d.keep("responses", rawjson.Obj(others...))
	}
	for _, r := range list {
		if r.code != status { // its examples are the examples of the operation
			samples = append(samples, rawjson.Member{Name: r.code, Value: d.samples(r.node)})
		}
	}
	d.keep("responseHeaders", rawjson.Some(headers))
	d.keep("responseExamples", rawjson.Some(samples))
	d.restOfResponses(list, status)
	parse.SetExtension(&d.c.Extensions, "links", success.Get("links"))
	d.output(success)
}

// response is one response of an operation, after following its reference.
type response struct {
	code string
	node parse.Node
}

// restOfResponses keeps the members of responses other than their texts. The schemas of all
// responses except the success are in one schema, so that it has their definitions once. The
// other members have no other place.
func (d *detail) restOfResponses(list []response, success string) {
	w := d.writer(inResponse, d.others)
	var schemas []rawjson.Member
	var more listed
	for _, r := range list {
		known := []string{"description", "headers", "content"}
		if d.isSwagger() {
			known = append(known, "schema", "examples")
		}
		schema, chosen := r.node.Get("schema"), ""
		if !d.isSwagger() {
			kind, media := d.described(r.node.Get("content"))
			schema, chosen = mediaSchema(media), kind
		}
		towards := inResponse
		if r.code == success {
			known, towards = append(known, "links"), elsewhere
		} else if schema.Exists() {
			schemas = append(schemas, rawjson.Member{Name: r.code, Value: w.Schema(schema)})
		}
		members := append(d.rest(r.node, known...), rawjson.Member{Name: "headers", Value: d.restOfHeaders(r.node)})
		more.add(r.code, append(members, d.content(r.node.Get("content"), chosen, towards)...))
	}
	if schemas != nil {
		d.keep("responseSchemas", w.Close(rawjson.Obj(rawjson.Member{Name: "properties", Value: rawjson.Obj(schemas...)})))
	}
	for name, value := range d.op.node.Get("responses").Members() {
		if strings.HasPrefix(name, "x-") {
			more = append(more, rawjson.Member{Name: name, Value: d.copied(value)})
		}
	}
	d.keep("responseMembers", rawjson.Some(more))
}

// headerTexts returns the descriptions of the header fields of a response, or nil if there are
// none.
func (d *detail) headerTexts(response parse.Node) parse.Raw {
	var list []rawjson.Member
	for name, n := range response.Get("headers").Members() {
		if len(list) == maxMedia {
			break
		}
		list = append(list, rawjson.Member{Name: name, Value: d.text(d.Deref(n, "Header Object").Get("description"))})
	}
	if list == nil {
		return nil
	}
	return rawjson.Obj(list...)
}

// samples returns the examples of a response, or nil if there are none.
func (d *detail) samples(response parse.Node) parse.Raw {
	var list []parse.Raw
	add := func(n parse.Node) {
		if value := small(n); value != nil && len(list) < maxExamples {
			list = append(list, value)
		} else if n.Exists() {
			d.leftOut(n)
		}
	}
	for _, n := range response.Get("examples").Members() { // 2.0
		add(n)
	}
	for _, media := range response.Get("content").Members() {
		media = d.Deref(media, "Media Type Object")
		add(media.Get("example"))
		for name, n := range media.Get("examples").Members() {
			n = d.Deref(n, "Example Object")
			add(exampleValue(n))
			d.restOfExample(name, n)
		}
	}
	if list == nil {
		return nil
	}
	return rawjson.Arr(list...)
}

// text returns a text as it is written, or an empty text if there is none or it is too long.
func (d *detail) text(n parse.Node) parse.Raw {
	if n.Kind() != parse.String {
		return rawjson.Quote("")
	}
	if written := small(n); written != nil {
		return written
	}
	d.leftOut(n)
	return rawjson.Quote("")
}

// successRank orders the responses that are a success: by number, a range after its numbers,
// "default" last. It returns "" for others.
func successRank(code string) string {
	switch {
	case len(code) == 3 && code[0] == '2':
		return code
	case code == "default":
		return code
	}
	return ""
}

// output reads the response to a successful call.
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
		_, media := d.described(content)
		d.keep("outputs", d.outputs(content, mediaSchema(media)))
		d.c.OutputModes, schema = mediaTypes(content), mediaSchema(media)
		d.examplesOf(content, media, func(e *wayfind.Example, value parse.Raw) { e.Response = value })
	}
	d.c.Output = d.writer(inResponse, new(schemawriter.Budget)).Alone(schema)
}

// described chooses the media type whose schema is shown: the best one that has a schema.
func (d *detail) described(content parse.Node) (kind string, media parse.Node) {
	best := 5
	for name, n := range content.Members() {
		n = d.Target(n, "Media Type Object")
		if rank := mediaRank(name); rank < best && mediaSchema(n).Exists() {
			best, kind, media = rank, name, n
		}
	}
	if kind == "" {
		return d.media(content)
	}
	return kind, media
}

// outputs returns the schemas of the media types whose schema differs from the one shown.
func (d *detail) outputs(content, shown parse.Node) parse.Raw {
	var list []rawjson.Member
	for kind, media := range content.Members() {
		schema := mediaSchema(d.Target(media, "Media Type Object"))
		switch {
		case len(list) == maxMedia:
			return rawjson.Obj(list...)
		case !schema.Exists() && shown.Exists():
			list = append(list, rawjson.Member{Name: kind, Value: schemawriter.Any()})
		case string(schema.Raw()) != string(shown.Raw()):
			list = append(list, rawjson.Member{Name: kind, Value: d.writer(inResponse, d.others).Alone(schema)})
		}
	}
	return rawjson.Some(list)
}

// examplesOf reads the examples of the chosen media type, and then of the others.
func (d *detail) examplesOf(content, chosen parse.Node, set func(*wayfind.Example, parse.Raw)) {
	d.examples(chosen, set)
	for _, media := range content.Members() {
		if media = d.Deref(media, "Media Type Object"); media != chosen {
			d.examples(media, set)
		}
	}
}

// exampleValue returns the value of an Example Object.
func exampleValue(n parse.Node) parse.Node {
	if value := n.Get("value"); value.Exists() {
		return value
	}
	return n.Get("dataValue") // 3.2
}

// examples reads the examples of a media type.
func (d *detail) examples(media parse.Node, set func(*wayfind.Example, parse.Raw)) {
	d.example("", media.Get("example"), set)
	for name, n := range d.Object(media, "examples", parse.Optional, "Media Type Object").Members() {
		n = d.Deref(n, "Example Object")
		title := d.Prose(n, "summary", "Example Object")
		if title == "" {
			title = name
		}
		d.example(title, exampleValue(n), set)
		d.restOfExample(name, n, "summary")
	}
}

// example adds one example. An example with too many bytes is left out.
func (d *detail) example(title string, value parse.Node, set func(*wayfind.Example, parse.Raw)) {
	switch {
	case !value.Exists():
		return
	case len(d.c.Examples) == maxExamples, len(value.Raw()) > jsonschema.MaxBytes/maxExamples:
		d.leftOut(value)
		return
	}
	e := wayfind.Example{Title: title}
	set(&e, value.Copy())
	d.c.Examples = append(d.c.Examples, e)
}
