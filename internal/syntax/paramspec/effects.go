// Package paramspec completes what documents state of the parameters of a call: their place, their
// schema, the effects of the method, and the notations of variables and rates.
package paramspec

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// EffectsOf returns the effects that an HTTP method has by definition: safe methods only read
// (RFC 9110 §9.2.1), PUT and DELETE may be repeated (§9.2.2), and DELETE removes (§9.3.5). All
// fields are named in Defaulted, because no publisher declared them. It returns nil for
// methods that RFC 9110 does not define. The caller may change the result.
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

// PlaceParam sets the place of a parameter of an HTTP call if its document does not declare
// one (In is ""). A variable of the endpoint keeps its place there. Any other parameter goes
// into the query if the method is GET, HEAD or DELETE, and into the body otherwise. These two
// are guesses, so Defaulted names "in". If there is no method, PlaceParam does not guess. A
// parameter of the path is required unless the document declares otherwise.
func PlaceParam(p *wayfind.Param, method string, endpoint parse.Template) {
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

// VariableParam returns the parameter for a variable of an endpoint if the document's list of
// parameters lacks it: a string, which is required in a path.
func VariableParam(name string, endpoint parse.Template) wayfind.Param {
	p := wayfind.Param{Name: name, In: endpoint.Place(name), Schema: rawjson.Obj(rawjson.Member{Name: "type", Value: rawjson.Quote("string")})}
	if p.In == "path" {
		p.Required, p.Defaulted = new(true), []string{"required"}
	}
	return p
}

// ContentTypeOf returns the media type of the request body that the parameters make: a form if
// one of them is a file, and JSON otherwise. It returns "" if no parameter goes into the body.
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
