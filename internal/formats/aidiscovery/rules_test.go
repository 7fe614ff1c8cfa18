package aidiscovery_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/aidiscovery"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// §3.4: all types, and values that are not types.
func TestAuth(t *testing.T) {
	bearer := wayfind.Scheme{Kind: wayfind.SchemeHTTP, HTTPScheme: "bearer"}
	one := func(name string, s wayfind.Scheme) *wayfind.Auth {
		return &wayfind.Auth{Schemes: map[string]wayfind.Scheme{name: s}, Requirements: [][]wayfind.Requirement{{{Scheme: name}}}}
	}
	custom := one("custom", wayfind.Scheme{Kind: wayfind.SchemeCustom, DocsURL: "https://shop.example/auth"})
	custom.Unknown = true
	for _, c := range []struct {
		auth  string
		want  *wayfind.Auth
		codes []string
	}{
		{`null`, &wayfind.Auth{Unknown: true}, []string{"warning wrong_type /auth"}},
		{`"none"`, &wayfind.Auth{Unknown: true}, []string{"warning wrong_type /auth"}},
		{`{}`, &wayfind.Auth{Unknown: true}, []string{"error missing /auth"}},
		{`{"required": false}`, &wayfind.Auth{Unknown: true}, []string{"error missing /auth", "info unknown_member /auth/required"}},
		{`{"type": 7}`, &wayfind.Auth{Unknown: true}, []string{"error wrong_type /auth/type"}},
		{`{"type": "none"}`, one("none", wayfind.Scheme{Kind: wayfind.SchemeNone}), nil},
		{`{"type": "none", "header": "X"}`, one("none", wayfind.Scheme{Kind: wayfind.SchemeNone}), []string{"warning auth_none /auth/header"}},
		{`{"type": "apikey", "header": "Api-Key"}`, one("apikey", wayfind.Scheme{Kind: wayfind.SchemeAPIKey, In: "header", Name: "Api-Key"}), nil},
		{`{"type": "apikey"}`, one("apikey", wayfind.Scheme{Kind: wayfind.SchemeAPIKey, In: "header", Defaulted: []string{"in"}}),
			[]string{"warning auth_header /auth"}},
		{`{"type": "bearer"}`, one("bearer", bearer), nil},
		{`{"type": "Bearer"}`, one("bearer", bearer), []string{"error auth_type /auth/type"}},
		{`{"type": "bearer", "header": "X-Token"}`,
			one("bearer", wayfind.Scheme{Kind: wayfind.SchemeHTTP, HTTPScheme: "bearer", In: "header", Name: "X-Token"}),
			[]string{"warning auth_header /auth/header"}},
		{`{"type": "oauth2", "docs": "https://shop.example/auth"}`,
			one("oauth2", wayfind.Scheme{Kind: wayfind.SchemeOAuth2, DocsURL: "https://shop.example/auth"}), nil},
		{`{"type": "OAuth 2.0"}`, one("oauth2", wayfind.Scheme{Kind: wayfind.SchemeOAuth2}), []string{"error auth_type /auth/type"}},
		{`{"type": "basic", "docs": "https://shop.example/auth"}`, custom, []string{"error auth_type /auth/type"}},
		{`{"type": "oauth2 | apikey | none", "docs": "https://shop.example/auth"}`, custom, []string{"error auth_type /auth/type"}},
	} {
		r := read(t, changed(t, object{"auth": json.RawMessage(c.auth)}))
		if diff := cmp.Diff(c.want, r.Services[0].Auth); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.auth, diff)
		}
		if diff := cmp.Diff(c.codes, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%s: diagnostics (-want +got):\n%s", c.auth, diff)
		}
	}
}

// §3.4: without the object, authentication may be required.
func TestAuthAbsent(t *testing.T) {
	r := read(t, changed(t, object{"auth": nil}))
	if diff := cmp.Diff(&wayfind.Auth{Unknown: true}, r.Services[0].Auth); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"warning missing "}, codes(r.Diagnostics)); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}

// §6.2: "none" is not allowed for writing.
func TestWritesWithoutAuth(t *testing.T) {
	for method, want := range map[string][]string{"GET": nil, "POST": {"warning auth_none /auth/type"}, "DELETE": {"warning auth_none /auth/type"}} {
		r := read(t, changed(t, object{"auth": object{"type": "none"}, "capabilities": []any{capability(object{"method": method})}}))
		if diff := cmp.Diff(want, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", method, diff)
		}
	}
}

// §4.1: without a well-formed method, endpoint and parameters there is no invocation.
func TestInvocationGuard(t *testing.T) {
	for _, c := range []struct {
		replace object
		want    []string
	}{
		{object{"method": nil}, []string{"error missing /capabilities/0"}},
		{object{"method": "HEAD"}, []string{"error method /capabilities/0/method"}},
		{object{"method": "TRACE"}, []string{"error method /capabilities/0/method"}},
		{object{"method": "GET, POST"}, []string{"error method /capabilities/0/method"}},
		{object{"method": ""}, []string{"error method /capabilities/0/method"}},
		{object{"endpoint": nil}, []string{"error missing /capabilities/0"}},
		{object{"params": "q: string"}, []string{"warning wrong_type /capabilities/0/params"}},
	} {
		r := read(t, with(t, c.replace))
		got := r.Services[0].Capabilities[0]
		if got.Invocation != nil || got.Check() == nil || r.Unusable != "" {
			t.Errorf("%v: unusable %q, invocation %+v", c.replace, r.Unusable, got.Invocation)
		}
		if diff := cmp.Diff(c.want, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.replace, diff)
		}
	}
}

// §3.5: each default alone, all of them without the object, and no default instead of a wrong
// type.
func TestTokenHints(t *testing.T) {
	yes, no := new(true), new(false)
	for _, c := range []struct {
		hints     any
		want      *wayfind.TokenHints
		defaulted []string
	}{
		{object{"compact_mode": true, "field_filtering": false, "delta_support": true},
			&wayfind.TokenHints{CompactMode: yes, FieldFiltering: no, DeltaSupport: yes}, nil},
		{object{"compact_mode": true}, &wayfind.TokenHints{CompactMode: yes, FieldFiltering: no, DeltaSupport: no},
			[]string{"tokenHints.fieldFiltering", "tokenHints.deltaSupport"}},
		{object{"compact_mode": 1, "field_filtering": true, "delta_support": true},
			&wayfind.TokenHints{FieldFiltering: yes, DeltaSupport: yes}, nil},
		{nil, &wayfind.TokenHints{CompactMode: no, FieldFiltering: no, DeltaSupport: no}, []string{"tokenHints"}},
		{[]any{}, nil, nil},
	} {
		s := read(t, changed(t, object{"token_hints": c.hints})).Services[0]
		if diff := cmp.Diff(c.want, s.TokenHints); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.hints, diff)
		}
		if diff := cmp.Diff(c.defaulted, s.Defaulted); diff != "" {
			t.Errorf("%v: defaulted (-want +got):\n%s", c.hints, diff)
		}
	}
}

// §3.2: the limits of texts and lists.
func TestService(t *testing.T) {
	long := func(n int) string { return strings.Repeat("é", n) }
	for _, c := range []struct {
		replace object
		want    []string
	}{
		{object{"name": long(100), "description": long(199)}, nil},
		{object{"name": long(101)}, []string{"error name_length /service/name"}},
		{object{"description": long(200)}, []string{"info description_length /service/description"}},
		{object{"description": long(301)}, []string{"error description_length /service/description"}},
		{object{"description": ""}, []string{"error description_length /service/description"}},
		{object{"category": []any{"search", "ai"}}, []string{"warning category /service/category/1"}},
		{object{"category": []any{}}, []string{"error empty_list /service/category"}},
		{object{"category": []any{7, "search", "search"}},
			[]string{"warning wrong_type /service/category/0", "error duplicate_value /service/category/2"}},
		{object{"language": []any{"en", "zh-Hant", "de-CH-1996", "x-klingon", "i-default"}}, nil},
		{object{"language": []any{"en_US", "english language", "e", "-", "en-", "1a"}}, []string{
			"warning language /service/language/0", "warning language /service/language/1", "warning language /service/language/2",
			"warning language /service/language/3", "warning language /service/language/4", "warning language /service/language/5"}},
		{object{"version": "2"}, []string{"info unknown_member /service/version"}},
	} {
		service := formattest.Edit(sound()["service"].(object), c.replace)
		r := read(t, changed(t, object{"service": service}))
		if diff := cmp.Diff(c.want, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%.60v (-want +got):\n%s", c.replace, diff)
		}
	}
	s := read(t, changed(t, object{"service": object{"name": "a", "description": "b"}})).Services[0]
	if diff := cmp.Diff([]string{"en"}, s.Languages); diff != "" || !cmp.Equal([]string{"languages"}, s.Defaulted) {
		t.Errorf("the default of language: got %v, defaulted %v", s.Languages, s.Defaulted)
	}
}

// §3.6: the rate limits.
func TestRateLimits(t *testing.T) {
	for _, c := range []struct {
		limits object
		want   []wayfind.Limit
		codes  []string
	}{
		{object{"requests_per_minute": 60}, []wayfind.Limit{{N: 60, Per: time.Minute}}, nil},
		{object{"requests_per_minute": 0}, nil, []string{"error rate_limit /rate_limits/requests_per_minute"}},
		{object{"requests_per_minute": -5}, nil, []string{"error rate_limit /rate_limits/requests_per_minute"}},
		{object{"requests_per_minute": 1.5}, nil, []string{"error wrong_type /rate_limits/requests_per_minute"}},
		{object{"requests_per_minute": "60"}, nil, []string{"error wrong_type /rate_limits/requests_per_minute"}},
		{object{"agent_tier_available": true}, nil, []string{"warning agent_tier /rate_limits/agent_tier_available"}},
		{object{"agent_tier_available": false}, nil, nil},
	} {
		r := read(t, changed(t, object{"rate_limits": c.limits}))
		if diff := cmp.Diff(c.want, r.Services[0].Limits); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.limits, diff)
		}
		if diff := cmp.Diff(c.codes, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%v: diagnostics (-want +got):\n%s", c.limits, diff)
		}
	}
}

// §3.7: the form of the date.
func TestLastUpdated(t *testing.T) {
	for date, sound := range map[string]bool{
		"2026-03-10": true, "2026-03-10T09:00:00Z": true,
		"2026-02-30": false, "2026-3-1": false, "2026-03-10T09:00:00+01:00": false, "2026-03-10T09:00:00.5Z": false, "yesterday": false,
	} {
		r := read(t, changed(t, object{"meta": object{"last_updated": date}}))
		if r.Services[0].Updated != date || (len(r.Diagnostics) == 0) != sound {
			t.Errorf("%s: updated %q, %v", date, r.Services[0].Updated, codes(r.Diagnostics))
		}
	}
}

// §6.2: a credential in the document is not kept.
func TestCredential(t *testing.T) {
	r := read(t, changed(t, object{"auth": object{"type": "apikey", "header": "X", "api_key": "sk-123", "Token": "t", "scopes": []any{"a"}}}))
	if diff := cmp.Diff(`{"scopes":["a"]}`, string(r.Services[0].Extensions["auth"])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, d := range r.Diagnostics {
		if strings.Contains(d.Message, "sk-123") {
			t.Errorf("a diagnostic repeats the credential: %s", d.Message)
		}
	}
}

// §6.5: an endless parameter list is cut, and long texts are not analysed.
func TestManyParams(t *testing.T) {
	params := object{}
	for i := range 1200 {
		params[fmt.Sprintf("p%04d", i)] = "string, optional"
	}
	r := read(t, with(t, object{"params": params}))
	if n := len(r.Services[0].Capabilities[0].Params); n != 1000 {
		t.Errorf("read %d parameters", n)
	}
	if diff := cmp.Diff([]string{"warning too_many_params /capabilities/0/params"}, codes(r.Diagnostics)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	text := "string, required -- " + strings.Repeat("(", 100<<10)
	r = read(t, with(t, object{"params": object{"q": text}}))
	if p := r.Services[0].Capabilities[0].Params[0]; p.Raw != text || *p.Confidence != 0.2 {
		t.Errorf("got confidence %v and %d bytes", *p.Confidence, len(p.Raw))
	}
}

// Each code has a rule, and a document breaks each rule: in an archive, except for rules that
// depend on the size or the origin of a document.
func TestRulesExplainAllCodes(t *testing.T) {
	params, capabilities := object{}, make([]any, 101)
	for i := range parse.DefaultItems + 1 {
		params[fmt.Sprint("p", i)] = "string, optional"
	}
	for i := range capabilities {
		capabilities[i] = object{}
	}
	large := changed(t, object{"meta": object{"x": strings.Repeat("x", 64<<10)}})
	nowhere, queried := changed(t, nil), changed(t, nil)
	nowhere.URL, nowhere.FinalURL = nil, nil
	queried.FinalURL = formattest.URL(t, "https://shop.example/.well-known/ai?format=json")
	parsetest.Explains(t, aidiscovery.Format(), golden.Text(t), read(t, with(t, object{"params": params})),
		read(t, changed(t, object{"capabilities": capabilities})), read(t, large), read(t, nowhere), read(t, queried))
}
