package arch

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// effectReaders are the files that may read a statement about what a call does, with the reason. All
// others read package effect: a second reader of the facts would forget one of them.
var effectReaders = map[string]string{
	"internal/site/effect/":                "the derivation",
	"internal/site/offer/":                 "reads prices for it",
	"internal/site/merge/":                 "merges the statements of several documents",
	"internal/site/reading/":               "writes the statements",
	"internal/formats/":                    "writes the statements",
	"internal/syntax/paramspec/effects.go": "writes the defaults of methods",
	"internal/syntax/facts/table.go":       "shows the statements as such",
	"internal/show/humanize/humanize.go":   "shows the statements as such",
	"internal/show/sitecheck/pay.go":       "judges the statements as such",
	"internal/show/inspect/detail.go":      "shows the statements as such",
	"cmd/wayfind/internal/show/detail.go":  "shows the offers as such",
	"cmd/wayfind/internal/check/ask.go":    "gives the statements to check",
	"security/prompt/site.go":              "shows the statements as such",
	"resolve/diff/":                        "compares the statements",
}

// effectFacts are the fields that only those files may read.
var effectFacts = []string{"Destructive", "Reversible", "Sensitivity", "NeedsConfirmation", "Offers"}

// effectRead returns the selectors of a file that read such a fact.
func effectRead(f *source) (list []*ast.SelectorExpr) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		inner, within := sel.X.(*ast.SelectorExpr)
		chain := within && inner.Sel.Name == "Effects" && slices.Contains([]string{"ReadOnly", "Idempotent"}, sel.Sel.Name)
		if chain || slices.Contains(effectFacts, sel.Sel.Name) {
			list = append(list, sel)
		}
		return true
	})
	return list
}

func TestEffectsAreDerivedInOnePlace(t *testing.T) {
	used := map[string]bool{}
	for _, p := range load(t) {
		for _, f := range p.production() {
			for _, sel := range effectRead(f) {
				may := false
				for place := range effectReaders {
					if strings.HasPrefix(f.path, place) {
						may, used[place] = true, true
					}
				}
				if !may && !slices.Contains(ownMeanings, lastName(sel.X)+"."+sel.Sel.Name) {
					t.Errorf("%s: .%s is a fact about what a call does: read internal/site/effect", f.at(sel), sel.Sel.Name)
				}
			}
		}
	}
	for place := range effectReaders {
		if !used[place] {
			t.Errorf("%s reads no such fact: remove it from the list", place)
		}
	}
}

// lastName returns the last name of an expression.
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// ownMeanings are fields with such a name that mean something else.
var ownMeanings = []string{"verdict.Offers", "does.Destructive", "Program.Offers"}

func TestAReaderOfEffectsIsCaught(t *testing.T) {
	p := parseText(t, `package x

func f(c *C) bool { return c.Effects.ReadOnly || c.Effects.NeedsConfirmation || len(c.Offers) > 0 || c.Effects.Async != nil }
`)
	if got := effectRead(p.files[0]); len(got) != 3 {
		t.Errorf("%d readers are caught, want 3", len(got))
	}
}
