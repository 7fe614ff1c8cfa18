package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/security"
)

// The address guard holds for every connection of a detail document as well.
func TestARebindingBeforeADetailIsRefused(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example.com", clienttest.Pages{wellKnown: manifest("api.example.com", "/a")})
		internet.Host("api.example.com", clienttest.Pages{"/a": detail("a", "/x")})
		internet.DNS("api.example.com", clienttest.Addrs(netip.MustParseAddr("10.0.0.1")))
		c := newClient(t, internet)
		site, err := c.Resolve(t.Context(), "shop.example.com")
		if err != nil {
			t.Fatal(err)
		}
		_, err = c.Describe(t.Context(), site, "adp:a")
		var e *wayfind.Error
		if !errors.Is(err, wayfind.ErrRefused) || !errors.As(err, &e) || e.Code != wayfind.CodeBlockedAddress {
			t.Errorf("Describe: %v, want a blocked address", err)
		}
	})
}

func TestACrossSiteRedirectIsUntrusted(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Redirect(302, "https://evil.test.example.net/doc"))
		evil := internet.Host("evil.test.example.net", clienttest.Pages{
			"/doc": manifest("evil.test.example.net", "/a", "https://shop.example/b"), "/a": detail("a", "/x")})
		c := newClient(t, internet)
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if s := site.Sources[0]; s.Trust != wayfind.TrustCrossSite || s.FinalURL != "https://evil.test.example.net/doc" || s.URL != "https://shop.example"+wellKnown {
			t.Errorf("source %+v", s)
		}
		if !slices.ContainsFunc(site.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "redirect.cross_site" }) {
			t.Errorf("no warning in %v", site.Diagnostics)
		}
		// Neither the target of the redirect nor the origin that a third party names is trusted.
		for _, capability := range site.Capabilities() {
			if capability.Trust != wayfind.TrustNeedsApproval {
				t.Errorf("%s is %s", capability.Key, capability.Trust)
			}
		}
		for _, f := range site.Services[0].Interfaces {
			if f.Trust != wayfind.TrustCrossSite {
				t.Errorf("interface %s is %s", f.URL, f.Trust)
			}
		}
		n := len(evil.Paths())
		if _, err := c.Describe(t.Context(), site, "adp:a"); !errors.Is(err, wayfind.ErrRefused) || len(evil.Paths()) != n {
			t.Errorf("Describe contacted another site: %v, %v", err, evil.Paths())
		}
	})
}

// An open redirect of the real site is no better.
func TestAnOpenRedirectIsUntrusted(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		shop := internet.Host("shop.example", clienttest.Pages{})
		shop.Handle(wellKnown, clienttest.Redirect(302, "/login?next=https://evil.example.net/doc"))
		shop.Handle("/login", clienttest.Redirect(302, "https://evil.example.net/doc"))
		internet.Host("evil.example.net", clienttest.Pages{"/doc": manifest("evil.example.net", "/a")})
		c := newClient(t, internet)
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"https://shop.example/login?next=https://evil.example.net/doc", "https://evil.example.net/doc"}
		if d := cmp.Diff(want, only(t, site).Redirects); d != "" {
			t.Errorf("chain (-want +got):\n%s", d)
		}
		if site.Sources[0].Trust != wayfind.TrustCrossSite {
			t.Errorf("source is %s", site.Sources[0].Trust)
		}
	})
}

// A chain that comes back has been elsewhere.
func TestARedirectThereAndBackIsUntrusted(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		shop := internet.Host("shop.example", clienttest.Pages{"/doc": manifest("shop.example", "/a")})
		shop.Handle(wellKnown, clienttest.Redirect(302, "https://evil.example.net/"))
		internet.Host("evil.example.net", clienttest.Redirect(302, "https://shop.example/doc"))
		site, err := newClient(t, internet).Resolve(t.Context(), "shop.example")
		if err != nil || site.Sources[0].Trust != wayfind.TrustCrossSite {
			t.Errorf("%v, %+v", err, site.Sources)
		}
	})
}

// Hidden text goes through the whole way: nothing of it reaches a Site, in
// values, keys and JSON.
func TestNoHiddenTextReachesASite(t *testing.T) {
	hidden := "\U000e0061\U000e0062\u202e\u200b\ufe0f\u001b[2J\u009b2J\u007f"
	quoted, err := json.Marshal(hidden)
	if err != nil {
		t.Fatal(err)
	}
	h := strings.Trim(string(quoted), `"`)
	body := fmt.Sprintf(`{"spec_version": "1.0", "name": "Na%[1]sme", "description": "Some%[1]s text of ten.",
		"base_url": "https://shop.example", "auth": {"type": "api_key", "header": "X-Key", "prefix": "", "note%[1]s": "a%[1]sb"},
		"extra%[1]s": {"k%[1]sey": ["v%[1]salue"]},
		"capabilities": [{"name": "do%[1]s_it", "description": "Do%[1]s it now", "detail_url": "/a", "x%[1]s": 1}]}`, h)
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{wellKnown: body})
		site, err := newClient(t, internet).Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		out, err := json.Marshal(site)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range string(out) {
			if !unicode.IsPrint(r) {
				t.Errorf("the Site holds %U", r)
			}
		}
		if site.Services[0].Name != "Na[2J2Jme" {
			t.Errorf("name %q in %s", site.Services[0].Name, out)
		}
		if !slices.ContainsFunc(site.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "text.hidden" }) {
			t.Errorf("no warning in %v", site.Diagnostics)
		}
	})
}

func TestABaseOnAnotherSiteNeedsApproval(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("api.other.example.net", "/a")})
		other := internet.Host("api.other.example.net", clienttest.Pages{"/a": detail("a", "/x")})
		var asked []security.ApprovalRequest
		answer := errors.New("the user said no")
		c := newClient(t, internet, func(o *client.Options) {
			o.Approve = func(_ context.Context, r security.ApprovalRequest) error {
				asked = append(asked, r)
				return answer
			}
		})
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil {
			t.Fatal(err)
		}
		if _, capability := site.Capability("adp:a"); capability.Trust != wayfind.TrustNeedsApproval {
			t.Errorf("trust %s", capability.Trust)
		}
		if len(asked) != 0 || len(other.Paths()) != 0 {
			t.Errorf("Resolve asked for approval (%v) or went there (%v)", asked, other.Paths())
		}
		var e *wayfind.Error
		if _, err := c.Describe(t.Context(), site, "adp:a"); !errors.Is(err, answer) || !errors.As(err, &e) || e.Code != wayfind.CodeCrossSite || len(other.Paths()) != 0 {
			t.Errorf("Describe after a no: %v", err)
		}
		answer = nil
		d, err := c.Describe(t.Context(), site, "adp:a")
		if err != nil || d.Capability.Invocation == nil || d.Capability.Trust != wayfind.TrustCrossSite {
			t.Errorf("Describe after a yes: %v, %+v", err, d)
		}
		want := security.ApprovalRequest{DocumentOrigin: "https://shop.example", Endpoint: "https://api.other.example.net/a", Digest: site.Sources[0].SHA256, Purpose: "describe", Subject: "adp:a",
			Document: "https://shop.example" + wellKnown, Domain: "example.net", Protocol: "http", Methods: []string{"GET"}}
		if len(asked) == 0 || asked[0].Definition == nil {
			t.Fatalf("asked %+v", asked)
		}
		if _, defined := asked[0].Definition.Capability("adp:a"); defined == nil {
			t.Errorf("definition %+v", asked[0].Definition)
		}
		want.Definition = asked[0].Definition
		if d := cmp.Diff([]security.ApprovalRequest{want, want}, asked); d != "" {
			t.Errorf("approval requests (-want +got):\n%s", d)
		}
	})
}

// A catch-all server that answers anything with the same JSON has nothing.
func TestACatchAllServerHasNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"ok": true}`)
		}))
		c := newClient(t, internet)
		site, err := c.Resolve(t.Context(), "shop.example")
		if !errors.Is(err, wayfind.ErrNotFound) {
			t.Errorf("%v", err)
		}
		if p := only(t, site); p.Verdict != wayfind.VerdictSoft404 || p.Reason != "canary" {
			t.Errorf("probe %+v", p)
		}
		paths := host.Paths()
		if len(paths) != 2 || !strings.HasPrefix(paths[1], "/.well-known/wayfind-") || len(paths[1]) != len("/.well-known/wayfind-")+8 {
			t.Errorf("asked for %v", paths)
		}
		if last := site.Probes[len(site.Probes)-1]; last.URL != "https://shop.example"+paths[1] {
			t.Errorf("the canary is no probe: %+v", site.Probes)
		}
	})
}

// A page that is sure of its format needs no canary.
func TestCanaryOnlyInDoubt(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/a")})
		if _, err := newClient(t, internet).Resolve(t.Context(), "shop.example"); err != nil {
			t.Fatal(err)
		}
		if len(host.Paths()) != 1 {
			t.Errorf("asked for %v", host.Paths())
		}
	})
}
