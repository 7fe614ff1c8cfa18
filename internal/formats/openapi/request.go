package openapi

import (
	"strconv"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/contract"
	"github.com/wayfindhq/wayfind/internal/syntax/schemawriter"
	"github.com/wayfindhq/wayfind/parse"
)

// ask reads the request of one operation, whose schemas other operations share. The
// capability gets the names of its parameters.
func (r *reader) ask(op operation, c *wayfind.Capability, request *contract.Request) {
	d := r.detail(op, c)
	d.request = request
	d.readRequest()
	if c.Invocation != nil {
		c.Invocation.ContentType, c.Invocation.BodyRequired, c.Invocation.Encodings = d.contentType, d.bodyRequired, d.encodings
	}
	request.Close()
	d.reportUnread()
}

// part returns the number of the schema of a parameter.
func (d *detail) part(p wayfind.Param, at, schema parse.Node) int {
	return d.request.Part(at, schema, p.Name, func(number int) parse.Raw {
		alone := d.sharing(d.request, number)
		return alone.Close(alone.property(p, at, schema))
	})
}

// sharing returns a writer of one part of a request.
func (r *reader) sharing(request *contract.Request, number int) *writer {
	w := r.writer(inRequest, new(schemawriter.Budget))
	w.request, w.number = request, number
	return w
}

// Define numbers the definitions of a request.
func (w *writer) Define(n parse.Node, own string) (name string, ok bool) {
	if w.request == nil {
		return "", false
	}
	number := w.request.Define(n, own, func(number int) parse.Raw {
		alone := w.sharing(w.request, number)
		return alone.Close(alone.Schema(n))
	})
	return strconv.Itoa(number), true
}

// Cut notes that a part of the schema is left out.
func (w *writer) Cut() {
	if w.request != nil {
		w.request.Cut(w.number)
	}
}

// flatRequest adds the members of an object to the request.
func (d *detail) flatRequest(schema parse.Node) {
	d.flatBody = schema
	d.request.Body(schema, func(members *contract.Request) {
		required := namesIn(schema.Get("required"))
		for name, member := range d.written(schema) {
			number := d.part(wayfind.Param{Name: name}, parse.Node{}, member)
			members.Add(name, "", "body", required[name] && member.Exists(), number)
		}
	})
}
