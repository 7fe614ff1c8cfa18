package client_test

import (
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/internal/formats/oauth"
)

// registering returns the metadata of a site at which agents register at an origin.
func registering(origin string) string {
	return strings.TrimSuffix(issuer("https://shop.example"), "}") + `, "agent_auth": {"skill": "https://shop.example/auth.md",
		"register_uri": "` + origin + `/register", "claim_uri": "` + origin + `/claim", "identity_types_supported": ["anonymous"]}}`
}

// The metadata of a site that names a place for registration is requested, and none of the URLs in
// it: discovery never registers.
func TestDiscoveryReadsThePlaceOfRegistrationAndNeverRegisters(t *testing.T) {
	for origin, trust := range map[string]wayfind.Trust{"https://shop.example": wayfind.TrustSameOrigin, "https://login.example": wayfind.TrustNeedsApproval} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			host := internet.Host("shop.example", clienttest.Pages{
				sitePlaces[0]: registering(origin), "/.well-known/agent-card.json": cardWith("https://shop.example" + sitePlaces[0]),
			})
			login := internet.Host("login.example", clienttest.Pages{})
			site, detail := described(t, newClient(t, internet, withFormats(a2a.Format(), oauth.Format())))
			var found *wayfind.Registration
			for _, s := range site.Services {
				if s.Auth != nil && s.Auth.Registration != nil {
					found = s.Auth.Registration
				}
			}
			if found == nil || found.Endpoint != origin+"/register" || found.Trust != trust {
				t.Errorf("%s: found %+v", origin, found)
			}
			if got := detail.Service.Auth.Registration; got == nil || got.Endpoint != origin+"/register" || got.Trust != trust {
				t.Errorf("%s: described %+v", origin, got)
			}
			for _, r := range append(host.Requests(), login.Requests()...) {
				if r.Method != "GET" || strings.Contains(r.Path, "register") || strings.Contains(r.Path, "claim") || r.Path == "/auth.md" {
					t.Errorf("%s: asked %s %s", origin, r.Method, r.Path)
				}
			}
		})
	}
}
