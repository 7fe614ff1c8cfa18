package arch

import (
	"go/ast"
	"strings"
	"testing"
)

// TestCacheReadsRequestsThroughOneView checks that package cache reads a request only through
// requestHeader. Names of fields have no case, but the map of a request contains them as the
// caller has written them.
func TestCacheReadsRequestsThroughOneView(t *testing.T) {
	seen := false
	for _, p := range load(t) {
		if p.dir != "cache" {
			continue
		}
		for _, f := range p.production() {
			if f.path == "cache/identity.go" {
				seen = true
				continue
			}
			ast.Inspect(f.ast, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.IndexExpr:
					if name, is := requestsHeader(n.X); is {
						t.Errorf("%s: %s[…]: read a request through its requestHeader", f.at(n), name)
					}
				case *ast.CallExpr:
					if sel, is := n.Fun.(*ast.SelectorExpr); is && (sel.Sel.Name == "Get" || sel.Sel.Name == "Values") {
						if name, is := requestsHeader(sel.X); is {
							t.Errorf("%s: %s.%s: read a request through its requestHeader", f.at(n), name, sel.Sel.Name)
						}
					}
				}
				return true
			})
		}
	}
	if !seen {
		t.Error("cache/identity.go is gone")
	}
}

// requestsHeader reports whether an expression is the header of a request or of an Ask, by the
// names that these have in the package.
func requestsHeader(e ast.Expr) (string, bool) {
	sel, is := e.(*ast.SelectorExpr)
	if !is || sel.Sel.Name != "Header" && sel.Sel.Name != "fields" {
		return "", false
	}
	name := ""
	switch x := sel.X.(type) {
	case *ast.Ident:
		name = x.Name
	case *ast.SelectorExpr:
		name = x.Sel.Name
	}
	switch strings.ToLower(name) {
	case "req", "request", "ask", "a", "header", "view":
		return name + "." + sel.Sel.Name, true
	}
	return "", false
}
