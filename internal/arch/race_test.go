package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// TestRacePackages checks the list of the packages that .ci/run tests with the race detector:
// packages with concurrent code. All packages are tested without it. -update rewrites the list.
func TestRacePackages(t *testing.T) {
	var list []string
	for _, p := range load(t) {
		if slices.ContainsFunc(p.files, concurrent) {
			list = append(list, "./"+p.dir)
		}
	}
	slices.Sort(list)
	golden.Compare(t, []byte(strings.Join(list, "\n")+"\n"), filepath.Join(golden.Root(t), ".ci", "race-packages"))
}

// concurrent reports whether a file starts goroutines, by a go statement or a method Go
// (sync.WaitGroup, errgroup.Group), or supports several goroutines: it imports sync or
// sync/atomic.
func concurrent(f *source) bool {
	if f.localName("sync") != "" || f.localName("sync/atomic") != "" {
		return true
	}
	found := false
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Go" {
				found = true
			}
		}
		return !found
	})
	return found
}

func TestConcurrentFilesAreFound(t *testing.T) {
	for text, want := range map[string]bool{
		"func f() { go f() }":                         true,
		"func f() { g.Go(f) }":                        true,
		"func f() { func() { defer f(); go f() }() }": true,
		"import \"sync\"":                             true,
		"import x \"sync/atomic\"":                    true,
		"func f() { Go(); g.Gone() }":                 false,
		"import \"example.com/sync\"":                 false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := concurrent(&source{ast: file}); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
}
