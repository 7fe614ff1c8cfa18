package client_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/internal/formats/oauth"
)

const (
	resourcePlace = "/.well-known/oauth-protected-resource"
	serverPlace   = "/.well-known/oauth-authorization-server"
)

// aboutResource is the metadata of a resource of shop.example.
func aboutResource(path string) string {
	return `{"resource": "https://shop.example` + path + `", "authorization_servers": ["https://shop.example/tenant"]}`
}

// The metadata of a target with a path are at the place with that path (RFC 9728 §3.1, RFC 8414 §3.1). The
// root of the host is asked next, unless there is a document at that place.
func TestPlacesOfATargetWithAPath(t *testing.T) {
	type pages = map[string]http.Handler
	html := page("<html><title>Shop</title></html>")
	for name, row := range map[string]struct {
		target string
		pages  pages
		want   []string // the places asked, in order
		code   string   // of a diagnostic
		err    error
	}{
		"no path":           {"shop.example", pages{resourcePlace: page(aboutResource(""))}, []string{resourcePlace}, "", nil},
		"below the root":    {"shop.example", pages{resourcePlace: page(aboutResource("/mcp"))}, []string{resourcePlace}, "oauth.other_path", nil},
		"at its own place":  {"https://shop.example/mcp", pages{resourcePlace + "/mcp": page(aboutResource("/mcp"))}, []string{resourcePlace + "/mcp"}, "", nil},
		"at the root":       {"https://shop.example/mcp", pages{resourcePlace: page(aboutResource("/mcp"))}, []string{resourcePlace + "/mcp", resourcePlace}, "oauth.other_path", nil},
		"of the host":       {"https://shop.example/mcp", pages{resourcePlace: page(aboutResource(""))}, []string{resourcePlace + "/mcp", resourcePlace}, "", nil},
		"at every place":    {"https://shop.example/mcp", pages{resourcePlace + "/mcp": page(aboutResource("")), resourcePlace: page(aboutResource(""))}, []string{resourcePlace + "/mcp"}, "oauth.other_path", nil},
		"a page there":      {"https://shop.example/mcp", pages{resourcePlace + "/mcp": html, resourcePlace: page(aboutResource("/mcp"))}, []string{resourcePlace + "/mcp", resourcePlace}, "oauth.other_path", nil},
		"refused there":     {"https://shop.example/mcp", pages{resourcePlace + "/mcp": clienttest.Page{Status: 403}, resourcePlace: page(aboutResource("/mcp"))}, []string{resourcePlace + "/mcp", resourcePlace}, "oauth.other_path", nil},
		"of another there":  {"https://shop.example/mcp", pages{resourcePlace + "/mcp": page(aboutResource("/api")), resourcePlace: page(aboutResource(""))}, []string{resourcePlace + "/mcp", resourcePlace}, "oauth.mismatch", nil},
		"of another alone":  {"https://shop.example/mcp", pages{resourcePlace + "/mcp": page(aboutResource("/api"))}, []string{resourcePlace + "/mcp", resourcePlace}, "oauth.mismatch", wayfind.ErrInvalid},
		"nothing":           {"https://shop.example/mcp", nil, []string{resourcePlace + "/mcp", resourcePlace}, "", wayfind.ErrNotFound},
		"a server's place":  {"https://shop.example/ads", pages{serverPlace + "/ads": page(issuer("https://shop.example/ads"))}, []string{serverPlace + "/ads"}, "", nil},
		"the host's server": {"https://shop.example/ads", pages{serverPlace: page(issuer("https://shop.example"))}, []string{serverPlace + "/ads", serverPlace}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", nil)
				for path, h := range row.pages {
					host.Handle(path, h)
				}
				site, err := newClient(t, internet, withFormats(oauth.Format())).Resolve(t.Context(), row.target)
				if !errors.Is(err, row.err) {
					t.Errorf("error %v, want %v", err, row.err)
				}
				kind := resourcePlace
				if strings.HasPrefix(row.want[0], serverPlace) {
					kind = serverPlace
				}
				got := slices.DeleteFunc(host.Paths(), func(p string) bool { return !strings.HasPrefix(p, kind) })
				if d := cmp.Diff(row.want, got); d != "" {
					t.Errorf("asked (-want +got):\n%s", d)
				}
				if row.code != "" && !slices.ContainsFunc(site.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == row.code }) || row.code == "" && len(site.Diagnostics) > 0 && err == nil {
					t.Errorf("diagnostics %+v", site.Diagnostics)
				}
			})
		})
	}
}

// Describe goes from a place that was announced to those after it: from that of a resource with a path to
// the root of its host, and through the three of an issuer with a path.
func TestDescribeAuthAtTheNextPlaces(t *testing.T) {
	const tenant, announced = "https://shop.example/tenant", "https://shop.example" + resourcePlace + "/a2a"
	for _, server := range []string{serverPlace + "/tenant", openIDPath + "/tenant", "/tenant" + openIDPath} {
		for root, fits := range map[string]bool{aboutResource("/a2a"): true, aboutResource(""): true, aboutResource("/other"): false} {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", clienttest.Pages{"/.well-known/agent-card.json": cardWith(announced), resourcePlace: root, server: issuer(tenant)})
				_, detail := described(t, newClient(t, internet, withFormats(a2a.Format(), oauth.Format())))
				if got := tokenURLs(detail.Service.Auth); slices.Equal(got, []string{tenant + "/token"}) != fits || fits != (len(detail.Diagnostics) == 0) {
					t.Errorf("%s at the root, server at %s: %v, %v; asked %v", root, server, got, detail.Diagnostics, host.Paths())
				}
			})
		}
	}
}
