package parse_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/syntax/rawjson"
	"github.com/wayfindhq/wayfind/internal/syntax/schemawriter"
	"github.com/wayfindhq/wayfind/parse"
)

// rule is an error that a format of a test explains.
func rule(code string) parse.Rule {
	return parse.Rule{Code: code, Severity: wayfind.SeverityError, Means: "It is wrong.", Mend: "Mend it."}
}

// draft has schemas that are JSON Schema 2020-12 already.
type draft struct{ *schemawriter.Writer }

func (d *draft) Reference(n parse.Node) parse.Raw {
	ref, _ := n.Get("$ref").Str()
	written, _ := d.Ref(n.Get("$ref"), ref)
	return written
}

func (d *draft) Body(n parse.Node) parse.Raw { return rawjson.Obj(d.Keywords(n, 1)...) }

// brokenEverywhere reports every diagnostic of a Reader, and of the readers of references and
// schemas that use it.
func brokenEverywhere(t *testing.T) *parse.Reader {
	t.Helper()
	r := parse.NewReader(&parse.Format{Name: "x"})
	root := object(t, `{"number": 1, "link": "here", "lower": "get", "header": "Host", "long": "`+strings.Repeat("x", 2100)+`",
		"beside": {"$ref": "#/odd", "title": "x"}, "inner": {"default": {"$ref": "#/odd"}}, "self": {"$ref": "#/self"}, "out": {"$ref": "b.json#/a"}, "nowhere": {"$ref": "#/nowhere/else"}, "odd": {"$ref": "#/number"},
		"wide": {"allOf": [{}`+strings.Repeat(", {}", 10000)+`]},
		"servers": [{"url": "http://a.example/"}, {"url": "https://10.0.0.1/"}, {"url": "https://a.example/?q"}, {"url": "https://a.example/{v}"},
			{"url": "https://a.example/{v}", "variables": {"v": {"default": "x", "enum": ["y"]}}}, {"url": "https://{v}.example/", "variables": {"v": {"default": "a@b"}}},
			{"url": "www.a.example/v1"}],
		"schema": {"type": "strng"}, "endpoints": ["http://a.example/", "https://localhost/", "/a/../b", "a", "/{?a}"]}`)
	r.String(root, "none", parse.Must, "")
	r.String(root, "number", parse.Must, "")
	r.URL(root, "link", nil, parse.Must, "")
	r.Method(root, "link", parse.Must, "")
	r.Method(root, "lower", parse.Must, "")
	r.HeaderName(root, "header", parse.Must, "")
	r.MediaType(&parse.Input{MediaType: "text/plain"}, root, "", "application/json")
	r.Link(root, "long", nil, "")
	refs := &parse.Refs{Reader: r, Root: root}
	for _, name := range []string{"self", "out", "nowhere"} {
		refs.Deref(root.Get(name), "")
	}
	refs.Deref(root.Get("beside"), "")
	for _, name := range []string{"odd", "wide", "inner"} {
		d := new(draft)
		d.Writer = schemawriter.New(refs, new(schemawriter.Budget), d)
		d.Alone(root.Get(name))
	}
	for _, n := range root.Get("endpoints").Items() {
		text, _ := n.Str()
		e, err := parse.ResolveEndpoint(text, mustURL(t, "https://a.example/"))
		if err != nil {
			t.Fatalf("%s: %s", text, err)
		}
		r.CheckEndpoint(n, e, "")
	}
	r.CheckSchema(root.Get("schema"))
	var servers []*parse.Server
	for _, n := range root.Get("servers").Items() {
		text, _ := n.Get("url").Str()
		s := &parse.Server{At: n, Variables: refs.Variables(n)}
		_ = refs.Place(s, text, true) // the reports count
		servers = append(servers, s)
	}
	refs.FirstUsable(root, servers)
	refs.FirstUsable(root, servers[:1])
	for i := range 200 {
		r.String(root, fmt.Sprint("none", i), parse.Must, "")
	}
	return r
}

func TestReaderRulesExplainAllCodes(t *testing.T) {
	var reported, explained []string
	for _, d := range brokenEverywhere(t).Diagnostics() {
		reported = append(reported, strings.TrimPrefix(d.Code, "x."))
	}
	reported = append(reported, "misspelt") // by the reader of all that formats ask for
	slices.Sort(reported)
	for _, rule := range parse.ReaderRules() {
		explained = append(explained, rule.Code)
		for _, text := range []string{rule.Means, rule.Mend} {
			if !strings.HasSuffix(text, ".") || strings.TrimSpace(text) != text || strings.Count(text, "`")%2 != 0 {
				t.Errorf("%s: no sentence: %q", rule.Code, text)
			}
		}
	}
	if diff := cmp.Diff(slices.Compact(reported), explained); diff != "" {
		t.Errorf("codes, in alphabetical order (-reported +explained):\n%s", diff)
	}
}

// The diagnostic about a missing member has an example, chosen by its parent.
func TestExamplesOfMissingMembers(t *testing.T) {
	f := &parse.Format{Name: "x", Examples: map[string]string{"type": `"a"`, "auth.type": `"none"`}}
	root := object(t, `{"auth": {}, "list": [{}], "deep": {"auth": [[{}]]}, "url": 1}`)
	r := parse.NewReader(f)
	r.String(root, "type", parse.Must, "")
	r.String(root.Get("auth"), "type", parse.Should, "")
	r.String(root.Get("list").Index(0), "type", parse.Must, "")
	r.String(root.Get("deep").Get("auth").Index(0).Index(0), "type", parse.Must, "")
	r.String(root, "other", parse.Must, "")
	r.String(root, "url", parse.Must, "")
	var got []string
	for _, d := range r.Diagnostics() {
		got = append(got, f.Example(d))
	}
	want := []string{`"type": "a"`, `"type": "none"`, `"type": "a"`, `"type": "none"`, "", ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("examples (-want +got):\n%s", diff)
	}
	if other := (&parse.Format{Name: "y", Examples: f.Examples}).Example(r.Diagnostics()[0]); other != "" {
		t.Errorf("another format: %s", other)
	}
}

// A rule without an explanation cannot be reported.
func TestRulesWithoutExplanationAreRefused(t *testing.T) {
	for _, r := range []parse.Rule{
		{}, {Code: "a"}, {Code: "a", Means: "It is wrong.", Mend: "Mend it."},
		{Code: "a", Severity: wayfind.SeverityInfo, Mend: "Mend it."}, {Code: "a", Severity: wayfind.SeverityInfo, Means: "It is wrong."},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v was reported", r)
				}
			}()
			parse.NewReader(&parse.Format{Name: "x"}).Report(r, parse.Node{}, "x")
		}()
	}
	defer func() {
		if recover() == nil {
			t.Error("a rule of readers that does not exist was found")
		}
	}()
	parse.ReaderRule("nonsense")
}
