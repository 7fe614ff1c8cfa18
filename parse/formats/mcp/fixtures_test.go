package mcp_test

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats/mcp"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// host serves the documents of fixtures and tests.
const host = "https://shop.example"

// view is a reading as the fixtures show it.
type view struct {
	Claim       string            `json:"claim"`
	Dialect     string            `json:"dialect,omitempty"`
	Version     string            `json:"version,omitempty"`
	Unusable    string            `json:"unusable,omitempty"`
	Error       string            `json:"error,omitempty"`
	Services    []wayfind.Service `json:"services,omitempty"`
	Links       []string          `json:"links,omitempty"`
	Diagnostics []string          `json:"diagnostics,omitempty"`
}

func show(claim parse.Claim, r *parse.Reading, err error) view {
	v := view{Claim: strings.TrimSpace([]string{"none", "likely", "exact"}[claim.Level] + " " + claim.Dialect)}
	if claim.Negative {
		v.Claim += " negative"
	}
	if err != nil {
		v.Error = err.Error()
		return v
	}
	v.Dialect, v.Version, v.Unusable, v.Services = r.Dialect, r.Version, r.Unusable, r.Services
	for _, l := range r.Links {
		v.Links = append(v.Links, fmt.Sprintf("%s %s %q: %s", l.Format, l.Role, l.Subject, strings.Join(l.URLs, " | ")))
	}
	for _, d := range r.Diagnostics {
		v.Diagnostics = append(v.Diagnostics, fmt.Sprintf("%s %s §%s %s: %s", d.Severity, d.Code, d.Spec.Section, d.Pointer, d.Message))
	}
	return v
}

// codes are severity, code and place of diagnostics.
func codes(diags []wayfind.Diagnostic) []string {
	var list []string
	for _, d := range diags {
		list = append(list, fmt.Sprintf("%s %s %s", d.Severity, strings.TrimPrefix(d.Code, "mcp."), d.Pointer))
	}
	return list
}

// served is a document as the fixtures name it: "label:/path;media/type".
func served(t testing.TB, fixture string, body []byte) *parse.Input {
	t.Helper()
	_, path, _ := strings.Cut(fixture, ":")
	path, mediaType, _ := strings.Cut(path, ";")
	if mediaType == "" {
		mediaType = "application/json"
	}
	in := &parse.Input{MediaType: mediaType, Body: body}
	if path != "" {
		u, err := url.Parse(host + path)
		if err != nil {
			t.Fatal(err)
		}
		in.URL, in.FinalURL = u, u
	}
	return in
}

// at is a document served at a path.
func at(t testing.TB, path, body string) *parse.Input {
	t.Helper()
	return served(t, ":"+path, []byte(body))
}

func read(t testing.TB, in *parse.Input) *parse.Reading {
	t.Helper()
	r, err := mcp.Format().Parse(in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// documents are the inputs of all fixtures.
func documents(t testing.TB) []parsetest.Doc {
	t.Helper()
	var docs []parsetest.Doc
	for _, path := range golden.Files(t, "testdata", "*.txtar") {
		for _, f := range txtar.Parse(golden.Read(t, path)).Files {
			if strings.HasSuffix(f.Name, ".want") {
				continue
			}
			in := served(t, f.Name, f.Data)
			doc := parsetest.Doc{Name: filepath.Base(path) + "/" + f.Name, MediaType: in.MediaType, Body: f.Data}
			if in.URL != nil {
				doc.URL = in.URL.String()
			}
			docs = append(docs, doc)
		}
	}
	return docs
}

func TestLaws(t *testing.T) {
	parsetest.Run(t, mcp.Format(), documents(t)...)
}

func FuzzLaws(f *testing.F) {
	parsetest.Fuzz(f, mcp.Format(), documents(f)...)
}

// Each archive in testdata holds documents and, behind each, what is read from
// it. -update rewrites the latter.
func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte {
		in, format := served(t, f.Name, f.Data), mcp.Format()
		r, err := format.Parse(in)
		return golden.JSON(t, show(format.Match(in), r, err))
	})
}
