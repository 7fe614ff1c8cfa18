package a2a

import (
	"strings"

	"github.com/wayfindhq/wayfind"
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
	obj := r.Object(unlessNull(root, "securitySchemes"), "securitySchemes", parse.Optional, r.at.card)
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
	if kept != nil {
		keepRaw(&s.Extensions, "securitySchemes", parse.Obj(kept...))
	}
}

// notation is how a kind of scheme is written: the name of the wrapper in 1.0,
// and the type before.
type notation struct {
	wrapper, kind string
	read          func(*reader, parse.Node, *wayfind.Scheme) (whole bool)
}

// notations are those of all kinds, in the order of the text (1.0 §4.5.1).
func notations() []notation {
	return []notation{
		{"apiKeySecurityScheme", "apiKey", (*reader).apiKey},
		{"httpAuthSecurityScheme", "http", (*reader).httpAuth},
		{"oauth2SecurityScheme", "oauth2", (*reader).oauth2},
		{"openIdConnectSecurityScheme", "openIdConnect", (*reader).openID},
		{"mtlsSecurityScheme", "mutualTLS", (*reader).mutualTLS},
	}
}

// scheme reads a scheme in the notation of 1.0, an object in an object named
// after its kind, or else in that of OpenAPI, with a type. It is not whole when
// it holds more than the model has.
func (r *reader) scheme(entry parse.Node) (s wayfind.Scheme, whole bool) {
	var wrapped *notation
	var inner parse.Node
	for _, n := range notations() {
		obj := entry.Get(n.wrapper)
		switch {
		case obj.Kind() != parse.Object:
		case wrapped != nil:
			r.Report(ruleSchemeMany.At(r.at.scheme), obj, "the scheme is of several kinds; it was read as the first")
		default:
			wrapped, inner = &n, obj
		}
	}
	if wrapped == nil {
		return r.typed(entry)
	}
	if kind, ok := entry.Get("type").Str(); ok && kind != wrapped.kind {
		r.Report(ruleSchemeConflict.At(r.at.scheme), entry.Get("type"), "the type is %q, and the scheme is in %s; the latter counts", kind, wrapped.wrapper)
	}
	if r.edition < edition10 {
		r.Report(ruleSchemeNotation.At(r.at.scheme), inner, "%s is the notation of 1.0; it was read", wrapped.wrapper)
	}
	whole = wrapped.read(r, inner, &s)
	s.Description = r.String(unlessNull(inner, "description"), "description", parse.Optional, r.at.scheme)
	return s, whole && (r.union || entry.Len() == 1)
}

// typed reads a scheme in the notation of 0.2 and 0.3.
func (r *reader) typed(entry parse.Node) (s wayfind.Scheme, whole bool) {
	kind := r.String(entry, "type", parse.Must, r.at.scheme)
	s.Description = r.String(unlessNull(entry, "description"), "description", parse.Optional, r.at.scheme)
	if r.edition == edition10 && !r.union && kind != "" {
		r.Report(ruleSchemeNotation.At(r.at.scheme), entry, "a scheme with a type is the notation of 0.3; it was read")
	}
	for _, n := range notations() {
		if n.kind == kind {
			return s, n.read(r, entry, &s)
		}
	}
	s.Kind = wayfind.SchemeCustom
	if guess, ok := byName(kind); ok {
		s.Kind, s.HTTPScheme = guess.Kind, guess.HTTPScheme
		r.Report(ruleSchemeType.At(r.at.scheme), entry.Get("type"), "the type %q is none of the protocol; it was read as %s", kind, s.Kind)
	} else if kind != "" {
		r.Report(ruleSchemeType.At(r.at.scheme), entry.Get("type"), "the type %q is none of the protocol", kind)
	}
	if s.Kind == wayfind.SchemeAPIKey {
		return s, r.apiKey(entry, &s)
	}
	return s, s.Kind != wayfind.SchemeCustom && holdsOnly(entry, "type", "description")
}

// byName reads the names that 0.1 has for schemes, and what people write where
// a type belongs.
func byName(text string) (s wayfind.Scheme, ok bool) {
	switch strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(text)) {
	case "none", "public", "noauth", "anonymous":
		return wayfind.Scheme{Kind: wayfind.SchemeNone}, true
	case "apikey":
		return wayfind.Scheme{Kind: wayfind.SchemeAPIKey}, true
	case "bearer", "basic", "digest":
		return wayfind.Scheme{Kind: wayfind.SchemeHTTP, HTTPScheme: strings.ToLower(text)}, true
	case "oauth2", "oauth":
		return wayfind.Scheme{Kind: wayfind.SchemeOAuth2}, true
	case "openidconnect", "oidc", "openid":
		return wayfind.Scheme{Kind: wayfind.SchemeOIDC}, true
	case "mutualtls", "mtls":
		return wayfind.Scheme{Kind: wayfind.SchemeMTLS}, true
	}
	return wayfind.Scheme{}, false
}

// apiKey reads where a key goes: "in" before 1.0, and "location" since.
func (r *reader) apiKey(obj parse.Node, s *wayfind.Scheme) (whole bool) {
	s.Kind = wayfind.SchemeAPIKey
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
	return holdsOnly(obj, "type", "description", "name", member)
}

// httpAuth reads a scheme of HTTP authentication (RFC 9110 §11).
func (r *reader) httpAuth(obj parse.Node, s *wayfind.Scheme) (whole bool) {
	s.Kind = wayfind.SchemeHTTP
	scheme := r.String(obj, "scheme", parse.Must, r.at.scheme)
	if n := obj.Get("scheme"); n.Kind() == parse.String && (len(scheme) > maxField || !parse.IsToken(scheme)) {
		r.Report(ruleHTTPScheme.At(r.at.scheme), n, "%q is no scheme of HTTP authentication; it is ignored", scheme)
		scheme = ""
	}
	s.HTTPScheme = strings.ToLower(scheme)
	r.snakeCase(obj, "bearerFormat")
	return holdsOnly(obj, "type", "description", "scheme")
}

// openID reads where the metadata of a provider is.
func (r *reader) openID(obj parse.Node, s *wayfind.Scheme) (whole bool) {
	s.Kind = wayfind.SchemeOIDC
	s.MetadataURL = r.secureURL(obj, "openIdConnectUrl", parse.Must)
	return holdsOnly(obj, "type", "description", "openIdConnectUrl")
}

func (r *reader) mutualTLS(obj parse.Node, s *wayfind.Scheme) (whole bool) {
	s.Kind = wayfind.SchemeMTLS
	return holdsOnly(obj, "type", "description")
}

// secureURL reads a URL of OAuth or OpenID Connect, "" without one. They must
// use TLS.
func (r *reader) secureURL(obj parse.Node, member string, need parse.Need) string {
	if need == parse.Optional {
		obj = unlessNull(obj, member)
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
func holdsOnly(obj parse.Node, members ...string) bool {
	n := 0
	for _, m := range members {
		if obj.Get(m).Exists() {
			n++
		}
	}
	return n == obj.Len()
}
