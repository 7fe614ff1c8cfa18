package arch

import (
	"go/ast"
	"strings"
	"testing"
)

// TestFieldsCanBeSet checks that importers can set all exported fields: the types of exported
// fields are never from an internal package.
func TestFieldsCanBeSet(t *testing.T) {
	settable(t, func(p *pkg) bool { return p.dir != "resolve" })
}

// TestFieldsOfResolveCanBeSet is the same for package resolve.
func TestFieldsOfResolveCanBeSet(t *testing.T) {
	settable(t, func(p *pkg) bool { return p.dir == "resolve" })
}

// settable checks that importers can set all exported fields of some packages.
func settable(t *testing.T, of func(*pkg) bool) {
	t.Helper()
	for _, p := range load(t) {
		if !p.public() || !of(p) {
			continue
		}
		for _, f := range p.production() {
			for _, spec := range f.imports() {
				importPath := unquote(spec.Path)
				if !strings.Contains(importPath, "/internal/") {
					continue
				}
				inExportedFields(f, func(field *ast.Field) {
					ast.Inspect(field.Type, func(n ast.Node) bool {
						sel, ok := n.(*ast.SelectorExpr)
						if x, is := identOf(sel, ok); is && x == f.localName(importPath) {
							t.Errorf("%s: an exported field has a type of %s", f.at(field), importPath)
						}
						return true
					})
				})
			}
		}
	}
}

// identOf returns the name before the point of a selector.
func identOf(sel *ast.SelectorExpr, ok bool) (string, bool) {
	if !ok {
		return "", false
	}
	x, ok := sel.X.(*ast.Ident)
	if !ok {
		return "", false
	}
	return x.Name, true
}

// inExportedFields calls visit for each exported field of each exported struct.
func inExportedFields(f *source, visit func(*ast.Field)) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || !spec.Name.IsExported() {
			return true
		}
		if s, ok := spec.Type.(*ast.StructType); ok {
			for _, field := range s.Fields.List {
				for _, name := range field.Names {
					if name.IsExported() {
						visit(field)
					}
				}
			}
		}
		return true
	})
}
