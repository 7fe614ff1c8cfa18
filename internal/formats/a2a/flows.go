package a2a

import (
	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// grant describes how cards write a flow of OAuth 2.0, and which of its members are
// required.
type grant struct {
	member, name         string
	authorization, token parse.Need
	// since and until are the first and the last edition that define the flow. 1.0
	// still names the two flows that it deprecates.
	since, until edition
}

func grants() []grant {
	return []grant{
		{"authorizationCode", "authorization_code", parse.Must, parse.Must, edition02, edition10},
		{"clientCredentials", "client_credentials", parse.Optional, parse.Must, edition02, edition10},
		{"deviceCode", "device_code", parse.Optional, parse.Must, edition10, edition10},
		{"implicit", "implicit", parse.Must, parse.Optional, edition02, edition03},
		{"password", "password", parse.Optional, parse.Must, edition02, edition03},
	}
}

// flowNames returns the names of the flows of an edition.
func (r *reader) flowNames() (list []string) {
	for _, g := range grants() {
		if g.since <= r.edition && r.edition <= g.until {
			list = append(list, g.member)
		}
	}
	return list
}

// oauth2 reads the flows of a scheme. 1.0 allows only one flow.
func (r *reader) oauth2(obj parse.Node, s *wayfind.Scheme) (whole bool) {
	whole = r.holdsOnly(obj, "type", "description", "flows", "oauth2MetadataUrl")
	s.MetadataURL = r.secureURL(obj, "oauth2MetadataUrl", parse.Optional)
	flows := r.Object(obj, "flows", parse.Must, r.at.scheme)
	r.CaseVariants(flows, r.flowNames()...)
	folded, name, value := unfolded(flows, "flow")
	known := 0
	for _, g := range grants() {
		n := flows.Get(g.member)
		if !n.Exists() && name == g.member {
			n = value
			r.folded(folded, name)
		}
		if !n.Exists() {
			continue
		}
		known++
		flow, complete := r.flow(n, g)
		whole = whole && complete
		if n.Kind() == parse.Object {
			s.Flows = append(s.Flows, flow)
		}
	}
	switch {
	case !flows.Exists():
	case known == 0:
		r.Report(ruleOAuthFlow.At(r.at.scheme), flows, "there is no flow of the protocol in flows")
	case known > 1 && r.edition == edition10 && !r.union:
		r.Report(ruleOAuthFlow.At(r.at.scheme), flows, "a scheme has one flow, and not %d; all were read", known)
	}
	return whole && known == flows.Len()
}

// flow reads one flow. complete is false if the flow has members or descriptions that
// the model lacks.
func (r *reader) flow(obj parse.Node, g grant) (flow wayfind.OAuthFlow, complete bool) {
	if obj.Kind() != parse.Object {
		r.Report(ruleWrongType.At(r.at.scheme), obj, "the flow %q is %v where object belongs; it is ignored", g.member, obj.Kind())
	}
	if r.edition > g.until && !r.union || r.edition < g.since {
		r.Report(ruleOAuthFlow.At(r.at.scheme).AsWarning(), obj, "the flow %s is not one of this version; it was read", g.member)
	}
	flow = wayfind.OAuthFlow{
		Grant:            g.name,
		AuthorizationURL: r.secureURL(obj, "authorizationUrl", g.authorization),
		TokenURL:         r.secureURL(obj, "tokenUrl", g.token),
		RefreshURL:       r.secureURL(obj, "refreshUrl", parse.Optional),
	}
	if g.since == edition10 {
		flow.DeviceAuthorizationURL = r.secureURL(obj, "deviceAuthorizationUrl", parse.Must)
	}
	// Writers of 1.0 omit false, and signatures do not cover it (§8.4.1), so false
	// means the same as a missing value.
	if pkce := r.Bool(obj.IfSet("pkceRequired"), "pkceRequired", parse.Optional, r.at.scheme); pkce != nil && *pkce {
		flow.PKCE = pkce
	}
	described := false
	scopes := r.Object(obj, "scopes", parse.Must, r.at.scheme)
	for scope, text := range scopes.Members() {
		flow.Scopes = append(flow.Scopes, scope)
		words, ok := text.Str()
		described = described || !ok || words != ""
	}
	return flow, !described && r.holdsOnly(obj, "authorizationUrl", "tokenUrl", "refreshUrl", "scopes", "deviceAuthorizationUrl", "pkceRequired")
}
