package openapi_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/openapi"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// place is the URL of the documents in the tests.
const place = "https://shop.example/docs/openapi.json"

// object is a JSON object, list an array.
type (
	object = map[string]any
	list   = []any
)

// documents returns the inputs of all fixtures.
func documents(t testing.TB) (docs []parsetest.Doc) {
	for _, f := range golden.Inputs(t) {
		docs = append(docs, parsetest.Doc{Name: f.Name, URL: place, Body: f.Data})
	}
	return docs
}

func TestLaws(t *testing.T) { parsetest.Run(t, formattest.Alone(openapi.Format()), documents(t)...) }

func FuzzLaws(f *testing.F) { parsetest.Fuzz(f, formattest.Alone(openapi.Format()), documents(f)...) }

// document returns a document as the site of the tests serves it.
func document(t testing.TB, body []byte) *parse.Input { return formattest.Input(t, place, "", body) }

// made returns a document with some members.
func made(t testing.TB, members object) *parse.Input {
	sound := object{"openapi": "3.1.0", "info": object{"title": "T", "version": "1"}}
	return document(t, formattest.JSON(t, formattest.Edit(sound, members)))
}

// one returns a document with one operation, POST /things, and other members.
func one(t testing.TB, op, members object) *parse.Input {
	t.Helper()
	all := object{"paths": object{"/things": object{"post": op}}}
	maps.Copy(all, members)
	return made(t, all)
}

func read(t testing.TB, in *parse.Input) *parse.Reading {
	t.Helper()
	return formattest.Read(t, openapi.Format(), in)
}

// detailOf reads the first operation of a document in full.
func detailOf(t testing.TB, in *parse.Input) (*parse.Reading, *wayfind.Capability) {
	t.Helper()
	r := read(t, in)
	d, err := openapi.Format().Detail(in, parse.Subject{Capability: &r.Services[0].Capabilities[0]})
	if err != nil {
		t.Fatal(err)
	}
	return d, &d.Services[0].Capabilities[0]
}

func codes(list []wayfind.Diagnostic) []string {
	return formattest.Show(list, "{severity} {name} {pointer}")
}

func lines(list []wayfind.Diagnostic) []string {
	return formattest.Show(list, "{severity} {code} {pointer} [{spec}]: {message}")
}

// Each archive in testdata contains documents and, after each, the result of reading it: the
// list, or each operation in full.
func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte {
		in := document(t, f.Data)
		claim := openapi.Format().Match(in)
		r := read(t, in)
		services, details, told := r.Services, []wayfind.Capability(nil), lines(r.Diagnostics)
		if strings.Contains(f.Name, ".detail.") {
			services = nil
			for i := range r.Services[0].Capabilities {
				d, err := openapi.Format().Detail(in, parse.Subject{Capability: &r.Services[0].Capabilities[i]})
				if err != nil {
					t.Fatal(err)
				}
				details = append(details, d.Services[0].Capabilities...)
				told = append(told, lines(d.Diagnostics)...)
			}
		}
		return golden.Object(t, "claim", fmt.Sprintf("%d %s", claim.Level, claim.Dialect), "version", r.Version, "unusable", r.Unusable,
			"services", services, "details", details, "diagnostics", told)
	})
}

func TestMatch(t *testing.T) {
	exact := func(dialect string) parse.Claim { return parse.Claim{Level: parse.Exact, Dialect: dialect} }
	likely := parse.Claim{Level: parse.Likely}
	for body, want := range map[string]parse.Claim{
		`{"swagger": "2.0", "paths": {}}`:                            exact("2.0"),
		`{"swagger": 2.0, "info": {}}`:                               exact("2.0"),
		`{"openapi": "3.0.3", "paths": {}}`:                          exact("3.0"),
		`{"openapi": "3.1.0", "webhooks": {}}`:                       exact("3.1"),
		`{"openapi": "3.2.0", "components": {}}`:                     exact("3.2"),
		`{"openapi": "3.9.1", "paths": {}}`:                          exact("3.2"),
		"openapi: 3.0.0\ninfo:\n  title: T\npaths: {}\n":             exact("3.0"),
		"# c\n---\nswagger: 2.0\npaths: {}\n":                        exact("2.0"),
		"info: {title: T}\n'openapi': \"3.1.0\"\npaths: {}\n":        exact("3.1"),
		`{"openapi": "4.0.0", "paths": {}}`:                          likely,
		`{"paths": {"/a": {"get": {}}}}`:                             likely,
		"paths:\n  /a:\n    get: {}\n":                               likely,
		"openapi: 3.0.0\npaths: [\n":                                 likely,
		"{openapi: 3.1.0, paths: {}}":                                {Level: parse.Exact, Dialect: openapi.Dialect31},
		"# c\n%YAML 1.2\n---\n{swagger: '2.0', paths: {}}":           {Level: parse.Exact, Dialect: openapi.Dialect20},
		"  openapi: 3.1.0\n  paths: {}\n":                            {Level: parse.Exact, Dialect: openapi.Dialect31},
		"x:\n  openapi: 3.1.0\n  paths: {}\n":                        {},
		"{openapi: 3.1.0, paths: [":                                  likely,
		"{type: string}":                                             {},
		`{"openapi": "https://a.example/openapi.json", "paths": []}`: {},
		`{"openapi": "3.0.0"}`:                                       {},
		`{"openapi": {"version": "3.0.0"}, "info": {}}`:              {},
		`{"paths": {"@/*": ["./src/*"]}}`:                            {},
		`{"paths": {}}`:                                              {},
		"# Title\n\nText\n\nopenapi: 3.0.0\npaths: {}\n":             {},
		"paths: [\n":                      {},
		"- openapi: 3.0.0\n":              {},
		"<!doctype html>\nopenapi: 3.0.0": {},
		"":                                {},
		`{"openapi": "3.0.0", "paths": {`: {},
		"Notes: x\n```yaml\nopenapi: https://a.example/x.yaml\n```\n": likely,
	} {
		if got := openapi.Format().Match(document(t, []byte(body))); got != want {
			t.Errorf("%q: got %+v, want %+v", body, got, want)
		}
	}
}

// Detail finds the requested operation, or reports that it does not exist.
func TestDetailSubject(t *testing.T) {
	in := made(t, object{"paths": object{
		"/a": object{"get": object{"operationId": "x", "summary": "first"}, "post": object{}},
		"/b": object{"get": object{"operationId": "x", "summary": "second"}},
	}})
	f := openapi.Format()
	for _, c := range read(t, in).Services[0].Capabilities {
		d, err := f.Detail(in, parse.Subject{Capability: &c})
		if err != nil {
			t.Fatal(err)
		}
		got := d.Services[0].Capabilities[0]
		if diff := cmp.Diff([]any{c.ID, c.Title, c.Sources, c.Invocation}, []any{got.ID, got.Title, got.Sources, got.Invocation}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.ID, diff)
		}
	}
	for _, c := range []*wayfind.Capability{{ID: "y"}, {}, nil} {
		if d, err := f.Detail(in, parse.Subject{Capability: c}); err == nil {
			t.Errorf("%+v: got %+v", c, d)
		}
	}
	if d, err := f.Detail(one(t, object{}, nil), parse.Subject{}); err != nil || d.Services[0].Capabilities[0].ID != "POST /things" {
		t.Errorf("the only operation: %v", err)
	}
}

// The detail does not repeat values that merging may have made stricter.
func TestDetailKeepsTheSitesWord(t *testing.T) {
	in := one(t, object{"security": list{}}, nil)
	known := &wayfind.Capability{ID: "POST /things", Auth: &wayfind.Auth{Unknown: true}, Effects: &wayfind.Effects{}}
	d, err := openapi.Format().Detail(in, parse.Subject{Capability: known})
	if err != nil {
		t.Fatal(err)
	}
	if c := d.Services[0].Capabilities[0]; c.Auth != nil || c.Effects != nil {
		t.Errorf("got %+v and %+v", c.Auth, c.Effects)
	}
	if _, c := detailOf(t, one(t, object{}, nil)); c.Effects != nil {
		t.Errorf("got %+v", c.Effects)
	}
	if d, err := openapi.Format().Detail(in, parse.Subject{}); err != nil || d.Services[0].Capabilities[0].Auth == nil || d.Services[0].Capabilities[0].Effects == nil {
		t.Errorf("without a subject: %+v, %v", d, err)
	}
}
