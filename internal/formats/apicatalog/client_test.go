package apicatalog_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/agentskills"
	"github.com/wayfindhq/wayfind/internal/formats/apicatalog"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/security"
)

// openAPI describes one operation of an API.
const openAPI = `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, "servers": [{"url": "https://shop.example/api/v1"}],
	"paths": {"/orders": {"get": {"operationId": "listOrders", "responses": {"200": {"description": "ok"}}}}}}`

// listing returns a catalogue with these contexts.
func listing(t testing.TB, contexts ...any) string {
	t.Helper()
	return string(formattest.JSON(t, object{"linkset": append([]any{}, contexts...)}))
}

// resolving is a site that was resolved with all formats.
type resolving struct {
	client   *client.Client
	internet *clienttest.Internet
	host     *clienttest.Host
	site     *wayfind.Site
}

// inBubble resolves a site with these pages, and runs a test. more sets up the other hosts.
func inBubble(t *testing.T, pages clienttest.Pages, more func(r *resolving), test func(t *testing.T, r *resolving), change ...func(*client.Options)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &resolving{internet: clienttest.New(t)}
		r.host = r.internet.Host("shop.example", pages)
		if more != nil {
			more(r)
		}
		r.client = r.internet.Client(append([]func(*client.Options){func(o *client.Options) { o.Formats = formats.All() }}, change...)...)
		r.site, _ = r.client.Resolve(t.Context(), "shop.example")
		test(t, r)
	})
}

// asked returns how often a path was requested.
func asked(h *clienttest.Host, path string) int {
	n := 0
	for _, p := range h.Paths() {
		if p == path {
			n++
		}
	}
	return n
}

// One Resolve of the bare domain finds the OpenAPI description in the catalogue, and a skill.
// Describe returns the text of the skill.
func TestOneResolve(t *testing.T) {
	const skill = "---\nname: order\ndescription: Orders goods.\n---\n# Order\n\nList the orders first.\n"
	pages := clienttest.Pages{
		apicatalog.Path: listing(t, object{"anchor": itself, "item": []any{object{"href": site + "/api/v1", "title": "Orders"}}},
			object{"anchor": site + "/api/v1", "service-desc": []any{object{"href": site + "/openapi.json", "type": "application/json"}}}),
		"/openapi.json": openAPI,
		agentskills.Path: fmt.Sprintf(`{"$schema": "https://schemas.agentskills.io/discovery/0.2.0/schema.json", "skills": [{"name": "order", "type": "skill-md",
			"description": "Orders goods.", "url": "/skills/order/SKILL.md", "digest": "sha256:%x"}]}`, sha256.Sum256([]byte(skill))),
		"/skills/order/SKILL.md": skill,
	}
	inBubble(t, pages, nil, func(t *testing.T, r *resolving) {
		var keys []string
		for _, c := range r.site.Capabilities() {
			keys = append(keys, c.Key)
		}
		if !slices.Contains(keys, "openapi:openapi/listOrders") || !slices.Contains(keys, "agentskills:order") {
			t.Errorf("capabilities %v, diagnostics %v", keys, codes(r.site.Diagnostics))
		}
		if s := r.site.Service("apicatalog:api-catalog/api-v1"); s == nil || s.Name != "Orders" || s.Interfaces[0].SpecURL != site+"/openapi.json" {
			t.Errorf("services %+v", r.site.Services)
		}
		source := r.site.Source(site + "/openapi.json")
		if source == nil || source.Authority != wayfind.AuthorityLinked || r.site.Source(itself).Authority != wayfind.AuthorityCatalog {
			t.Errorf("sources %+v", r.site.Sources)
		}
		if asked(r.host, "/skills/order/SKILL.md") != 0 || asked(r.host, "/api/v1") != 0 || asked(r.host, "/openapi.json") != 1 {
			t.Errorf("asked for %v", r.host.Paths())
		}
		var stored wayfind.Site
		if err := json.Unmarshal(formattest.JSON(t, r.site), &stored); err != nil {
			t.Fatal(err)
		}
		d, err := r.client.Describe(t.Context(), &stored, "agentskills:order")
		if err != nil || d.Content == nil || d.Content.Text != skill || !d.Content.Verified {
			t.Errorf("%+v, %v", d.Content, err)
		}
		d, err = r.client.Describe(t.Context(), r.site, "openapi:openapi/listOrders")
		if err != nil || d.Capability.Invocation == nil || d.Capability.Invocation.URL != site+"/api/v1/orders" {
			t.Errorf("%+v, %v", d.Capability, err)
		}
	})
}

// The content decides what a service-desc leads to: an Agent Card, a list of tools, OpenRPC.
func TestBytesDecideWhatADescriptionIs(t *testing.T) {
	for format, body := range map[string]string{
		"openapi": openAPI,
		"openrpc": `{"openrpc": "1.3.2", "info": {"title": "A", "version": "1"}, "methods": [{"name": "a", "params": [], "result": {"name": "r", "schema": {}}}]}`,
		"a2a": `{"protocolVersion": "0.3.0", "name": "A", "description": "An agent.", "url": "https://shop.example/a2a", "version": "1", "capabilities": {},
			"defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"], "skills": [{"id": "a", "name": "A", "description": "Does it.", "tags": []}]}`,
		"mcp": `{"name": "example.shop/mcp", "description": "Tools.", "version": "1.0.0", "remotes": [{"type": "streamable-http", "url": "https://shop.example/mcp"}]}`,
	} {
		t.Run(format, func(t *testing.T) {
			pages := clienttest.Pages{
				apicatalog.Path: listing(t, object{"anchor": site + "/api", "service-desc": []any{object{"href": site + "/described", "type": "application/json"}}}),
				"/described":    body,
			}
			inBubble(t, pages, nil, func(t *testing.T, r *resolving) {
				if source := r.site.Source(site + "/described"); source == nil || source.Format != format {
					t.Errorf("source %+v, probes %+v", source, r.site.Probes)
				}
			})
		})
	}
}

// Catalogues that lead to each other, or to themselves, are each requested once. Nested
// catalogues are read.
func TestCataloguesInALoopAreAskedForOnce(t *testing.T) {
	nested := func(anchor string, next ...string) string {
		var list []any
		for _, u := range next {
			list = append(list, object{"href": u})
		}
		return listing(t, object{"anchor": anchor, "api-catalog": list}, object{"anchor": anchor + "/api"})
	}
	pages := clienttest.Pages{
		apicatalog.Path: nested(itself, itself, site+"/a", site+"/A/../a"),
		"/a":            nested(site+"/a", site+"/b", itself), "/b": nested(site+"/b", site+"/a", site+"/b?x#y", site+"/c"),
		"/c": nested(site+"/c", site+"/d"), "/d": nested(site+"/d", site+"/e"),
	}
	inBubble(t, pages, nil, func(t *testing.T, r *resolving) {
		for path, want := range map[string]int{apicatalog.Path: 1, "/a": 1, "/b": 1, "/e": 0} {
			if got := asked(r.host, path); got != want {
				t.Errorf("%s: asked for %d times, want %d", path, got, want)
			}
		}
		if r.site.Source(site+"/b") == nil {
			t.Errorf("sources %+v", r.site.Sources)
		}
	})
}

// Resolve does not fetch the description of an API on another site. Describe fetches it after
// an approval.
func TestADescriptionOnAnotherSiteNeedsApproval(t *testing.T) {
	pages := clienttest.Pages{
		apicatalog.Path: listing(t, object{"anchor": "https://api.other.example/v1",
			"service-desc": []any{object{"href": "https://api.other.example/openapi.json", "type": "application/vnd.oai.openapi+json"}}}),
	}
	var other *clienttest.Host
	allow := false
	inBubble(t, pages, func(r *resolving) {
		other = r.internet.Host("api.other.example", clienttest.Pages{"/openapi.json": strings.ReplaceAll(openAPI, "shop.example/api", "api.other.example")})
	}, func(t *testing.T, r *resolving) {
		if other.Dials() != 0 {
			t.Error("another site was contacted")
		}
		const id = "apicatalog:api-catalog/api-other-example-v1"
		s := r.site.Service(id)
		if s == nil || !s.Lazy || s.Interfaces[0].Trust != wayfind.TrustCrossSite || strings.HasPrefix(string(r.site.Documents[0].Trust), "same") {
			t.Fatalf("%+v, %+v", s, r.site.Documents)
		}
		if _, err := r.client.Describe(t.Context(), r.site, id); err == nil || other.Dials() != 0 {
			t.Errorf("without approval: %v, %d connections", err, other.Dials())
		}
		allow = true
		d, err := r.client.Describe(t.Context(), r.site, id)
		if err != nil || len(d.Service.Capabilities) != 1 || d.Service.Capabilities[0].ID != "listOrders" {
			t.Errorf("%+v, %v", d.Service, err)
		}
	}, func(o *client.Options) {
		o.Approve = func(_ context.Context, a security.ApprovalRequest) error {
			if !allow {
				return fmt.Errorf("%s is not allowed", a.Endpoint)
			}
			return nil
		}
	})
}

// A redirect to the canonical catalogue of another domain is not followed, and the probe contains
// the reason. Within the site it is followed.
func TestARedirectToACatalogueOfAnotherDomainIsNotFollowed(t *testing.T) {
	catalogue := listing(t, object{"anchor": "https://other.example/api"})
	for target, verdict := range map[string]wayfind.Verdict{
		"https://other.example/apis": wayfind.VerdictAbsent,
		site + "/apis":               wayfind.VerdictFound,
	} {
		t.Run(target, func(t *testing.T) {
			var other *clienttest.Host
			inBubble(t, nil, func(r *resolving) {
				r.host.Handle(apicatalog.Path, http.RedirectHandler(target, http.StatusPermanentRedirect))
				other = r.internet.Host("other.example", clienttest.Pages{"/apis": catalogue})
				r.host.Handle("/apis", clienttest.Pages{"/apis": catalogue})
			}, func(t *testing.T, r *resolving) {
				i := slices.IndexFunc(r.site.Probes, func(p wayfind.Probe) bool { return p.URL == itself })
				if i < 0 || r.site.Probes[i].Verdict != verdict || other.Dials() != 0 {
					t.Errorf("probes %+v, %d connections", r.site.Probes, other.Dials())
				}
				if verdict == wayfind.VerdictAbsent && r.site.Probes[i].Reason != string(wayfind.CodeRedirectCrossSite) {
					t.Errorf("reason %q", r.site.Probes[i].Reason)
				}
			})
		})
	}
}

// A catalogue may have 4 MiB. A larger one is too large and has no other fault.
func TestACatalogueMayHaveFourMebibytes(t *testing.T) {
	sized := func(n int) string {
		whole := listing(t, object{"anchor": site + "/api", "service-doc": []any{object{"href": site + "/docs", "title": ""}}})
		return strings.Replace(whole, `"title":""`, `"title":"`+strings.Repeat("x", n-len(whole))+`"`, 1)
	}
	for n, reason := range map[int]string{500_000: "", 4 << 20: "", 4<<20 + 1: string(wayfind.CodeTooLarge)} {
		inBubble(t, clienttest.Pages{apicatalog.Path: sized(n)}, nil, func(t *testing.T, r *resolving) {
			i := slices.IndexFunc(r.site.Probes, func(p wayfind.Probe) bool { return p.URL == itself })
			if p := r.site.Probes[i]; p.Reason != reason || (reason == "") != (p.Verdict == wayfind.VerdictFound) {
				t.Errorf("%d bytes: %s (%s), %s", n, p.Verdict, p.Reason, p.Error)
			}
		})
	}
}

// With FirstMatch a catalogue alone is not a match: the documents to which it leads are
// requested.
func TestACatalogueAloneIsNoMatch(t *testing.T) {
	pages := clienttest.Pages{
		apicatalog.Path: listing(t, object{"anchor": site + "/api", "service-desc": []any{object{"href": site + "/openapi.json"}}}),
		"/openapi.json": openAPI, "/llms.txt": "# Shop\n\n- [Page](/page)\n",
	}
	inBubble(t, pages, nil, func(t *testing.T, r *resolving) {
		if r.site.Source(site+"/openapi.json") == nil || asked(r.host, "/llms.txt") != 0 {
			t.Errorf("asked for %v", r.host.Paths())
		}
	}, func(o *client.Options) { o.Mode = client.FirstMatch })
}

// A description that is a page, or is too large, does not fail the catalogue.
func TestAFailedDescriptionDoesNotFailTheCatalogue(t *testing.T) {
	pages := clienttest.Pages{
		apicatalog.Path: listing(t, object{"anchor": site + "/api", "service-desc": []any{
			object{"href": site + "/page"}, object{"href": site + "/huge.yaml"}, object{"href": site + "/none"}, object{"href": site + "/openapi.json"}}}),
		"/page": "<!doctype html><title>Docs</title>", "/huge.yaml": "openapi: 3.1.0\n" + strings.Repeat("# more\n", 700_000), "/openapi.json": openAPI,
	}
	inBubble(t, pages, nil, func(t *testing.T, r *resolving) {
		verdicts := map[string]wayfind.Verdict{}
		for _, p := range r.site.Probes {
			verdicts[strings.TrimPrefix(p.URL, site)] = p.Verdict
		}
		if verdicts["/page"] != wayfind.VerdictSoft404 || verdicts["/huge.yaml"] != wayfind.VerdictTooLarge || verdicts["/none"] != wayfind.VerdictAbsent ||
			verdicts["/openapi.json"] != wayfind.VerdictFound || verdicts[apicatalog.Path] != wayfind.VerdictFound {
			t.Errorf("%v", verdicts)
		}
	})
}
