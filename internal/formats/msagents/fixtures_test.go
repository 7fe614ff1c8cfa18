package msagents_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/msagents"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// host serves the documents of fixtures and tests.
const host = "https://pirates.example"

// show returns a reading in the form of the fixtures, in brief or with all information about
// its services.
func show(t *testing.T, claim parse.Claim, r *parse.Reading, err error, inBrief bool) []byte {
	t.Helper()
	if err != nil {
		return golden.Object(t, "claim", formattest.ShowClaim(claim), "error", err.Error())
	}
	var links []string
	for _, l := range r.Links {
		links = append(links, fmt.Sprintf("%s %s %s lazy=%t: %s", l.Format, l.Role, l.Subject, l.Lazy, strings.Join(l.URLs, " | ")))
	}
	services, short := r.Services, []string(nil)
	if inBrief {
		services, links, short = nil, nil, brief(services)
	}
	return golden.Object(t, "claim", formattest.ShowClaim(claim), "dialect", r.Dialect, "version", r.Version, "unusable", r.Unusable,
		"services", services, "brief", short, "links", links, "diagnostics", lines(r.Diagnostics))
}

// brief returns a line for each service: its capabilities, its interfaces, and the members that
// are kept.
func brief(services []wayfind.Service) (list []string) {
	for _, s := range services {
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
		list = append(list, strings.Join(line, "; "))
	}
	return list
}

func lines(list []wayfind.Diagnostic) []string {
	return formattest.Show(list, "{severity} {code} §{section} {pointer}: {message}")
}

func codes(list []wayfind.Diagnostic) []string {
	return formattest.Show(list, "{severity} {code} {pointer}")
}

// served returns the document for the name of a fixture: "label:/path;media/type".
func served(t testing.TB, fixture string, body []byte) *parse.Input {
	return formattest.Served(t, host, fixture, body)
}

// at returns a document that is served at a path.
func at(t testing.TB, path, body string) *parse.Input { return served(t, ":"+path, []byte(body)) }

// documents returns the inputs of all fixtures.
func documents(t testing.TB) (docs []parsetest.Doc) {
	for _, f := range golden.Inputs(t) {
		docs = append(docs, parsetest.DocOf(f.Name, served(t, f.Name, f.Data)))
	}
	return docs
}

func TestLaws(t *testing.T) { parsetest.Run(t, msagents.Format(), documents(t)...) }

func FuzzLaws(f *testing.F) { parsetest.Fuzz(f, msagents.Format(), documents(f)...) }

// readFixture reads one document: a list, or a document about one agent in the lists before it.
func readFixture(label string, in *parse.Input, known []wayfind.Service) (*parse.Reading, error) {
	if !strings.HasPrefix(label, "detail") {
		return msagents.Format().Parse(in)
	}
	var subject parse.Subject
	for i := range known {
		c := &known[i].Capabilities[0]
		if in.URL != nil && slices.Contains(c.DetailURLs, in.URL.String()) {
			subject = parse.Subject{Service: &known[i], Capability: c}
		}
	}
	return msagents.Format().Detail(in, subject)
}

// Each archive in testdata contains documents and, after each, the result of reading it.
// -update rewrites the results.
func TestFixtures(t *testing.T) {
	known := map[*txtar.Archive][]wayfind.Service{}
	golden.Archives(t, func(t *testing.T, archive *txtar.Archive, f txtar.File) []byte {
		in := served(t, f.Name, f.Data)
		r, err := readFixture(f.Name, in, known[archive])
		if err == nil {
			known[archive] = append(known[archive], r.Services...)
		}
		return show(t, msagents.Format().Match(in), r, err, bytes.Contains(archive.Comment, []byte("in brief")))
	})
}

// Each code is explained. A fixture, or a document that would be too long for a fixture, causes
// each explained code.
func TestRulesExplainTheCodes(t *testing.T) {
	long := read(t, list(t, map[string]any{"name": "a", "tools": make([]string, parse.DefaultItems)}))
	parsetest.Explains(t, msagents.Format(), golden.Text(t), long)
}
