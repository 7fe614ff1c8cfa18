package arch

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// Production code must not exceed these sizes. A file may be longer by the methods of one type, so
// that they stay together, but not without limit.
const (
	maxFileLines = 400
	maxTypeLines = 800
	maxFuncLines = 60
)

func TestSizes(t *testing.T) {
	for _, p := range load(t) {
		for _, f := range p.production() {
			if most := min(maxFileLines+f.longestType(), maxTypeLines); f.lines > most {
				t.Errorf("%s: %d lines, more than %d: one subject per file", f.path, f.lines, most)
			}
			for _, d := range f.ast.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				lines := f.fset.Position(fn.End()).Line - f.fset.Position(fn.Pos()).Line + 1
				if lines > maxFuncLines {
					t.Errorf("%s: func %s has %d lines, more than %d", f.at(fn), fn.Name.Name, lines, maxFuncLines)
				}
			}
		}
	}
}

// longestType returns the number of lines of the methods of one type, the one with most.
func (f *source) longestType() int {
	lines := map[string]int{}
	longest := 0
	for _, d := range f.ast.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv == nil {
			continue
		}
		of := strings.TrimPrefix(types.ExprString(fn.Recv.List[0].Type), "*")
		lines[of] += f.fset.Position(fn.End()).Line - f.fset.Position(fn.Pos()).Line + 1
		longest = max(longest, lines[of])
	}
	return longest
}

// The command is a house: its folder has the list of verbs, and each verb a folder that can be seen at
// once.
func TestTheCommandIsAHouse(t *testing.T) {
	const command = "cmd/wayfind"
	for _, p := range load(t) {
		most := 12
		switch {
		case p.dir == command:
			most = 15
		case !strings.HasPrefix(p.dir, command+"/"):
			continue
		}
		if n := len(p.production()); n > most {
			t.Errorf("%s has %d files, more than %d", p.dir, n, most)
		}
	}
}

func TestPackageNames(t *testing.T) {
	vague := []string{"util", "utils", "common", "shared", "types", "helper", "helpers", "misc", "base", "lib"}
	for _, p := range load(t) {
		for elem := range strings.SplitSeq(p.dir, "/") {
			if slices.Contains(vague, elem) {
				t.Errorf("package %s: %q says nothing about its subject", p.dir, elem)
			}
		}
	}
}

// forbidden returns members of packages that must not be used, not even in tests. Each avoids
// the guard, the environment or the caller.
func forbidden() map[string][]string {
	return map[string][]string{
		"net/http": {"DefaultClient", "DefaultTransport", "DefaultServeMux", "Get", "Head", "Post", "PostForm", "ProxyFromEnvironment"},
		"net":      {"DefaultResolver"},
	}
}

func TestForbidden(t *testing.T) {
	for _, p := range load(t) {
		for _, f := range p.files {
			for importPath, names := range forbidden() {
				f.selectors(importPath, func(sel *ast.SelectorExpr) {
					if slices.Contains(names, sel.Sel.Name) && !allowed(f, sel.Sel.Name) {
						t.Errorf("%s: %s.%s", f.at(sel), importPath, sel.Sel.Name)
					}
				})
			}
			ast.Inspect(f.ast, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && id.Name == "InsecureSkipVerify" {
					t.Errorf("%s: InsecureSkipVerify", f.at(id))
				}
				return true
			})
			for _, d := range f.ast.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
					t.Errorf("%s: func init", f.at(fn))
				}
			}
		}
	}
}

// allowed reports whether a use of a forbidden name is its one correct place: the system's
// resolver behind the guard's rooted look-ups, and the test that nothing global is used.
func allowed(f *source, name string) bool {
	switch name {
	case "DefaultResolver":
		return strings.HasPrefix(f.path, "internal/web/fetch/") || f.path == globalsTest
	case "DefaultClient", "DefaultTransport":
		return f.path == globalsTest || name == "DefaultTransport" && f.path == "cache/transport.go" // nil, as for an http.Client
	}
	return false
}

// globalsTest replaces the globals of a program with traps.
const globalsTest = "client/globals_test.go"

func TestNoUnfinishedWords(t *testing.T) {
	words := []string{"TO" + "DO", "FIX" + "ME", "XX" + "X"}
	for _, p := range load(t) {
		for _, f := range p.files {
			for _, group := range f.ast.Comments {
				for _, w := range words {
					if slices.Contains(strings.FieldsFunc(group.Text(), notLetter), w) {
						t.Errorf("%s: comment says %s", f.at(group), w)
					}
				}
			}
		}
	}
}

func notLetter(r rune) bool { return r < 'A' || r > 'Z' && r < 'a' || r > 'z' }

// TestPackageVariables checks that values that all users of a package share never change.
// Exported variables are errors and words of closed lists. No variable is written to, and none
// has a type that exists to be written to.
func TestPackageVariables(t *testing.T) {
	for _, p := range load(t) {
		if p.name == "" {
			continue
		}
		info := resolveNames(p)
		for _, f := range p.production() {
			for _, d := range f.ast.Decls {
				if gen, ok := d.(*ast.GenDecl); ok && gen.Tok == token.VAR {
					for _, spec := range gen.Specs {
						variable(t, p, f, info, spec.(*ast.ValueSpec))
					}
				}
			}
			for n, name := range writes(f, info) {
				t.Errorf("%s: package variable %s is written to", f.at(n), name)
			}
		}
	}
}

// variable judges the declaration of package variables.
func variable(t *testing.T, p *pkg, f *source, info *types.Info, spec *ast.ValueSpec) {
	t.Helper()
	for i, name := range spec.Names {
		var value ast.Expr
		if i < len(spec.Values) {
			value = spec.Values[i]
		}
		if name.IsExported() && !isError(spec.Type, value) && closedType(p, info.Defs[name]) == "" {
			t.Errorf("%s: exported variable %s: only errors and the words of closed lists may be", f.at(name), name.Name)
		}
		if mutable(spec.Type) || mutable(value) {
			t.Errorf("%s: package variable %s is of a type that is there to change", f.at(name), name.Name)
		}
	}
}

func isError(typ, value ast.Expr) bool {
	if id, ok := typ.(*ast.Ident); ok && id.Name == "error" {
		return true
	}
	call, ok := value.(*ast.CallExpr)
	return ok && slices.Contains([]string{"errors.New", "fmt.Errorf"}, types.ExprString(call.Fun))
}

// mutable reports whether a type or value is mutable, such as sync.Mutex, *atomic.Int64 and
// make(chan int). A sync.Pool or sync.OnceValue contains no state that a caller can see.
func mutable(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.StarExpr:
		return mutable(e.X)
	case *ast.UnaryExpr:
		return mutable(e.X)
	case *ast.CompositeLit:
		return mutable(e.Type)
	case *ast.ChanType:
		return true
	case *ast.CallExpr:
		id, ok := e.Fun.(*ast.Ident)
		return ok && (id.Name == "make" || id.Name == "new")
	case *ast.IndexExpr:
		return mutable(e.X)
	case *ast.SelectorExpr:
		s := types.ExprString(e)
		return strings.HasPrefix(s, "atomic.") || slices.Contains([]string{"sync.Mutex", "sync.RWMutex", "sync.Map", "sync.Once", "sync.WaitGroup", "sync.Cond"}, s)
	}
	return false
}
