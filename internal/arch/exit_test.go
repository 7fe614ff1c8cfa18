package arch

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// exits are the functions that clean a text, hide secrets in it, or mark it as data.
var exits = map[string][]string{
	"github.com/wayfindhq/wayfind/internal/syntax/text": {"Clean", "CleanJSON"},
	"github.com/wayfindhq/wayfind/internal/syntax/secret": {"Redact", "RedactURL", "Recorded", "Private", "Members",
		"Marked", "FenceOf", "DataFollows"},
}

// mayClean are the places beside the exit (the package internal/syntax/secret) that may call one of them,
// with the reason: they write definitions, which have no credentials of a call and no reader yet, or they
// are the exit of a host's answers. All other texts of strangers leave through Show, ShowJSON, ShowBytes or
// Message, whose purpose decides the steps and their order.
var mayClean = map[string]string{
	"client/mcpserver/marks.go":          "writes all texts of answers to hosts: its places decide the marks",
	"internal/show/humanize/document.go": "definitions: shortens a line of one that is clean",
	"internal/site/describe/holder.go":   "definitions: the description of a scheme in Details",
	"internal/site/offer/":               "definitions: prices in Sites",
	"internal/site/reading/":             "definitions: Sites, with a diagnostic for each character that is removed",
	"security/prompt/":                   "definitions: prompts of Sites, and the search for passages that address a model",
	"security/suffixlist.go":             "definitions: names of suffix lists",
	"security/url.go":                    "definitions: URLs in documents, and in errors about them",
	"internal/syntax/":                   "the packages below the exit",
}

// cleaning returns the selectors of a file that clean, hide or mark.
func cleaning(f *source) (list []*ast.SelectorExpr) {
	for importPath, names := range exits {
		f.selectors(importPath, func(sel *ast.SelectorExpr) {
			if slices.Contains(names, sel.Sel.Name) {
				list = append(list, sel)
			}
		})
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 2 {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Over" {
				list = append(list, sel)
			}
		}
		return true
	})
	return list
}

func TestTextLeavesThroughOneExit(t *testing.T) {
	used := map[string]bool{"internal/syntax/secret/": true}
	for _, p := range load(t) {
		for _, f := range p.production() {
			for _, sel := range cleaning(f) {
				may := strings.HasPrefix(f.path, "internal/syntax/secret/")
				for place := range mayClean {
					if strings.HasPrefix(f.path, place) {
						may, used[place] = true, true
					}
				}
				if !may {
					t.Errorf("%s: %s cleans a text, hides secrets or marks: use secret.Veil.Show, or the functions of marks.go", f.at(sel), sel.Sel.Name)
				}
			}
		}
	}
	for place := range mayClean {
		if !used[place] {
			t.Errorf("%s cleans no text: remove it from the list", place)
		}
	}
}

// TestHostsReadMarkedTexts: a text of a domain reaches a host only as a place of marks.go has it.
func TestHostsReadMarkedTexts(t *testing.T) {
	const sdk = "github.com/modelcontextprotocol/go-sdk/mcp"
	found := 0
	for _, p := range load(t) {
		for _, f := range p.production() {
			if !strings.HasPrefix(f.path, "client/mcpserver/") {
				continue
			}
			f.selectors(sdk, func(sel *ast.SelectorExpr) {
				if name := sel.Sel.Name; name == "TextContent" || name == "EmbeddedResource" {
					found++
					if f.path != "client/mcpserver/marks.go" {
						t.Errorf("%s: %s is made beside marks.go, which marks the texts of domains", f.at(sel), name)
					}
				}
			})
		}
	}
	if found == 0 {
		t.Error("no content is made: the test looks for the wrong names")
	}
}

func TestAnotherExitIsCaught(t *testing.T) {
	p := parseText(t, `package x

import (
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

func f(v secret.Veil, s string) string {
	s, _ = text.Clean(s, true, 0)
	s, _ = secret.Redact("", s)
	_ = text.Printable(s)
	return string(v.Over([]byte(s), "x")) + v.Show(s, secret.Line, 0)
}
`)
	if got := cleaning(p.files[0]); len(got) != 3 {
		t.Errorf("%d calls are caught, want 3", len(got))
	}
}
