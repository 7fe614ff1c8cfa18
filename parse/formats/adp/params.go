package adp

import (
	"bytes"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// parameters is the list of parameters of a detail document.
type parameters struct {
	params []wayfind.Param
	listed bool // the document has a list, be it empty
}

// parameters reads the list (§5) and adds the variables of the endpoint that
// are not in it.
func (r reader) parameters(root parse.Node, method string, endpoint []part) parameters {
	entries := r.Objects(root, "parameters", parse.Must, "§5")
	list := parameters{listed: root.Get("parameters").Kind() == parse.Array}
	if limit := parse.DefaultItems; len(entries) > limit {
		r.doubt("truncated", root.Get("parameters"), "§5", "of %d parameters the first %d were read", len(entries), limit)
		entries = entries[:limit]
	}
	type key struct{ name, in string }
	seen := map[key]bool{}
	named := map[string]bool{}
	for _, entry := range entries {
		p, ok := r.parameter(entry, method, endpoint)
		if !ok {
			continue
		}
		if seen[key{p.Name, p.In}] {
			r.fault("duplicate_parameter", entry.Get("name"), "§5", "the parameter %q stands twice; the second is ignored", p.Name)
			continue
		}
		seen[key{p.Name, p.In}], named[p.Name] = true, true
		list.params = append(list.params, p)
	}
	for _, v := range names(endpoint) {
		if !named[v] {
			r.fault("path_parameter", root.Get("endpoint"), "§5", "the variable %q of the endpoint is not among the parameters; it was added", v)
			list.params = append(list.params, added(v, variablePlace(endpoint, v)))
		}
	}
	return list
}

// added is the parameter of a variable that the list lacks.
func added(name, in string) wayfind.Param {
	p := wayfind.Param{Name: name, In: in, Schema: parse.Obj(parse.Member{Name: "type", Value: parse.Quote("string")})}
	if in == "path" {
		p.Required, p.Defaulted = new(true), []string{"required"}
	}
	return p
}

// parameter reads one entry. Without a name it is dropped, and so is a header
// field that no caller may set.
func (r reader) parameter(entry parse.Node, method string, endpoint []part) (wayfind.Param, bool) {
	p := wayfind.Param{
		Name:        r.String(entry, "name", parse.Must, "§5"),
		Description: r.String(entry, "description", parse.Optional, "§5"),
		Required:    r.Bool(entry, "required", parse.Optional, "§5"),
		Minimum:     r.Number(entry, "minimum", parse.Optional, "§5"),
		Maximum:     r.Number(entry, "maximum", parse.Optional, "§5"),
	}
	if n := entry.Get("name"); p.Name == "" {
		if n.Kind() == parse.String {
			r.fault("parameter_name", n, "§5", "the name of the parameter is empty; it is ignored")
		}
		return p, false
	}
	r.place(entry, &p, method, endpoint)
	if why := headerTrouble(p.Name); p.In == "header" && why != "" && !strings.EqualFold(p.Name, "Content-Type") && !strings.EqualFold(p.Name, "Accept") {
		r.fault("header_name", entry.Get("name"), "§5", "the parameter is ignored: %s", why)
		return p, false
	}
	if n := entry.Get("default"); n.Exists() {
		p.Default = bytes.Clone(n.Raw())
	}
	if n := entry.Get("example"); n.Exists() && n.Kind() != parse.Null {
		p.Example = bytes.Clone(n.Raw())
	}
	for _, item := range r.Array(entry, "enum", parse.Optional, "§5").Items() {
		p.Enum = append(p.Enum, bytes.Clone(item.Raw()))
	}
	r.paramType(entry, &p)
	return p, true
}

// place decides where a parameter goes, as the reference implementation does:
// what the document says; else a variable of the endpoint; else the query of
// GET, HEAD and DELETE; else the body. The last two are defaults.
func (r reader) place(entry parse.Node, p *wayfind.Param, method string, endpoint []part) {
	variable := variablePlace(endpoint, p.Name)
	switch said := r.saidPlace(entry); {
	case said != "":
		p.In = said
		if (said == "path") != (variable == "path") && endpoint != nil {
			r.doubt("path_parameter", entry, "§5", "the parameter %q and the variables of the endpoint do not agree", p.Name)
		}
	case variable != "":
		p.In = variable
	case method == "":
		return
	default:
		p.In, p.Defaulted = "body", []string{"in"}
		if method == "GET" || method == "HEAD" || method == "DELETE" {
			p.In = "query"
		}
	}
	if p.In != "path" {
		return
	}
	if p.Required == nil {
		p.Required, p.Defaulted = new(true), append(p.Defaulted, "required")
	} else if !*p.Required {
		r.doubt("path_parameter", entry.Get("required"), "§5", "the path parameter %q is said not to be required", p.Name)
	}
}

// variablePlace returns "path" or "query" for a variable of the endpoint, ""
// for what is none.
func variablePlace(endpoint []part, name string) string {
	for _, e := range endpoint {
		switch {
		case !slices.Contains(e.names, name):
		case e.query:
			return "query"
		default:
			return "path"
		}
	}
	return ""
}

// saidPlace reads "in" or, of some publishers, "location"; "" when neither
// says anything that is known.
func (r reader) saidPlace(entry parse.Node) string {
	found := ""
	for _, member := range [...]string{"in", "location"} {
		said := strings.ToLower(r.String(entry, member, parse.Optional, "§5"))
		switch said {
		case "path", "query", "header", "body", "cookie":
		case "form", "formdata":
			said = "body"
		case "":
			continue
		default:
			r.doubt("parameter_in", entry.Get(member), "§5", "a parameter in %q is unknown; it is ignored", said)
			continue
		}
		if found != "" && found != said {
			r.doubt("parameter_in", entry.Get(member), "§5", "in is %q and location is %q; in counts", found, said)
			continue
		}
		found = said
	}
	return found
}

// contentType is that of the request body: as the example of the request has
// it, else that of a form for files, else JSON; "" without a body.
func contentType(root parse.Node, params []wayfind.Param) string {
	body := root.Get("request_example").Get("body").Exists()
	file := false
	for _, p := range params {
		if p.In == "body" {
			body = true
			file = file || p.Type == "file" || p.Type == "binary"
		}
	}
	if !body {
		return ""
	}
	for field, value := range root.Get("request_example").Get("headers").Members() {
		text, ok := value.Str()
		if ok && strings.EqualFold(field, "Content-Type") && isMediaType(text) {
			return text
		}
	}
	if file {
		return "multipart/form-data"
	}
	return "application/json"
}

// isMediaType reports text that can stand in a Content-Type field.
func isMediaType(text string) bool {
	kind, _, _ := strings.Cut(text, ";")
	main, sub, ok := strings.Cut(strings.TrimSpace(kind), "/")
	token := func(s string) bool { return s != "" && !strings.ContainsFunc(s, notToken) }
	return ok && token(main) && token(sub) && len(text) <= maxField &&
		!strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c > '~' })
}
