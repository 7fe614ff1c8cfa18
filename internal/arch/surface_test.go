package arch

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// mostKept is the maximum number of names that docs/API.md may promise to keep.
const mostKept = 350

// surface contains the exported names of a public package.
type surface struct {
	dir   string
	fset  *token.FileSet
	names map[string]bytes.Buffer // with their declarations, including methods
}

// TestNewNamesAreNamed compares the exported names with a file. The difference shows added and
// removed names.
func TestNewNamesAreNamed(t *testing.T) {
	var b strings.Builder
	for _, s := range surfaces(t) {
		for _, name := range slices.Sorted(maps.Keys(s.names)) {
			fmt.Fprintf(&b, "%s.%s\n", s.dir, name)
		}
	}
	golden.Compare(t, []byte(b.String()), "testdata/exported.txt")
}

// TestKeptDeclarationsStay compares the declarations of the names that docs/API.md promises to
// keep with a file. A minor version may add declarations, but must not change or remove any: a
// line that is removed or changed breaks a user's program.
func TestKeptDeclarationsStay(t *testing.T) {
	promised := promises(t)
	var b strings.Builder
	n := 0
	for _, s := range surfaces(t) {
		names := promised[s.dir].of(t, s)
		delete(promised, s.dir)
		for _, name := range names {
			text := s.names[name]
			fmt.Fprintf(&b, "%s %s", s.dir, text.String())
		}
		n += len(names)
	}
	for dir := range promised {
		t.Errorf("docs/API.md keeps names of %q, which is no public package", dir)
	}
	golden.Compare(t, []byte(b.String()), "testdata/kept.txt")
	if n > mostKept {
		t.Errorf("docs/API.md keeps %d names, %d at most", n, mostKept)
	}
}

// promise is a row of the table in docs/API.md.
type promise struct {
	names []string
	but   bool // all names except these
}

// of returns the promised names of a package in order.
func (p promise) of(t *testing.T, s surface) []string {
	for _, name := range p.names {
		if _, ok := s.names[name]; !ok {
			t.Errorf("docs/API.md names %s.%s, which does not exist", s.dir, name)
		}
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(s.names)) {
		if slices.Contains(p.names, name) != p.but {
			list = append(list, name)
		}
	}
	return list
}

// promises reads the table below "Kept from 0.2 on" in docs/API.md.
func promises(t *testing.T) map[string]promise {
	t.Helper()
	text := string(golden.Read(t, filepath.Join("..", "..", "docs", "API.md")))
	_, section, _ := strings.Cut(text, "\n## Kept from 0.2 on\n")
	section, _, _ = strings.Cut(section, "\n## ")
	all := map[string]promise{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z0-9/]+)` \\| (.*?) \\|").FindAllStringSubmatch(section, -1) {
		p := promise{but: strings.HasPrefix(row[2], "all but ")}
		for _, name := range regexp.MustCompile("`([A-Za-z0-9]+)`").FindAllStringSubmatch(row[2], -1) {
			p.names = append(p.names, name[1])
		}
		dir := row[1]
		if dir == "wayfind" {
			dir = "."
		}
		all[dir] = p
	}
	if len(all) == 0 {
		t.Fatal("docs/API.md has no table of the names that are kept")
	}
	return all
}

// surfaces returns the exported names of each public package in the order of the tree.
func surfaces(t *testing.T) []surface {
	t.Helper()
	var list []surface
	for _, p := range load(t) {
		if p.public() {
			list = append(list, surfaceOf(t, p))
		}
	}
	return list
}

func surfaceOf(t *testing.T, p *pkg) surface {
	t.Helper()
	s := surface{dir: p.dir, fset: token.NewFileSet(), names: map[string]bytes.Buffer{}}
	var files []*ast.File
	for _, f := range p.production() {
		file, err := parser.ParseFile(s.fset, filepath.Join("..", "..", f.path), nil, parser.SkipObjectResolution) // godoc modifies the tree that it receives
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	d, err := doc.NewFromFiles(s.fset, files, golden.Module+"/"+p.dir)
	if err != nil {
		t.Fatal(err)
	}
	s.values(d.Consts, d.Vars)
	s.functions("", d.Funcs)
	for _, typ := range d.Types {
		s.values(typ.Consts, typ.Vars)
		s.functions("", typ.Funcs)
		s.declare(typ.Name, typ.Decl)
		s.functions(typ.Name, typ.Methods)
	}
	return s
}

// declare adds the text of a declaration to a name, without the empty lines of removed
// comments.
func (s *surface) declare(name string, node any) {
	text := s.names[name]
	var lines bytes.Buffer
	// The printer only fails for nodes that the parser does not create.
	_ = printer.Fprint(&lines, s.fset, node)
	text.Write(bytes.ReplaceAll(lines.Bytes(), []byte("\n\n"), []byte("\n")))
	text.WriteByte('\n')
	s.names[name] = text
}

// values adds constants and variables separately, without their values.
func (s *surface) values(lists ...[]*doc.Value) {
	for _, v := range slices.Concat(lists...) {
		for _, spec := range v.Decl.Specs {
			spec := spec.(*ast.ValueSpec)
			for _, name := range spec.Names {
				if name.IsExported() {
					s.declare(name.Name, &ast.GenDecl{Tok: v.Decl.Tok, Specs: []ast.Spec{&ast.ValueSpec{Names: []*ast.Ident{{Name: name.Name}}, Type: spec.Type}}})
				}
			}
		}
	}
}

// functions adds functions to their own names, and methods to the name of a type.
func (s *surface) functions(of string, list []*doc.Func) {
	for _, f := range list {
		name := of
		if name == "" {
			name = f.Name
		}
		decl := *f.Decl
		decl.Doc, decl.Body = nil, nil
		s.declare(name, &decl)
	}
}
