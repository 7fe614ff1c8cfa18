package agentsmd_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/agentsmd"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

// home is the URL of the documents in the tests.
const home = "https://shop.example/.well-known/agents.md"

// documents returns the inputs of all fixtures.
func documents(t testing.TB) (docs []parsetest.Doc) {
	for _, f := range golden.Inputs(t) {
		if strings.HasSuffix(f.Name, ".md") {
			docs = append(docs, parsetest.Doc{Name: f.Name, URL: home, MediaType: "text/markdown", Body: f.Data})
		}
	}
	return docs
}

func TestLaws(t *testing.T) { parsetest.Run(t, agentsmd.Format(), documents(t)...) }

func FuzzLaws(f *testing.F) { parsetest.Fuzz(f, agentsmd.Format(), documents(f)...) }

// FuzzFrontMatter checks the laws with front matter and with an MCP section.
func FuzzFrontMatter(f *testing.F) {
	for _, text := range []string{
		"version: 1.0\nmcp:\n  endpoint: /mcp\n  auth: no\n", "mcp:\nendpoint: https://shop.example/mcp", "mcp: &a {endpoint: x}", "mcp: [a]", "- endpoint: x",
		"mcp:\nendpoint: https://shop%80.example/mcp",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, body := range []string{"---\n" + text + "\n---\n## Can\n- a\n", "# T\n## MCP\n" + text, "## MCP\n```yaml\n" + text + "\n```\n"} {
			for _, problem := range parsetest.Check(agentsmd.Format(), parsetest.Doc{Body: []byte(body)}) {
				t.Error(problem)
			}
		}
	})
}

func document(body string) *parse.Input { return &parse.Input{Body: []byte(body)} }

func read(t testing.TB, body string) *parse.Reading {
	t.Helper()
	return formattest.Read(t, agentsmd.Format(), document(body))
}

func codes(list []wayfind.Diagnostic) []string {
	return formattest.Show(list, "{severity} {code} {line}")
}

// endpoints returns the URLs of the interfaces in a reading.
func endpoints(r *parse.Reading) []string {
	var list []string
	for _, f := range r.Services[0].Interfaces {
		list = append(list, f.URL+f.Template)
	}
	return list
}

func TestMatch(t *testing.T) {
	exact, likely := parse.Claim{Level: parse.Exact}, parse.Claim{Level: parse.Likely}
	coding := parse.Claim{Other: true, Dialect: agentsmd.DialectCoding}
	for _, c := range []struct {
		body string
		want parse.Claim
	}{
		{"# T\n## Can\n- a\n", exact},
		{"## CANNOT:\n1. a\n", exact},
		{"## **Can**\n* a\n", exact},
		{"---\nmcp:\n  endpoint: /mcp\n---\n", exact},
		{"---\nmcp:\nendpoint: /mcp\n---\n", exact},
		{"\ufeff---\r\nmcp: {transport: sse}\r\n---\r\n", exact},
		{"## mcp\nendpoint: /mcp\n", exact},
		{"## MCP\n```yaml\nendpoint: /mcp\n```\n", exact},
		{"# AGENTS.md\nWork on this repository.\n## MCP\nendpoint: /mcp\n", exact},
		{"## Can\n", likely},
		{"## Behaviour\n- slowly\n", likely},
		{"## MCP\nendpoint: [\n", likely},
		{"---\nmcp: &a {endpoint: /mcp}\n---\n", likely},
		{"---\nmcp:\n---\n", likely},
		{"# AGENTS.md\nWork on this repository.\n## Can\n- run tests\n", likely},
		{"# AGENTS.md\nWork on this repository.\n## Testing\n`go test ./...`\n", coding},
		{"# AGENTS.md\nWork on this repository.\n## Behavior\n- commit often\n", coding},
		{"# Setup\n```sh\nnpm install\n```\n# Code style\nTabs.\n", coding},
		{"# Library\n## Testing\nSee [tests](/tests).\n## Deployment\nAnywhere.\n", parse.Claim{}},
		{"# Site\n## Capabilities\n- a\n## Contact\na@b.example\n", parse.Claim{}},
		{"# Can\n- a\n", parse.Claim{}},
		{"### Can\n- a\n", parse.Claim{}},
		{"Can\n---\n- a\n", parse.Claim{}},
		{"## Behavior\nIt behaves.\n", parse.Claim{}},
		{"## MCP\nWe have a server at https://shop.example/mcp.\n", parse.Claim{}},
		{"---\nversion: \"1.0\"\n---\n# T\n", parse.Claim{}},
		{"---\nendpoint: /mcp\n---\n# T\n", parse.Claim{}},
		{"<!doctype html><html><body>\n\n## Can\n- a\n", parse.Claim{}},
		{`{"a": "\n## Can\n- a\n"}`, parse.Claim{}},
		{`"## Can"`, parse.Claim{}},
		{"## Can\n- a\xff\n", parse.Claim{}},
		{"", parse.Claim{}},
	} {
		if got := agentsmd.Format().Match(document(c.body)); got != c.want {
			t.Errorf("%q: got %+v, want %+v", c.body, got, c.want)
		}
	}
}

func TestUnusable(t *testing.T) {
	for _, body := range []string{"", "## Can\n", "## Can\nprose\n", "## MCP\nendpoint: //x\n", "---\nmcp:\n---\n"} {
		if r := read(t, body); r.Unusable == "" || r.Diagnostics == nil {
			t.Errorf("%q: usable, %v", body, codes(r.Diagnostics))
		}
	}
	for body, want := range map[string]wayfind.Code{
		"\xff": wayfind.CodeInvalidUTF8, "<!doctype html>": wayfind.CodeHTML, strings.Repeat("x", 300<<10): wayfind.CodeLimit,
		"---\na: &b c\n---\n## Can\n- a": wayfind.CodeYAMLForbidden,
	} {
		r, err := agentsmd.Format().Parse(document(body))
		if got := codeOf(err); got != want || r != nil {
			t.Errorf("%.40q: %v, %v", body, r, err)
		}
	}
}

func TestMediaType(t *testing.T) {
	formattest.MediaTypes(t, agentsmd.Format(), document("# T\n## Can\n- a\n"), map[string]wayfind.Severity{"text/markdown": "", "text/plain": "", "application/octet-stream": "error"})
}

// The ID of a statement is derived from its words.
func TestSlugs(t *testing.T) {
	long := strings.Repeat("a long statement ", 20)
	for text, want := range map[string]string{
		"Search the catalog":             "search-the-catalog",
		"Get *forecasts* (up to 7 days)": "get-forecasts-up-to-7-days",
		"Place orders (authenticated)":   "place-orders",
		"[x] Pay":                        "pay",
		"Größe wählen, ＡＢ":               "größe-wählen-ａｂ",
		"搜索商品":                           "搜索商品",
		"🛒":                              "00922290",
		long:                             "a-long-statement-a-long-statement-a-long-statement-a-lo-ed090c6c",
	} {
		if got := formattest.IDs(read(t, "## Can\n- "+text+"\n")); len(got) != 1 || got[0] != want || len(got[0]) > 64 {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// codeOf returns the code of an error, or "" for another error.
func codeOf(err error) wayfind.Code {
	if e, ok := errors.AsType[*wayfind.Error](err); ok {
		return e.Code
	}
	return ""
}

// Each archive in testdata contains documents and, after each, the result of reading it as a
// file of shop.example. -update rewrites the results.
func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte {
		in := formattest.Input(t, home, "text/markdown", f.Data)
		claim := formattest.ShowClaim(agentsmd.Format().Match(in))
		r, err := agentsmd.Format().Parse(in)
		if err != nil {
			return golden.Object(t, "claim", claim, "error", err.Error())
		}
		return golden.Object(t, "claim", claim, "version", r.Version, "authority", r.Authority, "unusable", r.Unusable, "services", r.Services,
			"policies", r.Policies, "diagnostics", formattest.Show(r.Diagnostics, "{severity} {code} {section} line {line}: {message}"))
	})
}

// Each code is explained. A fixture, or a document that would be too long for a fixture, causes
// each explained code.
func TestRulesExplainTheCodes(t *testing.T) {
	parsetest.Explains(t, agentsmd.Format(), golden.Text(t), read(t, "## Can\n"+numbered(parse.DefaultItems+1)))
}
