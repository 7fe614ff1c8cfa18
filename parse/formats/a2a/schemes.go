package a2a

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/authkind"
	"github.com/wayfindhq/wayfind/parse"
)

// maxField bounds the name of a query parameter or cookie, in bytes.
const maxField = 128

// schemeNone is the name of the scheme that stands for nothing being needed, as
// the model has it.
const schemeNone = "none"

// schemeNotNone is what a scheme is called that a card has under that name and
// that is another.
const schemeNotNone = "none~2"

// readSchemes reads the schemes by name. Of those that hold more than the model
// has, Extensions gets all.
func (r *reader) readSchemes(root parse.Node, s *wayfind.Service) {
	r.schemes = make(map[string]wayfind.Scheme)
	obj := r.Object(root.IfSet("securitySchemes"), "securitySchemes", parse.Optional, r.at.card)
	var kept []parse.Member
	for written, entry := range obj.Members() {
		if len(r.schemes) == parse.DefaultItems {
			r.Report(ruleTruncated.At(r.at.card), obj, "of %d schemes the first %d were read", obj.Len(), parse.DefaultItems)
			break
		}
		if entry.Kind() != parse.Object {
			r.Report(ruleWrongType.At(r.at.scheme).AsWarning(), entry, "the scheme is %v where object belongs; it is ignored", entry.Kind())
			continue
		}
		scheme, whole := r.scheme(entry)
		key := written
		if key == schemeNone && scheme.Kind != wayfind.SchemeNone {
			key = schemeNotNone
			r.Report(ruleSchemeName.At(r.at.scheme), entry, "the scheme %q is one: it is called %q here", written, key)
		}
		if r.schemes[key] = scheme; !whole {
			kept = append(kept, parse.Member{Name: written, Value: entry.Copy()})
		}
	}
	parse.Keep(&s.Extensions, "securitySchemes", parse.Some(kept))
}

// scheme reads a scheme in the notation of 1.0, an object in an object named
// after its kind, or else in that of OpenAPI, with a type. It is not whole when
// it holds more than the model has.
func (r *reader) scheme(entry parse.Node) (s wayfind.Scheme, whole bool) {
	var kind authkind.Kind
	var wrapper string
	var inner parse.Node
	for _, k := range authkind.Kinds() { // in the order of the text (1.0 §4.5.1)
		member := k.Word(authkind.A2AMember)
		obj := entry.Get(member)
		switch {
		case member == "" || obj.Kind() != parse.Object:
		case inner.Exists():
			r.Report(ruleSchemeMany.At(r.at.scheme), obj, "the scheme is of several kinds; it was read as the first")
		default:
			kind, wrapper, inner = k, member, obj
		}
	}
	if folded, name, value := unfolded(entry, "scheme"); !inner.Exists() && value.Kind() == parse.Object {
		if i := slices.IndexFunc(authkind.Kinds(), func(k authkind.Kind) bool { return k.Word(authkind.A2AMember) == name }); i >= 0 {
			kind, wrapper, inner = authkind.Kinds()[i], name, value
			r.folded(folded, name)
		}
	}
	if !inner.Exists() {
		return r.typed(entry)
	}
	if written, ok := entry.Get("type").Str(); ok && written != kind.Word(authkind.A2A) {
		r.Report(ruleSchemeConflict.At(r.at.scheme), entry.Get("type"), "the type is %q, and the scheme is in %s; the latter counts", written, wrapper)
	}
	if r.edition < edition10 {
		r.Report(ruleSchemeNotation.At(r.at.scheme), inner, "%s is the notation of 1.0; it was read", wrapper)
	}
	s = kind.Scheme()
	whole = r.members(kind.Members, inner, &s)
	s.Description = r.String(inner.IfSet("description"), "description", parse.Optional, r.at.scheme)
	return s, whole && (r.union || entry.Len() == 1)
}

// unfolded is one of several alternatives as the code that @a2a-js/sdk generates holds it in
// memory: {"$case": NAME, "value": …}. Its agentCardHandler writes that down.
func unfolded(obj parse.Node, member string) (folded parse.Node, name string, value parse.Node) {
	folded = obj.Get(member)
	name, _ = folded.Get("$case").Str()
	return folded, name, folded.Get("value")
}

// folded reports a value in that form.
func (r *reader) folded(at parse.Node, name string) {
	r.Report(ruleFolded.At(r.at.scheme), at, "%q and %q are the form of @a2a-js/sdk in memory; they were read as the member %q", "$case", "value", name)
}

// typed reads a scheme in the notation of 0.2 and 0.3. One of 1.0 without a type has no
// known kind.
func (r *reader) typed(entry parse.Node) (s wayfind.Scheme, whole bool) {
	written := ""
	if r.edition == edition10 && !r.union && !entry.Get("type").Exists() {
		r.CaseVariants(entry, schemeMembers()...)
		r.Report(ruleSchemeEmpty.At(r.at.scheme), entry, "the scheme has none of the members %s", strings.Join(schemeMembers(), ", "))
	} else {
		written = r.String(entry, "type", parse.Must, r.at.scheme)
	}
	description := r.String(entry.IfSet("description"), "description", parse.Optional, r.at.scheme)
	if r.edition == edition10 && !r.union && written != "" {
		r.Report(ruleSchemeNotation.At(r.at.scheme), entry, "a scheme with a type is the notation of 0.3; it was read")
	}
	kind, known := authkind.Read(authkind.A2A, written)
	members := kind.Members
	if !known {
		kind, known = r.guess(entry, written)
		members = kind.Members & authkind.PlaceOfKey
	}
	s = kind.Scheme()
	s.Description = description
	whole = r.members(members, entry, &s)
	return s, whole && known
}

// schemeMembers are the members of 1.0, of which a scheme has one.
func schemeMembers() (list []string) {
	for _, k := range authkind.Kinds() {
		if member := k.Word(authkind.A2AMember); member != "" {
			list = append(list, member)
		}
	}
	return list
}

// guess returns the kind that an unknown type probably means.
func (r *reader) guess(entry parse.Node, written string) (kind authkind.Kind, known bool) {
	kind, known = byName(written)
	switch n := entry.Get("type"); {
	case known:
		r.Report(ruleSchemeType.At(r.at.scheme), n, "the type %q is none of the protocol; it was read as %s", written, kind.Kind)
	case written != "":
		r.Report(ruleSchemeType.At(r.at.scheme), n, "the type %q is none of the protocol", written)
	}
	return kind, known
}

// byName reads the names that 0.1 has for schemes, and what people write for a type.
func byName(text string) (authkind.Kind, bool) {
	return authkind.Read(authkind.A2AName, authkind.Fold(text, "-_ "))
}

// members reads the members that belong to the kind of a scheme. It is whole if it holds
// no others.
func (r *reader) members(members authkind.Members, obj parse.Node, s *wayfind.Scheme) (whole bool) {
	switch members {
	case authkind.PlaceOfKey:
		return r.apiKey(obj, s)
	case authkind.NameOfHTTP:
		return r.httpAuth(obj, s)
	case authkind.OAuthFlows:
		return r.oauth2(obj, s)
	case authkind.MetadataURL:
		s.MetadataURL = r.secureURL(obj, "openIdConnectUrl", parse.Must)
		return r.holdsOnly(obj, "type", "description", "openIdConnectUrl")
	}
	return r.holdsOnly(obj, "type", "description")
}

// apiKey reads where a key goes: "in" before 1.0, and "location" since.
func (r *reader) apiKey(obj parse.Node, s *wayfind.Scheme) (whole bool) {
	member := "in"
	if obj.Get("location").Exists() || !obj.Get("in").Exists() && !obj.Get("type").Exists() {
		member = "location"
	}
	in := strings.ToLower(r.String(obj, member, parse.Must, r.at.scheme))
	switch in {
	case "header":
		s.In, s.Name = in, r.HeaderName(obj, "name", parse.Must, r.at.scheme)
	case "query", "cookie":
		s.In, s.Name = in, r.String(obj, "name", parse.Must, r.at.scheme)
		if s.Name != "" && (len(s.Name) > maxField || !parse.IsToken(s.Name)) {
			r.Report(ruleKeyName.At(r.at.scheme), obj.Get("name"), "the name of the key cannot be used; it is ignored")
			s.Name = ""
		}
	default:
		if n := obj.Get(member); n.Kind() == parse.String {
			r.Report(ruleKeyPlace.At(r.at.scheme), n, "a key goes into header, query or cookie, and not into %q", in)
		}
	}
	return r.holdsOnly(obj, "type", "description", "name", member)
}

// httpAuth reads a scheme of HTTP authentication (RFC 9110 §11).
func (r *reader) httpAuth(obj parse.Node, s *wayfind.Scheme) (whole bool) {
	scheme := r.String(obj, "scheme", parse.Must, r.at.scheme)
	if n := obj.Get("scheme"); n.Kind() == parse.String && (len(scheme) > maxField || !parse.IsToken(scheme)) {
		r.Report(ruleHTTPScheme.At(r.at.scheme), n, "%q is no scheme of HTTP authentication; it is ignored", scheme)
		scheme = ""
	}
	s.HTTPScheme = strings.ToLower(scheme)
	r.snakeCase(obj, "bearerFormat")
	return r.holdsOnly(obj, "type", "description", "scheme")
}

// secureURL reads a URL of OAuth or OpenID Connect, "" without one. They must
// use TLS.
func (r *reader) secureURL(obj parse.Node, member string, need parse.Need) string {
	if need == parse.Optional {
		obj = obj.IfSet(member)
	}
	text := r.URL(obj, member, nil, need, r.at.scheme)
	if text == "" {
		return ""
	}
	if u, err := parse.AbsoluteURL(text); err != nil || u.Scheme != "https" {
		r.Report(ruleOAuthURL.At(r.at.scheme), obj.Get(member), "%s must start with https:// and hold no user; it is ignored", member)
		return ""
	}
	return text
}

// holdsOnly reports whether an object has no members but those.
func (r *reader) holdsOnly(obj parse.Node, members ...string) bool {
	r.CaseVariants(obj, members...)
	return obj.HasOnly(members...)
}
