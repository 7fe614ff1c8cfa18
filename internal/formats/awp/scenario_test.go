package awp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/awp"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/parse"
)

// Another media type is reported, and the document is read.
func TestAnotherMediaTypeIsToldAndTheDocumentIsRead(t *testing.T) {
	formattest.MediaTypes(t, awp.Format(), changed(t, nil), map[string]wayfind.Severity{
		"application/json": "", "text/plain": "error", "application/octet-stream": "error", "": "error",
	})
}

// The answer of a catch-all site is not a document.
func TestACatchAllAnswerIsNoDocument(t *testing.T) {
	for _, body := range []string{"{}", `{"status":"ok"}`, "<!doctype html><title>x</title>"} {
		formattest.Unclaimed(t, awp.Format(), document(t, []byte(body)))
	}
}

// A body that is refused in all modes is an error.
func TestUnreadableBodiesAreErrorsInEveryMode(t *testing.T) {
	for _, body := range []string{
		`{"awp_version":"0.2","actions":[],"\u0061ctions":[]}`, "{\"awp_version\":\"\xff\"}", `{"awp_version":"0.2"} {}`,
		strings.Repeat("[", 65) + strings.Repeat("]", 65), "null", "[]", `"0.2"`, "", "  ",
	} {
		formattest.Refused(t, awp.Format(), document(t, []byte(body)))
	}
}

// Names are exact. A variant in another case is reported and never read.
func TestVariantsInCaseAreToldAndNotRead(t *testing.T) {
	r := read(t, document(t, []byte(`{"awp_version": "0.2", "domain": "shop.example", "Domain": "evil.example", "intent": "x", "action\u017F": [],
		"actions": [{"id": "a", "description": "x", "auth_required": true, "Auth_Required": false, "inputs": {}, "outputs": {},
			"endpoint": "/a", "ENDPOINT": "https://evil.example", "method": "GET"}]}`)))
	c := r.Services[0].Capabilities[0]
	if r.Domain != "shop.example" || c.Invocation.URL != "https://shop.example/a" || !c.Auth.Unknown {
		t.Errorf("domain %q, got %+v", r.Domain, c)
	}
	variants := 0
	for _, d := range r.Diagnostics {
		if d.Code == "json.case_variant" {
			variants++
		}
	}
	if variants != 4 || len(r.Services[0].Extensions) != 0 || len(c.Extensions) != 0 {
		t.Errorf("%d variants were told, want 4: %v; extensions %s %s", variants, codes(r.Diagnostics), r.Services[0].Extensions, c.Extensions)
	}
}

// The first 1,000 actions are read in order, and the total is reported.
func TestThousandActionsAreReadAndTheOthersCounted(t *testing.T) {
	formattest.Bounded(t, "awp.truncated", 1000, func(n int) *parse.Reading {
		var list []any
		for i := range n {
			list = append(list, action(object{"id": fmt.Sprintf("c%d", i)}))
		}
		return read(t, changed(t, object{"actions": list}))
	})
}

// An entry with wrong types is dropped, and its index is reported.
func TestEntriesOfWrongTypesAreDroppedAndTold(t *testing.T) {
	wrong := []any{
		nil, 7, "text", []any{},
		action(object{"id": 7}), action(object{"id": ""}), action(object{"id": nil}),
		action(object{"description": object{"en": "x"}}),
		action(object{"endpoint": []any{"/a"}}),
		action(object{"method": []any{"GET"}}),
		action(object{"via": 7}),
	}
	formattest.Drops(t, "/actions", action(object{"id": "sound"}), wrong, func(list []any) *parse.Reading {
		return read(t, changed(t, object{"actions": list}))
	})
}

// Unknown members are ignored without a diagnostic, and kept.
func TestUnknownMembersAreKeptWithoutAWord(t *testing.T) {
	r := read(t, changed(t, object{
		"x-team":       object{"name": "things"},
		"capabilities": object{"streaming": true, "voice": true},
		"actions":      []any{action(object{"payment": object{"scheme": "x402"}, "inputs": object{"q": object{"type": "string", "in": "query"}}})},
		"agent_status": object{"operational": true, "since": "today"},
		"protocols":    object{"mcp": object{"version": "1", "endpoint": "https://shop.example/mcp", "headers": []any{}}},
	}))
	if len(r.Diagnostics) != 0 {
		t.Errorf("something is said: %v", codes(r.Diagnostics))
	}
	s := r.Services[0]
	for name, got := range map[string]string{
		`{"name":"things"}`:                    string(s.Extensions["x-team"]),
		`{"voice":true}`:                       string(s.Extensions["capabilities"]),
		`{"since":"today"}`:                    string(s.Extensions["agent_status"]),
		`{"scheme":"x402"}`:                    string(s.Capabilities[0].Extensions["payment"]),
		`[]`:                                   string(s.Interfaces[1].Extensions["headers"]),
		`{"q":{"in":"query","type":"string"}}`: string(s.Capabilities[0].Extensions["inputs"]),
	} {
		if got != name {
			t.Errorf("got %q, want %q", got, name)
		}
	}
}

// hostile returns references that lead nowhere.
func hostile() []string {
	return append(formattest.HostileReferences(), "/x\x7fy", "/a{", "/a}b", "/{a{b}}")
}

// No reference of a document becomes a URL on another host.
func TestNoReferenceBecomesAURLOfAnotherHost(t *testing.T) {
	for _, ref := range hostile() {
		r, c := readAction(t, object{"endpoint": ref})
		if c.Invocation != nil || c.Extensions["endpoint"] != nil {
			t.Errorf("endpoint %q: got %+v", ref, c.Invocation)
		}
		if diff := cmp.Diff([]string{"error endpoint /actions/0/endpoint"}, codes(r.Diagnostics)); diff != "" {
			t.Errorf("endpoint %q (-want +got):\n%s", ref, diff)
		}
		_, c = readAction(t, object{"execution_model": "async", "poll_endpoint": ref})
		if c.Effects.Async == nil || c.Effects.Async.PollURL != "" || c.Extensions != nil {
			t.Errorf("poll_endpoint %q: got %+v and %s", ref, c.Effects.Async, c.Extensions)
		}
		s := read(t, changed(t, object{
			"auth":         object{"type": "oauth2", "refresh_endpoint": ref},
			"agent_status": object{"status_endpoint": ref},
			"protocols":    object{"mcp": object{"version": "1", "endpoint": ref}},
		})).Services[0]
		if s.Auth.Schemes["oauth2"].Flows != nil || s.Status.URL != "" || s.Interfaces[1].URL != "" || s.Extensions != nil {
			t.Errorf("%q: got %+v", ref, s)
		}
	}
}

// A strange URL is kept as a claim and reported.
func TestOddEndpointsAreKeptAsClaims(t *testing.T) {
	for ref, want := range map[string]string{
		"http://shop.example/a":         "warning endpoint_scheme",
		"https://shop.example:8443/a":   "warning endpoint_host",
		"https://127.0.0.1/a":           "warning endpoint_host",
		"https://[::1]/a":               "warning endpoint_host",
		"https://2852039166/a":          "warning endpoint_host",
		"https://localhost/a":           "warning endpoint_host",
		"https://metadata.internal/a":   "warning endpoint_host",
		"https://{tenant}.shop.example": "warning endpoint_host",
		"/../a":                         "warning dot_segments",
		"a/b":                           "warning endpoint_slash",
	} {
		r, c := readAction(t, object{"endpoint": ref, "inputs": object{"tenant": object{"type": "string", "required": true}}})
		if c.Invocation == nil || c.Trust != "" {
			t.Errorf("%s: invocation %+v, trust %q", ref, c.Invocation, c.Trust)
		}
		if diff := cmp.Diff([]string{want + " /actions/0/endpoint"}, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", ref, diff)
		}
	}
}

// There is nothing to refuse, because no member names a header field.
func TestNoMemberNamesAHeaderField(t *testing.T) {
	r := read(t, changed(t, object{"auth": object{"type": "api_key", "header": "Host"}}))
	if s := r.Services[0].Auth.Schemes["api_key"]; s.Name != "" || s.In != "" {
		t.Errorf("got %+v", s)
	}
}
