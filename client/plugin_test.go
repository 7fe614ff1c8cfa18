package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/aiplugin"
	"github.com/wayfindhq/wayfind/internal/formats/openapi"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/security"
)

// pluginManifest is an ai-plugin.json that leads to an API description.
func pluginManifest(api string) string {
	return fmt.Sprintf(`{"schema_version": "v1", "name_for_human": "Shop", "name_for_model": "shop", "description_for_human": "A shop.",
		"description_for_model": "Use it.", "auth": {"type": "none"}, "api": {"type": "openapi", "url": %q},
		"logo_url": "https://shop.example/logo.png", "contact_email": "a@shop.example", "legal_info_url": "https://shop.example/legal"}`, api)
}

// apiJSON and apiYAML describe an API with one operation, which is of the place
// of the document. more are further members of the JSON.
func apiJSON(more string) string {
	return `{"openapi": "3.1.0", "info": {"title": "Orders", "version": "1"}, "paths": {"/orders/{id}": {"get": {"operationId": "getOrder",
		"parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
		"responses": {"200": {"description": "ok", "content": {"application/json": {"schema": {"type": "object"}}}}}}}}` + more + `}`
}

const apiYAML = `openapi: 3.1.0
info: {title: Orders, version: '1'}
paths:
  /orders/{id}:
    get:
      operationId: getOrder
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        '200': {description: ok, content: {application/json: {schema: {type: object}}}}
`

func readPlugins(o *client.Options) { withFormats(aiplugin.Format(), openapi.Format())(o) }

// roundTrip is a Site that went through JSON.
func roundTrip(t *testing.T, site *wayfind.Site) *wayfind.Site {
	t.Helper()
	text, err := json.Marshal(site)
	if err != nil {
		t.Fatal(err)
	}
	var again wayfind.Site
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	return &again
}

// A description on the same site is read in discovery: its operations are in
// the Site, brief, and cost nothing more to describe.
func TestPluginOnSameSite(t *testing.T) {
	rows := []struct {
		name, api string
		at        string // the place of the description
		body      string
		header    []string
		key       string
		asked     []string
	}{
		{"JSON", "https://shop.example/openapi.json", "/openapi.json", apiJSON(""), nil, "openapi:openapi/getOrder", []string{aiplugin.Path, "/openapi.json"}},
		{"YAML", "https://shop.example/openapi.yaml", "/openapi.yaml", apiYAML, []string{"Content-Type", "application/yaml"}, "openapi:openapi/getOrder",
			[]string{aiplugin.Path, "/openapi.yaml"}},
		{"YAML as text, that varies", "https://shop.example/api", "/api", apiYAML, []string{"Content-Type", "text/plain", "Vary", "Accept"}, "openapi:api/getOrder",
			[]string{aiplugin.Path, "/api"}},
		{"relative to the root", "openapi.json", "/openapi.json", apiJSON(""), nil, "openapi:openapi/getOrder",
			[]string{aiplugin.Path, "/.well-known/openapi.json", "/openapi.json"}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				host := internet.Host("shop.example", clienttest.Pages{aiplugin.Path: pluginManifest(r.api)}).Handle(r.at, page(r.body, r.header...))
				c := newClient(t, internet, readPlugins)
				site := resolvedBy(t, internet, c)
				_, brief := site.Capability(r.key)
				if brief == nil || !brief.Lazy || brief.Params != nil || brief.Input != nil || brief.Trust != wayfind.TrustSameOrigin {
					t.Fatalf("of %v: %+v", skillKeys(site), brief)
				}
				if s := site.Source("https://shop.example" + r.at); s.Authority != wayfind.AuthorityLinked {
					t.Errorf("source %+v", s)
				}
				for _, known := range []*wayfind.Site{site, roundTrip(t, site)} {
					d, err := c.Describe(t.Context(), known, r.key)
					if err != nil {
						t.Fatal(err)
					}
					if d := d.Capability; d.Lazy || len(d.Params) != 1 || d.Input == nil || d.Output == nil || d.Key != r.key ||
						d.Invocation.Template != "https://shop.example/orders/{id}" {
						t.Errorf("capability %+v", d)
					}
				}
				if d := cmp.Diff(r.asked, host.Paths()); d != "" {
					t.Errorf("asked for (-want +got):\n%s", d)
				}
				d, err := newClient(t, internet, readPlugins).Describe(t.Context(), roundTrip(t, site), r.key)
				if err != nil || len(d.Capability.Params) != 1 || len(host.Paths()) != len(r.asked)+1 {
					t.Errorf("another Client: %v, asked for %v", err, host.Paths())
				}
			})
		})
	}
}

// Without links only the manifest is requested. Links that are not followed are not reported as
// followed.
func TestPluginWithoutFollowing(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		host := internet.Host("shop.example", clienttest.Pages{aiplugin.Path: pluginManifest("/openapi.json"), "/openapi.json": apiJSON("")})
		site := resolvedBy(t, internet, newClient(t, internet, readPlugins, func(o *client.Options) { o.Limits.Follow = -1 }))
		if d := cmp.Diff([]string{aiplugin.Path}, host.Paths()); d != "" || len(site.Services) != 1 || site.Services[0].ID != "aiplugin" {
			t.Errorf("asked for (-want +got):\n%s\n%+v", d, site.Services)
		}
	})
}

// A description on another site is requested by Describe, and only if the caller agrees. It has the
// authority of that site.
func TestPluginOnAnotherSite(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		const api = "https://else.example/openapi.json"
		internet.Host("shop.example", clienttest.Pages{aiplugin.Path: pluginManifest(api)})
		other := internet.Host("else.example", clienttest.Pages{"/openapi.json": apiJSON("")})
		no := errors.New("no")
		var got []security.ApprovalRequest
		answer := no
		approve := func(o *client.Options) {
			o.Approve = func(_ context.Context, r security.ApprovalRequest) error {
				got = append(got, r)
				return answer
			}
		}
		c := newClient(t, internet, readPlugins, approve)
		site := resolvedBy(t, internet, c)
		s := site.Service("aiplugin")
		if s == nil || !s.Lazy || !slices.Equal(s.DetailURLs, []string{api}) || len(other.Requests()) != 0 || got != nil {
			t.Fatalf("service %+v, %s was asked for %v, asked %v", s, other.Name(), other.Paths(), got)
		}
		_, err := newClient(t, internet, readPlugins).Describe(t.Context(), site, "aiplugin")
		if e, ok := errors.AsType[*wayfind.Error](err); !ok || !errors.Is(err, wayfind.ErrRefused) || e.Code != wayfind.CodeCrossSite {
			t.Errorf("nobody to approve: %v", err)
		}
		if d, err := c.Describe(t.Context(), site, "aiplugin"); !errors.Is(err, wayfind.ErrRefused) || !errors.Is(err, no) || !d.Service.Lazy {
			t.Errorf("not approved: %v, %+v", err, d.Service)
		}
		if len(other.Requests()) != 0 {
			t.Errorf("%s was asked for %v", other.Name(), other.Paths())
		}
		answer = nil
		d, err := c.Describe(t.Context(), roundTrip(t, site), "aiplugin")
		if err != nil {
			t.Fatal(err)
		}
		if d.Service.Lazy || d.Service.Name != "Shop" || len(d.Service.Capabilities) != 1 {
			t.Fatalf("service %+v", d.Service)
		}
		operation := d.Service.Capabilities[0]
		if operation.ID != "getOrder" || operation.Trust != wayfind.TrustCrossSite || operation.Invocation.Template != "https://else.example/orders/{id}" {
			t.Errorf("operation %+v", operation)
		}
		if d.Source.URL != api || d.Source.Trust != wayfind.TrustCrossSite || d.Source.Authority.Rank() < wayfind.AuthorityThirdParty.Rank() {
			t.Errorf("source %+v", d.Source)
		}
		ask := security.ApprovalRequest{DocumentOrigin: "https://shop.example", Endpoint: api, Digest: site.Sources[0].SHA256, Purpose: "describe", Subject: "aiplugin",
			Document: "https://shop.example" + aiplugin.Path, Domain: "else.example", Protocol: "http", Methods: []string{"GET"}}
		if len(got) == 0 || got[0].Definition == nil || got[0].Definition.Service("aiplugin") == nil {
			t.Fatalf("asked %+v", got)
		}
		ask.Definition = got[0].Definition
		if d := cmp.Diff([]security.ApprovalRequest{ask, ask}, got); d != "" {
			t.Errorf("asked (-want +got):\n%s", d)
		}
		if again, _ := c.Peek("shop.example"); len(again.Service("aiplugin").Capabilities) != 0 {
			t.Error("what one caller learned is in the Site")
		}
	})
}

// Nothing that a description refers to on another site, in a file or at a private address is
// fetched: only the two documents of its own site are. api.url is under the same rules as
// every URL.
func TestNoReferenceOfADescriptionIsFetched(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		trap := internet.Host("trap.example", clienttest.Pages{"/x.json": apiJSON("")}).At(addr("10.0.0.1"))
		other := internet.Host("else.example", clienttest.Pages{"/x.json": apiJSON("")})
		var members []string
		for i, ref := range []string{"file:///etc/passwd", "other.json#/a", "../x.json", "http://10.0.0.1/x.json", "https://trap.example/x.json", "https://else.example/x.json"} {
			members = append(members, fmt.Sprintf(`"/%d": {"post": {"operationId": "op%d", "requestBody": {"$ref": %q}, "responses": {"200": {"$ref": %q}}}}`, i, i, ref, ref))
		}
		api := strings.Replace(apiJSON(""), `"paths": {`, `"paths": {`+strings.Join(members, ", ")+", ", 1)
		host := internet.Host("shop.example", clienttest.Pages{aiplugin.Path: pluginManifest("/openapi.json"), "/openapi.json": api})
		c := newClient(t, internet, readPlugins, func(o *client.Options) {
			o.Approve = func(context.Context, security.ApprovalRequest) error { return nil }
		})
		site := resolvedBy(t, internet, c)
		if n := len(skillKeys(site)); n != 7 {
			t.Errorf("%d operations", n)
		}
		for _, key := range skillKeys(site) {
			if _, err := c.Describe(t.Context(), site, key); err != nil {
				t.Errorf("%s: %v", key, err)
			}
		}
		if d := cmp.Diff([]string{aiplugin.Path, "/openapi.json", "/other.json", "/x.json"}, slices.Sorted(slices.Values(host.Paths()))); d != "" || trap.Dials() != 0 || other.Dials() != 0 {
			t.Errorf("asked for (-want +got):\n%s", d)
		}
	})
}

// An api.url that must not be contacted is not, even if the caller approves.
func TestAForbiddenPlaceOfADescriptionIsNotAsked(t *testing.T) {
	for _, api := range []string{"http://10.0.0.1/x.json", "https://10.0.0.1/x.json", "https://trap.example/x.json", "https://localhost/x.json", "https://else.example:8443/x.json",
		"https://user@else.example/x.json", "https://else.example/x.json"} {
		t.Run(api, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				trap := internet.Host("trap.example", clienttest.Pages{"/x.json": apiJSON("")}).At(addr("10.0.0.1"))
				other := internet.Host("else.example", clienttest.Pages{"/x.json": apiJSON("")})
				internet.Host("shop.example", clienttest.Pages{aiplugin.Path: pluginManifest(api)})
				c := newClient(t, internet, readPlugins, func(o *client.Options) {
					o.Approve = func(context.Context, security.ApprovalRequest) error { return nil }
				})
				site, err := c.Resolve(t.Context(), "shop.example")
				if err != nil && !errors.Is(err, wayfind.ErrInvalid) {
					t.Fatal(err)
				}
				if trap.Dials() != 0 || other.Dials() != 0 {
					t.Errorf("Resolve went to another site")
				}
				if err == nil {
					_, err = c.Describe(t.Context(), site, "aiplugin")
				}
				allowed := api == "https://else.example/x.json"
				if (err == nil) != allowed || trap.Dials() != 0 || (other.Dials() > 0) != allowed {
					t.Errorf("%v; %d connections to the trap, %d to %s", err, trap.Dials(), other.Dials(), other.Name())
				}
			})
		})
	}
}

// A description may have 4 MiB, in discovery and for Describe.
func TestPluginSizes(t *testing.T) {
	testkit.LongOnly(t)
	sized := func(n int) string {
		const frame = `, "x-pad": ""`
		return apiJSON(`, "x-pad": "` + strings.Repeat("x", n-len(apiJSON(""))-len(frame)) + `"`)
	}
	for _, r := range []struct {
		name string
		size int
		ok   bool
	}{{"16 MiB", 16 << 20, true}, {"a byte more", 16<<20 + 1, false}} {
		t.Run(r.name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
				body := sized(r.size)
				if len(body) != r.size {
					t.Fatalf("%d bytes", len(body))
				}
				internet.Host("shop.example", clienttest.Pages{aiplugin.Path: pluginManifest("https://shop.example/openapi.json"), "/openapi.json": body})
				internet.Host("far.example", clienttest.Pages{aiplugin.Path: pluginManifest("https://shop.example/openapi.json")})
				c := newClient(t, internet, readPlugins, func(o *client.Options) {
					o.Approve = func(context.Context, security.ApprovalRequest) error { return nil }
				})
				site := resolvedBy(t, internet, c)
				want := map[string]wayfind.Verdict{aiplugin.Path: wayfind.VerdictFound, "/openapi.json": wayfind.VerdictFound}
				if !r.ok {
					want["/openapi.json"] = wayfind.VerdictTooLarge
				}
				if d := cmp.Diff(want, probed(site)); d != "" || r.ok != (skillKeys(site) != nil) {
					t.Errorf("verdicts (-want +got):\n%s", d)
				}
				far, err := c.Resolve(t.Context(), "far.example")
				if err != nil {
					t.Fatal(err)
				}
				_, err = c.Describe(t.Context(), far, "aiplugin")
				if e, _ := errors.AsType[*wayfind.Error](err); (err == nil) != r.ok || e != nil && e.Code != wayfind.CodeTooLarge {
					t.Errorf("Describe: %v", err)
				}
			})
		})
	}
}
