package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// parseText returns a package with one production file.
func parseText(t *testing.T, text string) *pkg {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "x.go", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	f := &source{path: "x.go", fset: fset, ast: tree}
	return &pkg{dir: "x", name: tree.Name.Name, files: []*source{f}}
}

// The tests below apply the rules to code that breaks them. A rule that detects nothing would
// accept every tree.

func TestWritesAreCaught(t *testing.T) {
	p := parseText(t, `package x

import "example.com/y"

var a, b = 1, map[string]int{}
var s struct{ n []int }
var kept = []int{1}

func f(local map[string]int) int {
	a++
	b["x"] = 1
	delete(b, "x")
	s.n[0] = y.N
	y.N = 1
	local["x"] = 2
	kept := kept
	kept[0] = 3
	return kept[0]
}
`)
	var got []string
	for _, name := range writes(p.files[0], resolveNames(p)) {
		got = append(got, name)
	}
	if diff := cmp.Diff([]string{"a", "b", "b", "s", "y.N"}, got); diff != "" {
		t.Errorf("writes (-want +got):\n%s", diff)
	}
}

func TestMutableTypesAreCaught(t *testing.T) {
	tests := map[string]bool{
		"sync.Mutex":               true,
		"*sync.RWMutex":            true,
		"atomic.Int64":             true,
		"atomic.Pointer[int]":      true,
		"chan int":                 true,
		"make(map[string]int)":     true,
		"new(int)":                 true,
		"&sync.Map{}":              true,
		"sync.OnceValue(read)":     false,
		"sync.Pool":                false,
		"map[string]bool{}":        false,
		"regexp.MustCompile(`x`)":  false,
		"netip.MustParsePrefix(x)": false,
	}
	for text, want := range tests {
		e, err := parser.ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := mutable(e); got != want {
			t.Errorf("mutable(%s) = %t, want %t", text, got, want)
		}
	}
}

func TestExportedVariablesAreCaught(t *testing.T) {
	tests := map[string]bool{
		"var ErrX = errors.New(`x`)":        true,
		"var ErrX = fmt.Errorf(`x: %w`, y)": true,
		"var ErrX error":                    true,
		"var Default = Options{}":           false,
		"var Registry map[string]int":       false,
	}
	for text, want := range tests {
		p := parseText(t, "package x\n"+text)
		spec := p.files[0].ast.Decls[0].(*ast.GenDecl).Specs[0].(*ast.ValueSpec)
		var value ast.Expr
		if len(spec.Values) > 0 {
			value = spec.Values[0]
		}
		if got := isError(spec.Type, value); got != want {
			t.Errorf("isError(%s) = %t, want %t", text, got, want)
		}
	}
}

func TestMissingCommentsAreCaught(t *testing.T) {
	p := parseText(t, `package x

// T is documented.
type T struct{}

type U[V any] struct{}

type hidden struct{}

func (T) M() {}

func (*U[V]) N() {}

func (hidden) O() {}

// The group.
const (
	A = 1
	B = 2
)

const C = 3

const D = 4 // documented

// F is documented.
func F() {}

func G() {}

type (
	// H is documented.
	H int
	I int
)
`)
	got := maps.Collect(undocumented(p.files[0]))
	want := []string{"C", "G", "I", "M", "N", "U"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("undocumented (-want +got):\n%s", diff)
	}
}

func TestSelectorsAreCaught(t *testing.T) {
	p := parseText(t, `package x

import web "net/http"

var http struct{ Get int }

func f() { _ = web.DefaultClient; web.Get("x"); _ = http.Get }
`)
	var got []string
	p.files[0].selectors("net/http", func(sel *ast.SelectorExpr) { got = append(got, sel.Sel.Name) })
	if diff := cmp.Diff([]string{"DefaultClient", "Get"}, got); diff != "" {
		t.Errorf("selectors (-want +got):\n%s", diff)
	}
}

func TestExamplesWithoutOutputDoNotCount(t *testing.T) {
	for text, want := range map[string]bool{
		"func Example() {}": false,
		"func Example() {\n\tprintln(1)\n\t// Output: 1\n}": true,
		"func ExampleX() {\n\t_ = 1\n\t// Output:\n}":       true,
		"func TestX() {\n\t// Output: 1\n}":                 false,
	} {
		p := parseText(t, "package x\n\n"+text+"\n")
		p.files[0].test = true
		if got := hasExample(p, true); got != want {
			t.Errorf("hasExample(%q) = %t, want %t", text, got, want)
		}
	}
}
