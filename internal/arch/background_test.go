package arch

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// mayBegin returns the functions that begin a context of their own, as "file function", each with
// the reason why the context of a caller cannot reach them.
func mayBegin() map[string]string {
	return map[string]string{
		"cache/engine.go NewEngine":                         "work in the background, which ends with Close",
		"cache/layered.go NewLayered":                       "writes behind, which end when Close gives up",
		"cache/renew.go renew":                              "a renewal in the background, which ends with its flight",
		"cache/slow.go goOn":                                "a renewal in the background; limited by renewTimeout",
		"cache/disk/disk.go openSchema":                     "the opening of a store, which no other use delays",
		"cache/disk/list.go Stats":                          "Stats takes no context",
		"cache/disk/obligation.go release":                  "an end after the request; limited by cache.StoreBudget",
		"cache/disk/versions.go OtherVersions":              "OtherVersions takes no context",
		"cache/redis/link.go newLink":                       "connections, which end with close",
		"cache/redis/obligation.go release":                 "an end after the request; limited by the budget of the store",
		"client/call/conversation.go farewell":              "a goodbye after the call; limited by maxLeave",
		"client/client.go New":                              "work of a Client, which ends with Close",
		"client/mcpserver/server.go New":                    "work of a Server, which ends with Close",
		"client/tools/contract.go arguments":                "Box.Tool, Box.Save and Tool.Projection take no context",
		"cmd/wayfind/internal/credentials/tokens.go Forget": "an end after the context of the command; limited by maxForget",
		"cmd/wayfind/internal/ending/ending.go watch":       "the context of the command, which signals end",
		"cmd/wayfind/internal/stdio/session.go leave":       "an end after the context of the session; limited by grace",
		"cmd/wayfind/internal/stdio/stdio.go New":           "work of a process, which ends with Close",
		"internal/run/flight/flight.go Join":                "a flight outlives each of its callers and ends with the last",
		"internal/run/fuel/fuel.go Context":                 "a counter that has no context",
		"internal/web/fetch/conns.go NewConns":              "dials, which end with Close",
		"internal/web/gate/cooldown.go cool":                "a pause, which the end of a caller must not prevent",
		"internal/web/gate/lease.go end":                    "the end of a lease, after the request; limited by flushTime",
		"internal/web/gate/lease.go signing":                "a sign of life for as long as the lease is held",
		"resolve/diff/diff.go Sites":                        "SitesContext takes one",
		"resolve/diff/grade.go Of":                          "OfContext takes one",
		"security/pins/check.go Check":                      "CheckContext takes one",
		"security/pins/detail.go CheckDetail":               "CheckDetailContext takes one",
	}
}

// TestContextsComeFromCallers checks that no function below a public call begins a context of its
// own: the caller's end would not reach the work below it. Programs for development may.
func TestContextsComeFromCallers(t *testing.T) {
	unused := mayBegin()
	for _, p := range load(t) {
		if strings.HasPrefix(p.dir, "internal/lab/") || strings.HasPrefix(p.dir, "examples/") || strings.HasPrefix(p.dir, ".") && p.dir != "." {
			continue
		}
		for _, f := range p.production() {
			for _, begun := range beginnings(f) {
				key := f.path + " " + begun.function
				if mayBegin()[key] == "" {
					t.Errorf("%s: %q begins a context: pass on that of the caller, or say here why it cannot", f.at(begun.at), key)
				}
				delete(unused, key)
			}
		}
	}
	for key := range unused {
		t.Errorf("%s may begin a context and does not", key)
	}
}

// beginning is a place that begins a context, in the function or method of a name.
type beginning struct {
	function string
	at       ast.Node
}

// beginnings returns the places of a file that begin a context.
func beginnings(f *source) []beginning {
	var found []beginning
	f.selectors("context", func(sel *ast.SelectorExpr) {
		if !slices.Contains([]string{"Background", "TODO"}, sel.Sel.Name) {
			return
		}
		b := beginning{at: sel}
		for _, d := range f.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Pos() <= sel.Pos() && sel.End() <= fn.End() {
				b.function = fn.Name.Name
			}
		}
		found = append(found, b)
	})
	return found
}

func TestContextsThatBeginAreCaught(t *testing.T) {
	p := parseText(t, `package x

import "context"

var always = context.TODO()

func (t *tool) read() { go func() { use(context.Background()) }() }

func pass(ctx context.Context) { use(context.WithoutCancel(ctx)) }
`)
	var got []string
	for _, b := range beginnings(p.files[0]) {
		got = append(got, b.function)
	}
	if want := []string{"", "read"}; !slices.Equal(got, want) {
		t.Errorf("caught %q, want %q", got, want)
	}
}
