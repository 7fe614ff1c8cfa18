package arch

import (
	"go/ast"
	"go/token"
	"go/types"
	"iter"
	"path"
)

// resolveNames resolves the names in the production code of a package. Imported packages are
// not loaded, so most types remain unknown. Names in the scope of the package do not need them.
func resolveNames(p *pkg) *types.Info {
	info := &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	var files []*ast.File
	var fset *token.FileSet
	for _, f := range p.production() {
		files, fset = append(files, f.ast), f.fset
	}
	conf := types.Config{Importer: emptyImporter{}, Error: func(error) {}}
	// The error is about the missing imports. The names are resolved anyway.
	_, _ = conf.Check(p.dir, fset, files, info)
	return info
}

// emptyImporter returns an empty package for each import.
type emptyImporter struct{}

func (emptyImporter) Import(importPath string) (*types.Package, error) {
	p := types.NewPackage(importPath, path.Base(importPath))
	p.MarkComplete()
	return p, nil
}

// writes yields the places of a file at which a package variable, or a part of one, is
// assigned, deleted or incremented, with the name of the variable.
func writes(f *source, info *types.Info) iter.Seq2[ast.Node, string] {
	return func(yield func(ast.Node, string) bool) {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			for _, target := range targets(n) {
				if v := packageVariable(target, info); v != "" && !yield(n, v) {
					return false
				}
			}
			return true
		})
	}
}

// targets returns the expressions to which a statement writes.
func targets(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			return []ast.Expr{n.Key, n.Value}
		}
	case *ast.CallExpr:
		id, ok := n.Fun.(*ast.Ident)
		if ok && (id.Name == "delete" || id.Name == "clear" || id.Name == "copy") && len(n.Args) > 0 {
			return n.Args[:1]
		}
	}
	return nil
}

// packageVariable returns the name of the package variable at the root of an expression such as
// v.field[i] or other.V.field, or "".
func packageVariable(e ast.Expr, info *types.Info) string {
	for {
		switch x := e.(type) {
		case *ast.SelectorExpr:
			if id, ok := x.X.(*ast.Ident); ok {
				if _, imported := info.Uses[id].(*types.PkgName); imported {
					return types.ExprString(x)
				}
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.Ident:
			v, ok := info.Uses[x].(*types.Var)
			if ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope() {
				return v.Name()
			}
			return ""
		default:
			return ""
		}
	}
}
