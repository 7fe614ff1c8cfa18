package mcp

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// serviceAuth returns the authentication that calls on a server need: the one that the
// document declares, or the one of its only interface. It is nil if the server has no
// interface on the network.
func (r *reader) serviceAuth(obj parse.Node, s *wayfind.Service) *wayfind.Auth {
	if a := r.auth(obj, &s.Extensions); a != nil {
		return a
	}
	switch {
	case len(s.Interfaces) == 0:
		return nil
	case len(s.Interfaces) == 1 && s.Interfaces[0].Auth != nil:
		return cloned(s.Interfaces[0].Auth)
	}
	return &wayfind.Auth{Unknown: true}
}

// cloned returns a deep copy.
func cloned(a *wayfind.Auth) *wayfind.Auth {
	c := &wayfind.Auth{Unknown: a.Unknown, Schemes: make(map[string]wayfind.Scheme, len(a.Schemes))}
	for name, s := range a.Schemes {
		s.Flows, s.Defaulted = slices.Clone(s.Flows), slices.Clone(s.Defaulted)
		for i := range s.Flows {
			s.Flows[i].Scopes = slices.Clone(s.Flows[i].Scopes)
		}
		if s.Prefix != nil {
			s.Prefix = new(*s.Prefix)
		}
		c.Schemes[name] = s
	}
	for _, alternative := range a.Requirements {
		alternative = slices.Clone(alternative)
		for i := range alternative {
			alternative[i].Scopes = slices.Clone(alternative[i].Scopes)
		}
		c.Requirements = append(c.Requirements, alternative)
	}
	return c
}

// auth reads the authentication that an object declares: a word, a list of words, true or
// false, or an object with these under one of several names. It returns nil if the object
// declares none.
func (r *reader) auth(obj parse.Node, kept *map[string]parse.Raw) *wayfind.Auth {
	member := obj.Pick("authentication", "auth")
	n := obj.Get(member)
	a := &wayfind.Auth{}
	switch n.Kind() {
	case parse.Missing, parse.Null:
		return nil
	case parse.Bool:
		if needed, _ := n.Bool(); needed {
			return &wayfind.Auth{Unknown: true}
		}
		allowNone(a)
		return a
	case parse.Object:
		return r.authObject(n, member, kept)
	case parse.Array:
		for i, item := range n.Items() {
			if i == parse.DefaultItems {
				r.Report(ruleTruncated.At(r.shape.section()), n, "of %d schemes the first %d were read", n.Len(), i)
				break
			}
			r.way(item, item, a)
		}
	default:
		r.way(n, parse.Node{}, a)
	}
	return settled(a)
}

// settled marks an Auth without requirements as unknown, unless it names the scheme "none".
func settled(a *wayfind.Auth) *wayfind.Auth {
	if a.Requirements == nil {
		a.Unknown = true
	}
	if _, free := a.Schemes[string(wayfind.SchemeNone)]; free {
		a.Unknown = false
	}
	return a
}

// authObject reads an object about authentication.
func (r *reader) authObject(n parse.Node, member string, kept *map[string]parse.Raw) *wayfind.Auth {
	a := &wayfind.Auth{}
	words := n.Get(n.Pick("schemes", "methods", "types", "type", "method", "scheme"))
	required := r.Bool(n.IfSet("required"), "required", parse.Optional, r.shape.section())
	switch words.Kind() {
	case parse.Array:
		for i, item := range words.Items() {
			if i == parse.DefaultItems {
				r.Report(ruleTruncated.At(r.shape.section()), words, "of %d schemes the first %d were read", words.Len(), i)
				break
			}
			details := n
			if item.Kind() == parse.Object {
				details = item
			}
			r.way(item, details, a)
		}
	case parse.Object:
		for name, details := range words.Members() {
			if len(a.Requirements) == parse.DefaultItems {
				break
			}
			r.wayNamed(name, details, details, a)
		}
	case parse.Missing, parse.Null:
	default:
		r.way(words, n, a)
	}
	a = settled(a)
	if required != nil && !*required {
		allowNone(a)
		a.Unknown = false
	}
	r.keepAuth(n, member, r.readOf(n, a), kept)
	return a
}

// keepAuth keeps the other members about authentication, but no secrets.
func (r *reader) keepAuth(n parse.Node, member string, known []string, kept *map[string]parse.Raw) {
	var rest []rawjson.Member
	for name, value := range r.UnknownMembers(n, known...) {
		text, isText := value.Str()
		if isText && isHolder(name) {
			if isLiteral(text) {
				r.secret(value)
			}
			continue
		}
		if at, found := secretIn(name, value); found {
			r.secret(at)
			continue
		}
		rest = append(rest, rawjson.Member{Name: name, Value: value.Copy()})
	}
	parse.Keep(kept, member, rawjson.Some(rest))
}

// isHolder reports whether people write the secret itself under this name.
func isHolder(name string) bool {
	switch strings.ToLower(name) {
	case "value", "token", "key", "apikey", "api_key", "secret", "password", "credentials", "clientsecret", "client_secret", "access_token", "bearer":
		return true
	}
	return false
}

// way reads one way to authenticate: a word, or an object with one. Another object may have
// the details.
func (r *reader) way(item, details parse.Node, a *wayfind.Auth) {
	word := item
	if item.Kind() == parse.Object {
		word = item.Get(item.Pick("type", "scheme", "method", "name"))
	}
	text, ok := word.Str()
	if !ok || strings.TrimSpace(text) == "" {
		r.Report(ruleAuth.At(r.shape.section()), item, "a scheme has no name; it is ignored")
		return
	}
	r.wayNamed(text, word, details, a)
}

func (r *reader) wayNamed(text string, at, details parse.Node, a *wayfind.Auth) {
	kind, known := authKind(text)
	s, key := kind.Scheme(), kind.Name()
	if !known {
		r.Report(ruleAuth.At(r.shape.section()), at, "the scheme %.100q is not known", text)
		key, a.Unknown = text, true
	}
	s.Description = r.String(details.IfSet("description"), "description", parse.Optional, r.shape.section())
	need := wayfind.Requirement{Scheme: key}
	switch {
	case kind.Members == authkind.PlaceOfKey:
		r.apiKey(details, &s)
	case kind.Issued():
		need.Scopes = r.Strings(details.IfSet("scopes"), "scopes", parse.Optional, r.shape.section())
		r.oauth(details, &s)
	}
	if _, twice := a.Schemes[key]; twice {
		return
	}
	if a.Schemes == nil {
		a.Schemes = make(map[string]wayfind.Scheme)
	}
	a.Schemes[key] = s
	a.Requirements = append(a.Requirements, []wayfind.Requirement{need})
}

// authKind reads a word for a scheme.
func authKind(text string) (k authkind.Kind, known bool) {
	return authkind.Read(authkind.MCP, authkind.Fold(text, "-_ ."))
}

// apiKey reads the place of a key in a request.
func (r *reader) apiKey(n parse.Node, s *wayfind.Scheme) {
	for _, member := range [...]string{"header", "headerName", "header_name"} {
		if isString(n.Get(member)) {
			s.In, s.Name = "header", r.HeaderName(n, member, parse.Optional, r.shape.section())
			return
		}
	}
	if in, ok := n.Get("in").Str(); ok && in == "header" {
		s.In, s.Name = in, r.HeaderName(n, "name", parse.Optional, r.shape.section())
	} else if text, named := n.Get("name").Str(); ok && (in == "query" || in == "cookie") && named && fieldname.IsToken(text) {
		s.In, s.Name = in, text
	}
}

// oauth reads the addresses of an authorization server, which must use TLS.
func (r *reader) oauth(n parse.Node, s *wayfind.Scheme) {
	flow := wayfind.OAuthFlow{
		AuthorizationURL: r.secureURL(n, "authorizationUrl", "authorization_url", "authorizationEndpoint", "authorization_endpoint"),
		TokenURL:         r.secureURL(n, "tokenUrl", "token_url", "tokenEndpoint", "token_endpoint"),
	}
	if flow.AuthorizationURL != "" || flow.TokenURL != "" {
		s.Flows = []wayfind.OAuthFlow{flow}
	}
	for _, member := range append(metadataMembers(), issuerMembers()...) {
		if s.MetadataURL == "" && isString(n.Get(member)) {
			s.MetadataURL = metadataOf(r.secureURL(n, member), slices.Contains(issuerMembers(), member))
		}
	}
}

// metadataMembers returns the names under which documents have the address of metadata. The
// metadata of the resource comes first, because a client of MCP requests it first.
func metadataMembers() []string {
	return []string{
		"protectedResource", "protected_resource", "protectedResourceMetadata", "resource_metadata", "resourceMetadata",
		"metadataUrl", "metadata_url", "openIdConnectUrl", "discovery_url", "discoveryUrl",
	}
}

// issuerMembers returns the names under which documents have the authorization server.
func issuerMembers() []string {
	return []string{"authorizationServer", "authorization_server", "issuer"}
}

// metadataOf returns the address of the metadata of an authorization server (RFC 8414 §3.1).
// Unless text is an issuer, it is that address itself.
func metadataOf(text string, issuer bool) string {
	u, err := urlref.AbsoluteURL(text)
	if err != nil || !issuer || strings.Contains(u.Path, "/.well-known/") {
		return text
	}
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	return u.Scheme + "://" + u.Host + "/.well-known/oauth-authorization-server" + path
}

// readOf returns the members of an object about authentication that a scheme has.
func (r *reader) readOf(n parse.Node, a *wayfind.Auth) []string {
	known := []string{"type", "method", "scheme", "schemes", "methods", "types", "required", "scopes", "description"}
	for _, s := range a.Schemes {
		for _, member := range append(metadataMembers(), issuerMembers()...) {
			if text, ok := n.Get(member).Str(); ok && s.MetadataURL != "" && metadataOf(text, slices.Contains(issuerMembers(), member)) == s.MetadataURL {
				known = append(known, member)
			}
		}
		if len(s.Flows) > 0 {
			known = append(known, "authorizationUrl", "authorization_url", "authorizationEndpoint", "authorization_endpoint",
				"tokenUrl", "token_url", "tokenEndpoint", "token_endpoint")
		}
		if s.In != "" {
			known = append(known, "header", "headerName", "header_name", "in", "name")
		}
	}
	return known
}

// secureURL reads a URL that has several names and must use TLS. It returns "" if there is
// none.
func (r *reader) secureURL(n parse.Node, names ...string) string {
	member := n.Pick(names...)
	text := r.URL(n.IfSet(member), member, r.base, parse.Optional, r.shape.section())
	if text == "" {
		return ""
	}
	if u, err := urlref.AbsoluteURL(text); err != nil || u.Scheme != "https" {
		r.Report(ruleOAuthURL.At(r.shape.section()), n.Get(member), "%s must start with https:// and hold no user; it is ignored", member)
		return ""
	}
	return text
}
