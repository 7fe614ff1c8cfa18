package arch

import (
	"go/ast"
	"go/token"
	"testing"
)

// formatAt returns the index of the format among the arguments of functions of fmt.
func formatAt() map[string]int {
	return map[string]int{"Printf": 0, "Sprintf": 0, "Errorf": 0, "Fprintf": 1, "Appendf": 1}
}

// TestFormatsAreConstant checks that the text of a document is never a format. go vet (printf)
// checks calls without arguments, and functions that pass a format on. This test checks calls
// of fmt with arguments.
func TestFormatsAreConstant(t *testing.T) {
	calls := 0
	for _, p := range load(t) {
		constants := constantsOf(p)
		for _, f := range p.production() {
			for _, d := range f.ast.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				ast.Inspect(fn, func(n ast.Node) bool {
					if arg := formatArg(f, n); arg != nil {
						calls++
						if !constantText(arg, handsOn(fn), constants) {
							t.Errorf("%s: a format that is no constant", f.at(arg))
						}
					}
					return true
				})
			}
		}
	}
	if calls < 100 {
		t.Errorf("only %d calls", calls)
	}
}

// handsOn reports whether the function has a parameter "format", so that go vet checks its
// callers.
func handsOn(fn *ast.FuncDecl) bool {
	for _, field := range fn.Type.Params.List {
		for _, name := range field.Names {
			if name.Name == "format" {
				return true
			}
		}
	}
	return false
}

// formatArg returns the format of a call of fmt, or nil for any other node.
func formatArg(f *source, n ast.Node) ast.Expr {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return nil
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return nil
	}
	id, ok := sel.X.(*ast.Ident)
	at, known := formatAt()[sel.Sel.Name]
	if !ok || !known || id.Name != f.localName("fmt") || at >= len(call.Args) {
		return nil
	}
	return call.Args[at]
}

// constantsOf returns the names of the constants of a package.
func constantsOf(p *pkg) map[string]bool {
	names := map[string]bool{}
	for _, f := range p.production() {
		for _, d := range f.ast.Decls {
			if d, ok := d.(*ast.GenDecl); ok && d.Tok == token.CONST {
				for _, spec := range d.Specs {
					for _, name := range spec.(*ast.ValueSpec).Names {
						names[name.Name] = true
					}
				}
			}
		}
	}
	return names
}

// constantText reports whether e consists of literals, constants of the package, sums of them, and
// the parameter of a function that passes it on, which may have a type of its own.
func constantText(e ast.Expr, handsOn bool, constants map[string]bool) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.Ident:
		return handsOn && e.Name == "format" || constants[e.Name]
	case *ast.BinaryExpr:
		return e.Op == token.ADD && constantText(e.X, handsOn, constants) && constantText(e.Y, handsOn, constants)
	case *ast.CallExpr:
		conversion, ok := e.Fun.(*ast.Ident)
		return ok && conversion.Name == "string" && len(e.Args) == 1 && constantText(e.Args[0], handsOn, constants)
	}
	return false
}
