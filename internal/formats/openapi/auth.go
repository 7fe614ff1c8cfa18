package openapi

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

const (
	// maxSchemes is the number of security schemes that are read, and maxScopes the number of
	// scopes of one flow. Real documents have a dozen, and a few hundred.
	maxSchemes = 100
	maxScopes  = 1000
)

const schemeSection = "Security Scheme Object"

// readSchemes reads the security schemes and requirements of the document.
func (r *reader) readSchemes() {
	defined := r.Object(r.Object(r.Root, "components", parse.Optional, "OpenAPI Object"), "securitySchemes", parse.Optional, "Components Object")
	if r.isSwagger() {
		defined = r.Object(r.Root, "securityDefinitions", parse.Optional, "Swagger Object")
	}
	r.schemes = make(map[string]wayfind.Scheme)
	for name, n := range defined.Members() {
		if len(r.schemes) == maxSchemes {
			r.Report(ruleTruncated.At(schemeSection).AsInfo(), n, "there are more than %d schemes; the others were not read", maxSchemes)
			break
		}
		if n = r.Deref(n, schemeSection); n.Kind() == parse.Object {
			r.schemes[schemeName(name)] = r.scheme(n)
			r.restOfScheme(name, n)
		}
	}
}

// schemeName returns the name of a scheme in the model, where "none" always means that no
// authentication is needed. A scheme of the document with this name is renamed.
func schemeName(name string) string {
	if name == "none" {
		return "none-scheme"
	}
	return name
}

// scheme reads one scheme of any version. A scheme of an unknown type is custom.
func (r *reader) scheme(n parse.Node) wayfind.Scheme {
	description := r.Prose(n, "description", schemeSection)
	written := r.String(n, "type", parse.Must, schemeSection)
	kind, known := authkind.Read(authkind.OpenAPI, written)
	if !known && written != "" {
		r.Report(ruleSchemeType, n.Get("type"), "the type %q is none of the specification", written)
	}
	s := kind.Scheme()
	s.Description = description
	switch kind.Members {
	case authkind.PlaceOfKey:
		r.key(n, &s)
	case authkind.NameOfHTTP:
		s.HTTPScheme = strings.ToLower(r.word(n, "scheme", parse.Must, schemeSection))
	case authkind.OAuthFlows:
		s.Flows = r.flows(n)
		s.MetadataURL = r.Link(n, "oauth2MetadataUrl", r.Base, schemeSection) // 3.2
	case authkind.MetadataURL:
		if s.MetadataURL = r.Link(n, "openIdConnectUrl", r.Base, schemeSection); !n.Get("openIdConnectUrl").Exists() {
			r.Missing(n, "openIdConnectUrl", parse.Must, schemeSection)
		}
	}
	return s
}

// restOfScheme keeps the facts of a scheme that a Scheme has no field for: the texts of
// scopes, and members that do not belong to its type.
func (r *reader) restOfScheme(name string, n parse.Node) {
	known := []string{"type", "description", "flows"}
	flow := []string{"authorizationUrl", "tokenUrl", "refreshUrl", "deviceAuthorizationUrl", "scopes"}
	written, _ := n.Get("type").Str()
	switch kind, _ := authkind.Read(authkind.OpenAPI, written); kind.Members {
	case authkind.PlaceOfKey:
		known = append(known, "name", "in")
	case authkind.NameOfHTTP:
		known = append(known, "scheme")
	case authkind.OAuthFlows:
		known = append(known, "oauth2MetadataUrl")
		if r.isSwagger() {
			known = append(append(known, "flow"), flow...)
		}
	case authkind.MetadataURL:
		known = append(known, "openIdConnectUrl")
	}
	members := r.rest(n, known...)
	if r.isSwagger() {
		members = append(members, rawjson.Member{Name: "scopes", Value: r.scopeTexts(n)})
	}
	var flows listed
	for grant, f := range n.Get("flows").Members() {
		flows.add(grant, append(r.rest(f, flow...), rawjson.Member{Name: "scopes", Value: r.scopeTexts(f)}))
	}
	r.kept.add(name, append(members, rawjson.Member{Name: "flows", Value: rawjson.Some(flows)}))
}

// scopeTexts returns the texts of the scopes of a flow, or nil if there are none.
func (r *reader) scopeTexts(flow parse.Node) parse.Raw {
	var list []rawjson.Member
	for scope, n := range flow.Get("scopes").Members() {
		if text, ok := n.Str(); len(list) < maxScopes && (!ok || text != "" && text != scope) {
			list = append(list, rawjson.Member{Name: scope, Value: r.copied(n)})
		}
	}
	return rawjson.Some(list)
}

// key reads the place of an API key in a request.
func (r *reader) key(n parse.Node, s *wayfind.Scheme) {
	s.In = r.word(n, "in", parse.Must, schemeSection)
	switch s.In {
	case "header":
		switch name, _ := n.Get("name").Str(); {
		case strings.EqualFold(name, "User-Agent"):
			r.Report(ruleHeaderName.At(schemeSection).AsInfo(), n.Get("name"), "each request has the field %s, so it needs no key there", name)
			s.Kind, s.In = wayfind.SchemeNone, ""
		case name != "" && fieldname.CheckKey(name) == nil:
			s.Name = name
		default:
			s.Name = r.HeaderName(n, "name", parse.Must, schemeSection)
		}
	case "query", "cookie":
		s.Name = r.word(n, "name", parse.Must, schemeSection)
	case "":
	default:
		r.Report(ruleSchemeIn, n.Get("in"), "a key cannot go into %q", s.In)
		s.In = ""
	}
}

// flows reads the flows of OAuth: one in version 2.0, an object of them later.
func (r *reader) flows(n parse.Node) []wayfind.OAuthFlow {
	if r.isSwagger() {
		return r.flow(nil, n, r.String(n, "flow", parse.Must, schemeSection))
	}
	var list []wayfind.OAuthFlow
	flows := r.Object(n, "flows", parse.Must, schemeSection)
	for _, member := range [...]string{"authorizationCode", "clientCredentials", "deviceAuthorization", "implicit", "password"} {
		if flow := r.Object(flows, member, parse.Optional, "OAuth Flows Object"); flow.Exists() {
			list = r.flow(list, flow, member)
		}
	}
	return list
}

// flow adds one flow.
func (r *reader) flow(list []wayfind.OAuthFlow, n parse.Node, written string) []wayfind.OAuthFlow {
	const section = "OAuth Flow Object"
	grants := map[string]string{
		"authorizationCode": "authorization_code", "accessCode": "authorization_code", "clientCredentials": "client_credentials", "application": "client_credentials",
		"deviceAuthorization": "device_code", "implicit": "implicit", "password": "password",
	}
	f := wayfind.OAuthFlow{
		Grant:            grants[written],
		AuthorizationURL: r.Link(n, "authorizationUrl", r.Base, section), TokenURL: r.Link(n, "tokenUrl", r.Base, section),
		RefreshURL: r.Link(n, "refreshUrl", r.Base, section), DeviceAuthorizationURL: r.Link(n, "deviceAuthorizationUrl", r.Base, section),
	}
	if f.Grant == "" && written != "" {
		r.Report(ruleFlow, n, "the flow %q is none of the specification", written)
	}
	scopes := r.Object(n, "scopes", parse.Optional, section)
	for scope := range scopes.Members() {
		if len(f.Scopes) == maxScopes {
			r.Report(ruleTruncated.AsInfo(), scopes, "there are more than %d scopes; the others are not listed", maxScopes)
			break
		}
		if !strings.HasPrefix(scope, "x-") {
			f.Scopes = append(f.Scopes, scope)
		}
	}
	return append(list, f)
}

// serviceAuth returns the authentication for operations that do not declare their own.
func (r *reader) serviceAuth() *wayfind.Auth {
	auth := &wayfind.Auth{Unknown: true}
	if list := r.Root.Get("security"); list.Kind() == parse.Array {
		auth = r.requirements(list)
	} else if list.Exists() {
		r.Array(r.Root, "security", parse.Optional, "OpenAPI Object")
	}
	for name, s := range r.schemes {
		if auth.Schemes == nil {
			auth.Schemes = make(map[string]wayfind.Scheme)
		}
		auth.Schemes[name] = ownFlows(s)
	}
	return auth
}

// operationAuth returns the authentication that an operation declares, or nil if it declares
// none and the document's applies. An operation that repeats the document's requirements has
// declared its own: declarations for the whole site do not override it.
func (r *reader) operationAuth(n parse.Node) *wayfind.Auth {
	list := n.Get("security")
	if !list.Exists() {
		return nil
	}
	if r.Array(n, "security", parse.Optional, "Operation Object"); list.Kind() != parse.Array {
		return nil
	}
	return r.requirements(list)
}

// requirements reads a list of alternatives (Security Requirement Object), each with schemes
// that are needed together. An empty list, and an alternative without schemes, mean that no
// authentication is needed. An unreadable entry never means that.
func (r *reader) requirements(list parse.Node) *wayfind.Auth {
	auth := &wayfind.Auth{Schemes: make(map[string]wayfind.Scheme)}
	nothing := list.Len() == 0
	for _, alternative := range list.Items() {
		if alternative.Kind() != parse.Object {
			r.Report(ruleWrongType.At("Security Requirement Object").AsWarning(), alternative, "the requirement is %v where object belongs; it is ignored", alternative.Kind())
			continue
		}
		if nothing = nothing || alternative.Len() == 0; alternative.Len() == 0 {
			continue
		}
		auth.Requirements = append(auth.Requirements, r.alternative(alternative, auth))
	}
	if nothing {
		auth.Schemes["none"] = wayfind.Scheme{Kind: wayfind.SchemeNone}
		auth.Requirements = append([][]wayfind.Requirement{{{Scheme: "none"}}}, auth.Requirements...)
	}
	auth.Unknown = auth.Unknown || len(auth.Requirements) == 0
	return auth
}

// alternative reads schemes that are needed together.
func (r *reader) alternative(n parse.Node, auth *wayfind.Auth) []wayfind.Requirement {
	var all []wayfind.Requirement
	for name, scopes := range n.Members() {
		required := r.Strings(n, name, parse.Must, "Security Requirement Object")
		s, ok := r.schemes[schemeName(name)]
		if fragment, local := strings.CutPrefix(name, "#/components/securitySchemes/"); local && !ok { // 3.2
			name = fragment
			s, ok = r.schemes[schemeName(name)]
		}
		if name = schemeName(name); !ok {
			r.Report(ruleSecurityUndefined, scopes, "the scheme %q is not defined", name)
			s = wayfind.Scheme{Kind: wayfind.SchemeCustom}
		}
		auth.Unknown = auth.Unknown || s.Kind == wayfind.SchemeCustom
		auth.Schemes[name] = short(s)
		all = append(all, wayfind.Requirement{Scheme: name, Scopes: required})
	}
	return all
}

// short returns a scheme without its texts and its list of scopes: a document has these once,
// but operations name the scheme a thousand times. The text about a key in the field
// Authorization is kept, because it may name the word before the key.
func short(s wayfind.Scheme) wayfind.Scheme {
	if s.In != "header" || !strings.EqualFold(s.Name, "Authorization") {
		s.Description = ""
	}
	flows := make([]wayfind.OAuthFlow, len(s.Flows))
	for i, f := range s.Flows {
		f.Scopes = nil
		flows[i] = f
	}
	if s.Flows = flows; len(flows) == 0 {
		s.Flows = nil
	}
	return s
}
