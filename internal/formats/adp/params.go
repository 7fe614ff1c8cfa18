package adp

import (
	"cmp"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/internal/syntax/paramspec"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// parameters contains the parameters of a detail document.
type parameters struct {
	params []wayfind.Param
	listed bool             // the document has a list, even if it is empty
	more   []rawjson.Member // members that a Param has no field for, by the name of the parameter
}

// parameters reads the list (§5) and adds the variables of the endpoint that
// are not in it.
func (r reader) parameters(root parse.Node, method string, endpoint parse.Template) parameters {
	entries := r.Objects(root, "parameters", parse.Must, "§5")
	list := parameters{listed: root.Get("parameters").Kind() == parse.Array}
	if limit := parse.DefaultItems; len(entries) > limit {
		r.Report(ruleTruncated.At("§5"), root.Get("parameters"), "of %d parameters the first %d were read", len(entries), limit)
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
			r.Report(ruleDuplicateParameter, entry.Get("name"), "the parameter %q stands twice; the second is ignored", p.Name)
			continue
		}
		seen[key{p.Name, p.In}], named[p.Name] = true, true
		list.params = append(list.params, p)
		said := rawjson.Copies(r.UnknownMembers(entry, "name", "type", "description", "required", "default", "example", "enum", "minimum", "maximum", "in", "location",
			"items", "properties", "format", "pattern", "minLength", "maxLength"))
		if said != nil {
			list.more = append(list.more, rawjson.Member{Name: p.Name, Value: rawjson.Obj(said...)})
		}
	}
	for _, v := range endpoint.Names() {
		if !named[v] {
			r.Report(rulePathParameter, root.Get("endpoint"), "the variable %q of the endpoint is not among the parameters; it was added", v)
			list.params = append(list.params, paramspec.VariableParam(v, endpoint))
		}
	}
	return list
}

// parameter reads one entry. It drops an entry without a name, or with a header field
// that callers must not set.
func (r reader) parameter(entry parse.Node, method string, endpoint parse.Template) (wayfind.Param, bool) {
	p := wayfind.Param{
		Name:        r.String(entry, "name", parse.Must, "§5"),
		Description: r.String(entry, "description", parse.Optional, "§5"),
		Required:    r.Bool(entry, "required", parse.Optional, "§5"),
		Minimum:     r.Number(entry, "minimum", parse.Optional, "§5"),
		Maximum:     r.Number(entry, "maximum", parse.Optional, "§5"),
	}
	if n := entry.Get("name"); p.Name == "" {
		if n.Kind() == parse.String {
			r.Report(ruleParameterName, n, "the name of the parameter is empty; it is ignored")
		}
		return p, false
	}
	r.place(entry, &p, method, endpoint)
	if err := fieldname.CheckField(p.Name); p.In == "header" && err != nil {
		r.Report(ruleHeaderName.At("§5"), entry.Get("name"), "the parameter is ignored: %s", err)
		return p, false
	}
	if n := entry.Get("default"); n.Exists() {
		p.Default = n.Copy()
	}
	if n := entry.Get("example"); n.Exists() && n.Kind() != parse.Null {
		p.Example = n.Copy()
	}
	for _, item := range r.Array(entry, "enum", parse.Optional, "§5").Items() {
		p.Enum = append(p.Enum, item.Copy())
	}
	r.paramType(entry, &p)
	return p, true
}

// place sets the place of a parameter as the reference implementation does: from the
// document, or else by paramspec.PlaceParam.
func (r reader) place(entry parse.Node, p *wayfind.Param, method string, endpoint parse.Template) {
	p.In = r.statedPlace(entry)
	if p.In != "" && (p.In == "path") != (endpoint.Place(p.Name) == "path") && !endpoint.IsZero() {
		r.Report(rulePathParameter.AsWarning(), entry, "the parameter %q and the variables of the endpoint do not agree", p.Name)
	}
	paramspec.PlaceParam(p, method, endpoint)
	if p.In == "path" && !*p.Required {
		r.Report(rulePathParameter.AsWarning(), entry.Get("required"), "the path parameter %q is said not to be required", p.Name)
	}
}

// statedPlace reads "in" or "location", which some publishers use. It returns "" if
// neither contains a known place.
func (r reader) statedPlace(entry parse.Node) string {
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
			r.Report(ruleParameterIn, entry.Get(member), "a parameter in %q is unknown; it is ignored", said)
			continue
		}
		if found != "" && found != said {
			r.Report(ruleParameterIn, entry.Get(member), "in is %q and location is %q; in counts", found, said)
			continue
		}
		found = said
	}
	return found
}

// contentType returns the media type of the request body, "" if there is no body. It
// is the media type in the example of the request, or else the media type of a form
// with files, or else JSON.
func contentType(root parse.Node, params []wayfind.Param) string {
	made := paramspec.ContentTypeOf(params)
	if made == "" && !root.Get("request_example").Get("body").Exists() {
		return ""
	}
	for field, value := range root.Get("request_example").Get("headers").Members() {
		text, ok := value.Str()
		if ok && strings.EqualFold(field, "Content-Type") && isMediaType(text) {
			return text
		}
	}
	return cmp.Or(made, "application/json")
}

// isMediaType reports whether text is valid in a Content-Type field.
func isMediaType(text string) bool {
	kind, _, _ := strings.Cut(text, ";")
	main, sub, ok := strings.Cut(strings.TrimSpace(kind), "/")
	return ok && fieldname.IsToken(main) && fieldname.IsToken(sub) && len(text) <= maxField &&
		!strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c > '~' })
}
