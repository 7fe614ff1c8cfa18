package parse_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/parse"
)

// rule is an error that a format of a test explains.
func rule(code string) parse.Rule {
	return parse.Rule{Code: code, Severity: wayfind.SeverityError, Means: "It is wrong.", Mend: "Mend it."}
}

// brokenEverywhere reports everything that the methods of a Reader report, and
// of those who read references and schemas with it.
func brokenEverywhere(t *testing.T) *parse.Reader {
	t.Helper()
	r := parse.NewReader(&parse.Format{Name: "x"})
	root := object(t, `{"number": 1, "link": "here", "lower": "get", "header": "Host", "long": "`+strings.Repeat("x", 2100)+`",
		"beside": {"$ref": "#/odd", "title": "x"}, "inner": {"default": {"$ref": "#/odd"}}, "self": {"$ref": "#/self"}, "out": {"$ref": "b.json#/a"}, "nowhere": {"$ref": "#/nowhere/else"}, "odd": {"$ref": "#/number"},
		"wide": {"allOf": [{}`+strings.Repeat(", {}", 1000)+`]},
		"endpoints": ["http://a.example/", "https://localhost/", "/a/../b", "a", "/{?a}"]}`)
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
		newDraft(refs, new(parse.SchemaBudget)).Alone(root.Get(name))
	}
	for _, n := range root.Get("endpoints").Items() {
		text, _ := n.Str()
		e, why := parse.ResolveEndpoint(text, mustURL(t, "https://a.example/"))
		if why != "" {
			t.Fatalf("%s: %s", text, why)
		}
		r.CheckEndpoint(n, e, "")
	}
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
