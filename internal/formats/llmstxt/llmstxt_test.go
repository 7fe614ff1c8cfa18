package llmstxt_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/formats/llmstxt"
	"github.com/wayfindhq/wayfind/internal/lab/formattest"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/parsetest"
)

const site = "https://shop.example/docs/llms.txt"

// documents returns the inputs of all fixtures.
func documents(t testing.TB) (docs []parsetest.Doc) {
	for _, f := range golden.Inputs(t) {
		if strings.HasSuffix(f.Name, ".txt") {
			docs = append(docs, parsetest.Doc{Name: f.Name, URL: site, MediaType: "text/plain", Body: f.Data})
		}
	}
	return docs
}

func TestLaws(t *testing.T) { parsetest.Run(t, llmstxt.Format(), documents(t)...) }

func FuzzLaws(f *testing.F) { parsetest.Fuzz(f, llmstxt.Format(), documents(f)...) }

func served(t testing.TB, body string) *parse.Input {
	return formattest.Input(t, site, "text/plain", []byte(body))
}

func read(t testing.TB, body string) *parse.Reading {
	t.Helper()
	return formattest.Read(t, llmstxt.Format(), served(t, body))
}

func codes(r *parse.Reading) []string {
	return formattest.Show(r.Diagnostics, "{severity} {code} {line}")
}

// urls returns the URLs of the documents in a reading.
func urls(r *parse.Reading) []string {
	var list []string
	for _, d := range r.Documents {
		list = append(list, d.URL)
	}
	return list
}

func TestMatch(t *testing.T) {
	none, likely, exact := parse.Claim{}, parse.Claim{Level: parse.Likely}, parse.Claim{Level: parse.Exact}
	const links = "- [a](/a)\n- [b](/b)\n"
	for _, c := range []struct {
		why, body   string
		here, there parse.Claim // at /docs/llms.txt, and at a place of another format
	}{
		{"title, summary, list", "# T\n> S\n## A\n" + links, exact, exact},
		{"other bullets, emphasis", "# T\n> S\n## A\n* **[a](/a)**\n+ [b](/b)\n", exact, exact},
		{"no summary", "# T\n## A\n" + links, exact, likely},
		{"half of the items are links", "# T\n> S\n## A\n" + links + "- c\n- d\n", exact, exact},
		{"fewer are", "# T\n> S\n## A\n" + links + "- c\n- d\n- e\n", exact, none},
		{"no summary, and not all are links", "# T\n## A\n" + links + "- c\n", exact, none},
		{"a list, but no section", "# T\n" + links, exact, none},
		{"no title", "## A\n" + links, likely, none},
		{"a list alone", links, likely, none},
		{"a title alone", "# T\n", likely, none},
		{"a title and text", "# T\nText with [a](/a).\n", likely, none},
		{"byte order mark, CRLF", "\ufeff# T\r\n> S\r\n## A\r\n- [a](/a)\r\n", exact, exact},
		{"front matter", "---\nname: a\n---\n# T\n> S\n## A\n" + links, exact, none},
		{"agents.md", "# T\n> S\n## Can\n" + links, exact, none},
		{"agents.md with a gateway", "# T\n> S\n## A\n" + links + "## MCP\nendpoint: /mcp\n", exact, none},
		{"text", "Not found\n", none, none},
		{"a web page", "<!doctype html>\n\n# T\n> S\n## A\n" + links, none, none},
		{"JSON", `{"a": "\n# T\n> S\n## A\n- [a](/a)"}`, none, none},
		{"not UTF-8", "# T\xff\n> S\n## A\n" + links, none, none},
		{"cut", "# T\n> S\n## A\n" + links + strings.Repeat("a\n", 128<<10), exact, exact},
		{"URLs", "https://a.example/a\nhttps://a.example/b\n", likely, none},
		{"items of URLs, with names", "- A: https://a.example/a\n- https://a.example/b\n", likely, none},
		{"half are URLs", "A\n\nhttps://a.example/a\n", likely, none},
		{"fewer are", "A\n\nhttps://a.example/a\n\nB\n", none, none},
		{"a URL in a sentence", "See https://a.example/a\n", none, none},
		{"nothing", "", none, none},
	} {
		for _, at := range []struct {
			url  string
			want parse.Claim
		}{{"", c.there}, {"https://shop.example/agents.md", c.there}, {"https://shop.example/llms.txt", c.here}, {site, c.here}} {
			in := &parse.Input{Body: []byte(c.body)}
			if at.url != "" {
				u, err := url.Parse(at.url)
				if err != nil {
					t.Fatal(err)
				}
				in.URL, in.FinalURL = u, u
			}
			if diff := cmp.Diff(at.want, llmstxt.Format().Match(in)); diff != "" {
				t.Errorf("%s, at %q (-want +got):\n%s", c.why, at.url, diff)
			}
		}
	}
}

// A web page, and a body that is not text, are errors.
func TestRefused(t *testing.T) {
	for body, want := range map[string]wayfind.Code{
		"<html>\n\n# T\n": wayfind.CodeHTML,
		"# T\xff":         wayfind.CodeInvalidUTF8,
	} {
		_, err := llmstxt.Format().Parse(served(t, body))
		if e, ok := errors.AsType[*wayfind.Error](err); !ok || e.Code != want {
			t.Errorf("%.20q: %v, want %s", body, err, want)
		}
	}
	for _, body := range []string{"", "text\n", "#\n", "> quote\n", "![a](/a)\n"} {
		if r := read(t, body); r.Unusable == "" {
			t.Errorf("%q is usable: %+v", body, r)
		}
	}
}

// The format never describes how to call something.
func TestNoCapabilities(t *testing.T) {
	for _, doc := range documents(t) {
		r := read(t, string(doc.Body))
		if len(r.Services) != 1 || r.Services[0].Capabilities != nil || r.Services[0].Interfaces != nil || r.Authority != wayfind.AuthorityProse {
			t.Errorf("%s: %+v", doc.Name, r)
		}
	}
}

// These are the links of a text, as written.
func TestLinks(t *testing.T) {
	for text, want := range map[string][]string{
		"[a](https://x.example/a_(b)_c)":                            {"https://x.example/a_(b)_c"},
		"[a](https://x.example/a_((b))_c) d)":                       {"https://x.example/a_((b))_c"},
		"[a](<https://x.example/a)b>)":                              {"https://x.example/a)b"},
		`[a](https://x.example/a "a title")`:                        {"https://x.example/a"},
		"[a]( https://x.example/a 'a' )":                            {"https://x.example/a"},
		"[a](/b?c=d#e)":                                             {"https://shop.example/b?c=d#e"},
		"[a](b/../c)":                                               {"https://shop.example/docs/c"},
		"[a](#b) [c](?d)":                                           {"https://shop.example/docs/llms.txt?d"},
		"[a [b] c](/d)":                                             {"https://shop.example/d"},
		"[[a](/b)](/c)":                                             {"https://shop.example/b"},
		`[a \] b](/c) \[d](/e)`:                                     {"https://shop.example/c"},
		"[![a](/b.png)](/c) ![d](/e.png)":                           {"https://shop.example/c"},
		"[`a](/b)`](/c)":                                            {"https://shop.example/c"},
		"`[a](/b)` ``[c](/d) ` e`` [f](/g)":                         {"https://shop.example/g"},
		"`` [a](/b)":                                                {"https://shop.example/b"},
		"[https://x.example/a](https://x.example/b)":                {"https://x.example/b"},
		"`a ``` [b](/c) ` [d](/e)":                                  {"https://shop.example/e"},
		"[a](/((((b)))))":                                           {"https://shop.example/((((b))))"},
		"[a](/(((((b))))))":                                         nil,
		"[a] (/b) [c][1] [d]":                                       nil,
		"[a](/b c)":                                                 nil,
		"[a](/b":                                                    nil,
		"a](/b)":                                                    nil,
		"see https://x.example/a, https://x.example/b.":             {"https://x.example/a", "https://x.example/b"},
		"(see https://x.example/a_(b))":                             {"https://x.example/a_(b)"},
		"<https://x.example/a> **http://x.example/b**":              {"https://x.example/a", "http://x.example/b"},
		"见https://x.example/a，然后":                                   {"https://x.example/a"},
		"网址：https://x.example/ü":                                    {"https://x.example/ü"},
		"xhttps://x.example https:// https:x http":                  nil,
		"https://x.example/{id} https://x.example/[slug].md":        nil,
		"`https://x.example/page` `/a` `GET /openapi.json`":         nil,
		"`https://x.example/openapi.yaml` `/.well-known/mcp`":       {"https://x.example/openapi.yaml", "https://shop.example/.well-known/mcp"},
		"[a](javascript:alert(1)) [b](data:text/html,x)":            nil,
		"[a](//evil.example/) [b](https://u:p@x.example/)":          nil,
		"[a](mailto:a@b.example) [b](tel:+1) [c](ftp://x.example/)": nil,
		"[a](/\\evil.example)":                                      nil,
	} {
		if diff := cmp.Diff(want, urls(read(t, "# T\n"+text+"\n"))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// Links that lead nowhere are reported. Links within the file and links to people are not
// faults.
func TestBadLinks(t *testing.T) {
	for link, want := range map[string][]string{
		"javascript:alert(1)":    {"warning llmstxt.bad_link 3"},
		"//evil.example/":        {"warning llmstxt.bad_link 3"},
		"https://u:p@x.example/": {"warning llmstxt.bad_link 3"},
		"ftp://x.example/":       {"warning llmstxt.bad_link 3"},
		"https:///x":             {"warning llmstxt.bad_link 3"},
		"/%zz":                   {"warning llmstxt.bad_link 3"},
		"":                       {"warning llmstxt.bad_link 3"},
		"mailto:a@b.example":     {"info llmstxt.no_page 3"},
		"tel:+1":                 {"info llmstxt.no_page 3"},
		"#a":                     nil,
	} {
		r := read(t, "# T\n> S\n- [a]("+link+")\n")
		if diff := cmp.Diff(want, codes(r)); diff != "" || r.Documents != nil {
			t.Errorf("%s: documents %v (-want +got):\n%s", link, r.Documents, diff)
		}
	}
	r, err := llmstxt.Format().Parse(&parse.Input{Body: []byte("# T\n> S\n- [a](/b)\n- [c](https://x.example/)\n")})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"warning llmstxt.bad_link 3"}, codes(r)); diff != "" || len(r.Documents) != 1 {
		t.Errorf("without a base: documents %v (-want +got):\n%s", r.Documents, diff)
	}
}

// Links to documents of other formats are followed: the first ten, in order, with the format
// that the name of the file indicates, if there is one.
func TestHints(t *testing.T) {
	for u, want := range map[string]string{
		"/openapi.json": "openapi", "/a/OpenAPI.yaml?v=1": "openapi", "https://other.example/swagger.yml": "openapi",
		"/.well-known/agent-card.json": "a2a", "/agent.json": "", "/.well-known/ai-plugin.json": "aiplugin", "/mcp.json": "mcp",
		"/.well-known/mcp/server-card.json": "mcp", "/openrpc.json": "openrpc", "/agents.json": "", "/.well-known/api-catalog": "",
	} {
		r := read(t, "# T\n> S\n## A\n- [a]("+u+")\n")
		if len(r.Links) != 1 || r.Links[0].Format != want || r.Links[0].Role != "document" || r.Links[0].URLs[0] != r.Documents[0].URL {
			t.Errorf("%s: links %+v", u, r.Links)
		}
	}
	for _, u := range []string{"/a", "/my-openapi.json", "/openapi.json.html", "/.well-known/security.txt", "/a/.well-known/x", "/mcp", "/SKILL.md"} {
		if r := read(t, "# T\n> S\n## A\n- [a]("+u+")\n"); r.Links != nil || len(r.Documents) != 1 {
			t.Errorf("%s: links %+v", u, r.Links)
		}
	}
	var many strings.Builder
	for i := range 12 {
		fmt.Fprintf(&many, "- [a](/%d/openapi.json)\n", i)
	}
	r := read(t, "# T\n> S\n## A\n"+many.String())
	if len(r.Links) != 10 || r.Links[9].URLs[0] != "https://shop.example/9/openapi.json" || len(r.Documents) != 12 ||
		!slices.Contains(codes(r), "info llmstxt.more_hints 0") {
		t.Errorf("%d links, %d documents, %v", len(r.Links), len(r.Documents), codes(r))
	}
}

// Lists are limited, and a cut is reported.
func TestBounds(t *testing.T) {
	var many strings.Builder
	for i := range parse.DefaultItems + 2 {
		fmt.Fprintf(&many, "- [a](/%d)\n", i)
	}
	r := read(t, "# T\n> S\n## A\n"+many.String())
	if len(r.Documents) != parse.DefaultItems {
		t.Errorf("%d documents", len(r.Documents))
	}
	if diff := cmp.Diff([]string{"warning llmstxt.truncated 0"}, codes(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r = read(t, "# T\n> S\n"+strings.Repeat("## A\ntext "+strings.Repeat("x", 1000)+"\n", 50))
	if n := len(r.Services[0].Extensions["sections"]); n < 30<<10 || n > 40<<10 || !slices.Contains(codes(r), "info llmstxt.prose_cut 0") {
		t.Errorf("%d bytes kept, %v", n, codes(r))
	}
}

// This is the case about llms.txt in own_agentsmd_structure.json.
func TestStructure(t *testing.T) {
	var file struct {
		Cases []struct {
			Name string          `json:"name"`
			In   json.RawMessage `json:"in"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(golden.Read(t, golden.Vectors(t, "naughty", "own_agentsmd_structure.json")), &file); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, c := range file.Cases {
		var body string
		if !strings.HasPrefix(c.Name, "llms") || json.Unmarshal(c.In, &body) != nil {
			continue
		}
		ran++
		r := read(t, body)
		if diff := cmp.Diff([]string{"error llmstxt.no_title 0", "warning llmstxt.bad_link 1", "error llmstxt.nothing_said 0"}, codes(r)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.Name, diff)
		}
	}
	if ran != 1 {
		t.Errorf("%d cases, expected 1", ran)
	}
}

// Each archive in testdata contains files and, after each, the result of reading it as a file
// of shop.example. -update rewrites the results.
func TestFixtures(t *testing.T) {
	golden.Archives(t, func(t *testing.T, _ *txtar.Archive, f txtar.File) []byte {
		body := strings.NewReplacer(`\ufeff`, "\ufeff", `\r`, "\r").Replace(string(f.Data))
		r := read(t, body)
		var documents, links []string
		for _, d := range r.Documents {
			optional := map[bool]string{true: ", optional"}[d.Optional]
			documents = append(documents, fmt.Sprintf("line %d: %s: %s %q in %q%s: %q", d.Sources[0].Line, d.Rel, d.URL, d.Title, d.Section, optional, d.Description))
		}
		for _, l := range r.Links {
			links = append(links, strings.TrimSpace(l.Role+" "+l.URLs[0]+" "+l.Format))
		}
		return golden.Object(t, "claim", formattest.ShowClaim(llmstxt.Format().Match(&parse.Input{Body: []byte(body)})), "authority", r.Authority,
			"unusable", r.Unusable, "services", r.Services, "documents", documents, "links", links,
			"diagnostics", formattest.Show(r.Diagnostics, "{severity} {code} {section} line {line}: {message}"))
	})
}

// Each code is explained. A fixture, or a document that would be too long for a fixture, causes
// each explained code.
func TestRulesExplainTheCodes(t *testing.T) {
	var links strings.Builder
	for i := range parse.DefaultItems + 1 {
		fmt.Fprintf(&links, "- [a](/%d)\n", i)
	}
	long := read(t, "# T\n## A\n"+links.String()+"## B\n"+strings.Repeat("text ", 10_000))
	parsetest.Explains(t, llmstxt.Format(), golden.Text(t), long)
}
