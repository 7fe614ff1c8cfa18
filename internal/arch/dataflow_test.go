package arch

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// mayCarry returns the files that may put a value into a context, each with the reason why it
// cannot be an argument. No such value decides what our code does.
func mayCarry() map[string]string {
	return map[string]string{
		"client/trace.go":                            "a caller's Trace: facts for one call, which no step reads",
		"internal/run/budget/budget.go":              "the budget of one call of a store that times itself, whose methods take nothing else from their caller",
		"internal/site/discover/observe.go":          "the context of Options.Observe, such as a span, which no step reads",
		"internal/web/capture/capture.go":            "the observer's wish for the messages of an exchange, inside the context of Options.Observe",
		"internal/show/inspect/watch.go":             "the part around a part, from one call of Options.Observe to the next",
		"internal/site/discover/credentialsource.go": "WithCredential and WithCredentialProvider, which say for whom something is asked: SDKs carry only a context between their caller and a transport",
		"internal/act/tokens/oauthclient.go":         "the guarded http.Client for x/oauth2, which takes it from nowhere else",
		"client/mcpserver/server.go":                 "the end of Serve: the SDK carries only a context from there to a call",
		"client/clienttest/conn.go":                  "the server's end of a connection, from net/http's hook to its handler",
	}
}

func TestContextsCarryNothing(t *testing.T) {
	unused := mayCarry()
	for _, p := range load(t) {
		for _, f := range p.production() {
			f.selectors("context", func(sel *ast.SelectorExpr) {
				if sel.Sel.Name != "WithValue" {
					return
				}
				if mayCarry()[f.path] == "" {
					t.Errorf("%s: context.WithValue: make it a field of an Ask", f.at(sel))
				}
				delete(unused, f.path)
			})
		}
	}
	for path := range unused {
		t.Errorf("%s may put a value into a context and does not", path)
	}
}

// mayAsk returns the functions that packages cache and gate accept when their parts are
// created: these, clocks, and a hook of a Transport that returns nothing. All other information
// is in an Ask.
func mayAsk() []string {
	return []string{"Options.Allow", "Options.Now", "Options.Judge", "Options.Answered"}
}

// TestCacheTakesNoFunctions checks that no function is passed to the cache. Such a function
// calls its owner, and a reader of the cache cannot follow the call.
func TestCacheTakesNoFunctions(t *testing.T) {
	unused := mayAsk()
	for _, p := range load(t) {
		if p.dir != "cache" && p.dir != "internal/web/gate" {
			continue
		}
		for _, f := range p.production() {
			for name, at := range functionFields(f) {
				if !strings.Contains(name, "Options.") {
					continue
				}
				if !slices.Contains(mayAsk(), name) {
					t.Errorf("%s: %s is a function: ask it of Rules, Origin, Pins or Turns on the Ask", f.at(at), name)
				}
				unused = slices.DeleteFunc(unused, func(s string) bool { return s == name })
			}
		}
	}
	for _, name := range unused {
		t.Errorf("cache has no function %s", name)
	}
}

// functionFields returns the exported fields of function type, as "Type.Field".
func functionFields(f *source) map[string]ast.Node {
	found := map[string]ast.Node{}
	ast.Inspect(f.ast, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		fields, ok := spec.Type.(*ast.StructType)
		if !ok {
			return true
		}
		for _, field := range fields.Fields.List {
			if _, function := field.Type.(*ast.FuncType); !function {
				continue
			}
			for _, name := range field.Names {
				if name.IsExported() {
					found[spec.Name.Name+"."+name.Name] = field
				}
			}
		}
		return true
	})
	return found
}

func TestFunctionFieldsAreCaught(t *testing.T) {
	p := parseText(t, `package x

type Options struct {
	Name  string
	Allow func(int) bool
	own   func()
}
`)
	got := functionFields(p.files[0])
	if len(got) != 1 || got["Options.Allow"] == nil {
		t.Errorf("caught %v, want Options.Allow alone", got)
	}
}
