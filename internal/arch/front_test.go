package arch

import (
	"go/ast"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestImportersSeeNoInternalTypes: what importers see names no internal package. godoc
// cannot show such a type, and importers can neither write it nor make one.
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

// inExported calls visit for what godoc shows of each declaration of a file.
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

// receiver is the name of the type that a method belongs to.
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

// inSpec calls visit for what godoc shows of one declaration.
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

// TestOptionsHaveGroups: a field of client.Options that belongs to a group
// stands in it.
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
			if group != "Robots" && slices.Contains(fields["Options"], name) { // Options.Mode is how much is asked
				t.Errorf("client.Options.%s belongs to the group %s", name, group)
			}
		}
	}
}

// TestNamesExplainThemselves: names of files and declarations explain themselves. These
// words did so to their author only.
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
