package mcp_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/mcp"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// host serves the documents of fixtures and tests.
const host = "https://shop.example"

func show(t *testing.T, claim parse.Claim, r *parse.Reading, err error) []byte {
	t.Helper()
	if err != nil {
		return golden.Object(t, "claim", formattest.ShowClaim(claim), "error", err.Error())
	}
	var links []string
	for _, l := range r.Links {
		links = append(links, fmt.Sprintf("%s %s %q: %s", l.Format, l.Role, l.Subject, strings.Join(l.URLs, " | ")))
	}
	return golden.Object(t, "claim", formattest.ShowClaim(claim), "dialect", r.Dialect, "version", r.Version, "unusable", r.Unusable,
		"services", r.Services, "links", links, "diagnostics", formattest.Show(r.Diagnostics, "{severity} {code} §{section} {pointer}: {message}"))
}

func codes(list []wayfind.Diagnostic) []string {
	return formattest.Show(list, "{severity} {name} {pointer}")
}

// served returns the document for the name of a fixture: "label:/path;media/type".
func served(t testing.TB, fixture string, body []byte) *parse.Input {
	return formattest.Served(t, host, fixture, body)
}

// at returns a document that is served at a path.
func at(t testing.TB, path, body string) *parse.Input { return served(t, ":"+path, []byte(body)) }

func read(t testing.TB, in *parse.Input) *parse.Reading {
	t.Helper()
	return formattest.Read(t, mcp.Format(), in)
}

// documents returns the inputs of all fixtures.
func documents(t testing.TB) (docs []parsetest.Doc) {
	for _, f := range golden.Inputs(t) {
		docs = append(docs, parsetest.DocOf(f.Name, served(t, f.Name, f.Data)))
	}
	return docs
}

func TestLaws(t *testing.T) { parsetest.Run(t, mcp.Format(), documents(t)...) }

func FuzzLaws(f *testing.F) { parsetest.Fuzz(f, mcp.Format(), documents(f)...) }

// Each archive in testdata contains documents and, after each, the result of reading it.
// -update rewrites the results.
func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte {
		in, format := served(t, f.Name, f.Data), mcp.Format()
		r, err := format.Parse(in)
		return show(t, format.Match(in), r, err)
	})
}

// Each code is explained. A fixture, or a document that would be too long for a fixture, causes
// each explained code.
func TestRulesExplainTheCodes(t *testing.T) {
	tools := `{"tools": ` + many(`{"name": "a", "inputSchema": {"type": "object"}}`, 1001) + `}`
	parsetest.Explains(t, mcp.Format(), golden.Text(t), read(t, at(t, mcp.PathJSON, tools)))
}

// many returns an array with n copies of a value.
func many(value string, n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(value+",", n), ",") + "]"
}
