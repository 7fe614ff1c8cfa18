package oauth

import "github.com/wayfindhq/wayfind/parse"

// match looks for the member that names the subject of a document, and for
// others that belong to it: other documents have a "resource" or an "issuer"
// too.
func match(in *parse.Input) parse.Claim {
	root, err := in.JSON()
	if err != nil {
		return parse.Claim{}
	}
	level, dialect := judge(root)
	return parse.Claim{Level: level, Dialect: dialect}
}

func judge(root parse.Node) (level parse.Level, dialect string) {
	resource, about := root.Get("resource").Str()
	switch {
	case about && has(root, "authorization_servers", "bearer_methods_supported", "resource_documentation", "resource_signing_alg_values_supported", "dpop_bound_access_tokens_required", "signed_metadata"):
		return parse.Exact, DialectResource
	case about && isURL(resource) && (root.Len() == 1 || has(root, "scopes_supported", "jwks_uri", "resource_name")):
		return parse.Likely, DialectResource
	}
	if root.Get("issuer").Kind() != parse.String || !has(root, "authorization_endpoint", "token_endpoint", "response_types_supported") {
		return parse.None, ""
	}
	// OpenID Connect Discovery §3 requires it, and RFC 8414 does not have it.
	if has(root, "id_token_signing_alg_values_supported") {
		return parse.Exact, DialectOpenID
	}
	return parse.Exact, DialectServer
}

// has reports an object with one of the members.
func has(root parse.Node, members ...string) bool {
	for _, m := range members {
		if root.Get(m).Exists() {
			return true
		}
	}
	return false
}

func isURL(text string) bool {
	_, err := parse.AbsoluteURL(text)
	return err == nil
}
