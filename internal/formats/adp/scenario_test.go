package adp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/parse"
)

// Capabilities beyond the limit are not read, and the total is reported.
func TestCapabilitiesBeyondTheLimitAreCounted(t *testing.T) {
	formattest.Bounded(t, "adp.truncated", 1000, func(n int) *parse.Reading {
		var list []any
		for i := range n {
			list = append(list, map[string]any{"name": fmt.Sprintf("c%d", i), "description": "x", "detail_url": "/a"})
		}
		r := read(t, manifest(t, map[string]any{"capabilities": list}))
		if len(r.Links) != 1000 {
			t.Errorf("%d capabilities: %d links", n, len(r.Links))
		}
		return r
	})
}

// An entry with wrong types is dropped, and its index is reported.
func TestEntriesOfWrongTypesAreDroppedAndTold(t *testing.T) {
	sound := map[string]any{"name": "sound", "description": "x", "detail_url": "/a"}
	wrong := []any{
		nil, 7, "text", []any{},
		map[string]any{"name": 7, "description": "x", "detail_url": "/a"},
		map[string]any{"name": "", "description": "x", "detail_url": "/a"},
		map[string]any{"description": "x", "detail_url": "/a"},
		map[string]any{"name": "a", "description": map[string]any{"en": "x"}, "detail_url": "/a"},
		map[string]any{"name": "a", "description": "x", "detail_url": []any{"/a"}},
	}
	formattest.Drops(t, "/capabilities", sound, wrong, func(list []any) *parse.Reading {
		return read(t, manifest(t, map[string]any{"capabilities": list}))
	})
}

// The same applies to parameters, and an endpoint that is a list is not an invocation.
func TestParametersOfWrongTypesAreDroppedAndTold(t *testing.T) {
	_, c := describe(t, detail(t, map[string]any{
		"endpoint":   []any{"/a"},
		"parameters": []any{nil, map[string]any{"name": 7}, map[string]any{"name": "ok", "type": "string"}},
	}), parse.Subject{})
	if c.Invocation != nil || len(c.Params) != 1 || c.Params[0].Name != "ok" {
		t.Errorf("got invocation %+v and parameters %+v", c.Invocation, c.Params)
	}
}

// The manifest and the detail document make no URL of them.
func TestNoURLIsMadeOfHostileReferences(t *testing.T) {
	for _, ref := range append(formattest.HostileReferences(), "//evil.example/x", "/x\x7fy") {
		for _, base := range []string{"https://api.postbox.example", "https://api.postbox.example/v1"} {
			r := read(t, manifest(t, map[string]any{"base_url": base, "capabilities": []any{
				map[string]any{"name": "a", "description": "x", "detail_url": ref},
			}}))
			c := r.Services[0].Capabilities[0]
			if c.DetailURLs != nil || r.Links != nil || c.Extensions != nil {
				t.Errorf("detail_url %q: got %+v and links %+v", ref, c, r.Links)
			}
			if diff := cmp.Diff([]string{"error adp.detail_url /capabilities/0/detail_url"}, codes(r.Diagnostics)); diff != "" {
				t.Errorf("detail_url %q (-want +got):\n%s", ref, diff)
			}
			service := &wayfind.Service{Interfaces: []wayfind.Interface{{Protocol: "http", URL: base}}}
			d, described := describe(t, detail(t, map[string]any{"endpoint": ref}), parse.Subject{Service: service})
			if described.Invocation != nil || described.Extensions["endpoint"] != nil {
				t.Errorf("endpoint %q: got %+v", ref, described)
			}
			if diff := cmp.Diff([]string{"error adp.endpoint /endpoint"}, codes(d.Diagnostics)); diff != "" {
				t.Errorf("endpoint %q (-want +got):\n%s", ref, diff)
			}
		}
		r := read(t, manifest(t, map[string]any{"base_url": ref}))
		if len(r.Services[0].Interfaces) != 0 || r.Services[0].Capabilities[0].DetailURLs != nil {
			t.Errorf("base_url %q: got %+v", ref, r.Services[0])
		}
	}
}

// A path of base_url that begins with two slashes does not name a host.
func TestAPathOfTheBaseNamesNoHost(t *testing.T) {
	for _, base := range []string{"https://api.postbox.example//evil.example", "https://api.postbox.example/..//evil.example/"} {
		for _, ref := range []string{"/a", "/..//evil.example", "/%2f/evil.example", "a", "?q", ".//evil.example"} {
			r := read(t, manifest(t, map[string]any{"base_url": base, "capabilities": []any{
				map[string]any{"name": "a", "description": "x", "detail_url": ref},
			}}))
			urls := r.Services[0].Capabilities[0].DetailURLs
			if len(urls) == 0 {
				t.Errorf("%q below %q: no URL: %v", ref, base, codes(r.Diagnostics))
			}
			for _, u := range urls {
				if host := formattest.URL(t, u).Host; host != "api.postbox.example" {
					t.Errorf("%q below %q gives %q on %q", ref, base, u, host)
				}
			}
		}
	}
}

// A strange URL is kept as a claim and reported.
func TestOddBasesAreKeptAsClaims(t *testing.T) {
	for base, want := range map[string]string{
		"http://api.postbox.example":       "error adp.base_url_scheme /base_url",
		"https://api.postbox.example:8443": "warning adp.base_url_host /base_url",
		"https://127.0.0.1":                "warning adp.base_url_host /base_url",
		"https://[::1]":                    "warning adp.base_url_host /base_url",
		"https://2852039166":               "warning adp.base_url_host /base_url",
		"https://0x7f.1":                   "warning adp.base_url_host /base_url",
		"https://localhost":                "warning adp.base_url_host /base_url",
		"https://metadata.google.internal": "warning adp.base_url_host /base_url",
	} {
		r := read(t, manifest(t, map[string]any{"base_url": base}))
		if diff := cmp.Diff([]string{want}, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", base, diff)
		}
		if got := r.Services[0].Interfaces[0].URL; got != base {
			t.Errorf("%s became %s", base, got)
		}
	}
}

// A base on another site is a fact: relative references lead there.
func TestRelativeReferencesFollowABaseOnAnotherSite(t *testing.T) {
	in := manifest(t, map[string]any{"base_url": "https://bank.example"})
	in.URL = formattest.URL(t, "https://shop.example"+adp.Path)
	in.FinalURL = in.URL
	r := read(t, in)
	s := r.Services[0]
	if s.Interfaces[0].URL != "https://bank.example" || s.Interfaces[0].Trust != "" || s.Capabilities[0].Trust != "" {
		t.Errorf("got interfaces %+v and trust %q", s.Interfaces, s.Capabilities[0].Trust)
	}
	want := []parse.Link{{URLs: []string{"https://bank.example/a"}, Role: "detail", Format: "adp", Subject: "a", Lazy: true}}
	if diff := cmp.Diff(want, r.Links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}

// Names and prefixes that would change a request are dropped, but the document is kept.
func TestHeaderNamesThatChangeARequestAreDropped(t *testing.T) {
	for _, header := range []string{
		"Host", "host", "Cookie", "Content-Length", "Content-Type", "Transfer-Encoding", "Proxy-Authorization", "Sec-Fetch-Mode",
		"X-A\r\nX-B", "X A", ":authority", "X-Ä", "", strings.Repeat("x", 10<<10),
	} {
		r := read(t, manifest(t, map[string]any{"auth": map[string]any{"type": "api_key", "header": header}}))
		want := &wayfind.Auth{
			Schemes:      map[string]wayfind.Scheme{"api_key": {Kind: wayfind.SchemeAPIKey, In: "header"}},
			Requirements: [][]wayfind.Requirement{{{Scheme: "api_key"}}},
		}
		if diff := cmp.Diff(want, r.Services[0].Auth); diff != "" || r.Unusable != "" {
			t.Errorf("header %.20q: unusable %q (-want +got):\n%s", header, r.Unusable, diff)
		}
		if diff := cmp.Diff([]string{"error adp.header_name /auth/header"}, codes(r.Diagnostics)); diff != "" {
			t.Errorf("header %.20q (-want +got):\n%s", header, diff)
		}
		d, c := describe(t, detail(t, map[string]any{"parameters": []any{
			map[string]any{"name": header, "in": "header", "type": "string"},
		}}), parse.Subject{})
		if allowed := header == "Content-Type"; (len(c.Params) == 1) != allowed {
			t.Errorf("parameter %.20q: got %+v, %v", header, c.Params, codes(d.Diagnostics))
		}
	}
	for _, prefix := range []string{"Bearer\r\nX: y", "Bearer\x00", "Bearér", strings.Repeat("x", 1000)} {
		r := read(t, manifest(t, map[string]any{"auth": map[string]any{"type": "api_key", "prefix": prefix}}))
		if s := r.Services[0].Auth.Schemes["api_key"]; s.Prefix != nil || s.Name != "Authorization" {
			t.Errorf("prefix %.20q: got %+v", prefix, s)
		}
		if diff := cmp.Diff([]string{"error adp.prefix /auth/prefix"}, codes(r.Diagnostics)); diff != "" {
			t.Errorf("prefix %.20q (-want +got):\n%s", prefix, diff)
		}
	}
}
