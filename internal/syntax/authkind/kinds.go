package authkind

import (
	"cmp"

	"github.com/wayfindhq/wayfind"
)

// kinds is the table. The order of the HTTP rows is significant, see [Table]. Formats that look
// for several kinds use the order of the table.
var kinds = [...]Kind{
	{
		Kind: wayfind.SchemeNone, text: "nothing needed",
		Words: []Word{
			{"none", A2AName | ADP | AgentsMD | AIDiscovery | AID | AIPlugin | AWP | Integrations | MCP},
			{"public", A2AName | MCP}, {"noauth", A2AName | MCP}, {"anonymous", A2AName | MCP},
		},
	},
	{
		Kind: wayfind.SchemeAPIKey, text: "API key", more: placeOfKey,
		Members: PlaceOfKey, Grants: []Grant{Key},
		Words: []Word{
			{"apiKey", OpenAPI | A2A}, {"apiKeySecurityScheme", A2AMember},
			{"api_key", ADP | AgentsMD | AIPluginOther | AWP | Integrations},
			{"apikey", A2AName | AgentsMDOther | AIDiscovery | AID | MCP}, {"header", MCP},
		},
	},
	{
		Kind: wayfind.SchemeHTTP, HTTP: "basic", text: "HTTP", more: nameOfHTTP,
		Grants: []Grant{Basic}, In: "header", Field: "Authorization",
		Words: []Word{{"basic", HTTPAuth | OpenAPI | A2AName | AID | Integrations | MCP}},
	},
	{
		Kind: wayfind.SchemeHTTP, HTTP: "bearer", text: "HTTP", more: nameOfHTTP,
		Grants: []Grant{Bearer, OAuth}, In: "header", Field: "Authorization",
		Words: []Word{
			{"bearer", HTTPAuth | A2AName | AgentsMDOther | AIDiscovery | AWP | Integrations | MCP},
			{"bearertoken", AgentsMDOther | MCP}, {"token", MCP}, {"http", MCP}, {"pat", AID},
		},
	},
	{
		Kind: wayfind.SchemeHTTP, HTTP: "dpop", text: "HTTP", more: nameOfHTTP, // a token of OAuth with a proof (RFC 9449 §7.1)
		Grants: []Grant{OAuth}, In: "header", Field: "Authorization",
		Words: []Word{{"dpop", HTTPAuth}},
	},
	{
		Kind: wayfind.SchemeHTTP, HTTP: "digest", text: "HTTP", more: nameOfHTTP,
		In: "header", Field: "Authorization",
		Words: []Word{{"digest", A2AName}},
	},
	{Kind: wayfind.SchemeHTTP, HTTP: "hoba", text: "HTTP", more: nameOfHTTP, In: "header", Field: "Authorization"},
	{Kind: wayfind.SchemeHTTP, HTTP: "mutual", text: "HTTP", more: nameOfHTTP, In: "header", Field: "Authorization"},
	{Kind: wayfind.SchemeHTTP, HTTP: "negotiate", text: "HTTP", more: nameOfHTTP, In: "header", Field: "Authorization"},
	{Kind: wayfind.SchemeHTTP, HTTP: "ntlm", text: "HTTP", more: nameOfHTTP, In: "header", Field: "Authorization"},
	{Kind: wayfind.SchemeHTTP, HTTP: "scram-sha-1", text: "HTTP", more: nameOfHTTP, In: "header", Field: "Authorization"},
	{Kind: wayfind.SchemeHTTP, HTTP: "scram-sha-256", text: "HTTP", more: nameOfHTTP, In: "header", Field: "Authorization"},
	{
		Kind: wayfind.SchemeHTTP, text: "HTTP", more: nameOfHTTP,
		Members: NameOfHTTP, In: "header", Field: "Authorization",
		Words: []Word{
			{"http", OpenAPI | A2A}, {"httpAuthSecurityScheme", A2AMember},
			{"service_http", AIPlugin}, {"user_http", AIPlugin},
		},
	},
	{
		Kind: wayfind.SchemeOAuth2, text: "OAuth 2", more: pagesOfOAuth,
		Members: OAuthFlows, Grants: []Grant{Bearer, OAuth}, In: "header", Field: "Authorization",
		Words: []Word{
			{"oauth2", OpenAPI | A2A | A2AName | ADP | AgentsMD | AgentsMDOther | AIDiscovery | AWP | Integrations | MCP}, {"oauth2SecurityScheme", A2AMember},
			{"oauth2_cc", Integrations}, {"oauth2_code", AID}, {"oauth2_device", AID},
			{"oauth", A2AName | AgentsMDOther | AIPlugin | MCP},
			{"oauth20", AgentsMDOther | AIDiscovery | MCP}, {"oauth21", AgentsMDOther | MCP},
		},
	},
	{
		Kind: wayfind.SchemeOIDC, text: "OpenID Connect",
		Members: MetadataURL, Grants: []Grant{Bearer, OAuth}, In: "header", Field: "Authorization",
		Words: []Word{
			{"openIdConnect", OpenAPI | A2A}, {"openIdConnectSecurityScheme", A2AMember},
			{"openidconnect", A2AName | MCP}, {"oidc", A2AName | MCP}, {"openid", A2AName},
		},
	},
	{
		Kind: wayfind.SchemeMTLS, text: "client certificate (mutual TLS)",
		Grants: []Grant{Certificate}, In: "tls",
		Words: []Word{
			{"mutualTLS", OpenAPI | A2A}, {"mtlsSecurityScheme", A2AMember},
			{"mutualtls", A2AName | MCP}, {"mtls", A2AName | AID | MCP},
		},
	},
}

// unknown returns the row for all other kinds.
func unknown() Kind { return Kind{Kind: wayfind.SchemeCustom, more: nameOfKind} }

func placeOfKey(s wayfind.Scheme, show func(string) string) (text string) {
	if s.Name != "" {
		text = " in " + cmp.Or(show(s.In), "header") + " " + show(s.Name)
	}
	if s.Prefix != nil && *s.Prefix != "" {
		text += ` as "` + show(*s.Prefix) + ` KEY"`
	}
	return text
}

func nameOfHTTP(s wayfind.Scheme, show func(string) string) string {
	return " " + cmp.Or(show(s.HTTPScheme), "authentication")
}

func pagesOfOAuth(s wayfind.Scheme, show func(string) string) (text string) {
	for _, f := range s.Flows {
		if f.AuthorizationURL != "" {
			text += " at " + show(f.AuthorizationURL)
		}
	}
	return text
}

func nameOfKind(s wayfind.Scheme, show func(string) string) string { return show(string(s.Kind)) }
