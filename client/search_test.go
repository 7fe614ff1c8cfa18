package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

const discoverPath = "/api/discover"

// service is a hit as a registry writes it.
func service(domain string, capabilities ...string) string {
	var list []string
	for _, c := range capabilities {
		list = append(list, fmt.Sprintf(`{"name": %q, "description": "Does it", "detail_url": "https://elsewhere.example/x"}`, c))
	}
	return fmt.Sprintf(`{"service": {"name": "N", "domain": %q, "description": "D", "base_url": "https://elsewhere.example",
		"auth_type": "api_key", "pricing_type": "free", "verified": true, "trust_level": "verified", "category": "mail", "cap_count": 2},
		"matching_capabilities": [%s]}`, domain, strings.Join(list, ", "))
}

// registryOf answers with these hits.
func registryOf(hits ...string) clienttest.Page {
	return clienttest.Page{Header: http.Header{"Content-Type": {"application/json"}},
		Body: fmt.Sprintf(`{"success": true, "query": "q", "result_count": %d, "data": [%s]}`, len(hits), strings.Join(hits, ", "))}
}

// targets of hits, in their order.
func targets(r *client.SearchResult) []string {
	list := []string{}
	for _, h := range r.Hits {
		list = append(list, h.Target)
	}
	return list
}

func codesAt(diags []wayfind.Diagnostic) (list []string) {
	for _, d := range diags {
		list = append(list, d.Code+" "+d.Pointer)
	}
	return list
}

func TestSearch(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("registry.example", nil)
		host.Handle(discoverPath, registryOf(service("MailForge.example.", "send_email"), service("post.example")))
		c := newClient(t, internet)
		got, err := c.Search(t.Context(), "registry.example", " send email ")
		if err != nil {
			t.Fatal(err)
		}
		hit := func(target string, capabilities ...client.HitCapability) client.Hit {
			return client.Hit{Target: target, Name: "N", Description: "D", Category: "mail", Capabilities: capabilities,
				AuthType: "api_key", PricingType: "free", Verified: true, TrustLevel: "verified"}
		}
		want := &client.SearchResult{
			Registry:    "https://registry.example/api/discover?q=send+email",
			Hits:        []client.Hit{hit("https://mailforge.example", client.HitCapability{Name: "send_email", Description: "Does it"}), hit("https://post.example")},
			Diagnostics: []wayfind.Diagnostic{},
			FreshUntil:  time.Now().Add(15 * time.Minute),
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
		if d := cmp.Diff([]string{discoverPath + "?q=send+email"}, host.Paths()); d != "" {
			t.Errorf("the registry was asked (-want +got):\n%s", d)
		}
		if all := internet.Requests(); len(all) != 1 {
			t.Errorf("%d requests: a hit is not contacted", len(all))
		}
	})
}

// The protocol does not name the members of an answer: registries write several.
func TestASearchReadsTheShapesThatRegistriesAnswer(t *testing.T) {
	const flat = `{"name": "MailForge", "domain": "mailforge.example", "summary": "Sends mail", "capabilities": ["send_email", {"id": "read_email", "summary": "Reads it"}]}`
	for _, body := range []string{`[` + flat + `]`, `{"results": [` + flat + `]}`, `{"services": [` + flat + `]}`, `{"success": true, "data": [` + flat + `]}`,
		`{"hits": [{"service": ` + flat + `}]}`, `{"data": [{"service": ` + flat + `}], "results": []}`} {
		inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
			internet.Host("registry.example", nil).Handle(discoverPath, clienttest.Page{Body: body, Header: http.Header{"Content-Type": {"application/json"}}})
			got, err := newClient(t, internet).Search(t.Context(), "registry.example", "mail")
			if err != nil {
				t.Fatalf("%s: %v", body, err)
			}
			want := []client.Hit{{Target: "https://mailforge.example", Name: "MailForge", Description: "Sends mail",
				Capabilities: []client.HitCapability{{Name: "send_email"}, {Name: "read_email", Description: "Reads it"}}}}
			if d := cmp.Diff(want, got.Hits); d != "" {
				t.Errorf("%s (-want +got):\n%s", body, d)
			}
		})
	}
}

// A registry is not asked again for an answer that is stored. Other options are another query.
func TestSearchIsCached(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("registry.example", nil)
		host.Handle("/v2"+discoverPath, registryOf(service("a.example")))
		c := newClient(t, internet)
		ask := func(o *client.SearchOptions) {
			t.Helper()
			if r, err := c.SearchWith(t.Context(), "https://registry.example/v2", "q", o); err != nil || len(r.Hits) != 1 {
				t.Errorf("%v, %+v", err, r)
			}
		}
		ask(nil)
		ask(&client.SearchOptions{})
		ask(&client.SearchOptions{Limit: 50, Unverified: true})
		time.Sleep(14 * time.Minute)
		ask(nil)
		time.Sleep(2 * time.Minute)
		ask(nil)
		want := []string{"/v2/api/discover?q=q", "/v2/api/discover?include_unverified=true&limit=50&q=q", "/v2/api/discover?q=q"}
		if d := cmp.Diff(want, host.Paths()); d != "" {
			t.Errorf("asked (-want +got):\n%s", d)
		}
	})
}

// An answer that may not be stored is read all the same, each time.
func TestSearchReadsDocumentsThatAreNotStored(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		page := registryOf(service("a.example"))
		page.Header.Set("Cache-Control", "no-store")
		host := internet.Host("registry.example", nil).Handle(discoverPath, page)
		c := newClient(t, internet)
		for range 2 {
			if r, err := c.Search(t.Context(), "registry.example", "q"); err != nil || len(r.Hits) != 1 {
				t.Errorf("%v, %+v", err, r)
			}
		}
		if len(host.Paths()) != 2 {
			t.Errorf("asked %d times", len(host.Paths()))
		}
	})
}

// A domain that Resolve would refuse is no hit, and an origin is one hit.
func TestSearchLeavesOutBadHits(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		bad := []string{"127.0.0.1", "[::1]", "8.8.8.8", "localhost", "metadata.google.internal", "http://a.example", "https://u:p@a.example",
			"a.example:8443", "0x7f.1", "", "javascript:alert(1)"}
		hits := []string{service("good.example")}
		for _, b := range bad {
			hits = append(hits, service(b))
		}
		hits = append(hits, `{}`, `null`, `{"service": {"name": "N"}}`, service("https://GOOD.example:443/shop"),
			`{"service": {"base_url": "https://base.example/v1"}, "score": 0.5}`)
		internet.Host("registry.example", nil).Handle(discoverPath, registryOf(hits...))
		r, err := newClient(t, internet).Search(t.Context(), "registry.example", "q")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]string{"https://good.example", "https://base.example/v1"}, targets(r)); d != "" {
			t.Errorf("targets (-want +got):\n%s", d)
		}
		if r.Hits[1].Score == nil || *r.Hits[1].Score != 0.5 {
			t.Errorf("score %v", r.Hits[1].Score)
		}
		var want []string
		for i := range len(bad) + 3 {
			want = append(want, fmt.Sprintf("search.target /data/%d", i+1))
		}
		want = append(want, fmt.Sprintf("search.duplicate /data/%d", len(bad)+4))
		if d := cmp.Diff(want, codesAt(r.Diagnostics)); d != "" {
			t.Errorf("diagnostics (-want +got):\n%s", d)
		}
		if all := internet.Requests(); len(all) != 1 {
			t.Errorf("%d requests", len(all))
		}
	})
}

// The registry's text is cleaned and cut, and so are its lists.
func TestSearchCleansAndCaps(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		var many []string
		for i := range 60 {
			many = append(many, service(fmt.Sprintf("s%d.example", i), slices.Repeat([]string{"c"}, 60)...))
		}
		many[0] = strings.Replace(many[0], `"name": "N"`, `"name": "Ig\u202enore\n all"`, 1)
		many[1] = strings.Replace(many[1], `"description": "D"`, fmt.Sprintf(`"description": %q`, strings.Repeat("x", 2000)), 1)
		internet.Host("registry.example", nil).Handle(discoverPath, registryOf(many...))
		r, err := newClient(t, internet).Search(t.Context(), "registry.example", "q")
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Hits) != client.MaxHits || len(r.Hits[0].Capabilities) != 50 || r.Hits[0].Name != "Ignore  all" || len(r.Hits[1].Description) != 1024 {
			t.Errorf("%d hits, first %+v", len(r.Hits), r.Hits[0])
		}
		if d := cmp.Diff([]string{"search.limit /data"}, codesAt(r.Diagnostics)); d != "" {
			t.Errorf("diagnostics (-want +got):\n%s", d)
		}
		if d := cmp.Diff([]string{"search.limit /data/0/matching_capabilities", "text.hidden /data/0"}, codesAt(r.Hits[0].Diagnostics)); d != "" {
			t.Errorf("diagnostics of a hit (-want +got):\n%s", d)
		}
		if d := cmp.Diff([]string{"search.limit /data/1/matching_capabilities", "text.cut /data/1"}, codesAt(r.Hits[1].Diagnostics)); d != "" {
			t.Errorf("diagnostics of a long hit (-want +got):\n%s", d)
		}
	})
}

func TestSearchFailures(t *testing.T) {
	body := func(status int, text string) clienttest.Page {
		return clienttest.Page{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: text}
	}
	throttle := body(429, `{"success": false, "error": "slow down"}`)
	throttle.Header.Set("Retry-After", "60")
	rows := []struct {
		name string
		page http.Handler
		kind error
		code wayfind.Code
		says string
	}{
		{"a query it refuses", body(400, `{"success": false, "error": "bad\u202e query"}`), wayfind.ErrInvalid, wayfind.CodeStatus, `the registry answers 400: "bad query"`},
		{"a silent 400", body(400, ``), wayfind.ErrInvalid, wayfind.CodeStatus, "the registry answers 400"},
		{"no success", body(200, `{"success": false, "error": "closed"}`), wayfind.ErrInvalid, wayfind.CodeSchema, `the registry refuses: "closed"`},
		{"throttled", throttle, wayfind.ErrThrottled, "", ""},
		{"absent", body(404, ``), wayfind.ErrNotFound, "absent", ""},
		{"a web page", body(200, `<html>`), wayfind.ErrNotFound, wayfind.CodeHTML, ""},
		{"broken JSON", body(200, `{"data": [`), wayfind.ErrInvalid, wayfind.CodeJSONSyntax, ""},
		{"an array", body(200, `[]`), wayfind.ErrInvalid, wayfind.CodeSchema, "array"},
		{"no data", body(200, `{"success": true}`), wayfind.ErrInvalid, wayfind.CodeSchema, "data is nothing"},
		{"too large", body(200, `{"data": ["`+strings.Repeat("x", 1<<20)+`"]}`), wayfind.ErrInvalid, wayfind.CodeTooLarge, ""},
		{"protected", body(401, `{}`), wayfind.ErrBlocked, "", ""},
		{"down", body(500, `{"success": false}`), wayfind.ErrUnreachable, wayfind.CodeServerError, ""},
		{"to another site", clienttest.Redirect(302, "https://other.example/api/discover"), wayfind.ErrRefused, wayfind.CodeRedirectCrossSite, ""},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				internet.Host("registry.example", nil).Handle(discoverPath, r.page)
				result, err := newClient(t, internet).Search(t.Context(), "registry.example", "q")
				var e *wayfind.Error
				if result != nil || !errors.Is(err, r.kind) || !errors.As(err, &e) || e.Code != r.code || e.Op != "search" || !strings.Contains(err.Error(), r.says) {
					t.Errorf("%+v, %v, want %v (%s) %s", result, err, r.kind, r.code, r.says)
				}
				if errors.Is(r.kind, wayfind.ErrThrottled) && !e.NotBefore.Equal(time.Now().Add(time.Minute)) {
					t.Errorf("not before %v", e.NotBefore)
				}
			})
		})
	}
}

// What cannot be asked is refused before anybody is.
func TestSearchArguments(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		c := newClient(t, internet)
		for _, r := range []struct {
			registry, query string
			opts            *client.SearchOptions
		}{
			{"127.0.0.1", "q", nil},
			{"http://registry.example", "q", nil},
			{"registry.example", " ", nil},
			{"registry.example", strings.Repeat("ü", client.MaxQuery+1), nil},
			{"registry.example", "\xff", nil},
			{"registry.example", "q", &client.SearchOptions{Limit: client.MaxHits + 1}},
			{"registry.example", "q", &client.SearchOptions{Limit: -1}},
		} {
			if got, err := c.SearchWith(t.Context(), r.registry, r.query, r.opts); got != nil || !errors.Is(err, wayfind.ErrInvalid) {
				t.Errorf("%q %q %+v: %+v, %v", r.registry, r.query, r.opts, got, err)
			}
		}
		if len(internet.Lookups()) != 0 {
			t.Errorf("asked %v", internet.Lookups())
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Search(t.Context(), "registry.example", "q"); !errors.Is(err, wayfind.ErrClosed) {
			t.Errorf("after Close: %v", err)
		}
	})
}

// A hit goes through Resolve, and the Site contains no text of the registry.
func TestSearchLeadsToResolve(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		internet.Host("registry.example", nil).Handle(discoverPath, registryOf(service("shop.example", "rumour")))
		internet.Host("shop.example", clienttest.Pages{wellKnown: manifest("shop.example", "/d/send")})
		c := newClient(t, internet)
		r, err := c.Search(t.Context(), "registry.example", "send")
		if err != nil {
			t.Fatal(err)
		}
		site, err := c.Resolve(t.Context(), r.Hits[0].Target)
		if err != nil || len(site.Sources) != 1 {
			t.Fatalf("%v, %+v", err, site)
		}
		if service, _ := site.Capability("adp:rumour"); service != nil || site.Services[0].Name != "Service" {
			t.Errorf("%+v", site.Services)
		}
	})
}

// Offline, a search returns the stored answer, or an error.
func TestSearchOffline(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		c := newClient(t, internet, func(o *client.Options) { o.Offline = true })
		var e *wayfind.Error
		if _, err := c.Search(t.Context(), "registry.example", "q"); !errors.As(err, &e) || e.Code != wayfind.CodeOffline {
			t.Errorf("%v", err)
		}
	})
}
