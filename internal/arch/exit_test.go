package arch

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// exits are the functions that clean a text or hide secrets in it.
var exits = map[string][]string{
	"github.com/wayfindhq/wayfind/internal/syntax/text":   {"Clean", "CleanJSON"},
	"github.com/wayfindhq/wayfind/internal/syntax/secret": {"Redact", "RedactURL", "Recorded", "Field", "Body", "Form", "Members"},
}

// mayClean are the places beside secret.Veil.Show that may clean a text or hide secrets in it, with the
// reason. Text of strangers leaves through Show, because the order of the two matters.
var mayClean = map[string]string{
	"client/call/audit.go":               "removes values under names of secrets, in arguments that Show has cleaned",
	"client/call/veil.go":                "data for programs, which are not cleaned",
	"client/record":                      "recordings keep the bytes of a site, without secrets",
	"client/searchhits.go":               "diagnostics of ours with a URL of a registry in them",
	"client/mcpserver/consent.go":        "names of domains, as the options have them",
	"client/mcpserver/domains.go":        "names of domains, as the model has written them",
	"cmd/wayfind/internal/bulk/batch.go": "a line of the person's own list, in a record",
	"cmd/wayfind/internal/ui/failure.go": "arguments of the person, in errors",
	"internal/act/callresult/show.go":    "shortens an answer between cleaning and hiding; its body lost the credentials before",
	"internal/show/humanize/document.go": "writes definitions for people",
	"internal/show/inspect/harread.go":   "a HAR file of another program: its bytes, without secrets",
	"internal/show/inspect/messages.go":  "stored answers: their bytes, without secrets",
	"internal/show/inspect/waterfall.go": "a URL of a request, without secrets",
	"internal/site/describe/":            "writes Details, to which no credential of a call belongs",
	"internal/site/discover/":            "writes Sites, to which no credential of a call belongs, and messages for the page: their bytes, without secrets",
	"internal/site/offer/":               "writes prices in Sites",
	"internal/site/reading/":             "writes Sites, to which no credential of a call belongs",
	"resolve/target.go":                  "the target of the caller",
	"security/prompt/":                   "writes prompts of definitions",
	"security/suffixlist.go":             "names of suffix lists",
	"security/url.go":                    "URLs in errors",
	"internal/syntax/":                   "the packages below the exit",
}

// cleaning returns the selectors of a file that clean or hide.
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
					t.Errorf("%s: %s cleans a text or hides secrets: use secret.Veil.Show", f.at(sel), sel.Sel.Name)
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
