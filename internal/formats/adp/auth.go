package adp

import (
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/parse"
)

// maxField bounds the name of a header field or query parameter, and a prefix, in
// bytes. Real ones have fewer than 40.
const maxField = 128

// auth reads the auth object (§3). It never returns nil: the authentication is unknown
// if the manifest does not describe it.
func (r reader) auth(root parse.Node, service *wayfind.Service) *wayfind.Auth {
	obj := r.Object(root, "auth", parse.Must, "§2")
	if !obj.Exists() {
		return &wayfind.Auth{Unknown: true}
	}
	name := r.String(obj, "type", parse.Must, "§3")
	kind, known := authkind.Read(authkind.ADP, name)
	scheme := kind.Scheme()
	scheme.SetupURL = r.URL(obj, "setup_url", nil, parse.Optional, "§3")
	scheme.Description = r.remarks(obj)
	if len(r.Extensions(obj, authMembers()...)) > 0 {
		parse.SetExtension(&service.Extensions, "auth", obj)
	}
	switch {
	case !known:
		name = kind.Name()
		r.token(obj, &scheme)
		r.unknownType(obj, service)
	case kind.Members == authkind.PlaceOfKey:
		r.apiKey(obj, &scheme)
	case kind.Members == authkind.OAuthFlows:
		r.token(obj, &scheme)
		scheme.Flows = r.flows(obj)
	default:
		r.contradiction(obj)
	}
	auth := authkind.Only(name, scheme)
	auth.Unknown = !known
	return auth
}

// authMembers returns the members of an auth object that are read.
func authMembers() []string {
	return []string{"type", "header", "prefix", "setup_url", "authorization_url", "token_url", "scopes",
		"note", "description", "in", "query_param", "param_name"}
}

// contradiction reports members that contradict the type none, because they only make
// sense with authentication.
func (r reader) contradiction(obj parse.Node) {
	for _, member := range [...]string{"header", "prefix", "query_param", "authorization_url", "token_url", "scopes"} {
		if n := obj.Get(member); n.Exists() {
			r.Report(ruleAuthNone, n, "the type is none, and %s is given; it is ignored", member)
		}
	}
}

// unknownType reports an unknown type, and keeps the object as written.
func (r reader) unknownType(obj parse.Node, service *wayfind.Service) {
	parse.SetExtension(&service.Extensions, "auth", obj)
	if kind, ok := obj.Get("type").Str(); ok {
		r.Report(ruleAuthType, obj.Get("type"), "auth type %q is none of none, api_key and oauth2", kind)
	}
}

// remarks returns the notes for people, which are in members that the specification
// does not define.
func (r reader) remarks(obj parse.Node) string {
	description := r.String(obj, "description", parse.Optional, "§3")
	note := r.String(obj, "note", parse.Optional, "§3")
	return strings.Trim(description+"\n"+note, "\n")
}

// apiKey reads the place of a key. It is a header field (§3), or the query or a
// cookie, for which publishers have several notations of their own.
func (r reader) apiKey(obj parse.Node, s *wayfind.Scheme) {
	if in := r.elsewhere(obj); in != "" {
		r.otherPlace(obj, in, s)
		return
	}
	s.In = "header"
	n := obj.Get("header")
	switch {
	case n.Exists():
		s.Name = r.HeaderName(obj, "header", parse.Must, "§3")
	case obj.Get("param_name").Exists():
		s.Name = r.HeaderName(obj, "param_name", parse.Must, "§3")
	default:
		s.Name, s.Defaulted = "Authorization", []string{"name"}
	}
	r.prefix(obj, s)
}

// elsewhere returns the place of a key outside of header fields: "query" or "cookie". It
// returns "" if the key goes into a header field, or if its place is not known.
func (r reader) elsewhere(obj parse.Node) string {
	in := strings.ToLower(r.String(obj, "in", parse.Optional, "§3"))
	header, _ := obj.Get("header").Str()
	switch {
	case in == "query" || in == "cookie":
		return in
	case obj.Get("query_param").Kind() == parse.String || strings.EqualFold(header, "query"):
		return "query"
	case in != "" && in != "header":
		r.Report(ruleAuthPlace, obj.Get("in"), "a key in %q is unknown; header was assumed", in)
	}
	return ""
}

// otherPlace reads a key that goes into the query or a cookie. A prefix is read only
// if no header field is named, because it could belong to that field.
func (r reader) otherPlace(obj parse.Node, in string, s *wayfind.Scheme) {
	s.In = in
	for _, member := range [...]string{"query_param", "param_name"} {
		if s.Name == "" {
			s.Name = r.paramName(obj, member)
		}
	}
	header, said := obj.Get("header").Str()
	switch {
	case !said || strings.EqualFold(header, in):
		s.Prefix = r.prefixValue(obj)
		r.Report(ruleAuthPlace.AsInfo(), obj, "the key goes into the %s, for which the specification has no words", in)
	default:
		r.Report(ruleAuthPlace, obj, "the key goes into the %s, and header names %q as well; header was ignored", in, header)
	}
	if s.Name == "" {
		r.Report(ruleAuthName, obj, "the key goes into the %s under a name that is not given", in)
	}
}

// token reads header and prefix if they are present. They have no defaults here.
func (r reader) token(obj parse.Node, s *wayfind.Scheme) {
	if obj.Get("header").Exists() {
		s.In, s.Name = "header", r.HeaderName(obj, "header", parse.Must, "§3")
	}
	s.Prefix = r.prefixValue(obj)
}

// prefix reads the prefix of a header field. The default is Bearer (§3). With a header
// other than Authorization, publishers do not mean the default: the example of §2 is
// "X-Api-Key" without a prefix.
func (r reader) prefix(obj parse.Node, s *wayfind.Scheme) {
	switch {
	case obj.Get("prefix").Exists():
		s.Prefix = r.prefixValue(obj)
	case strings.EqualFold(s.Name, "Authorization"):
		s.Prefix = new("Bearer")
		s.Defaulted = append(s.Defaulted, "prefix")
	case s.Name != "":
		r.Report(ruleAmbiguousPrefix, obj, "no prefix is given for header %q: the default is Bearer, which is hardly meant", s.Name)
	}
}

// prefixValue returns a prefix that is valid in a header field, nil if there is none.
// "" is a value: it means the bare key.
func (r reader) prefixValue(obj parse.Node) *string {
	text := r.StringPtr(obj, "prefix", parse.Optional, "§3")
	if text == nil {
		return nil
	}
	if len(*text) > maxField || strings.ContainsFunc(*text, func(c rune) bool { return c < ' ' || c > '~' }) {
		r.Report(rulePrefix, obj.Get("prefix"), "the prefix is no text for a header field; it is ignored")
		return nil
	}
	return new(strings.TrimRight(*text, " "))
}

// paramName returns the name of a query parameter or cookie, "" if there is none.
func (r reader) paramName(obj parse.Node, member string) string {
	text := r.String(obj, member, parse.Optional, "§3")
	if text != "" && (len(text) > maxField || !fieldname.IsToken(text)) {
		r.Report(ruleParamName, obj.Get(member), "the name of the parameter cannot be used; it is ignored")
		return ""
	}
	return text
}

// flows reads the endpoints of oauth2 (§3). If there is an authorization endpoint, the
// grant is an authorization code.
func (r reader) flows(obj parse.Node) []wayfind.OAuthFlow {
	flow := wayfind.OAuthFlow{
		AuthorizationURL: r.secureURL(obj, "authorization_url"),
		TokenURL:         r.secureURL(obj, "token_url"),
		Scopes:           r.Strings(obj, "scopes", parse.Optional, "§3"),
	}
	switch {
	case flow.AuthorizationURL != "":
		flow.Grant = "authorization_code"
	case flow.TokenURL == "" && flow.Scopes == nil:
		return nil
	}
	return []wayfind.OAuthFlow{flow}
}

// secureURL reads an endpoint of OAuth, which must use https (RFC 6749 §3.1).
func (r reader) secureURL(obj parse.Node, member string) string {
	text := r.URL(obj, member, nil, parse.Should, "§3")
	if text == "" {
		return ""
	}
	if u, err := url.Parse(text); err != nil || u.Scheme != "https" || u.User != nil {
		r.Report(ruleOAuthURL, obj.Get(member), "%s must start with https:// and hold no user; it is ignored", member)
		return ""
	}
	return text
}
