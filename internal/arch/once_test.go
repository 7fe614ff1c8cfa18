package arch

import (
	"go/ast"
	"testing"
)

// onceMade returns functions that make a table from their arguments. With constants it is
// always the same table, so a package makes it once.
func onceMade() map[string][]string {
	return map[string][]string{
		"strings": {"NewReplacer"},
		"regexp":  {"MustCompile", "MustCompilePOSIX", "Compile", "CompilePOSIX"},
	}
}

// madeAgain returns the calls within the functions of a file that make the same table each
// time.
func madeAgain(f *source) (list []*ast.CallExpr) {
	tables := make(map[*ast.SelectorExpr]bool)
	for importPath, names := range onceMade() {
		f.selectors(importPath, func(sel *ast.SelectorExpr) {
			for _, name := range names {
				tables[sel] = tables[sel] || sel.Sel.Name == name
			}
		})
	}
	for _, decl := range f.ast.Decls {
		if _, ok := decl.(*ast.FuncDecl); !ok {
			continue
		}
		ast.Inspect(decl, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && tables[sel] && constant(call.Args) {
				list = append(list, call)
			}
			return true
		})
	}
	return list
}

// constant reports whether all arguments are literals.
func constant(args []ast.Expr) bool {
	for _, a := range args {
		if _, ok := a.(*ast.BasicLit); !ok {
			return false
		}
	}
	return true
}

func TestTablesOfConstantsAreMadeOnce(t *testing.T) {
	for _, p := range load(t) {
		for _, f := range p.production() {
			for _, call := range madeAgain(f) {
				t.Errorf("%s: the same table at each call: make it a variable of the package", f.at(call))
			}
		}
	}
}

func TestTablesMadeAtEachCallAreCaught(t *testing.T) {
	p := parseText(t, `package x

import (
	"regexp"
	s "strings"
)

var once = s.NewReplacer("a", "b")

func f(pairs []string, name string) {
	_ = s.NewReplacer("a", "b").Replace(name)
	_ = regexp.MustCompile("x")
	_ = s.NewReplacer(pairs...)
	_ = s.NewReplacer("a", name)
	_ = x.NewReplacer("a", "b")
	_ = func() any { return s.NewReplacer("c", "d") }
}
`)
	if got := madeAgain(p.files[0]); len(got) != 3 {
		t.Errorf("%d calls were caught, want 3: %v", len(got), got)
	}
}
