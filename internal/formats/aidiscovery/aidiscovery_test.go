package aidiscovery_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/aidiscovery"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// documents returns the inputs of all fixtures.
func documents(t testing.TB) (docs []parsetest.Doc) {
	for _, f := range golden.Inputs(t) {
		if strings.HasSuffix(f.Name, ".json") {
			docs = append(docs, parsetest.Doc{Name: f.Name, MediaType: "application/json", Body: f.Data})
		}
	}
	return docs
}

func TestLaws(t *testing.T) { parsetest.Run(t, aidiscovery.Format(), documents(t)...) }

func FuzzLaws(f *testing.F) { parsetest.Fuzz(f, aidiscovery.Format(), documents(f)...) }

// document returns a body as shop.example serves it.
func document(t testing.TB, body []byte) *parse.Input {
	return formattest.Input(t, "https://shop.example"+aidiscovery.Path, "", body)
}

type object = map[string]any

// sound returns a document without faults.
func sound() object {
	return object{
		"aiendpoint":   "1.0",
		"service":      object{"name": "Shop", "description": "Sells things.", "language": []any{"en"}},
		"capabilities": []any{capability(nil)},
		"auth":         object{"type": "apikey", "header": "X-API-Key"},
		"token_hints":  object{"compact_mode": false, "field_filtering": false, "delta_support": false},
	}
}

// capability returns a capability without faults, with replaced members. Nil removes a member.
func capability(replace object) object {
	return formattest.Edit(object{"id": "find", "description": "Finds things", "endpoint": "/api/find", "method": "GET"}, replace)
}

// changed returns the valid document with replaced members. Nil removes a member.
func changed(t testing.TB, replace object) *parse.Input {
	return document(t, formattest.JSON(t, formattest.Edit(sound(), replace)))
}

// with returns the valid document with another capability.
func with(t testing.TB, replace object) *parse.Input {
	t.Helper()
	return changed(t, object{"capabilities": []any{capability(replace)}})
}

func read(t testing.TB, in *parse.Input) *parse.Reading {
	t.Helper()
	return formattest.Read(t, aidiscovery.Format(), in)
}

func codes(list []wayfind.Diagnostic) []string {
	return formattest.Show(list, "{severity} {name} {pointer}")
}

func lines(list []wayfind.Diagnostic) []string {
	return formattest.Show(list, "{severity} {code} {section} {pointer}: {message}")
}

func TestSound(t *testing.T) {
	r := read(t, changed(t, nil))
	if r.Unusable != "" || r.Diagnostics != nil || r.Version != "1.0" || r.Dialect != "" {
		t.Errorf("got %+v", r)
	}
}

func TestFormat(t *testing.T) {
	f := aidiscovery.Format()
	if f.Locations[0].Path != "/.well-known/ai" || f.Locations[0].After != "" {
		t.Errorf("§2.1: got %+v", f.Locations[0])
	}
	if f.Locations[1].Path != "/ai" || f.Locations[1].After != "/.well-known/ai" {
		t.Errorf("§4.1: got %+v", f.Locations[1])
	}
	if f.Cache.Default != 24*time.Hour || f.Cache.Negative != 24*time.Hour {
		t.Errorf("§4.2, §4.3: got %+v", f.Cache)
	}
	want := parse.Limits{Bytes: 256 << 10, Items: 100, Redirects: 5}
	if diff := cmp.Diff(want, f.Limits); diff != "" {
		t.Errorf("§2.2, §4.5, §6.5: limits (-want +got):\n%s", diff)
	}
}

func TestMatch(t *testing.T) {
	exact, likely := parse.Claim{Level: parse.Exact}, parse.Claim{Level: parse.Likely}
	wrapped := parse.Claim{Level: parse.Exact, Dialect: aidiscovery.DialectWrapped}
	bare := parse.Claim{Level: parse.Likely, Dialect: aidiscovery.DialectBare}
	none := parse.Claim{}
	for _, c := range []struct {
		body string
		want parse.Claim
	}{
		{`{"aiendpoint": "1.0", "service": {}, "capabilities": []}`, exact},
		{`{"aiendpoint": 1.0, "service": {}, "capabilities": ["a", "b"]}`, exact},
		{`{"aiendpoint": null, "service": {}, "capabilities": {}}`, exact},
		{`{"aiendpoint": "next", "service": {}, "capabilities": []}`, exact},
		{`{"aiendpoint": "1.0", "capabilities": "none"}`, exact},
		{`{"aiendpoint": "v2.1", "service": "Shop"}`, exact},
		{`{"aiendpoint": "1.0"}`, likely},
		{`{"aiendpoint": {"service": {}}}`, wrapped},
		{`{"aiendpoint": {"version": "1.0", "capabilities": []}}`, wrapped},
		{`{"service": {"name": "a"}, "capabilities": [{"id": "a", "endpoint": "/a", "method": "GET"}]}`, bare},
		{`{"service": {"name": "a"}, "capabilities": [{}, {"id": "a", "endpoint": "/a", "methods": ["GET"]}]}`, bare},
		// settings of programs
		{`{"aiendpoint": "https://ai.example/v1", "service": "chat"}`, none},
		{`{"aiendpoint": {"url": "https://ai.example", "apiKey": "x"}}`, none},
		{`{"AIEndpoint": "1.0", "service": {}, "capabilities": []}`, none},
		// policies and profiles that sites publish there
		{`{"name": "a", "url": "https://a.example", "capabilities": ["Pilot Sprint"], "endpoints": [{"path": "/llms.txt"}]}`, none},
		{`{"name": "a", "capabilities": [{"name": "Score", "description": "x", "url": "https://a.example"}], "auth": {"required": false}}`, none},
		{`{"manifest_version": "0.1", "provider": {"name": "a"}, "capabilities": ["urn:agent:a"], "auth": {"schemes": ["none"]}}`, none},
		{`{"policy": "no training", "contact": "a@a.example"}`, none},
		// other formats
		{`{"spec_version": "1.0", "name": "a", "capabilities": [{"name": "a", "detail_url": "/a"}]}`, none},
		{`{"awp_version": "0.1", "service": {"name": "a"}, "actions": [{"id": "a", "endpoint": "/a", "method": "GET"}]}`, none},
		{`[{"aiendpoint": "1.0"}]`, none},
		{`{"aiendpoint": "1.0",`, none},
		{`<!doctype html>`, none},
		{``, none},
	} {
		if got := aidiscovery.Format().Match(document(t, []byte(c.body))); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.body, got, c.want)
		}
	}
}

func TestNoObject(t *testing.T) {
	for _, body := range []string{"", "[]", "null", `{"a": 1, "a": 2}`} {
		if r, err := aidiscovery.Format().Parse(document(t, []byte(body))); err == nil {
			t.Errorf("Parse(%q) = %+v, want an error", body, r)
		}
	}
}

func TestDelivery(t *testing.T) {
	for _, c := range []struct {
		mediaType string
		header    http.Header
		query     string
		padding   int
		want      []string
	}{
		{"application/json", http.Header{}, "", 0, nil},
		{"", nil, "", 0, nil}, // a file
		{"text/plain", nil, "", 0, []string{"error media_type "}},
		{"", http.Header{}, "", 0, []string{"error media_type "}},
		{"", nil, "?format=json", 0, []string{"error location "}},
		{"", nil, "", 64 << 10, []string{"warning size "}},
	} {
		in := changed(t, nil)
		in.MediaType, in.Header = c.mediaType, c.header
		in.FinalURL = formattest.URL(t, in.URL.String()+c.query)
		in.Body = append(in.Body, strings.Repeat(" ", c.padding)...)
		if diff := cmp.Diff(c.want, codes(read(t, in).Diagnostics)); diff != "" {
			t.Errorf("%q %q (-want +got):\n%s", c.mediaType, c.query, diff)
		}
	}
}

// The authority is from the URI of the document, or after a redirect from the place that
// answered. Without a place there is no authority.
func TestAuthority(t *testing.T) {
	in := changed(t, nil)
	in.FinalURL = formattest.URL(t, "https://www.shop.example/docs/ai.json")
	c := read(t, in).Services[0].Capabilities[0]
	if c.Invocation == nil || c.Invocation.URL != "https://www.shop.example/api/find" {
		t.Errorf("after a redirect: got %+v", c.Invocation)
	}
	in = changed(t, nil)
	in.URL, in.FinalURL = nil, nil
	r := read(t, in)
	if c := r.Services[0].Capabilities[0]; c.Invocation != nil || string(c.Extensions["endpoint"]) != `"/api/find"` {
		t.Errorf("without a URL: got %+v", c)
	}
	if diff := cmp.Diff([]string{"info endpoint_relative /capabilities/0/endpoint"}, codes(r.Diagnostics)); diff != "" || r.Unusable != "" {
		t.Errorf("without a URL: unusable %q (-want +got):\n%s", r.Unusable, diff)
	}
}

// Each archive in testdata contains documents, or the params of a capability, which are put
// into a document, and after each the result of reading it. -update rewrites the results.
func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte {
		if strings.HasSuffix(f.Name, ".params") {
			r := read(t, with(t, object{"params": json.RawMessage(f.Data)}))
			return golden.Object(t, "params", r.Services[0].Capabilities[0].Params, "diagnostics", lines(r.Diagnostics))
		}
		in := document(t, f.Data)
		r := read(t, in)
		return golden.Object(t, "claim", formattest.ShowClaim(aidiscovery.Format().Match(in)), "dialect", r.Dialect, "version", r.Version,
			"unusable", r.Unusable, "services", r.Services, "documents", r.Documents, "diagnostics", lines(r.Diagnostics))
	})
}
