package aidiscovery_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/aidiscovery"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/parse"
)

// Another media type is reported, and the document is read.
func TestAnotherMediaTypeIsToldAndTheDocumentIsRead(t *testing.T) {
	formattest.MediaTypes(t, aidiscovery.Format(), changed(t, nil), map[string]wayfind.Severity{"text/plain": "error", "application/octet-stream": "error", "": "error"})
}

// Names are exact. A variant in another case is reported and never read.
func TestVariantsInCaseAreToldAndNotRead(t *testing.T) {
	in := document(t, []byte(`{"aiendpoint": "1.0", "service": {"name": "Shop", "Name": "Evil", "description": "x", "language": ["en"]},
		"capabilities": [{"id": "a", "description": "x", "endpoint": "/a", "ENDPOINT": "https://evil.example", "method": "GET", "\u212Aind": 1}],
		"capabilitie\u017F": [], "auth": {"type": "none", "Type": "oauth2"}}`))
	r := read(t, in)
	s := r.Services[0]
	if s.Name != "Shop" || s.Capabilities[0].Invocation.URL != "https://shop.example/a" || s.Auth.Schemes["none"].Kind != wayfind.SchemeNone {
		t.Errorf("got %+v", s)
	}
	variants := 0
	for _, d := range r.Diagnostics {
		if d.Code == "json.case_variant" {
			variants++
		}
	}
	if variants != 4 {
		t.Errorf("%d variants were told, want 4: %v", variants, codes(r.Diagnostics))
	}
}

// A value that is not an object is not a document, and an empty object is unusable.
func TestWhatIsNoObjectIsNoDocument(t *testing.T) {
	for _, body := range []string{"null", "[]", `"1.0"`, "", "  "} {
		if _, err := aidiscovery.Format().Parse(document(t, []byte(body))); err == nil {
			t.Errorf("%q: no error", body)
		}
	}
	r := read(t, document(t, []byte("{}")))
	want := []string{"error missing ", "error missing ", "warning missing ", "error missing ", "error no_capability "}
	if diff := cmp.Diff(want, codes(r.Diagnostics)); diff != "" || r.Unusable == "" {
		t.Errorf("unusable %q (-want +got):\n%s", r.Unusable, diff)
	}
}

// The first 100 capabilities are read in order, and the total is reported.
func TestHundredCapabilitiesAreReadAndTheOthersCounted(t *testing.T) {
	for _, n := range []int{100, 101, 3000} {
		var list []any
		for i := range n {
			list = append(list, capability(object{"id": fmt.Sprintf("c%d", i)}))
		}
		r := read(t, changed(t, object{"capabilities": list}))
		got := formattest.IDs(r)
		if len(got) != 100 || got[0] != "c0" || got[99] != "c99" {
			t.Errorf("%d capabilities: read %d, from %s to %s", n, len(got), got[0], got[len(got)-1])
		}
		told := slices.ContainsFunc(r.Diagnostics, func(d wayfind.Diagnostic) bool {
			return d.Code == "aidiscovery.too_many_capabilities" && strings.Contains(d.Message, fmt.Sprint(n)) && d.Spec.Section == "§6.5"
		})
		if told != (n > 100) {
			t.Errorf("%d capabilities: diagnostics %v", n, codes(r.Diagnostics))
		}
	}
}

// An entry with wrong types is dropped, and its index is reported.
func TestEntriesOfWrongTypesAreDroppedAndTold(t *testing.T) {
	wrong := []any{
		nil, 7, "text", []any{},
		capability(object{"id": 7}), capability(object{"id": ""}), capability(object{"id": nil}),
		capability(object{"description": object{"en": "x"}}),
		capability(object{"endpoint": []any{"/a"}}),
		capability(object{"method": []any{"GET"}}),
	}
	formattest.Drops(t, "/capabilities", capability(object{"id": "sound"}), wrong, func(list []any) *parse.Reading {
		return read(t, changed(t, object{"capabilities": list}))
	})
}

// A member that the top level does not have is reported, and the rest is read.
func TestAnUnknownMemberIsToldAndAllIsRead(t *testing.T) {
	r := read(t, changed(t, object{"x-team": object{"name": "things"}}))
	if diff := cmp.Diff([]string{"error unknown_field /x-team"}, codes(r.Diagnostics)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s := r.Services[0]; len(s.Capabilities) != 1 || string(s.Extensions["x-team"]) != `{"name":"things"}` {
		t.Errorf("got %+v", s)
	}
}

// Each version is read by the newest known rules.
func TestAnyVersionIsReadByTheNewestRules(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
		codes []string
	}{
		{"9.9", "9.9", []string{"warning version /aiendpoint"}},
		{"1.1", "1.1", []string{"warning version /aiendpoint"}},
		{"v2", "v2", []string{"warning version /aiendpoint"}},
		{"99999999999999999999.0", "99999999999999999999.0", []string{"error version /aiendpoint"}},
		{"0.9", "0.9", []string{"error version /aiendpoint"}},
		{"next", "next", []string{"error version /aiendpoint"}},
		{"", "", []string{"error version /aiendpoint"}},
		{json.Number("1.0"), "1.0", []string{"error wrong_type /aiendpoint"}},
		{true, "", []string{"error wrong_type /aiendpoint"}},
		{nil, "", []string{"error missing "}},
	} {
		r := read(t, changed(t, object{"aiendpoint": c.value}))
		if r.Version != c.want || r.Unusable != "" || len(formattest.IDs(r)) != 1 {
			t.Errorf("%v: version %q, unusable %q; want %q and usable", c.value, r.Version, r.Unusable, c.want)
		}
		if diff := cmp.Diff(c.codes, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.value, diff)
		}
	}
	r := read(t, changed(t, object{"aiendpoint": "1.1", "pricing": object{}}))
	want := []string{"warning version /aiendpoint", "info unknown_field /pricing"}
	if diff := cmp.Diff(want, codes(r.Diagnostics)); diff != "" {
		t.Errorf("a member of a later version (-want +got):\n%s", diff)
	}
}

// References that some programs read as a path and others as a host lead nowhere, and are not
// repeated.
func TestHostileEndpointsLeadNowhere(t *testing.T) {
	for _, ref := range append(formattest.HostileReferences(), "/{", "/{}", "/a}") {
		r := read(t, with(t, object{"endpoint": ref}))
		c := r.Services[0].Capabilities[0]
		if c.Invocation != nil || c.Extensions["endpoint"] != nil || len(r.Services[0].Interfaces) != 0 {
			t.Errorf("endpoint %q: got %+v", ref, c)
		}
		if diff := cmp.Diff([]string{"error endpoint /capabilities/0/endpoint"}, codes(r.Diagnostics)); diff != "" {
			t.Errorf("endpoint %q (-want +got):\n%s", ref, diff)
		}
	}
	for _, ref := range []string{"/..//evil.example", "/%2f/evil.example", "/.//evil.example", "/{a}//evil.example"} {
		c := read(t, with(t, object{"endpoint": ref})).Services[0].Capabilities[0]
		if host := formattest.URL(t, c.Invocation.URL+c.Invocation.Template).Host; host != "shop.example" {
			t.Errorf("endpoint %q goes to %q", ref, host)
		}
	}
}

// A reference without a slash and a scheme is not an endpoint.
func TestAReferenceThatIsNeitherPathNorURLIsNoEndpoint(t *testing.T) {
	for _, ref := range []string{"api/find", "?q=x", "../find", "api.shop.example/find", "localhost:8080/find"} {
		r := read(t, with(t, object{"endpoint": ref}))
		if c := r.Services[0].Capabilities[0]; c.Invocation != nil || c.Check() == nil {
			t.Errorf("endpoint %q: got %+v", ref, c.Invocation)
		}
		if diff := cmp.Diff([]string{"error endpoint /capabilities/0/endpoint"}, codes(r.Diagnostics)); diff != "" {
			t.Errorf("endpoint %q (-want +got):\n%s", ref, diff)
		}
	}
}

// A strange URL is kept as a claim and reported.
func TestOddEndpointsAreKeptAsClaims(t *testing.T) {
	for ref, want := range map[string]string{
		"https://pay.example/a":          "",
		"http://shop.example/a":          "endpoint_scheme",
		"https://shop.example:8443/a":    "endpoint_host",
		"https://127.0.0.1/a":            "endpoint_host",
		"https://2852039166/a":           "endpoint_host",
		"https://localhost/a":            "endpoint_host",
		"https://{tenant}.shop.example/": "endpoint_host",
		"/../a":                          "dot_segments",
	} {
		r := read(t, with(t, object{"endpoint": ref}))
		var got []string
		for _, d := range r.Diagnostics {
			if d.Severity == wayfind.SeverityWarning {
				got = append(got, strings.TrimPrefix(d.Code, "aidiscovery."))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %q", ref, got, want)
		}
		c := r.Services[0].Capabilities[0]
		if c.Invocation == nil || c.Trust != "" {
			t.Errorf("%s: got %+v", ref, c)
		}
	}
}

// A name that would change a request is dropped, and the document is kept. The value is not in
// the result, because it may be a credential (§6.2).
func TestHeaderNamesThatChangeARequestAreDropped(t *testing.T) {
	for _, header := range []string{
		"Host", "Cookie", "Content-Length", "Transfer-Encoding", "Proxy-Authorization", "X-A\r\nX-B", "X A", ":authority", "",
		"Authorization: Bearer sk-123", strings.Repeat("x", 10<<10),
	} {
		r := read(t, changed(t, object{"auth": object{"type": "apikey", "header": header}}))
		want := &wayfind.Auth{
			Schemes:      map[string]wayfind.Scheme{"apikey": {Kind: wayfind.SchemeAPIKey, In: "header"}},
			Requirements: [][]wayfind.Requirement{{{Scheme: "apikey"}}},
		}
		if diff := cmp.Diff(want, r.Services[0].Auth); diff != "" || r.Unusable != "" || r.Services[0].Extensions != nil {
			t.Errorf("header %.30q: unusable %q (-want +got):\n%s", header, r.Unusable, diff)
		}
		if diff := cmp.Diff([]string{"error header_name /auth/header"}, codes(r.Diagnostics)); diff != "" {
			t.Errorf("header %.30q (-want +got):\n%s", header, diff)
		}
	}
	r := read(t, with(t, object{"params": object{"Host": object{"type": "string", "in": "header"}}}))
	if c := r.Services[0].Capabilities[0]; len(c.Params) != 0 {
		t.Errorf("got parameters %+v", c.Params)
	}
}
