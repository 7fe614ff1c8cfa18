package openrpc_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats/openrpc"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// place is where the documents of the tests come from.
const place = "https://shop.example/docs/openrpc.json"

// object is a JSON object, list an array.
type (
	object = map[string]any
	list   = []any
)

// documents are the inputs of all fixtures.
func documents(t testing.TB) []parsetest.Doc {
	t.Helper()
	var docs []parsetest.Doc
	for _, path := range golden.Files(t, "testdata", "*.txtar") {
		for _, f := range txtar.Parse(golden.Read(t, path)).Files {
			if !strings.HasSuffix(f.Name, ".want") {
				docs = append(docs, parsetest.Doc{Name: filepath.Base(path) + "/" + f.Name, URL: place, Body: f.Data})
			}
		}
	}
	return docs
}

// alone is the format with a Detail that reads the first method when there is no
// subject, so that the laws are tried on details too.
func alone() *parse.Format {
	f := openrpc.Format()
	f.Detail = func(in *parse.Input, _ parse.Subject) (*parse.Reading, error) {
		r, err := openrpc.Format().Parse(in)
		if err != nil || len(r.Services[0].Capabilities) == 0 {
			return openrpc.Format().Detail(in, parse.Subject{})
		}
		return openrpc.Format().Detail(in, parse.Subject{Capability: &r.Services[0].Capabilities[0]})
	}
	return f
}

// asked is the format with a Parse that reads what an endpoint answers.
func asked() *parse.Format {
	f := openrpc.Format()
	f.Parse = openrpc.Discover
	return f
}

func TestLaws(t *testing.T)         { parsetest.Run(t, alone(), documents(t)...) }
func TestDiscoverLaws(t *testing.T) { parsetest.Run(t, asked(), documents(t)...) }
func FuzzLaws(f *testing.F)         { parsetest.Fuzz(f, alone(), documents(f)...) }
func FuzzDiscover(f *testing.F)     { parsetest.Fuzz(f, asked(), documents(f)...) }

// document is a document as the site of the tests serves it.
func document(t testing.TB, body []byte) *parse.Input {
	t.Helper()
	u, err := url.Parse(place)
	if err != nil {
		t.Fatal(err)
	}
	return &parse.Input{URL: u, FinalURL: u, Body: body}
}

// made is a sound document with some members.
func made(t testing.TB, members object) *parse.Input {
	t.Helper()
	doc := object{"openrpc": "1.4.0", "info": object{"title": "T", "version": "1"}, "methods": list{}, "servers": list{object{"url": "/rpc"}}}
	for name, value := range members {
		if doc[name] = value; value == nil {
			delete(doc, name)
		}
	}
	body, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return document(t, body)
}

// one is a document with the method "m" and other members.
func one(t testing.TB, method, members object) *parse.Input {
	t.Helper()
	m := object{"name": "m", "params": list{}}
	for name, value := range method {
		if m[name] = value; value == nil {
			delete(m, name)
		}
	}
	all := object{"methods": list{m}}
	maps.Copy(all, members)
	return made(t, all)
}

func read(t testing.TB, in *parse.Input) *parse.Reading {
	t.Helper()
	r, err := openrpc.Format().Parse(in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// first is the first method of a document.
func first(t testing.TB, in *parse.Input) wayfind.Capability {
	t.Helper()
	return read(t, in).Services[0].Capabilities[0]
}

// codes are severity, code without the name of the format, and place.
func codes(diags []wayfind.Diagnostic) []string {
	var list []string
	for _, d := range diags {
		list = append(list, fmt.Sprintf("%s %s %s", d.Severity, strings.TrimPrefix(d.Code, "openrpc."), d.Pointer))
	}
	return list
}

// view is a reading as the fixtures show it.
type view struct {
	Claim       string              `json:"claim,omitempty"`
	Error       string              `json:"error,omitempty"`
	Dialect     string              `json:"dialect,omitempty"`
	Version     string              `json:"version,omitempty"`
	Authority   wayfind.Authority   `json:"authority,omitempty"`
	Unusable    string              `json:"unusable,omitempty"`
	Services    []wayfind.Service   `json:"services,omitempty"`
	Detail      *wayfind.Capability `json:"detail,omitempty"`
	Diagnostics []string            `json:"diagnostics,omitempty"`
}

func lines(diags []wayfind.Diagnostic) []string {
	var list []string
	for _, d := range diags {
		list = append(list, fmt.Sprintf("%s %s %s [%s]: %s", d.Severity, d.Code, d.Pointer, d.Spec, d.Message))
	}
	return list
}

// Each archive in testdata holds documents and, behind each, what is read from
// it. The answers of endpoints have names that begin with "discover".
func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte {
		in := document(t, f.Data)
		claim := openrpc.Format().Match(in)
		v := view{Claim: strings.TrimSpace(fmt.Sprintf("%d %s", claim.Level, claim.Dialect))}
		parsed := openrpc.Format().Parse
		if strings.HasPrefix(f.Name, "discover") {
			parsed = openrpc.Discover
		}
		r, err := parsed(in)
		if err != nil {
			v.Error = err.Error()
			return golden.JSON(t, v)
		}
		v.Dialect, v.Version, v.Authority, v.Unusable, v.Services, v.Diagnostics = r.Dialect, r.Version, r.Authority, r.Unusable, r.Services, lines(r.Diagnostics)
		if c := r.Services[0].Capabilities; len(c) > 0 && c[0].Lazy {
			d, err := openrpc.Format().Detail(in, parse.Subject{Capability: &c[0]})
			if err != nil {
				t.Fatal(err)
			}
			v.Detail = &d.Services[0].Capabilities[0]
		}
		return golden.JSON(t, v)
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

// The detail of a method is what the list says of it in full.
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
