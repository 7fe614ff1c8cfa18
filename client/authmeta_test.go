package client_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/internal/formats/oauth"
	"github.com/wayfindhq/wayfind/security"
)

const openIDPath = "/.well-known/openid-configuration"

// sitePlaces are the places at which a site describes its own authorization server and resource.
var sitePlaces = []string{"/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource"}

// cardWith is an A2A card whose scheme is announced at a URL.
func cardWith(metadata string) string {
	return `{"name": "Shop", "description": "A shop", "version": "1", "protocolVersion": "0.3.0", "url": "https://shop.example/a2a",
		"preferredTransport": "JSONRPC", "capabilities": {}, "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": [],
		"securitySchemes": {"login": {"type": "openIdConnect", "openIdConnectUrl": "` + metadata + `"}}, "security": [{"login": []}]}`
}

func issuer(origin string) string {
	return `{"issuer": "` + origin + `", "authorization_endpoint": "` + origin + `/authorize", "token_endpoint": "` + origin + `/token",
		"jwks_uri": "` + origin + `/keys", "response_types_supported": ["code"], "subject_types_supported": ["public"],
		"id_token_signing_alg_values_supported": ["ES256"], "code_challenge_methods_supported": ["S256"], "scopes_supported": ["openid"]}`
}

// described returns the result of Describe for the service of the card.
func described(t *testing.T, c *client.Client) (*wayfind.Site, *wayfind.Detail) {
	t.Helper()
	site, err := c.Resolve(t.Context(), "shop.example")
	if err != nil {
		t.Fatal(err)
	}
	detail, err := c.Describe(t.Context(), site, site.Services[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	return site, detail
}

func tokenURLs(auth *wayfind.Auth) (list []string) {
	for _, f := range auth.Schemes["login"].Flows {
		list = append(list, f.TokenURL)
	}
	return list
}

// Metadata about authentication is requested only by Describe, except for the two places of the
// site itself. It is used if it is about the issuer that its place belongs to.
func TestDescribeAuth(t *testing.T) {
	const origin = "https://shop.example"
	resource := strings.Replace(`{"resource": "ORIGIN/a2a", "authorization_servers": ["ORIGIN"]}`, "ORIGIN", origin, 2)
	rows := []struct {
		name, metadata string
		pages          clienttest.Pages
		want           []string
		code           string
	}{
		{"OpenID", origin + openIDPath, clienttest.Pages{openIDPath: issuer(origin)}, []string{origin + "/token"}, ""},
		{"another issuer", origin + openIDPath, clienttest.Pages{openIDPath: issuer("https://evil.example")}, nil, "auth.metadata"},
		{"not there", origin + openIDPath, nil, nil, "auth.metadata"},
		{"resource, then server", origin + "/.well-known/oauth-protected-resource/a2a", clienttest.Pages{
			"/.well-known/oauth-protected-resource/a2a": resource, "/.well-known/oauth-authorization-server": issuer(origin),
		}, []string{origin + "/token"}, ""},
		{"another resource", origin + "/.well-known/oauth-protected-resource/other", clienttest.Pages{
			"/.well-known/oauth-protected-resource/other": resource, "/.well-known/oauth-authorization-server": issuer(origin),
		}, nil, "auth.metadata"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				pages := clienttest.Pages{"/.well-known/agent-card.json": cardWith(r.metadata)}
				maps.Copy(pages, r.pages)
				host := internet.Host("shop.example", pages)
				c := newClient(t, internet, withFormats(a2a.Format(), oauth.Format()))
				if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
					t.Fatal(err)
				}
				for _, path := range host.Paths() {
					if strings.Contains(path, "oauth") && !slices.Contains(sitePlaces, path) || path == openIDPath {
						t.Errorf("Resolve asked for %s", path)
					}
				}
				site, detail := described(t, c)
				got := detail.Service.Auth
				if d := cmp.Diff(r.want, tokenURLs(got)); d != "" {
					t.Errorf("token endpoints (-want +got):\n%s\n%v", d, detail.Diagnostics)
				}
				if r.code == "" != (len(detail.Diagnostics) == 0) || r.code != "" && detail.Diagnostics[0].Code != r.code {
					t.Errorf("diagnostics %+v", detail.Diagnostics)
				}
				if len(tokenURLs(site.Services[0].Auth)) != 0 {
					t.Error("the Site was changed")
				}
			})
		})
	}
}

// Metadata on another site needs approval.
func TestDescribeAuthElsewhere(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{"/.well-known/agent-card.json": cardWith("https://login.example" + openIDPath)})
		login := internet.Host("login.example", clienttest.Pages{openIDPath: issuer("https://login.example")})
		formats := withFormats(a2a.Format(), oauth.Format())
		_, detail := described(t, newClient(t, internet, formats))
		if len(login.Paths()) != 0 || len(detail.Diagnostics) != 1 || len(tokenURLs(detail.Service.Auth)) != 0 {
			t.Errorf("without approval: asked for %v, %v", login.Paths(), detail.Diagnostics)
		}
		_, detail = described(t, newClient(t, internet, formats, func(o *client.Options) {
			o.Approve = func(context.Context, security.ApprovalRequest) error { return nil }
		}))
		if d := cmp.Diff([]string{"https://login.example/token"}, tokenURLs(detail.Service.Auth)); d != "" {
			t.Errorf("with approval (-want +got):\n%s\n%v", d, detail.Diagnostics)
		}
	})
}
