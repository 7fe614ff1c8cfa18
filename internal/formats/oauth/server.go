package oauth

import (
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/parse"
)

// The grants that the model has names for (RFC 6749, RFC 8628).
const (
	grantCode     = "authorization_code"
	grantImplicit = "implicit"
	grantDevice   = "urn:ietf:params:oauth:grant-type:device_code"
	grantRefresh  = "refresh_token"
)

// maxGrant is the longest name of a grant, in bytes: extensions are URIs.
const maxGrant = 256

// readServer reads the metadata of an authorization server (RFC 8414 §2).
func (r *reader) readServer() {
	r.service.Extensions = r.Extensions(r.root, "issuer", "authorization_endpoint", "token_endpoint", "device_authorization_endpoint", "jwks_uri", "scopes_supported",
		"grant_types_supported", "service_documentation", "op_policy_uri", "op_tos_uri", "signed_metadata", "agent_auth")
	issuer := r.identity("issuer", issuersAt(r.in.URL))
	r.service.DocsURL = r.page("service_documentation")
	r.document("policy", "op_policy_uri")
	r.document("terms", "op_tos_uri")
	need := parse.Optional
	if r.dialect == DialectOpenID {
		need = parse.Must
	}
	r.keys(need)
	s := wayfind.Scheme{Kind: wayfind.SchemeOAuth2, DocsURL: r.service.DocsURL}
	switch {
	case r.in.URL != nil && issuersAt(r.in.URL) != nil:
		s.MetadataURL = r.in.URL.String()
	case issuer != nil && len(issuer.String()) <= maxURL:
		s.MetadataURL = ServerMetadataURLs(issuer)[0]
	}
	var defaulted bool
	if s.Flows, defaulted = r.flows(); defaulted {
		s.Defaulted = []string{"flows"}
	}
	r.service.Auth = &wayfind.Auth{Schemes: map[string]wayfind.Scheme{"oauth2": s}, Unknown: true}
	r.registration()
}

// flows reads a flow for each grant. If there is no list of grants, the default of the
// specification is used.
func (r *reader) flows() (flows []wayfind.OAuthFlow, defaulted bool) {
	responses := r.words("response_types_supported", parse.DefaultItems, parse.Must)
	grants := r.words("grant_types_supported", maxGrants, parse.Optional)
	if r.root.Get("grant_types_supported").Kind() == parse.Missing {
		defaulted = true
		if grants = []string{grantCode}; slices.ContainsFunc(responses, givesToken) {
			grants = append(grants, grantImplicit)
		}
	}
	authorization := r.endpoint("authorization_endpoint", needIf(slices.Contains(grants, grantCode) || slices.Contains(grants, grantImplicit)))
	token := r.endpoint("token_endpoint", needIf(len(grants) != 1 || grants[0] != grantImplicit))
	device := r.endpoint("device_authorization_endpoint", needIf(slices.Contains(grants, grantDevice)))
	scopes := r.words("scopes_supported", maxScopes, parse.Optional)
	r.challengeMethods(grants)
	for _, grant := range grants {
		f := wayfind.OAuthFlow{Grant: grant, TokenURL: token, Scopes: slices.Clone(scopes)}
		switch grant {
		case grantRefresh:
			continue // it belongs to the others: the token endpoint takes it
		case grantCode:
			f.AuthorizationURL = authorization
		case grantImplicit:
			f.AuthorizationURL, f.TokenURL = authorization, ""
		case grantDevice:
			f.Grant, f.DeviceAuthorizationURL = "device_code", device
		}
		if len(grant) > maxGrant || grant == "" {
			r.Report(ruleGrant.At(r.members), r.root.Get("grant_types_supported"), "the name of a grant is empty or has more than %d bytes; it is ignored", maxGrant)
			continue
		}
		flows = append(flows, f)
	}
	r.keepGrants(flows)
	r.keepEndpoints(flows, authorization, token, device)
	return flows, defaulted
}

// keepGrants keeps the grants that no flow has, such as refresh_token, which the token
// endpoint takes.
func (r *reader) keepGrants(flows []wayfind.OAuthFlow) {
	var others []parse.Raw
	for _, n := range r.root.Get("grant_types_supported").Items() {
		grant, _ := n.Str()
		if grant == grantDevice {
			grant = "device_code"
		}
		if !slices.ContainsFunc(flows, func(f wayfind.OAuthFlow) bool { return f.Grant == grant }) {
			others = append(others, n.Copy())
		}
	}
	if others != nil && r.service.Extensions != nil { // issuer is there at least
		r.service.Extensions["grant_types_supported"] = rawjson.Arr(others...)
	}
}

// keepEndpoints keeps the endpoints that no flow has a field for: the endpoints of grants that
// are not listed.
func (r *reader) keepEndpoints(flows []wayfind.OAuthFlow, authorization, token, device string) {
	taken := map[string]bool{"": true}
	for _, f := range flows {
		taken[f.AuthorizationURL], taken[f.TokenURL], taken[f.DeviceAuthorizationURL] = true, true, true
	}
	for member, text := range map[string]string{"authorization_endpoint": authorization, "token_endpoint": token, "device_authorization_endpoint": device} {
		if !taken[text] {
			parse.SetExtension(&r.service.Extensions, member, r.root.Get(member))
		}
	}
}

// givesToken reports whether a response type is one of the implicit grant: it has a token and
// no code.
func givesToken(responseType string) bool {
	words := strings.Fields(responseType)
	return slices.Contains(words, "token") && !slices.Contains(words, "code")
}

func needIf(needed bool) parse.Need {
	if needed {
		return parse.Must
	}
	return parse.Optional
}

// challengeMethods reports a server that does not declare PKCE with S256 (RFC 7636): clients
// of MCP and of OAuth 2.1 stop there.
func (r *reader) challengeMethods(grants []string) {
	methods := r.words("code_challenge_methods_supported", maxGrants, parse.Optional)
	if slices.Contains(grants, grantCode) && !slices.Contains(methods, "S256") {
		r.Report(rulePKCE.At(r.members), r.root, "the server does not say that it supports PKCE with S256")
	}
}
