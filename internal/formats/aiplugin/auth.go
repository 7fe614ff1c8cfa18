package aiplugin

import (
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/authkind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// auth reads the authentication. It never returns nil: the authentication is unknown
// if the manifest does not describe it.
func (r *reader) auth(root parse.Node) *wayfind.Auth {
	if n := root.Get("auth"); n.Kind() == parse.String {
		r.Report(ruleAuthText, n, "auth is a string where an object belongs; it was read as its type")
		kind, _ := n.Str()
		return r.ofType(kind, n, parse.Node{})
	}
	obj := r.Object(root, "auth", parse.Must, "auth")
	return r.ofType(r.String(obj, "type", parse.Must, "auth.type"), obj.Get("type"), obj)
}

// ofType reads the members that belong to a type of authentication. n is the node of
// the type, and obj the object with the members.
func (r *reader) ofType(written string, n, obj parse.Node) *wayfind.Auth {
	if written == "" {
		return &wayfind.Auth{Unknown: true}
	}
	kind, known := authkind.Read(authkind.AIPlugin, written)
	if !known {
		r.Report(ruleAuthType, n, "auth type %q is none of none, service_http, user_http and oauth", written)
		kind, known = authkind.Read(authkind.AIPluginOther, written)
	}
	s := kind.Scheme()
	var scopes []string
	switch kind.Members {
	case authkind.NameOfHTTP:
		s = r.http(obj)
	case authkind.OAuthFlows:
		s, scopes = r.oauth(obj)
	}
	auth := authkind.Only(written, s, scopes...)
	auth.Unknown = !known
	return auth
}

// http reads a token or password in a header field: Authorization, or a field of
// another name.
func (r *reader) http(obj parse.Node) wayfind.Scheme {
	if text, _ := obj.Get("custom_auth_header").Str(); text != "" {
		return wayfind.Scheme{Kind: wayfind.SchemeAPIKey, In: "header", Name: r.HeaderName(obj, "custom_auth_header", parse.Optional, "auth")}
	}
	written := r.String(obj, "authorization_type", parse.Must, "auth.authorization_type")
	kind, known := authkind.Read(authkind.HTTPAuth, strings.ToLower(written))
	if !known && written != "" {
		r.Report(ruleAuthorizationType, obj.Get("authorization_type"), "authorization_type %q is neither bearer nor basic", written)
	}
	return wayfind.Scheme{Kind: wayfind.SchemeHTTP, HTTPScheme: kind.HTTP}
}

// oauth reads the authorization code flow. client_url is the authorization endpoint,
// and authorization_url the token endpoint. Publishers who took the names literally
// have swapped them.
func (r *reader) oauth(obj parse.Node) (wayfind.Scheme, []string) {
	client := r.URL(obj, "client_url", r.base, parse.Must, "auth.client_url")
	token := r.URL(obj, "authorization_url", r.base, parse.Must, "auth.authorization_url")
	if strings.Contains(token, "authorize") && !strings.Contains(token, "token") && strings.Contains(client, "token") {
		r.Report(ruleOAuthNames, obj, "client_url looks like a token endpoint and authorization_url like an authorization endpoint; the specification has them the other way round")
	}
	scopes := strings.Fields(r.String(obj, "scope", parse.Optional, "auth.scope"))
	flow := wayfind.OAuthFlow{Grant: "authorization_code", AuthorizationURL: client, TokenURL: token, Scopes: scopes}
	return wayfind.Scheme{Kind: wayfind.SchemeOAuth2, Flows: []wayfind.OAuthFlow{flow}}, append([]string(nil), scopes...)
}

// keepAuth keeps the members that the model has no place for. Only the number of
// verification tokens is kept.
func (r *reader) keepAuth(obj parse.Node, service *wayfind.Service) {
	tokens := obj.Get("verification_tokens")
	r.keepRest(service, "auth", obj, "type", "authorization_type", "client_url", "authorization_url", "scope", "verification_tokens")
	if tokens.Exists() {
		parse.Keep(&service.Extensions, "verification_tokens", rawjson.QuoteInt(int64(tokens.Len())))
	}
}
