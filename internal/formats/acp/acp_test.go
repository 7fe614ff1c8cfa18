package acp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/acp"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// object is a JSON object. A nil member removes the member from a valid document.
type object = map[string]any

const place = "https://shop.example" + acp.Path

func documents(t testing.TB) (docs []parsetest.Doc) {
	for _, f := range golden.Inputs(t) {
		docs = append(docs, parsetest.Doc{Name: f.Name, URL: place, MediaType: "application/json", Body: f.Data})
	}
	return docs
}

func TestLaws(t *testing.T) { parsetest.Run(t, acp.Format(), documents(t)...) }

func FuzzLaws(f *testing.F) { parsetest.Fuzz(f, acp.Format(), documents(f)...) }

func document(t testing.TB, body []byte) *parse.Input {
	return formattest.Input(t, place, "application/json", body)
}

// changed returns a valid document with replaced members.
func changed(t testing.TB, replace object) *parse.Reading {
	t.Helper()
	return formattest.Read(t, acp.Format(), document(t, formattest.JSON(t, formattest.Edit(object{
		"protocol":     object{"name": "acp", "version": "2026-01-30", "supported_versions": []any{"2025-09-29", "2026-01-30"}},
		"api_base_url": "https://shop.example/api", "transports": []any{"rest"}, "capabilities": object{"services": []any{"checkout"}},
	}, replace))))
}

func codes(r *parse.Reading) []string {
	return formattest.Show(r.Diagnostics, "{severity} {name} {pointer}")
}

func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte {
		in := document(t, f.Data)
		r := formattest.Read(t, acp.Format(), in)
		return golden.Object(t, "claim", formattest.ShowClaim(acp.Format().Match(in)), "version", r.Version, "unusable", r.Unusable, "services", r.Services,
			"documents", r.Documents, "links", r.Links, "diagnostics", formattest.Show(r.Diagnostics, "{severity} {code} {pointer} [{section}]: {message}"))
	})
}

// Each code in the fixtures has a rule, and a document causes the code of each rule.
func TestRules(t *testing.T) {
	many := make([]any, parse.DefaultItems+1)
	for i := range many {
		many[i] = fmt.Sprintf("s%d", i)
	}
	parsetest.Explains(t, acp.Format(), golden.Text(t), changed(t, object{"capabilities": object{"services": many}}))
}

func TestMatch(t *testing.T) {
	exact := parse.Claim{Level: parse.Exact}
	denied := parse.Claim{Level: parse.Exact, Negative: true}
	for body, want := range map[string]parse.Claim{
		`{"protocol": {"name": "acp"}}`:                            exact,
		`{"protocol": {"name": "Acp", "version": "2026-01-30"}}`:   exact,
		`{"protocol": {"name": "acp", "available": true}}`:         exact,
		`{"protocol": {"name": "acp", "available": false}}`:        denied,
		`{"protocol": {"name": "acp"}, "available": false}`:        denied,
		`{"protocol": {"name": "mcp"}, "api_base_url": "/x"}`:      {},
		`{"protocol": {"name": 7}}`:                                {},
		`{"status": "not_applicable"}`:                             {},
		`{"protocol": "acpx"}`:                                     {},
		`{"name": "registry", "tokens": [{"address": "0x1"}]}`:     {},
		`{"agents": [{"name": "a", "protocol": {"name": "acp"}}]}`: {},
		`{}`: {}, `[]`: {}, "": {}, "<!doctype html>": {}, `"acp"`: {},
	} {
		if got := acp.Format().Match(document(t, []byte(body))); got != want {
			t.Errorf("%s: got %+v, want %+v", body, got, want)
		}
	}
	// In other places content decides in the same way.
	in := formattest.Input(t, "https://shop.example/.well-known/agent.json", "", []byte(`{"protocol": {"name": "acp"}}`))
	if got := acp.Format().Match(in); got != exact {
		t.Errorf("at another place: %+v", got)
	}
}

// Documents with words of the protocol and another shape are detected, with the reason.
func TestDocumentsOfAnotherShapeAreToldApart(t *testing.T) {
	for body, why := range map[string]string{
		`{"protocol": "ACP", "endpoints": {}}`:                                "is a string",
		`{"protocol": "acp-draft-2024-12", "merchant": {}}`:                   "is a string",
		`{"acp_version": "2026-01-30", "api_root": "https://shop.example/x"}`: "acp_version",
		`{"version": "1.0", "endpoints": {"checkout": "/api/checkout"}}`:      "endpoints",
	} {
		got := acp.Format().Match(document(t, []byte(body)))
		if !got.Other || got.Dialect != acp.DialectLookalike || !strings.Contains(got.Why, why) {
			t.Errorf("%s: %+v", body, got)
		}
	}
	in := formattest.Input(t, "https://shop.example/shop.json", "", []byte(`{"version": "1.0", "endpoints": {"checkout": "/api/checkout"}}`))
	if got := acp.Format().Match(in); got != (parse.Claim{}) {
		t.Errorf("common words at another place: %+v", got)
	}
}

// Objects in services are accepted. Their names are the services.
func TestServicesMayBeObjects(t *testing.T) {
	r := changed(t, object{"capabilities": object{"services": []any{object{"name": "checkout", "description": "Sells."}, "orders"}}})
	if diff := cmp.Diff([]string{"checkout", "orders"}, formattest.IDs(r)); diff != "" {
		t.Errorf("services (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"error service_object /capabilities/services/0"}, codes(r)); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}

// Places below api_base_url are not called, not callable and not linked.
func TestNothingBelowTheBaseIsCallableOrLinked(t *testing.T) {
	r := changed(t, object{"capabilities": object{"services": []any{"checkout"}, "extensions": []any{object{"name": "x", "spec": "https://evil.example/s", "schema": "https://evil.example/x.json"}}}})
	if len(r.Links) != 0 || len(r.Documents) != 0 {
		t.Errorf("links %v, documents %v", r.Links, r.Documents)
	}
	for _, c := range r.Services[0].Capabilities {
		if c.Invocation != nil || len(c.DetailURLs) != 0 || c.Lazy || c.Effects != nil || !c.Claimed {
			t.Errorf("%s: %+v", c.ID, c)
		}
	}
	if a := r.Services[0].Auth; a == nil || !a.Unknown || len(a.Schemes) != 0 {
		t.Errorf("auth %+v", a)
	}
}

// The order of supported_versions is ignored. The latest date is the version.
func TestTheLatestDateIsTheVersion(t *testing.T) {
	for _, row := range []struct {
		version   any
		supported []any
		want      string
		codes     []string
	}{
		{"2026-01-30", []any{"2025-09-29", "2026-01-30"}, "2026-01-30", nil},
		{"2026-01-30", []any{"2026-01-30", "2025-09-29"}, "2026-01-30", []string{"error version_order /protocol/supported_versions"}},
		{"2025-09-29", []any{"2026-01-30", "2025-09-29"}, "2026-01-30", []string{"error version_order /protocol/supported_versions", "error latest /protocol/version"}},
		{"2026-04-17", []any{"2025-09-29"}, "2026-04-17", []string{"error latest /protocol/version"}},
		{"1.0", []any{"2025-09-29", "1.0.0"}, "2025-09-29", []string{"error version_date /protocol/supported_versions/1", "error version_date /protocol/version"}},
		{"2026-02-30", []any{"2025-09-29", "2025-09-29"}, "2025-09-29", []string{"error version_order /protocol/supported_versions", "error version_date /protocol/version"}},
	} {
		r := changed(t, object{"protocol": object{"name": "acp", "version": row.version, "supported_versions": row.supported}})
		versions := r.Services[0].Interfaces[0].Versions
		if r.Version != row.want || versions[len(versions)-1] != row.want {
			t.Errorf("%v %v: version %q of %v, want %q", row.version, row.supported, r.Version, versions, row.want)
		}
		if diff := cmp.Diff(row.codes, codes(r)); diff != "" {
			t.Errorf("%v %v (-want +got):\n%s", row.version, row.supported, diff)
		}
	}
}

// A document with another media type is read, and the media type is reported.
func TestMediaTypes(t *testing.T) {
	sound := document(t, formattest.JSON(t, object{
		"protocol":     object{"name": "acp", "version": "2026-01-30", "supported_versions": []any{"2026-01-30"}},
		"api_base_url": "https://shop.example/api", "transports": []any{"rest"}, "capabilities": object{"services": []any{"checkout"}},
	}))
	formattest.MediaTypes(t, acp.Format(), sound, map[string]wayfind.Severity{
		"application/json": "", "text/html": wayfind.SeverityError, "application/octet-stream": wayfind.SeverityError,
	})
}

// These addresses lead nowhere, or some programs read them as a path and others as a host.
func TestHostileAddresses(t *testing.T) {
	for _, text := range append(formattest.HostileReferences(), "javascript:alert(1)", "file:///etc/passwd", "https://u:p@evil.example/", "", "{{BASE}}/api", "https://") {
		r := changed(t, object{"api_base_url": text})
		for _, i := range r.Services[0].Interfaces {
			t.Errorf("%q became %q%q", text, i.URL, i.Template)
		}
		if r.Unusable == "" {
			t.Errorf("%q: usable", text)
		}
	}
}

func TestDrops(t *testing.T) {
	r := changed(t, object{"capabilities": object{"services": []any{7, nil, []any{}, true, "", object{"name": ""}, object{"name": 7}, "checkout", "checkout"}}})
	if diff := cmp.Diff([]string{"checkout"}, formattest.IDs(r)); diff != "" {
		t.Errorf("services (-want +got):\n%s", diff)
	}
}

// hostile returns documents of about n bytes that try to cost more.
func hostile(n int) map[string]string {
	doc := func(protocol, services string) string {
		return `{"protocol":{"name":"acp",` + protocol + `},"api_base_url":"/api","transports":["rest"],"capabilities":{"services":[` + services + `]}}`
	}
	return map[string]string{
		"versions":  doc(`"supported_versions":[`+formattest.Repeat(n/16, `"2026-01-30"`)+`]`, ""),
		"services":  doc(`"version":1`, formattest.Repeat(n/10, `"sN"`)),
		"one name":  doc(`"version":1`, formattest.Repeat(n/10, `"same"`)),
		"objects":   doc(`"version":1`, formattest.Repeat(n/20, `{"name":"sN"}`)),
		"members":   doc(formattest.Repeat(n/10, `"mN":1`), ""),
		"long name": doc(`"version":1`, `"`+strings.Repeat("x", n)+`"`),
	}
}

func TestGrowth(t *testing.T) { formattest.Growth(t, acp.Format(), hostile, place, 20_000, 200_000) }
