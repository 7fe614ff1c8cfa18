package adp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
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

func TestLaws(t *testing.T) { parsetest.Run(t, adp.Format(), documents(t)...) }

func FuzzLaws(f *testing.F) { parsetest.Fuzz(f, adp.Format(), documents(f)...) }

// manifest returns a valid manifest with replaced members. Nil removes a member.
func manifest(t testing.TB, replace map[string]any) *parse.Input {
	return document(formattest.JSON(t, formattest.Edit(map[string]any{
		"spec_version": "1.0", "name": "Postbox", "description": "Sends letters.",
		"base_url": "https://api.postbox.example", "auth": map[string]any{"type": "none"},
		"capabilities": []any{map[string]any{"name": "a", "description": "x", "detail_url": "/a"}},
	}, replace)))
}

// detail returns a valid detail document with replaced members. Nil removes a member.
func detail(t testing.TB, replace map[string]any) *parse.Input {
	return document(formattest.JSON(t, formattest.Edit(map[string]any{
		"name": "a", "description": "x", "endpoint": "https://api.postbox.example/a", "method": "POST",
		"parameters": []any{}, "request_example": map[string]any{}, "response_example": map[string]any{},
	}, replace)))
}

func read(t testing.TB, in *parse.Input) *parse.Reading {
	t.Helper()
	return formattest.Read(t, adp.Format(), in)
}

func describe(t testing.TB, in *parse.Input, subject parse.Subject) (*parse.Reading, *wayfind.Capability) {
	t.Helper()
	r, err := adp.Format().Detail(in, subject)
	if err != nil {
		t.Fatal(err)
	}
	return r, &r.Services[0].Capabilities[0]
}

func codes(list []wayfind.Diagnostic) []string {
	return formattest.Show(list, "{severity} {code} {pointer}")
}

func lines(list []wayfind.Diagnostic) []string {
	return formattest.Show(list, "{severity} {code} {section} {pointer}: {message}")
}

func document(body []byte) *parse.Input { return &parse.Input{Body: body} }

func TestMatch(t *testing.T) {
	exact, likely := parse.Claim{Level: parse.Exact}, parse.Claim{Level: parse.Likely}
	detailed := parse.Claim{Level: parse.Likely, Dialect: parse.DialectDetail}
	for _, c := range []struct {
		body string
		want parse.Claim
	}{
		{`{"spec_version": 1, "base_url": 7, "capabilities": "none"}`, exact},
		{`{"spec_version": "1.0", "capabilities": [{"detail_url": "/a"}]}`, exact},
		{`{"auth": {}, "capabilities": [{}, {"name": "a", "detail_url": "/a"}]}`, exact},
		{`{"capabilities": [{"name": "a", "detail_url": "/a"}]}`, likely},
		{`{"spec_version": "1.0", "base_url": "https://a.example"}`, likely},
		{`{"name": "a", "endpoint": "/a", "method": "GET", "parameters": []}`, detailed},
		{`{"name": "a", "endpoint": ["/a"], "parameters": [], "request_example": {}}`, detailed},
		{`{"v": "aid1", "u": "https://a.example", "p": "mcp"}`, parse.Claim{}},
		{`{"version": "aid2", "uri": "https://a.example", "proto": "mcp"}`, parse.Claim{}},
		{`{"version": "v2", "base_url": "https://a.example", "endpoints": {}}`, parse.Claim{}},
		{`{"spec_version": "1.0", "name": "a", "skills": []}`, parse.Claim{}},
		{`{"name": "a", "endpoint": "/a", "description": "x"}`, parse.Claim{}},
		{`{"jsonrpc": "2.0", "method": "agent.discover", "params": {}}`, parse.Claim{}},
		{`{"Spec_Version": "1.0", "Base_URL": "https://a.example", "auth": {}}`, parse.Claim{}},
		{`[{"spec_version": "1.0"}]`, parse.Claim{}},
		{`{"spec_version": "1.0",`, parse.Claim{}},
		{`<!doctype html>`, parse.Claim{}},
		{``, parse.Claim{}},
	} {
		if got := adp.Format().Match(document([]byte(c.body))); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.body, got, c.want)
		}
	}
}

func TestNoObject(t *testing.T) {
	for _, body := range []string{"", "[]", "null", `{"a": 1, "a": 2}`} {
		if r, err := adp.Format().Parse(document([]byte(body))); err == nil {
			t.Errorf("Parse(%q) = %+v, want an error", body, r)
		}
		if r, err := adp.Format().Detail(document([]byte(body)), parse.Subject{}); err == nil {
			t.Errorf("Detail(%q) = %+v, want an error", body, r)
		}
	}
}

func TestMediaType(t *testing.T) {
	formattest.MediaTypes(t, adp.Format(), manifest(t, nil), map[string]wayfind.Severity{"application/json": "", "text/plain": "error", "": "error"})
}

// The version is a number, or is unknown.
func TestUnknownVersionsAndNumbersAreRead(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
		codes []string
	}{
		{json.Number("1.0"), "1.0", []string{"error adp.wrong_type /spec_version"}},
		{"9.9", "9.9", []string{"error adp.version /spec_version"}},
		{"", "", []string{"error adp.version /spec_version"}},
		{nil, "", []string{"error adp.missing "}},
		{true, "", []string{"error adp.wrong_type /spec_version"}},
	} {
		r := read(t, manifest(t, map[string]any{"spec_version": c.value}))
		if r.Version != c.want || r.Unusable != "" {
			t.Errorf("%v: version %q, unusable %q; want %q and usable", c.value, r.Version, r.Unusable, c.want)
		}
		if diff := cmp.Diff(c.codes, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", c.value, diff)
		}
	}
}

func TestDescriptionLength(t *testing.T) {
	for length, want := range map[int][]string{
		9:   {"error adp.description_length /description"},
		10:  nil,
		200: nil,
		201: {"error adp.description_length /description"},
	} {
		text := strings.Repeat("é", length)
		r := read(t, manifest(t, map[string]any{"description": text}))
		if r.Services[0].Description != text {
			t.Errorf("%d characters: the description was cut", length)
		}
		if diff := cmp.Diff(want, codes(r.Diagnostics)); diff != "" {
			t.Errorf("%d characters (-want +got):\n%s", length, diff)
		}
	}
}

// A manifest without a base is resolved with its own origin.
func TestBaseFromDocument(t *testing.T) {
	in := manifest(t, map[string]any{"base_url": nil})
	in.FinalURL = formattest.URL(t, "https://postbox.example/.well-known/agent?x")
	r := read(t, in)
	if diff := cmp.Diff([]string{"https://postbox.example/a"}, r.Services[0].Capabilities[0].DetailURLs); diff != "" {
		t.Errorf("detail URLs (-want +got):\n%s", diff)
	}
	if len(r.Services[0].Interfaces) != 0 {
		t.Errorf("an interface was invented: %+v", r.Services[0].Interfaces)
	}
	want := []string{"error adp.missing ", "info adp.base_from_document "}
	if diff := cmp.Diff(want, codes(r.Diagnostics)); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}

// Each code has a rule, and a document breaks each rule: in an archive, except for rules that
// depend on the size or the origin of a document.
func TestRulesExplainAllCodes(t *testing.T) {
	many := make([]any, parse.DefaultItems+1)
	for i := range many {
		many[i] = map[string]any{}
	}
	baseless := manifest(t, map[string]any{"base_url": nil})
	baseless.FinalURL = formattest.URL(t, "https://postbox.example"+adp.Path)
	parsetest.Explains(t, adp.Format(), golden.Text(t), read(t, manifest(t, map[string]any{"capabilities": many})), read(t, baseless))
}
