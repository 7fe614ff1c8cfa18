package arch

import (
	"go/ast"
	"go/doc"
	"iter"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

func TestPackageComments(t *testing.T) {
	for _, p := range load(t) {
		if p.name == "" {
			continue
		}
		var comments []string
		for _, f := range p.production() {
			if f.ast.Doc != nil {
				comments = append(comments, f.ast.Doc.Text())
			}
		}
		want := "Package " + p.name + " "
		if p.name == "main" {
			want = ""
		}
		switch {
		case len(comments) == 0:
			t.Errorf("package %s has no comment", p.dir)
		case len(comments) > 1:
			t.Errorf("package %s has %d comments, want one", p.dir, len(comments))
		case !strings.HasPrefix(comments[0], want):
			t.Errorf("the comment of package %s does not start with %q", p.dir, want)
		}
	}
}

func TestExportedNamesAreDocumented(t *testing.T) {
	for _, p := range load(t) {
		if !p.public() {
			continue
		}
		for _, f := range p.production() {
			for name, at := range undocumented(f) {
				t.Errorf("%s: %s.%s has no comment", f.at(at), p.name, name)
			}
		}
	}
}

// undocumented yields the exported names of a file without a comment.
func undocumented(f *source) iter.Seq2[string, ast.Node] {
	return func(yield func(string, ast.Node) bool) {
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) && !yield(d.Name.Name, d) {
					return
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					for _, id := range bare(d, spec) {
						if id.IsExported() && !yield(id.Name, id) {
							return
						}
					}
				}
			}
		}
	}
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.IndexListExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}

// bare returns the names in a declaration without a comment. The comment of a group applies to
// its constants and variables.
func bare(d *ast.GenDecl, spec ast.Spec) []*ast.Ident {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if spec.Doc == nil && (d.Doc == nil || d.Lparen.IsValid()) {
			return []*ast.Ident{spec.Name}
		}
	case *ast.ValueSpec:
		if spec.Doc == nil && spec.Comment == nil && d.Doc == nil {
			return spec.Names
		}
	}
	return nil
}

// TestPublicPackagesHaveExamples ignores examples without an output, because they are compiled
// and never run. It accepts them if all functions of the package take a *testing.T, which an
// example does not have.
func TestPublicPackagesHaveExamples(t *testing.T) {
	for _, p := range load(t) {
		r, _ := rowOf(p.dir)
		if p.public() && !hasExample(p, !r.testOnly) {
			t.Errorf("package %s has no Example that runs", p.dir)
		}
	}
}

func hasExample(p *pkg, runs bool) bool {
	for _, f := range p.files {
		if !f.test {
			continue
		}
		for _, e := range doc.Examples(f.ast) {
			if !runs || e.Output != "" || e.EmptyOutput {
				return true
			}
		}
	}
	return false
}

// TestTestsCanFail finds Test functions that never use their T. They can only fail with a
// panic.
func TestTestsCanFail(t *testing.T) {
	for _, p := range load(t) {
		for _, f := range p.files {
			for _, d := range f.ast.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || !f.test || fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "Test") || fn.Name.Name == "TestMain" {
					continue
				}
				if !usesParameter(fn) {
					t.Errorf("%s: %s never uses its *testing.T", f.at(fn), fn.Name.Name)
				}
			}
		}
	}
}

func usesParameter(fn *ast.FuncDecl) bool {
	if len(fn.Type.Params.List) == 0 || len(fn.Type.Params.List[0].Names) == 0 {
		return false
	}
	name, used := fn.Type.Params.List[0].Names[0].Name, false
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		used = used || ok && id.Name == name
		return !used
	})
	return used
}

// TestPackagesArePromised checks that docs/API.md contains the promise for each public package.
func TestPackagesArePromised(t *testing.T) {
	text := string(golden.Read(t, filepath.Join(golden.Root(t), "docs", "API.md")))
	for _, p := range load(t) {
		name := p.dir
		if name == "." {
			name = p.name
		}
		if strings.HasPrefix(name, "internal/formats/") {
			name = "internal/formats/*"
		}
		if p.public() && !strings.Contains(text, "`"+name+"`") {
			t.Errorf("docs/API.md does not say what is promised of package %s", p.dir)
		}
	}
}
