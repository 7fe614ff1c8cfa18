package parse

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// EffectsOf returns the effects that an HTTP method has by definition: safe
// methods only read (RFC 9110 §9.2.1), PUT and DELETE may be repeated (§9.2.2),
// DELETE removes (§9.3.5). All fields are named in Defaulted, because no
// publisher said so. It returns nil for methods that RFC 9110 does not define.
// The result is the caller's to change.
func EffectsOf(method string) *wayfind.Effects {
	var safe, idempotent bool
	switch method {
	case "GET", "HEAD", "OPTIONS":
		safe, idempotent = true, true
	case "PUT", "DELETE":
		idempotent = true
	case "POST", "PATCH":
	default:
		return nil
	}
	e := &wayfind.Effects{ReadOnly: &safe, Idempotent: &idempotent, Defaulted: []string{"readOnly", "idempotent"}}
	if safe || method == "DELETE" {
		e.Destructive = new(!safe)
		e.Defaulted = append(e.Defaulted, "destructive")
	}
	return e
}

// PlaceParam decides where a parameter of an HTTP call goes when its document
// does not say (In is ""): a variable of the endpoint where it stands, anything
// else into the query of GET, HEAD and DELETE and into the body of other
// methods. The last two are guesses, so Defaulted names "in". Without a method
// there is no guess. A parameter of the path is required unless the document
// says something else.
func PlaceParam(p *wayfind.Param, method string, endpoint Template) {
	if variable := endpoint.Place(p.Name); p.In == "" && variable != "" {
		p.In = variable
	}
	if p.In == "" && method != "" {
		p.In, p.Defaulted = "body", append(p.Defaulted, "in")
		if method == "GET" || method == "HEAD" || method == "DELETE" {
			p.In = "query"
		}
	}
	if p.In == "path" && p.Required == nil {
		p.Required, p.Defaulted = new(true), append(p.Defaulted, "required")
	}
}

// VariableParam returns the parameter that fills a variable of an endpoint
// which the document's list of parameters lacks: a string, required in a path.
func VariableParam(name string, endpoint Template) wayfind.Param {
	p := wayfind.Param{Name: name, In: endpoint.Place(name), Schema: Obj(Member{"type", Quote("string")})}
	if p.In == "path" {
		p.Required, p.Defaulted = new(true), []string{"required"}
	}
	return p
}

// ContentTypeOf returns the media type of the request body that the parameters
// make: a form when one of them is a file, else JSON; "" when none goes into
// the body.
func ContentTypeOf(params []wayfind.Param) string {
	inBody := func(p wayfind.Param) bool { return p.In == "body" }
	isFile := func(p wayfind.Param) bool {
		return inBody(p) && (strings.EqualFold(p.Type, "file") || strings.EqualFold(p.Type, "binary"))
	}
	switch {
	case slices.ContainsFunc(params, isFile):
		return "multipart/form-data"
	case slices.ContainsFunc(params, inBody):
		return "application/json"
	}
	return ""
}
