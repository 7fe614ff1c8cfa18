package arch

import (
	"go/ast"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestImportersSeeNoInternalTypes checks that exported declarations name no internal package.
// godoc cannot show such a type, and importers can neither write nor create it.
func TestImportersSeeNoInternalTypes(t *testing.T) {
	for _, p := range load(t) {
		if !p.public() {
			continue
		}
		for _, f := range p.production() {
			for _, spec := range f.imports() {
				importPath := unquote(spec.Path)
				if !strings.Contains(importPath, "/internal/") {
					continue
				}
				inExported(f, func(shown ast.Node) {
					ast.Inspect(shown, func(n ast.Node) bool {
						sel, ok := n.(*ast.SelectorExpr)
						if x, is := identOf(sel, ok); is && x == f.localName(importPath) {
							t.Errorf("%s: an exported declaration names %s.%s", f.at(sel), importPath, sel.Sel.Name)
						}
						return true
					})
				})
			}
		}
	}
}

// inExported calls visit for the parts of each declaration in a file that godoc shows.
func inExported(f *source, visit func(ast.Node)) {
	for _, decl := range f.ast.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
				visit(d.Type)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				inSpec(spec, visit)
			}
		}
	}
}

// receiver returns the name of the type of a method.
func receiver(d *ast.FuncDecl) string {
	name := ""
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return name == ""
	})
	return name
}

// inSpec calls visit for the parts of one declaration that godoc shows.
func inSpec(spec ast.Spec, visit func(ast.Node)) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		if slices.ContainsFunc(s.Names, (*ast.Ident).IsExported) {
			visit(s)
		}
	case *ast.TypeSpec:
		if !s.Name.IsExported() {
			return
		}
		fields, ok := s.Type.(*ast.StructType)
		if !ok {
			visit(s.Type)
			return
		}
		for _, field := range fields.Fields.List {
			if len(field.Names) == 0 || slices.ContainsFunc(field.Names, (*ast.Ident).IsExported) {
				visit(field.Type)
			}
		}
	}
}

// TestOptionsHaveGroups checks that a field of client.Options that belongs to a group is in the
// group.
func TestOptionsHaveGroups(t *testing.T) {
	want := map[string][]string{
		"Robots":  {"Mode", "Token"},
		"Trust":   {"Pins", "PinPolicy", "Keys", "FetchKeys"},
		"Network": {"Resolver", "Dial", "UnsafeDial", "UnsafeTLS", "RootCAs", "View", "KeepAlive", "UserAgent", "BeforeHost"},
		"Limits":  {"Memory", "Budget", "Follow", "Concurrency", "MaxBytes", "Parsers", "Bytes", "Foreign"},
		"Lab":     {"Now", "Record", "StrictFloor"},
	}
	fields := map[string][]string{}
	for _, p := range load(t) {
		if p.dir != "client" {
			continue
		}
		for _, f := range p.production() {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				spec, ok := n.(*ast.TypeSpec)
				if !ok {
					return true
				}
				if s, ok := spec.Type.(*ast.StructType); ok {
					for _, field := range s.Fields.List {
						for _, name := range field.Names {
							fields[spec.Name.Name] = append(fields[spec.Name.Name], name.Name)
						}
					}
				}
				return false
			})
		}
	}
	for group, names := range want {
		if !slices.Contains(fields["Options"], group) {
			t.Errorf("client.Options has no group %s", group)
		}
		for _, name := range names {
			if !slices.Contains(fields[group], name) {
				t.Errorf("client.%s has no field %s", group, name)
			}
			if group != "Robots" && slices.Contains(fields["Options"], name) { // Options.Mode is the extent of a discovery
				t.Errorf("client.Options.%s belongs to the group %s", name, group)
			}
		}
	}
}

// TestNamesExplainThemselves checks the names of files and declarations. Only their author
// understood these words.
func TestNamesExplainThemselves(t *testing.T) {
	words := []string{"futile", "oblige", "said", "spoken", "talk", "talker", "husk", "flown", "judged", "held", "counted", "removed"}
	say := func(f *source, n *ast.Ident) {
		if slices.Contains(words, n.Name) {
			t.Errorf("%s: %s explains nothing", f.at(n), n.Name)
		}
	}
	for _, p := range load(t) {
		for _, f := range p.production() {
			if name := strings.TrimSuffix(filepath.Base(f.path), ".go"); slices.Contains(words, name) {
				t.Errorf("%s: a name for its author", f.path)
			}
			for _, decl := range f.ast.Decls {
				gen, ok := decl.(*ast.GenDecl)
				if !ok {
					continue
				}
				for _, spec := range gen.Specs {
					if s, ok := spec.(*ast.TypeSpec); ok {
						say(f, s.Name)
					}
				}
			}
		}
	}
}
