package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// source is one file of the tree.
type source struct {
	path  string // from the module root, with slashes
	test  bool
	lines int
	fset  *token.FileSet
	ast   *ast.File
}

// at returns the place of a node.
func (s *source) at(n ast.Node) string {
	return s.path + ":" + strconv.Itoa(s.fset.Position(n.Pos()).Line)
}

// imports returns the paths that the file imports.
func (s *source) imports() []*ast.ImportSpec { return s.ast.Imports }

// localName returns the name of an imported package in the file, or "" if the file does not
// import it.
func (s *source) localName(importPath string) string {
	for _, spec := range s.ast.Imports {
		if unquote(spec.Path) != importPath {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return path.Base(importPath)
	}
	return ""
}

// pkg is one folder of Go files, including its external tests.
type pkg struct {
	dir   string // from the module root, with slashes; "." for the root
	name  string // of the production package, or "" if there are only tests
	files []*source
}

// public reports whether others may import the package. The code in examples/ is for reading.
func (p *pkg) public() bool {
	return p.name != "main" && p.name != "" &&
		!strings.Contains("/"+p.dir+"/", "/internal/") && !strings.HasPrefix(p.dir, "examples/")
}

// production returns the files that are not tests.
func (p *pkg) production() []*source {
	var list []*source
	for _, f := range p.files {
		if !f.test {
			list = append(list, f)
		}
	}
	return list
}

// load returns all packages of the module. The first test that calls it parses them: go test
// does not record files that are read before the tests begin, and would show a cached result
// after they have changed.
func load(t *testing.T) []*pkg {
	t.Helper()
	if tree == nil {
		var err error
		if tree, err = parseTree(filepath.Join("..", "..")); err != nil {
			t.Fatal(err)
		}
	}
	if len(tree) < 2 {
		t.Fatalf("only %d packages: the rules would hold over nothing", len(tree))
	}
	return tree
}

var tree []*pkg

// parseTree parses all Go files of a module, regardless of build constraints. It omits nested
// modules, testdata and hidden folders.
func parseTree(root string) ([]*pkg, error) {
	fset := token.NewFileSet()
	byDir := map[string]*pkg{}
	var list []*pkg
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != root && outside(name) {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" || strings.HasPrefix(d.Name(), "_") || strings.HasPrefix(d.Name(), ".") {
			return nil
		}
		f, err := read(fset, root, name)
		if err != nil {
			return err
		}
		dir := path.Dir(f.path)
		p := byDir[dir]
		if p == nil {
			p = &pkg{dir: dir}
			byDir[dir], list = p, append(list, p)
		}
		if !f.test {
			p.name = f.ast.Name.Name
		}
		p.files = append(p.files, f)
		return nil
	})
	return list, err
}

func outside(dir string) bool {
	base := filepath.Base(dir)
	if base == "testdata" || base == "vendor" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func read(fset *token.FileSet, root, name string) (*source, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	rel, err := filepath.Rel(root, name)
	if err != nil {
		return nil, err
	}
	tree, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	return &source{
		path:  filepath.ToSlash(rel),
		test:  strings.HasSuffix(name, "_test.go"),
		lines: strings.Count(string(text), "\n"),
		fset:  fset,
		ast:   tree,
	}, nil
}

// unquote returns the value of a string literal.
func unquote(lit *ast.BasicLit) string {
	s, err := strconv.Unquote(lit.Value)
	if err != nil {
		return lit.Value
	}
	return s
}

// selectors calls f for each use of a member of an imported package.
func (s *source) selectors(importPath string, f func(sel *ast.SelectorExpr)) {
	local := s.localName(importPath)
	if local == "" {
		return
	}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok && id.Name == local {
			f(sel)
		}
		return true
	})
}
