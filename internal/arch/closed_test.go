package arch

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// closed returns the types with closed lists of words, each with the file of its table. Only
// this file may compare words. Other files ask a word for its properties.
func closed() map[string]string {
	return map[string]string{
		"client/call.Code":               "client/call/code.go",
		"client/call.Decision":           "client/call/decision.go",
		"client/call.Effect":             "client/call/effect.go",
		"client/call.Reason":             "client/call/decision.go",
		"client/session.Limit":           "client/session/limit.go",
		"client/tools.Vendor":            "client/tools/vendors.go",
		"internal/act/httpcall.Code":     "internal/act/httpcall/code.go",
		"internal/show/sitecheck.Status": "internal/show/sitecheck/status.go",
		"internal/syntax/facts.Fact":     "internal/syntax/facts/table.go",
		"security/schema.Target":         "security/schema/profile.go",
		"./.SchemeKind":                  "internal/syntax/authkind/kinds.go",
	}
}

// TestClosedWordsHaveOneTable checks that no other file has a switch over a closed word. Such a
// switch is a second table in which a new word is easily forgotten.
func TestClosedWordsHaveOneTable(t *testing.T) {
	words, infos := map[string]map[string]string{}, map[string]*types.Info{} // by package
	unused := closed()
	for _, p := range load(t) {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(closed())), func(typ string) bool { return packageOf(typ) == p.dir }) {
			continue
		}
		infos[p.dir] = resolveNames(p)
		words[p.dir] = closedWords(p, infos[p.dir])
		for _, typ := range words[p.dir] {
			delete(unused, typ)
		}
	}
	for typ := range unused {
		t.Errorf("%s is in the list of closed types and has no words", typ)
	}
	for _, p := range load(t) {
		for _, f := range p.production() {
			for _, fork := range forks(f, wordIn(f, p.dir, infos[p.dir], words)) {
				if file := closed()[fork.typ]; f.path != file {
					t.Errorf("%s: tells the words of %s apart; make it a field of the rows in %s, and ask the value", f.at(fork.at), fork.typ, file)
				}
			}
		}
	}
}

// packageOf returns the folder of a type such as "client/call.Code". "./.Name" is a type of the
// root package.
func packageOf(typ string) string { return path.Clean(strings.TrimSuffix(typ, path.Ext(typ))) }

// closedWords returns the package variables and constants of closed types, with their types.
func closedWords(p *pkg, info *types.Info) map[string]string {
	words := map[string]string{}
	for id, object := range info.Defs {
		if typ := closedType(p, object); typ != "" {
			words[id.Name] = typ
		}
	}
	return words
}

// closedType returns the closed type of a package variable or constant, or "".
func closedType(p *pkg, object types.Object) string {
	switch object.(type) {
	case *types.Var, *types.Const:
	default:
		return ""
	}
	named, ok := object.Type().(*types.Named)
	if !ok || object.Parent() != object.Pkg().Scope() || named.Obj().Pkg() != object.Pkg() {
		return ""
	}
	typ := p.dir + "." + named.Obj().Name()
	if p.dir == "." {
		typ = "./." + named.Obj().Name()
	}
	if closed()[typ] == "" {
		return ""
	}
	return typ
}

// wordIn returns a function that returns the closed type of an expression in a file if it is
// the name of a word, or else "". Info is nil if the package of the file has no closed type.
func wordIn(f *source, dir string, info *types.Info, words map[string]map[string]string) func(ast.Expr) string {
	imported := map[string]map[string]string{}
	for of, names := range words {
		if local := f.localName(path.Join(golden.Module, of)); local != "" {
			imported[local] = names
		}
	}
	return func(e ast.Expr) string {
		switch e := ast.Unparen(e).(type) {
		case *ast.Ident:
			if info == nil || info.Uses[e] == nil || info.Uses[e].Parent() != info.Uses[e].Pkg().Scope() {
				return ""
			}
			return words[dir][e.Name]
		case *ast.SelectorExpr:
			x, _ := identOf(e, true)
			return imported[x][e.Sel.Name]
		}
		return ""
	}
}

// fork is a place that distinguishes words of a closed type.
type fork struct {
	at  ast.Node
	typ string
}

// forks returns each switch with a word among its cases, and two or more comparisons with words
// of one type in one switch without a tag, one chain of ifs, or one expression.
func forks(f *source, word func(ast.Expr) string) (found []fork) {
	judged := map[ast.Node]bool{}
	ladder := func(at ast.Node, conditions []ast.Expr) {
		count := map[string]int{}
		for _, e := range conditions {
			compared(e, word, judged, count)
		}
		for _, typ := range slices.Sorted(maps.Keys(count)) {
			if count[typ] > 1 {
				found = append(found, fork{at, typ})
			}
		}
	}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SwitchStmt:
			if n.Tag == nil {
				ladder(n, cases(n))
				break
			}
			for _, e := range append(cases(n), n.Tag) {
				if typ := word(e); typ != "" {
					found = append(found, fork{n, typ})
					break
				}
			}
		case *ast.IfStmt:
			if judged[n] {
				break // part of a chain
			}
			var conditions []ast.Expr
			for each, ok := n, true; ok; each, ok = each.Else.(*ast.IfStmt) {
				conditions, judged[each] = append(conditions, each.Cond), true
			}
			ladder(n, conditions)
		case *ast.BinaryExpr:
			if !judged[n] {
				ladder(n, []ast.Expr{n})
			}
		}
		return true
	})
	return found
}

// cases returns the expressions of a switch's cases.
func cases(n *ast.SwitchStmt) (list []ast.Expr) {
	for _, clause := range n.Body.List {
		list = append(list, clause.(*ast.CaseClause).List...)
	}
	return list
}

// compared counts the comparisons with words in an expression, and marks its parts as judged. A
// function inside it is judged separately.
func compared(e ast.Expr, word func(ast.Expr) string, judged map[ast.Node]bool, count map[string]int) {
	ast.Inspect(e, func(n ast.Node) bool {
		if b, ok := n.(*ast.BinaryExpr); ok {
			judged[b] = true
			if b.Op == token.EQL || b.Op == token.NEQ {
				if typ := word(b.X) + word(b.Y); typ != "" {
					count[typ]++
				}
			}
		}
		_, function := n.(*ast.FuncLit)
		return !function
	})
}

func TestForksOverClosedWordsAreCaught(t *testing.T) {
	p := parseText(t, `package x

import (
	"github.com/wayfindhq/wayfind/client/call"
	own "github.com/wayfindhq/wayfind/internal/act/httpcall"
)

func f(c call.Code, d own.Code, n int) int {
	if c == call.Gone {
		return 1
	}
	switch c { // line 12
	case call.Gone:
		return 2
	}
	switch { // line 16
	case n == 1 || c == call.Gone:
		return 3
	case c != call.Denied:
		return 4
	}
	if c == call.Gone { // line 22
		return 5
	} else if call.Denied == c {
		return 6
	}
	switch n {
	case 1:
		return 7
	}
	switch {
	case c == call.Gone, d == own.CodeStyle:
		return 8
	}
	if c == call.Gone {
		call := struct{ Other int }{}
		_ = n == call.Other || n == 2
	}
	both := d == own.CodeStyle || (d == own.CodeSize && func() bool { return c == call.Gone }()) // line 39
	switch (own.CodeStyle) { // line 40
	case d:
	}
	_ = both
	return 9
}
`)
	words := map[string]map[string]string{
		"client/call":           {"Gone": "client/call.Code", "Denied": "client/call.Code"},
		"internal/act/httpcall": {"CodeStyle": "internal/act/httpcall.Code", "CodeSize": "internal/act/httpcall.Code"},
	}
	f := p.files[0]
	var got []string
	for _, fork := range forks(f, wordIn(f, p.dir, nil, words)) {
		got = append(got, fmt.Sprint(f.at(fork.at), " ", fork.typ))
	}
	want := []string{"x.go:12 client/call.Code", "x.go:16 client/call.Code", "x.go:22 client/call.Code", "x.go:39 internal/act/httpcall.Code", "x.go:40 internal/act/httpcall.Code"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("forks (-want +got):\n%s", diff)
	}
}

// In its own package a word has no qualifier, and a local variable may have the same name.
func TestForksInTheOwnPackageAreCaught(t *testing.T) {
	p := parseText(t, `package call

type Code struct{ row *int }

func codeOf(string) Code { return Code{} }

var Gone, Denied = codeOf("gone"), codeOf("denied")

func f(c Code) bool {
	return c == Gone || c == Denied // line 10
}

func g(c, Gone, Denied Code) bool {
	return c == Gone || c == Denied
}
`)
	p.dir = "client/call"
	f, info := p.files[0], resolveNames(p)
	words := map[string]map[string]string{p.dir: closedWords(p, info)}
	if diff := cmp.Diff(map[string]string{"Gone": "client/call.Code", "Denied": "client/call.Code"}, words[p.dir]); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
	got := forks(f, wordIn(f, p.dir, info, words))
	if len(got) != 1 || f.at(got[0].at) != "x.go:10" || got[0].typ != "client/call.Code" {
		t.Errorf("caught %v", got)
	}
}
