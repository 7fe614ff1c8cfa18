package mcp

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// variables reads the declarations of the variables of an address. The default of
// a secret is never kept.
func (r *reader) variables(obj parse.Node, names []string, face *wayfind.Interface) {
	declared := r.Object(obj.IfSet("variables"), "variables", parse.Optional, r.shape.section())
	for _, name := range names {
		input := declared.Get(name)
		if input.Kind() != parse.Object {
			r.Report(ruleVariable.At(r.shape.section()), obj, "the variable %.100q of the address is not described", name)
		}
		face.Variables = append(face.Variables, r.input(input, name, r.shape.section()))
	}
	kept, dropped, _ := urlref.ConfineVariables(face.Template, face.Variables)
	for _, name := range dropped {
		r.Report(ruleVariable.At(r.shape.section()), declared.Get(name), "a value of the variable %.100q leads out of the part of the address that it stands in; it was dropped", name)
	}
	face.Variables = kept
	for name, n := range declared.Members() {
		if !slices.Contains(names, name) {
			r.Report(ruleVariable.At(r.shape.section()), n, "the variable %.100q is not one of the address", name)
		}
	}
}

// input reads the declaration of a value that the caller fills in (server.json, Input),
// without the members that were read elsewhere. It never keeps the default or the value of a
// secret.
func (r *reader) input(n parse.Node, name, section string, read ...string) wayfind.Variable {
	v := wayfind.Variable{Name: name}
	secretAt, requiredAt := n.Pick("isSecret", "is_secret"), n.Pick("isRequired", "is_required")
	v.Description = r.String(n.IfSet("description"), "description", parse.Optional, section)
	v.Secret = r.Bool(n.IfSet(secretAt), secretAt, parse.Optional, section)
	v.Required = r.Bool(n.IfSet(requiredAt), requiredAt, parse.Optional, section)
	known := append([]string{"name", "description", secretAt, requiredAt, "default", "choices"}, read...)
	if v.Secret != nil && *v.Secret || isSecretName(name) {
		r.literal(n, "default")
		r.literal(n, "value")
		known = append(known, "value", "placeholder")
	} else {
		v.Default = r.Text(n.IfSet("default"), "default", parse.Optional, section)
		v.Enum = r.Strings(n.IfSet("choices"), "choices", parse.Optional, section)
	}
	r.rest(n, &v.Extensions, known...)
	return v
}

// maxPrefix is the longest word before a key: anything longer may be a part of
// the key.
const maxPrefix = 16

// field is a header field of a request to a server.
type field struct {
	name, value      string
	required, secret bool
	// assumed is set if the document does not declare whether the field is required.
	assumed bool
	at      parse.Node
}

// headers reads the header fields of a place. Fields with secrets become authentication; of
// the others, the required ones are named. Values of secrets are dropped, and all other facts
// about a field are kept.
func (r *reader) headers(obj parse.Node, face *wayfind.Interface) {
	var needed, wanted []wayfind.Requirement
	var told []parse.Raw
	schemes := map[string]wayfind.Scheme{}
	for _, f := range r.fields(obj) {
		check := fieldname.CheckField
		if f.secret {
			check = fieldname.CheckHeader
		}
		if err := check(f.name); err != nil {
			r.Report(ruleHeaderName.At(r.shape.section()), f.at, "the header name cannot be used: %s", err)
			continue
		}
		if f.at.Kind() == parse.Object {
			told = append(told, r.told(f))
		}
		if !f.secret {
			if f.required {
				face.RequiredHeaders = append(face.RequiredHeaders, f.name)
			}
			continue
		}
		key, scheme := f.scheme()
		if f.assumed {
			scheme.Defaulted = []string{"required"}
		}
		schemes[key] = scheme
		if f.required {
			needed = append(needed, wayfind.Requirement{Scheme: key})
		} else {
			wanted = append(wanted, wayfind.Requirement{Scheme: key})
		}
	}
	if told != nil {
		parse.Keep(&face.Extensions, "headers", rawjson.Arr(told...))
	}
	if len(schemes) > 0 {
		face.Auth = authOf(schemes, needed, wanted)
	}
}

// authOf returns the requirements of header fields: all required fields together. If no field
// is required, it is one of the others or nothing.
func authOf(schemes map[string]wayfind.Scheme, needed, wanted []wayfind.Requirement) *wayfind.Auth {
	a := &wayfind.Auth{Schemes: schemes}
	if needed != nil {
		a.Requirements = [][]wayfind.Requirement{needed}
		return a
	}
	for _, w := range wanted {
		a.Requirements = append(a.Requirements, []wayfind.Requirement{w})
	}
	allowNone(a)
	return a
}

// allowNone adds no authentication as one of the alternatives.
func allowNone(a *wayfind.Auth) {
	const none = string(wayfind.SchemeNone)
	if _, ok := a.Schemes[none]; ok {
		return
	}
	if a.Schemes == nil {
		a.Schemes = map[string]wayfind.Scheme{}
	}
	a.Schemes[none] = wayfind.Scheme{Kind: wayfind.SchemeNone}
	a.Requirements = append(a.Requirements, []wayfind.Requirement{{Scheme: none}})
}

// fields reads header fields: a list of inputs, or names with values as in the configuration
// of a client. Fields in a configuration are always sent, so they are required.
func (r *reader) fields(obj parse.Node) []field {
	list := obj.Get("headers")
	var fields []field
	if list.Kind() == parse.Object {
		for name, n := range list.Members() {
			if len(fields) == parse.DefaultItems {
				r.Report(ruleTruncated.At(r.shape.section()), list, "of %d header fields the first %d were read", list.Len(), len(fields))
				break
			}
			f := field{name: name, at: n, required: true, secret: isSecretName(name)}
			f.value, _ = n.Str()
			if f.secret && isLiteral(f.value) {
				r.secret(n)
			}
			fields = append(fields, f)
		}
		return fields
	}
	entries := r.Objects(obj.IfSet("headers"), "headers", parse.Optional, r.shape.section())
	for _, n := range r.bounded(list, entries) {
		f := field{at: n, name: r.String(n, "name", parse.Must, r.shape.section())}
		if f.name == "" {
			continue
		}
		f.value, _ = n.Get("value").Str()
		f.required = r.flag(n, "isRequired", "is_required")
		f.secret = r.flag(n, "isSecret", "is_secret") || hasSecret(n.Get("variables"))
		said := has(n, "isSecret") || has(n, "is_secret")
		if !f.secret && isSecretName(f.name) && (!said || strings.EqualFold(f.name, "Authorization")) {
			f.secret = true
			r.Report(ruleSecretFlag.At(r.shape.section()), n, "the field %.100q is not said to be secret; it was taken for one", f.name)
		}
		if f.secret {
			r.literal(n, "value")
			r.literal(n, "default")
			if f.assumed = !has(n, "isRequired") && !has(n, "is_required"); f.assumed {
				f.required = true
				r.Report(ruleSecretNeed.At(r.shape.section()), n, "nothing says whether the secret %.100q is required; it was taken as required", f.name)
			}
		}
		fields = append(fields, f)
	}
	return fields
}

// flag reads a member that is true or false. It returns false if the member is missing.
func (r *reader) flag(obj parse.Node, names ...string) bool {
	member := obj.Pick(names...)
	v := r.Bool(obj.IfSet(member), member, parse.Optional, r.shape.section())
	return v != nil && *v
}

// told returns the facts of a header field that may be shown: all but values of secrets.
func (r *reader) told(f field) parse.Raw {
	m := []rawjson.Member{{Name: "name", Value: rawjson.Quote(f.name)}}
	known := []string{"description", "isRequired", "isSecret"}
	switch value, ok := f.at.Get("value").Str(); {
	case !f.secret:
		known = append(known, "format", "choices", "default", "placeholder", "value")
	case ok && isBlank(value):
		known = append(known, "value") // it contains the place of the secret
	}
	for _, member := range known {
		m = append(m, rawjson.Member{Name: member, Value: f.at.Get(member).Copy()})
	}
	m = append(m, r.others(f.at, append(known, "name", "format", "choices", "default", "placeholder", "value", "variables")...)...)
	var variables []rawjson.Member
	for name, v := range f.at.Get("variables").Members() {
		known := []string{"description", "format", "isRequired", "isSecret"}
		if secret, _ := v.Get("isSecret").Bool(); !secret && !f.secret {
			known = append(known, "choices", "default", "placeholder", "value")
		}
		var said []rawjson.Member
		for _, member := range known {
			said = append(said, rawjson.Member{Name: member, Value: v.Get(member).Copy()})
		}
		said = append(said, r.others(v, append(known, "choices", "default", "placeholder", "value")...)...)
		variables = append(variables, rawjson.Member{Name: name, Value: rawjson.Obj(said...)})
	}
	if variables != nil {
		m = append(m, rawjson.Member{Name: "variables", Value: rawjson.Obj(variables...)})
	}
	return rawjson.Obj(m...)
}

// isBlank reports whether a value is a variable after a short word: it contains no part of a
// secret.
func isBlank(value string) bool {
	before, variable, found := strings.Cut(value, "{")
	word := strings.TrimSpace(before)
	return found && len(word) <= maxPrefix && (word == "" || isWord(word, "-")) && strings.IndexByte(variable, '}') == len(variable)-1
}

// scheme returns the authentication of a field with a secret.
func (f field) scheme() (key string, s wayfind.Scheme) {
	key = strings.ToLower(f.name)
	prefix, _, spaced := strings.Cut(strings.TrimSpace(f.value), " ")
	if kind, _ := authKind(prefix); key == "authorization" && spaced && kind.HTTP != "" {
		return kind.HTTP, kind.Scheme()
	}
	s = wayfind.Scheme{Kind: wayfind.SchemeAPIKey, In: "header", Name: f.name}
	if f.at.Kind() == parse.Object {
		s.Description, _ = f.at.Get("description").Str()
	}
	if spaced && len(prefix) <= maxPrefix && isWord(prefix, "-") && !isLiteral(f.value) {
		s.Prefix = &prefix
	}
	return key, s
}

// others returns the members of an object other than the known ones, without secrets.
func (r *reader) others(obj parse.Node, known ...string) []rawjson.Member {
	var kept map[string]parse.Raw
	r.rest(obj, &kept, known...)
	var list []rawjson.Member
	for member := range obj.Members() {
		if kept[member] != nil {
			list = append(list, rawjson.Member{Name: member, Value: kept[member]})
		}
	}
	return list
}
