package openrpc_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/openrpc"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// place is the URL of the documents in the tests.
const place = "https://shop.example/docs/openrpc.json"

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

// asked returns the format with a Parse that reads the answers of endpoints.
func asked() *parse.Format {
	f := openrpc.Format()
	f.Parse = openrpc.Discover
	return f
}

func TestLaws(t *testing.T)         { parsetest.Run(t, formattest.Alone(openrpc.Format()), documents(t)...) }
func TestDiscoverLaws(t *testing.T) { parsetest.Run(t, asked(), documents(t)...) }
func FuzzLaws(f *testing.F)         { parsetest.Fuzz(f, formattest.Alone(openrpc.Format()), documents(f)...) }
func FuzzDiscover(f *testing.F)     { parsetest.Fuzz(f, asked(), documents(f)...) }

// document returns a document as the site of the tests serves it.
func document(t testing.TB, body []byte) *parse.Input { return formattest.Input(t, place, "", body) }

// made returns a valid document with some members.
func made(t testing.TB, members object) *parse.Input {
	sound := object{"openrpc": "1.4.0", "info": object{"title": "T", "version": "1"}, "methods": list{}, "servers": list{object{"url": "/rpc"}}}
	return document(t, formattest.JSON(t, formattest.Edit(sound, members)))
}

// one returns a document with the method "m" and other members.
func one(t testing.TB, method, members object) *parse.Input {
	sound := object{"methods": list{formattest.Edit(object{"name": "m", "params": list{}}, method)}}
	maps.Copy(sound, members)
	return made(t, sound)
}

func read(t testing.TB, in *parse.Input) *parse.Reading {
	t.Helper()
	return formattest.Read(t, openrpc.Format(), in)
}

// first returns the first method of a document.
func first(t testing.TB, in *parse.Input) wayfind.Capability {
	t.Helper()
	return read(t, in).Services[0].Capabilities[0]
}

func codes(list []wayfind.Diagnostic) []string {
	return formattest.Show(list, "{severity} {name} {pointer}")
}

func lines(list []wayfind.Diagnostic) []string {
	return formattest.Show(list, "{severity} {code} {pointer} [{spec}]: {message}")
}

// Each archive in testdata contains documents and, after each, the result of reading it. The
// answers of endpoints have names that begin with "discover".
func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte {
		in, format := document(t, f.Data), openrpc.Format()
		if strings.HasPrefix(f.Name, "discover") {
			format = asked()
		}
		c := format.Match(in)
		claim := strings.TrimSpace(fmt.Sprintf("%d %s", c.Level, c.Dialect))
		r, err := format.Parse(in)
		if err != nil {
			return golden.Object(t, "claim", claim, "error", err.Error())
		}
		var detail *wayfind.Capability
		if c := r.Services[0].Capabilities; len(c) > 0 && c[0].Lazy {
			d, err := format.Detail(in, parse.Subject{Capability: &c[0]})
			if err != nil {
				t.Fatal(err)
			}
			detail = &d.Services[0].Capabilities[0]
		}
		return golden.Object(t, "claim", claim, "dialect", r.Dialect, "version", r.Version, "authority", r.Authority, "unusable", r.Unusable,
			"services", r.Services, "detail", detail, "diagnostics", lines(r.Diagnostics))
	})
}

func TestMatch(t *testing.T) {
	exact := parse.Claim{Level: parse.Exact}
	for body, want := range map[string]parse.Claim{
		`{"openrpc": "1.0.0-rc1", "methods": []}`:                             exact,
		`{"openrpc": "1.4.1", "info": {}}`:                                    exact,
		`{"openrpc": "1.17.0", "info": {}}`:                                   exact,
		`{"openrpc": "2.0.0", "methods": []}`:                                 {Level: parse.Likely},
		`{"openrpc": "1", "methods": []}`:                                     {Level: parse.Likely},
		`{"openrpc": "2.0.0", "info": {}}`:                                    {},
		`{"openrpc": "https://a.example/openrpc.json", "name": "x"}`:          {},
		`{"openrpc": 1.4, "methods": []}`:                                     {},
		`{"methods": []}`:                                                     {},
		`{"openrpc": "1.4.0"}`:                                                {},
		`[{"openrpc": "1.4.0", "methods": []}]`:                               {},
		`{"openrpc": "1.4.0", "methods": [`:                                   {},
		"openrpc: 1.4.0\nmethods: []\n":                                       {},
		`{"jsonrpc": "2.0", "result": {"openrpc": "1.4.0", "methods": []}}`:   {Level: parse.Exact, Dialect: "discover"},
		`{"jsonrpc": "1.0", "result": {"openrpc": "1.4.0", "methods": []}}`:   {},
		`{"jsonrpc": "2.0", "result": {"tools": []}, "id": 1}`:                {},
		`{"jsonrpc": "2.0", "result": [{"openrpc": "1.4.0", "methods": []}]}`: {},
	} {
		if got := openrpc.Format().Match(document(t, []byte(body))); got != want {
			t.Errorf("%s: got %+v, want %+v", body, got, want)
		}
	}
}

// The detail of a method contains the full information of the list.
func TestDetailSubject(t *testing.T) {
	in := made(t, object{"methods": list{
		object{"name": "a", "params": list{}, "summary": "first"}, object{"name": "b", "params": list{object{"name": "p", "schema": true}}}, object{"name": "a", "params": list{}, "summary": "second"},
	}})
	f := openrpc.Format()
	for _, c := range read(t, in).Services[0].Capabilities {
		d, err := f.Detail(in, parse.Subject{Capability: &c})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c, d.Services[0].Capabilities[0]); diff != "" || d.Dialect != parse.DialectDetail {
			t.Errorf("%s, dialect %q (-want +got):\n%s", c.ID, d.Dialect, diff)
		}
	}
	for _, c := range []*wayfind.Capability{{ID: "x"}, {}, nil} {
		if d, err := f.Detail(in, parse.Subject{Capability: c}); err == nil {
			t.Errorf("%+v: got %+v", c, d)
		}
	}
	if d, err := f.Detail(one(t, nil, nil), parse.Subject{}); err != nil || d.Services[0].Capabilities[0].ID != "m" {
		t.Errorf("the only method: %v", err)
	}
	if d, err := f.Detail(made(t, nil), parse.Subject{}); err == nil {
		t.Errorf("no method: got %+v", d)
	}
}
