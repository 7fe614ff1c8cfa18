package arch

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// surroundings are the expressions of a test that depend on the machine, the clone, or the flags
// of go test.
func surroundings() []string {
	return []string{
		"os.Getenv", "os.LookupEnv", "os.Stat", "os.Lstat", "os.Getuid", "os.Geteuid", "exec.LookPath", "filepath.Glob",
		"runtime.GOOS", "runtime.GOARCH", "runtime.NumCPU", "testing.Short", "golden.Published", "golden.Updating",
	}
}

// silent returns the if statements of tests that return without a word because of the
// surroundings: all that they do is to return, and the condition contains one of these
// expressions, or a variable of the same function that was set from one.
func silent(f *source) (list []ast.Node) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch fn := n.(type) {
		case *ast.FuncDecl:
			if fn.Body != nil && takesTest(fn.Type) {
				list = append(list, silentIn(fn.Body)...)
			}
		case *ast.FuncLit:
			if takesTest(fn.Type) {
				list = append(list, silentIn(fn.Body)...)
			}
		}
		return true
	})
	return list
}

// takesTest reports whether the last parameter of a function without results is a *testing.T, B
// or F: it is a test, or the function of a subtest.
func takesTest(fn *ast.FuncType) bool {
	if fn.Results != nil || fn.Params == nil || len(fn.Params.List) != 1 {
		return false
	}
	star, ok := fn.Params.List[0].Type.(*ast.StarExpr)
	return ok && slices.Contains([]string{"testing.T", "testing.B", "testing.F"}, dotted(star.X))
}

// silentIn looks at a body, without the functions in it.
func silentIn(body *ast.BlockStmt) (list []ast.Node) {
	set := map[string]bool{}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			depends := slices.ContainsFunc(n.Rhs, func(e ast.Expr) bool { return surrounded(e, set) })
			for _, left := range n.Lhs {
				if id, ok := left.(*ast.Ident); ok && id.Name != "_" {
					set[id.Name] = depends
				}
			}
		case *ast.IfStmt:
			if onlyReturns(n.Body) && (surrounded(n.Cond, set) || n.Init != nil && surrounded(n.Init, set)) {
				list = append(list, n)
			}
		}
		return true
	})
	return list
}

// onlyReturns reports whether a block is a bare return, perhaps after a line in the log.
func onlyReturns(block *ast.BlockStmt) bool {
	for i, s := range block.List {
		if call, ok := s.(*ast.ExprStmt); ok && i < len(block.List)-1 {
			c, ok := call.X.(*ast.CallExpr)
			if ok && (strings.HasSuffix(dotted(c.Fun), ".Log") || strings.HasSuffix(dotted(c.Fun), ".Logf")) {
				continue
			}
			return false
		}
		ret, ok := s.(*ast.ReturnStmt)
		return ok && len(ret.Results) == 0
	}
	return false
}

// surrounded reports whether a node contains an expression of surroundings, or a variable in set.
func surrounded(n ast.Node, set map[string]bool) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			found = found || set[n.Name]
		case *ast.SelectorExpr:
			found = found || slices.Contains(surroundings(), dotted(n))
			ast.Inspect(n.X, func(x ast.Node) bool {
				if id, ok := x.(*ast.Ident); ok {
					found = found || set[id.Name]
				}
				return true
			})
			return false
		}
		return true
	})
	return found
}

// dotted returns a name or a selector as text, and "" for any other expression.
func dotted(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return dotted(e.X) + "." + e.Sel.Name
	}
	return ""
}

// A test that does not run here says so, with t.Skip: a bare return is counted as a test that
// passed.
func TestATestThatDoesNotRunSaysSo(t *testing.T) {
	for _, p := range load(t) {
		for _, f := range p.files {
			if !f.test {
				continue
			}
			for _, n := range silent(f) {
				t.Errorf("%s: the test returns without t.Skip", f.at(n))
			}
		}
	}
}

func TestATestThatReturnsSilentlyIsCaught(t *testing.T) {
	p := parseText(t, `package x

import "testing"

func TestA(t *testing.T) {
	if testing.Short() {
		return
	}
	paths, err := filepath.Glob("../shared/*")
	if err != nil || len(paths) == 0 {
		t.Log("nothing here")
		return
	}
	for _, name := range []string{"a"} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				return
			}
		})
	}
	if _, err := exec.LookPath("node"); err != nil {
		return
	}
}

func TestB(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	if role := os.Getenv("CHILD"); role != "" {
		work(role)
		return
	}
	got, err := read()
	if err != nil {
		return
	}
}

func helper(t *testing.T, n int) {
	if runtime.GOOS == "windows" {
		return
	}
}
`)
	if got := silent(p.files[0]); len(got) != 4 {
		t.Errorf("%d tests were caught, want 4: %v", len(got), got)
	}
}
