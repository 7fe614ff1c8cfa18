package msagents_test

import (
	"bytes"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats/msagents"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// host serves the documents of fixtures and tests.
const host = "https://pirates.example"

// view is a reading as the fixtures show it.
type view struct {
	Claim       string            `json:"claim"`
	Dialect     string            `json:"dialect,omitempty"`
	Version     string            `json:"version,omitempty"`
	Unusable    string            `json:"unusable,omitempty"`
	Error       string            `json:"error,omitempty"`
	Services    []wayfind.Service `json:"services,omitempty"`
	Brief       []string          `json:"brief,omitempty"`
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
		v.Links = append(v.Links, fmt.Sprintf("%s %s %s lazy=%t: %s", l.Format, l.Role, l.Subject, l.Lazy, strings.Join(l.URLs, " | ")))
	}
	v.Diagnostics = lines(r.Diagnostics)
	return v
}

func lines(diags []wayfind.Diagnostic) []string {
	var list []string
	for _, d := range diags {
		list = append(list, fmt.Sprintf("%s %s §%s %s: %s", d.Severity, d.Code, d.Spec.Section, d.Pointer, d.Message))
	}
	return list
}

// codes are code, severity and place of diagnostics.
func codes(diags []wayfind.Diagnostic) []string {
	var list []string
	for _, d := range diags {
		list = append(list, fmt.Sprintf("%s %s %s", d.Severity, d.Code, d.Pointer))
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
	parsetest.Run(t, msagents.Format(), documents(t)...)
}

func FuzzLaws(f *testing.F) {
	parsetest.Fuzz(f, msagents.Format(), documents(f)...)
}

// readFixture makes the expectation of one document: a list, or a document
// about one agent of the lists before it.
func readFixture(t *testing.T, label string, in *parse.Input, known []wayfind.Service) view {
	t.Helper()
	format := msagents.Format()
	claim := format.Match(in)
	if !strings.HasPrefix(label, "detail") {
		r, err := format.Parse(in)
		return show(claim, r, err)
	}
	var subject parse.Subject
	for i := range known {
		c := &known[i].Capabilities[0]
		if in.URL != nil && slices.Contains(c.DetailURLs, in.URL.String()) {
			subject = parse.Subject{Service: &known[i], Capability: c}
		}
	}
	r, err := format.Detail(in, subject)
	return show(claim, r, err)
}

// shorten replaces services by a line for each: its capabilities, where they
// are talked to, and what is kept.
func (v *view) shorten() {
	for _, s := range v.Services {
		var line []string
		for _, c := range s.Capabilities {
			line = append(line, fmt.Sprintf("%s %q", c.Kind, c.ID))
		}
		for _, f := range s.Interfaces {
			line = append(line, f.URL+f.Template)
		}
		for _, m := range slices.Sorted(maps.Keys(s.Extensions)) {
			line = append(line, m+"="+string(s.Extensions[m]))
		}
		v.Brief = append(v.Brief, strings.Join(line, "; "))
	}
	v.Services, v.Links = nil, nil
}

// Each archive in testdata holds documents and, behind each, what is read from
// it. -update rewrites the latter.
func TestFixtures(t *testing.T) {
	known := map[*txtar.Archive][]wayfind.Service{}
	golden.Archives(t, func(t *testing.T, archive *txtar.Archive, f txtar.File) []byte {
		v := readFixture(t, f.Name, served(t, f.Name, f.Data), known[archive])
		known[archive] = append(known[archive], v.Services...)
		if bytes.Contains(archive.Comment, []byte("in brief")) {
			v.shorten()
		}
		return golden.JSON(t, v)
	})
}
