package client_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache/disk"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/a2a"
	"github.com/wayfindhq/wayfind/internal/formats/acp"
	"github.com/wayfindhq/wayfind/internal/formats/ucp"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// profile is a profile of a shop with the given members of ucp.
func profile(version, members string) string {
	return `{"ucp": {"version": "` + version + `", "services": {}, "payment_handlers": {}` + members + `}}`
}

// shops reads the formats of shops, and the cards that they link to.
var shops = withFormats(a2a.Format(), ucp.Format(), acp.Format())

func probedAt(t *testing.T, site *wayfind.Site, path string) wayfind.Probe {
	t.Helper()
	i := slices.IndexFunc(site.Probes, func(p wayfind.Probe) bool { return strings.HasSuffix(p.URL, path) })
	if i < 0 {
		t.Fatalf("no probe of %s in %+v", path, site.Probes)
	}
	return site.Probes[i]
}

// Must: a redirect at the place of a profile is not followed, to the same host as well,
// and nothing is asked there. The profile is absent, and the probe contains the reason.
func TestARedirectOfAProfileIsNotFollowed(t *testing.T) {
	for _, to := range []string{"/ucp.json", "https://shop.example/ucp.json", "https://evil.example/ucp.json"} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			host := internet.Host("shop.example", clienttest.Pages{}).Handle(ucp.Path, clienttest.Redirect(302, to))
			host.Handle("/ucp.json", page(profile("2026-08-25", "")))
			c := newClient(t, internet, shops)
			site, err := c.Resolve(t.Context(), "shop.example")
			if p := probedAt(t, site, ucp.Path); p.Verdict != wayfind.VerdictAbsent || !strings.HasPrefix(p.Reason, "redirect_") || p.Error == "" || !errors.Is(err, wayfind.ErrNotFound) || len(site.Services) != 0 || asked(host)["/ucp.json"] != 0 {
				t.Errorf("%s: %s %s, %v, asked %v", to, p.Verdict, p.Reason, err, asked(host))
			}
		})
	}
}

// A domain whose every place redirects to www has what www has. The profile is asked for there and not
// behind a redirect, which its format forbids.
func TestADomainThatRedirectsToWWW(t *testing.T) {
	for name, pages := range map[string]clienttest.Pages{"nothing": {}, "agents.md": {"/.well-known/agents.md": agentsDocument}, "profile": {ucp.Path: profile("2026-08-25", "")}} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				bare := internet.Host("example.com", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					http.Redirect(w, r, "https://www.example.com"+r.URL.Path, http.StatusMovedPermanently)
				}))
				www := internet.Host("www.example.com", pages)
				site, err := newClient(t, internet, withFormats(formats.All()...)).Resolve(t.Context(), "example.com")
				switch {
				case asked(www)[ucp.Path] != 1 || asked(bare)[ucp.Path] != 0 || site.Host != "www.example.com" || site.Origin != "https://example.com":
					t.Errorf("asked %v and %v; the site is %q of %q", asked(bare), asked(www), site.Host, site.Origin)
				case len(pages) > 0 && (err != nil || len(site.Services) != 1):
					t.Errorf("%v, %+v", err, site.Diagnostics)
				case len(pages) == 0 && (!errors.Is(err, wayfind.ErrNotFound) || !strings.Contains(err.Error(), `redirects to "www.example.com"`)):
					t.Error(err)
				}
			})
		})
	}
}

// A shop whose endpoint is at its vendor, under a public suffix, is another site: it is
// spoken with only if the user approves.
func TestAnEndpointAtTheVendorOfAShopNeedsApproval(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		const endpoint = "https://tea.myshopify.com/api/ucp/mcp"
		internet.Host("shop.example", clienttest.Pages{}).Handle(ucp.Path, page(`{"ucp": {"version": "2026-08-25", "capabilities": {}, "payment_handlers": {},
			"services": {"dev.ucp.shopping": [{"version": "2026-08-25", "transport": "mcp", "spec": "https://ucp.dev/x", "schema": "https://ucp.dev/x.json", "endpoint": "`+endpoint+`"}]}}}`))
		vendor := internet.Host("tea.myshopify.com", clienttest.Pages{})
		site, err := newClient(t, internet, shops).Resolve(t.Context(), "shop.example")
		if err != nil || len(site.Services) != 1 || len(site.Services[0].Interfaces) != 1 {
			t.Fatalf("%v, %+v", err, site)
		}
		if f := site.Services[0].Interfaces[0]; f.URL != endpoint || f.Trust != wayfind.TrustNeedsApproval || len(vendor.Paths()) != 0 {
			t.Errorf("%+v, asked %v", f, vendor.Paths())
		}
	})
}

// The profile of an older version may be at the vendor of a shop, which is another site. It is
// listed and not requested. A profile on a sibling host is requested, unless no public suffix is
// known for its name: all names below "example" are separate sites.
func TestAProfileOfAnOlderVersionAtAnotherSiteIsListedOnly(t *testing.T) {
	const path = "/.well-known/ucp/2026-08-25"
	for _, at := range []struct {
		domain, name string
		within       bool
	}{
		{"shop.example", "shop.example", true}, {"shop.example", "tea.myshopify.com", false},
		{"shop.com", "cards.shop.com", true}, {"shop.example", "cards.shop.example", false},
	} {
		domain, name, within := at.domain, at.name, at.within
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			shop := internet.Host(domain, clienttest.Pages{}).Handle(ucp.Path, page(profile("2027-01-01", `, "supported_versions": {"2026-08-25": "https://`+name+path+`"}`)))
			host := shop
			if name != domain {
				host = internet.Host(name, clienttest.Pages{})
			}
			host.Handle(path, page(profile("2026-08-25", `, "capabilities": {"dev.ucp.shopping.cart": [{"version": "1", "schema": "https://ucp.dev/x"}]}`)))
			site, err := newClient(t, internet, shops).Resolve(t.Context(), domain)
			if site == nil {
				t.Fatal(err)
			}
			listed := slices.ContainsFunc(site.Documents, func(d wayfind.Document) bool { return d.URL == "https://"+name+path })
			capable := slices.ContainsFunc(site.Services, func(s wayfind.Service) bool { return len(s.Capabilities) > 0 })
			if !listed || capable != within || (asked(host)[path] > 0) != within {
				t.Errorf("%s: listed %t, capable %t, asked %v", name, listed, capable, asked(host))
			}
		})
	}
}

// Must: after supported_versions one further request is made, for the newest version that is read,
// and its profile must have exactly that version.
func TestSupportedVersionsLeadOneHop(t *testing.T) {
	const service = `, "capabilities": {"dev.ucp.shopping.cart": [{"version": "1", "schema": "https://ucp.dev/x"}]}`
	for name, row := range map[string]struct {
		leaf string
		want wayfind.Verdict
	}{
		"equal":    {profile("2026-08-25", service), wayfind.VerdictFound},
		"older":    {profile("2026-04-08", service), wayfind.VerdictMalformed},
		"a prefix": {profile("2026-08-25-beta", service), wayfind.VerdictMalformed},
		"none":     {`{"ucp": {"services": {}}}`, wayfind.VerdictMalformed},
		"a loop":   {profile("2026-08-25", service+`, "supported_versions": {"2026-04-08": "https://shop.example/more", "2026-08-25": "https://shop.example/.well-known/ucp"}`), wayfind.VerdictFound},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				root := profile("2027-01-01", `, "supported_versions": {"2026-04-08": "https://shop.example/old", "2026-08-25": "https://shop.example/leaf", "2026-12-01": "https://shop.example/new"}`)
				host := internet.Host("shop.example", clienttest.Pages{}).Handle(ucp.Path, page(root)).Handle("/leaf", page(row.leaf))
				site, err := newClient(t, internet, shops).Resolve(t.Context(), "shop.example")
				if p := probedAt(t, site, "/leaf"); p.Verdict != row.want || err != nil {
					t.Errorf("%s %q, %v", p.Verdict, p.Error, err)
				}
				got := asked(host)
				for _, path := range []string{"/old", "/new", "/more"} {
					if got[path] != 0 {
						t.Errorf("%s was asked", path)
					}
				}
				used := false
				for range site.Capabilities() {
					used = true
				}
				if used != (row.want == wayfind.VerdictFound) || got[ucp.Path] != 1 || got["/leaf"] != 1 || len(site.Documents) < 3 {
					t.Errorf("used %v, asked %v, documents %+v", used, got, site.Documents)
				}
			})
		})
	}
}

// A profile leads to the card of the shop's agent. Schemas and endpoints are not
// asked, and another site's card needs approval.
func TestAProfileLeadsToCardsOnly(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		services := `{"ucp": {"version": "2026-08-25", "payment_handlers": {}, "services": {"dev.ucp.shopping": [
			{"version": "1", "transport": "rest", "endpoint": "https://shop.example/ucp", "schema": "https://ucp.dev/rest.openapi.json"},
			{"version": "1", "transport": "mcp", "endpoint": "https://shop.example/mcp", "schema": "https://ucp.dev/mcp.openrpc.json"},
			{"version": "1", "transport": "a2a", "endpoint": "https://shop.example/agents/card.json"},
			{"version": "1", "transport": "a2a", "endpoint": "https://platform.example/card.json"}]}}}`
		host := internet.Host("shop.example", clienttest.Pages{}).Handle(ucp.Path, page(services)).Handle("/agents/card.json", page(agentCard("shop.example", "find")))
		other, spec := internet.Host("platform.example", clienttest.Pages{}), internet.Host("ucp.dev", clienttest.Pages{})
		site, err := newClient(t, internet, byDefault).Resolve(t.Context(), "shop.example")
		got := asked(host)
		if err != nil || got["/agents/card.json"] != 1 || got["/ucp"] != 0 || got["/mcp"] != 0 || len(asked(other)) != 0 || len(asked(spec)) != 0 {
			t.Errorf("%v, asked %v %v %v", err, got, asked(other), asked(spec))
		}
		service := site.Service("ucp")
		if service == nil || len(service.Interfaces) < 3 || !slices.Contains(service.DetailURLs, "https://platform.example/card.json") {
			t.Errorf("service %+v", service)
		}
		if _, found := site.Capability("a2a:agents-card/find"); found == nil {
			t.Errorf("the card was not read: %+v", site.Services)
		}
	})
}

// A profile that is too large is refused as that, and one of 200 KiB is read.
func TestAProfileThatIsTooLargeIsRefused(t *testing.T) {
	for size, want := range map[int]wayfind.Verdict{200 << 10: wayfind.VerdictFound, 10 << 20: wayfind.VerdictTooLarge} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("shop.example", clienttest.Pages{}).Handle(ucp.Path, page(profile("2026-08-25", `, "x": "`+strings.Repeat("x", size)+`"`)))
			site, _ := newClient(t, internet, shops).Resolve(t.Context(), "shop.example")
			if p := probedAt(t, site, ucp.Path); p.Verdict != want {
				t.Errorf("%d bytes: %s %s", size, p.Verdict, p.Error)
			}
		})
	}
}

// A profile is stored for a minute, whatever its header.
func TestAProfileIsKeptForAMinute(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{}).Handle(ucp.Path, page(profile("2026-08-25", ""), "Cache-Control", "max-age=5"))
		c := newClient(t, internet, withFormats(ucp.Format()))
		for _, row := range []struct {
			wait time.Duration
			want int
		}{{0, 1}, {30 * time.Second, 1}, {29 * time.Second, 1}, {2 * time.Second, 2}} {
			time.Sleep(row.wait)
			if _, err := c.Refresh(t.Context(), "shop.example"); err != nil || asked(host)[ucp.Path] != row.want {
				t.Errorf("after %v: %v, asked %v, want %d", row.wait, err, asked(host), row.want)
			}
		}
	})
}

// Private members of keys are in no result and in no file, in any format.
func TestPrivateKeysStayInMemory(t *testing.T) {
	const hidden = "c2VjcmV0LXNlY3JldC1zZWNyZXQ"
	key := `{"kid": "a", "kty": "OKP", "crv": "Ed25519", "x": "cHVibGljLXB1YmxpYw", "d": "` + hidden + `"}`
	for path, body := range map[string]string{
		ucp.Path: `{"ucp": {"version": "2026-08-25", "services": {}, "payment_handlers": {}}, "keys": [` + key + `], "jwks": {"keys": [` + key + `]}}`,
		acp.Path: `{"protocol": {"name": "acp", "version": "2026-01-30"}, "api_base_url": "https://shop.example/api", "key": ` + key + `, "note": "` + hidden + `"}`,
	} {
		dir := t.TempDir()
		store, err := disk.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("shop.example", clienttest.Pages{}).Handle(path, page(body, "Cache-Control", "public, max-age=3600"))
			c := newClient(t, internet, shops, func(o *client.Options) { o.Store = store })
			site, err := c.Resolve(t.Context(), "shop.example")
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(site)
			if err != nil {
				t.Fatal(err)
			}
			said := slices.ContainsFunc(site.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "text.secret" })
			if strings.Contains(string(text), hidden) || !strings.Contains(string(text), "cHVibGljLXB1YmxpYw") || !said {
				t.Errorf("%s: said %v, %s", path, said, text)
			}
		})
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		_ = filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
			if b, err := os.ReadFile(name); err == nil && strings.Contains(string(b), hidden) {
				t.Errorf("%s: the key is in %s", path, name)
			}
			return nil
		})
	}
}

// An authority that is a public suffix proves nothing, and a diagnostic reports it.
func TestAPublicSuffixProvesNoAuthority(t *testing.T) {
	for host, want := range map[string]bool{"co.uk": true, "github.io": true, "shop.co.uk": false, "ucp.dev": false, "shop.example": false} {
		labels := strings.Split(host, ".")
		slices.Reverse(labels)
		name := strings.Join(labels, ".") + ".x"
		body := profile("2026-08-25", `, "capabilities": {"`+name+`": [{"version": "2026-08-25", "schema": "https://`+host+`/x"}]}`)
		r := parseText(t, body, &client.ParseOptions{URL: "https://shop.example" + ucp.Path})
		got := slices.ContainsFunc(r.Diagnostics, func(d wayfind.Diagnostic) bool { return d.Code == "authority.public_suffix" })
		if got != want || !r.Usable {
			t.Errorf("%s: %v, %v", host, got, r.Diagnostics)
		}
	}
}

// A document of another format at a place of shops gets its own verdict with the reason, and a
// negative answer is an absence. Neither is a shop.
func TestForeignDocumentsAreNoShops(t *testing.T) {
	for _, row := range []struct {
		path, body string
		verdict    wayfind.Verdict
		reason     string
		codes      []string
	}{
		{ucp.Path, `{"ucp": "1.0", "protocol_version": "1.0", "services": []}`, wayfind.VerdictOtherFormat, ucp.DialectLookalike, []string{"document.foreign"}},
		{ucp.Path, `{"capabilities": {"dev.ucp.shopping.checkout": []}}`, wayfind.VerdictOtherFormat, ucp.DialectLookalike, []string{"document.foreign"}},
		{ucp.Path, `{"ucp": {"version": "0.0.0", "available": false}}`, wayfind.VerdictAbsent, "negative", nil},
		{ucp.Path, `{"available": false}`, wayfind.VerdictUnrecognised, "", []string{"document.foreign"}},
		{acp.Path, `{"protocol": "ACP", "endpoints": {}}`, wayfind.VerdictOtherFormat, acp.DialectLookalike, []string{"document.foreign"}},
		{acp.Path, `{"protocol": {"name": "acp", "available": false}, "api_base_url": "https://shop.example/"}`, wayfind.VerdictAbsent, "negative", nil},
		{acp.Path, `{"status": "not_applicable"}`, wayfind.VerdictUnrecognised, "", []string{"document.foreign"}},
		{acp.Path, `{"name": "Tokens", "tokens": [{"symbol": "ACP"}]}`, wayfind.VerdictUnrecognised, "", []string{"document.foreign"}},
	} {
		r := parseText(t, row.body, &client.ParseOptions{URL: "https://shop.example" + row.path})
		var codes []string
		for _, d := range r.Diagnostics {
			codes = append(codes, d.Code)
			if d.Code == "document.foreign" && d.Spec == nil {
				t.Errorf("%s: no specification: %+v", row.body, d)
			}
		}
		if r.Verdict != row.verdict || r.Reason != row.reason || r.Usable || len(r.Site.Services) != 0 || !slices.Equal(codes, row.codes) {
			t.Errorf("%s: %s %q %v, services %+v", row.body, r.Verdict, r.Reason, codes, r.Site.Services)
		}
		// A caller with other formats gets only the name.
		if row.codes == nil {
			continue
		}
		others := withoutFormats("ucp", "acp")
		if r := parseText(t, row.body, &client.ParseOptions{URL: "https://shop.example" + row.path, Formats: others}); r.Usable || len(r.Diagnostics) != 0 {
			t.Errorf("%s without its format: %s %q %v", row.body, r.Verdict, r.Reason, r.Diagnostics)
		}
	}
}

// A 404 at the place of ACP is stored, because the specification asks clients not to repeat the
// request.
func TestAnAbsenceOfACPIsRemembered(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{}).Handle(ucp.Path, page(profile("2026-08-25", ""), "Cache-Control", "public, max-age=60"))
		c := newClient(t, internet, shops)
		for range 5 {
			if _, err := c.Resolve(t.Context(), "shop.example"); err != nil {
				t.Fatal(err)
			}
			time.Sleep(4 * time.Hour)
		}
		if got := asked(host); got[acp.Path] != 1 || got[ucp.Path] != 5 {
			t.Errorf("asked %v", got)
		}
	})
}

// A discovery document without a header is fresh for an hour.
func TestADiscoveryDocumentWithoutAHeaderIsFreshForAnHour(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{}).Handle(acp.Path, page(`{"protocol": {"name": "acp"}, "api_base_url": "https://shop.example/api"}`))
		c := newClient(t, internet, withFormats(acp.Format()))
		for _, want := range []int{1, 1, 2} {
			site, err := c.Resolve(t.Context(), "shop.example")
			if err != nil || asked(host)[acp.Path] != want {
				t.Errorf("%v, asked %v, want %d; fresh until %v", err, asked(host), want, site.FreshUntil)
			}
			time.Sleep(31 * time.Minute)
		}
	})
}

// withoutFormats are all formats but some.
func withoutFormats(names ...string) []*parse.Format {
	return slices.DeleteFunc(formats.All(), func(f *parse.Format) bool { return slices.Contains(names, f.Name) })
}

// Must: no URL below api_base_url is requested, whatever is there.
func TestNothingBelowTheBaseIsAsked(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", nil).Handle(acp.Path, page(`{"protocol": {"name": "acp", "version": "2026-01-30", "supported_versions": ["2026-01-30"],
			"documentation_url": "https://shop.example/docs"}, "api_base_url": "https://shop.example/api", "transports": ["rest", "mcp"],
			"capabilities": {"services": ["checkout"], "extensions": [{"name": "x", "spec": "https://shop.example/api/x", "schema": "https://shop.example/api/x.json"}]}}`))
		c := newClient(t, internet, byDefault)
		site, err := c.Resolve(t.Context(), "shop.example")
		if err != nil || site.Service("acp") == nil {
			t.Fatalf("%v, %+v", err, site.Services)
		}
		for path := range asked(host) {
			if strings.HasPrefix(path, "/api") || path == "/docs" || path == "/checkout_sessions" {
				t.Errorf("asked for %s", path)
			}
		}
	})
}

// Must never: a payment is offered. A handler of payments is data of the service: it is
// no capability and no price, and no URL of it is asked for or linked.
func TestNoPaymentIsOffered(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", nil).Handle(ucp.Path, page(`{"ucp": {"version": "2026-08-25", "services": {"dev.ucp.shopping": [{"version": "2026-08-25", "transport": "rest", "endpoint": "https://shop.example/ucp"}]},
			"payment_handlers": {"example.shop.pay": [{"id": "card", "version": "2026-08-25", "spec": "https://shop.example/pay/spec", "schema": "https://shop.example/pay/schema.json", "config": {"url": "https://shop.example/pay/now"}}]}}}`))
		site, err := newClient(t, internet, byDefault).Resolve(t.Context(), "shop.example")
		if err != nil || site.Service("ucp") == nil {
			t.Fatalf("%v, %+v", err, site.Services)
		}
		for _, c := range site.Capabilities() {
			if strings.Contains(c.Key, "pay") || c.Price != "" || c.Invocation != nil {
				t.Errorf("capability %+v", c)
			}
		}
		if s := site.Service("ucp"); s.Pricing != nil || !strings.Contains(string(s.Extensions["payment_handlers"]), "example.shop.pay") {
			t.Errorf("service %+v", s)
		}
		for path := range asked(host) {
			if strings.HasPrefix(path, "/pay") {
				t.Errorf("asked for %s", path)
			}
		}
	})
}

// The paths of an OpenAPI document are appended to the endpoint of the profile, never
// to the place of the document. One without servers of its own is not used.
func TestPathsBelongToTheEndpointOfTheProfile(t *testing.T) {
	const paths = `"info": {"title": "Gifts", "version": "1"}, "paths": {"/gifts": {"get": {"operationId": "listGifts", "responses": {"200": {"description": "ok"}}}}}}`
	for name, row := range map[string]struct {
		description string
		url         string // of the call, "" if there is none
		verdict     wayfind.Verdict
	}{
		"without servers":   {`{"openapi": "3.1.0", ` + paths, "", wayfind.VerdictMalformed},
		"with a server":     {`{"openapi": "3.1.0", "servers": [{"url": "https://shop.example/ucp/v1"}], ` + paths, "https://shop.example/ucp/v1/gifts", wayfind.VerdictFound},
		"Swagger, no host":  {`{"swagger": "2.0", ` + paths, "", wayfind.VerdictMalformed},
		"an empty list":     {`{"openapi": "3.1.0", "servers": [], ` + paths, "", wayfind.VerdictMalformed},
		"a relative server": {`{"openapi": "3.1.0", "servers": [{"url": "/ucp/v1"}], ` + paths, "https://shop.example/ucp/v1/gifts", wayfind.VerdictFound},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("shop.example", clienttest.Pages{"/specs/gifts.json": row.description}).Handle(ucp.Path, page(`{"ucp": {"version": "2026-08-25", "payment_handlers": {},
					"services": {"example.shop.gifts": [{"version": "1", "transport": "rest", "endpoint": "https://shop.example/ucp/v1", "schema": "https://shop.example/specs/gifts.json"}]}}}`))
				c := newClient(t, internet, byDefault)
				site, err := c.Resolve(t.Context(), "shop.example")
				if err != nil {
					t.Fatal(err)
				}
				if p := probedAt(t, site, "/specs/gifts.json"); p.Verdict != row.verdict {
					t.Errorf("%s (%s): %s", p.Verdict, p.Reason, p.Error)
				}
				var got strings.Builder
				for _, c := range site.Capabilities() {
					if c.Invocation != nil {
						got.WriteString(c.Invocation.URL)
					}
				}
				if got.String() != row.url {
					t.Errorf("called at %q, want %q", got.String(), row.url)
				}
			})
		})
	}
}
