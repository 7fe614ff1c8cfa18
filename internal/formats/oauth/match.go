package oauth

import (
	"net/url"

	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
	"github.com/wayfindhq/wayfind/parse"
)

// match checks the place of a document, then the member that names its subject and other
// members that belong to it: other documents also have a "resource" or an "issuer".
func match(in *parse.Input) parse.Claim {
	root, err := in.JSON()
	if err != nil {
		return parse.Claim{}
	}
	level, dialect := judge(in.URL, root)
	return parse.Claim{Level: level, Dialect: dialect}
}

// judge returns the kind of a document. The text about agent_auth shows the members of a
// resource in the metadata of a server, so the members of a server are checked first, except
// at the place of a resource.
func judge(place *url.URL, root parse.Node) (level parse.Level, dialect string) {
	atResource := resourcesAt(place) != nil
	switch {
	case atResource:
	case isServer(root), issuersAt(place) != nil && hasMarks(root):
		// OpenID Connect Discovery §3 requires it, and RFC 8414 does not have it.
		if root.Has("id_token_signing_alg_values_supported") {
			return parse.Exact, DialectOpenID
		}
		return parse.Exact, DialectServer
	}
	resource, about := root.Get("resource").Str()
	switch {
	case about && root.Has("authorization_servers", "bearer_methods_supported", "resource_documentation", "resource_signing_alg_values_supported", "dpop_bound_access_tokens_required", "signed_metadata"):
		return parse.Exact, DialectResource
	case about && isURL(resource) && (atResource || root.Len() == 1 || root.Has("scopes_supported", "jwks_uri", "resource_name")):
		return parse.Likely, DialectResource
	case isServer(root): // at the place of a resource
		return parse.Exact, DialectServer
	}
	return parse.None, ""
}

// isServer recognises the metadata of a server at any place.
func isServer(root parse.Node) bool {
	if root.Get("agent_auth").Kind() == parse.Object {
		return true
	}
	return root.Get("issuer").Kind() == parse.String && root.Has("authorization_endpoint", "token_endpoint", "response_types_supported")
}

// hasMarks recognises the metadata of a server at its own place.
func hasMarks(root parse.Node) bool {
	return root.Get("issuer").Kind() == parse.String || root.Get("token_endpoint").Kind() == parse.String || root.Get("agent_auth").Exists()
}

func isURL(text string) bool {
	_, err := urlref.AbsoluteURL(text)
	return err == nil
}
