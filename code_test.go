package wayfind_test

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"

	"github.com/wayfindhq/wayfind"
)

// Each code in error.go has exactly one kind.
func TestEveryCodeHasAKind(t *testing.T) {
	tree, err := parser.ParseFile(token.NewFileSet(), "error.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(tree, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || spec.Type == nil || len(spec.Values) != 1 {
			return true
		}
		if id, ok := spec.Type.(*ast.Ident); !ok || id.Name != "Code" {
			return true
		}
		code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		n++
		if wayfind.NewError("test", "", wayfind.Code(code), nil).Kind == nil {
			t.Errorf("%s has no kind: give it one in code.go", spec.Names[0])
		}
		return true
	})
	if n == 0 {
		t.Error("error.go declares no codes")
	}
}

func TestWithKind(t *testing.T) {
	e := wayfind.NewError("host", "a..b", wayfind.CodeHostSyntax, nil)
	if refused := e.WithKind(wayfind.ErrRefused); !errors.Is(refused, wayfind.ErrRefused) || !errors.Is(e, wayfind.ErrInvalid) || refused.Code != e.Code {
		t.Errorf("%v, %v", e, refused)
	}
	if foreign := wayfind.NewError("live", "", "of another program", nil); foreign.Kind != nil {
		t.Errorf("%v has a kind", foreign)
	}
}
