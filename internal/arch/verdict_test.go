package arch

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// ownKinds returns the files that give an error another kind than the kind of its code, each
// with the reason.
func ownKinds() map[string]string {
	return map[string]string{
		"client/tools/unread.go":             "the kind of a document that was not read is that of its verdict",
		"client/actors/actors.go":            "a caller who leaves: no fact about the site",
		"client/actors/call.go":              "a caller who leaves: no fact about the site",
		"client/actors/reply.go":             "a status has a verdict, which has a kind",
		"client/client.go":                   "failures that have no code",
		"internal/site/describe/describe.go": "the verdict's kind counts",
		"internal/site/discover/http.go":     "a request that Offline refuses is refused, not unreachable",
		"client/livemcp/errors.go":           "what an endpoint says breaks its protocol",
		"client/livemcp/meter.go":            "401 and 403 have no code of their own",
		"client/liverpc/liverpc.go":          "401, 403 and 429 have no code of their own",
		"client/purge.go":                    "a store that cannot forget has no code of its own",
		"client/parseurl.go":                 "a URL that is refused as a link is invalid as a target",
		"internal/site/discover/engine.go":   "a closed Client has no code",
		"internal/web/fetch/errors.go":       "failAs says when",
		"internal/site/discover/robots.go":   "a robots.txt that is throttled has no code, as no place that is throttled has",
		"internal/site/merge/failure.go":     "the verdict's kind counts",
		"resolve/target.go":                  "an error of another program",
		"security/guard.go":                  "a name that is invalid as a target is refused by a dialer; options without a code are invalid",
		"security/url.go":                    "a name that is invalid as a target is refused as a link",
	}
}

const (
	rootImport = golden.Module
	// maxVerdicts is the maximum number of verdicts that a function may name. A function with
	// more verdicts repeats the table.
	maxVerdicts = 4
)

// TestErrorsHaveOneMaker checks that only one table contains the kinds of codes: no error is
// made by hand, and no kind is set afterwards.
func TestErrorsHaveOneMaker(t *testing.T) {
	byHand, kinded := map[string]bool{}, map[string]bool{}
	for _, p := range load(t) {
		if p.dir == "." {
			continue
		}
		for _, f := range p.production() {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CompositeLit:
					byHand[f.path] = byHand[f.path] || isRoot(f, n.Type, "Error")
				case *ast.AssignStmt:
					byHand[f.path] = byHand[f.path] || setsKind(f, n)
				case *ast.CallExpr:
					if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "WithKind" {
						kinded[f.path] = true
					}
				}
				return true
			})
		}
	}
	for path, is := range byHand {
		if is {
			t.Errorf("%s: makes errors by hand; wayfind.NewError knows the kind", path)
		}
	}
	for path := range kinded {
		if ownKinds()[path] == "" {
			t.Errorf("%s: gives an error a kind of its own, and is not in the list with a reason", path)
		}
	}
	for path := range ownKinds() {
		if !kinded[path] {
			t.Errorf("%s: is in the list of kinds of their own, and has none", path)
		}
	}
}

// isRoot reports whether an expression is a name of the root package.
func isRoot(f *source, e ast.Expr, name string) bool {
	local := f.localName(rootImport)
	return e != nil && local != "" && types.ExprString(e) == local+"."+name
}

// setsKind reports whether a statement is like e.Kind = wayfind.ErrInvalid.
func setsKind(f *source, n *ast.AssignStmt) bool {
	to := func(e ast.Expr) bool {
		sel, ok := e.(*ast.SelectorExpr)
		return ok && sel.Sel.Name == "Kind"
	}
	from := func(e ast.Expr) bool {
		local := f.localName(rootImport)
		return local != "" && strings.HasPrefix(types.ExprString(e), local+".Err")
	}
	return slices.ContainsFunc(n.Lhs, to) && slices.ContainsFunc(n.Rhs, from)
}

// TestVerdictsHaveOneTable checks that all properties of verdicts are in the table, so that a
// new verdict is not forgotten anywhere.
func TestVerdictsHaveOneTable(t *testing.T) {
	for _, p := range load(t) {
		if p.dir == "." || p.dir == "internal/site/verdict" {
			continue
		}
		for _, f := range p.production() {
			local := f.localName(rootImport)
			for _, d := range f.ast.Decls {
				var named []string
				ast.Inspect(d, func(n ast.Node) bool {
					sel, ok := n.(*ast.SelectorExpr)
					if ok && local != "" && strings.HasPrefix(types.ExprString(sel), local+".Verdict") && !slices.Contains(named, sel.Sel.Name) &&
						sel.Sel.Name != "Verdict" && sel.Sel.Name != "Verdicts" {
						named = append(named, sel.Sel.Name)
					}
					return true
				})
				if len(named) > maxVerdicts {
					t.Errorf("%s: names %d verdicts; internal/site/verdict has the table", f.at(d), len(named))
				}
			}
		}
	}
}

// TestLocatedReadingsAreMadeInOnePlace checks that readings with a type for clean and located
// readings went through both steps. Tests of Merge may make readings by hand.
func TestLocatedReadingsAreMadeInOnePlace(t *testing.T) {
	for _, p := range load(t) {
		for _, f := range p.production() {
			f.selectors(golden.Module+"/internal/site/reading", func(sel *ast.SelectorExpr) {
				if sel.Sel.Name == "Made" {
					t.Errorf("%s: reading.Made is for tests", f.at(sel))
				}
			})
		}
	}
}

// TestMergeIsTheLastWord checks that a Site is complete when Merge returns it. A copy for one
// caller (own) may differ.
func TestMergeIsTheLastWord(t *testing.T) {
	for _, p := range load(t) {
		if p.dir != "client" && p.dir != "internal/site/discover" && p.dir != "internal/site/describe" {
			continue
		}
		for _, f := range p.production() {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				if assign, ok := n.(*ast.AssignStmt); ok {
					for _, to := range assign.Lhs {
						if expr := types.ExprString(to); strings.HasPrefix(expr, "site.") || strings.Contains(expr, ".site.") {
							t.Errorf("%s: %s is changed after Merge", f.at(assign), expr)
						}
					}
				}
				return true
			})
		}
	}
}
