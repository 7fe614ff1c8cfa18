package arch

import (
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// blockImports returns the packages that Go code in the documents may import.
func blockImports() []string {
	list := []string{"context", "fmt", "net/http", "os", "testing", "errors", "time", "log/slog", "github.com/rogpeppe/go-internal/txtar"}
	for _, dir := range []string{"", "/cache", "/cache/cachetest", "/cache/disk", "/cache/memory", "/cache/redis", "/client", "/client/clienttest",
		"/internal/lab/formattest", "/internal/lab/golden", "/parse", "/parse/parsetest", "/resolve/diff", "/security", "/security/cards", "/security/pins", "/security/prompt",
		"/security/schema", "/client/tools", "/client/call", "/client/session"} {
		list = append(list, golden.Module+dir)
	}
	return list
}

// blockNames declares the names that Go code in the documents may use.
const blockNames = `
var (
	ctx           context.Context
	c             *client.Client
	name          string
	arguments     []byte
	t             *testing.T
	manifest, dir string
	key           []byte
	raw, answer   []byte
	place         string
	menu          interface{ Format() *parse.Format }
	box           *tools.Box
	defs          *tools.Definitions
	caller        *call.Caller
	model         func(ctx context.Context, tools []byte, system string, messages []any) (answer any, calls []session.Call)
	reply         func([]session.Outcome) any
	messages      []any
	vault         func(context.Context, *call.CredentialRequest) (*call.Grant, error)
	ask           func(context.Context, *call.Question) (call.Answer, error)
)
`

// TestBlocksCompile checks that the Go code in the documents compiles. A block contains
// declarations, or statements of a function that returns an error.
func TestBlocksCompile(t *testing.T) {
	root := golden.Root(t)
	names, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	check := newBlockCheck(t, root)
	count := 0
	for _, name := range append(names, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md")) {
		for line, block := range blocks(string(golden.Read(t, name)), "go") {
			count++
			if err := check(block); err != nil {
				t.Errorf("%s:%d: %v", filepath.Base(name), line, err)
			}
		}
	}
	if count < 5 {
		t.Errorf("%d blocks", count)
	}
	for bad, want := range map[string]string{
		"c := client.New(nil)":                      "assignment mismatch",
		"site.Capabilities()":                       "undefined: site",
		"func f( {":                                 "expected",
		"_ = client.Options{Nonsense: 1}":           "unknown field Nonsense",
		"func f() { var s wayfind.Site; s.None() }": "undefined",
	} {
		if err := check(bad); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", bad, err, want)
		}
	}
}

// newBlockCheck returns a function that compiles one block.
func newBlockCheck(t *testing.T, root string) func(block string) error {
	t.Helper()
	out := testkit.RunGo(t, root, append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}, blockImports()...)...)
	exports := map[string]string{}
	for line := range strings.Lines(out) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		exports[path] = file
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	head := fmt.Sprintf("package blocks\n\nimport (\n\t%q\n)\n", blockImports())
	head = strings.NewReplacer(`["`, `"`, `" "`, "\"\n\t\"", `"]`, `"`).Replace(head) + blockNames
	return func(block string) error {
		f, err := parser.ParseFile(fset, "", head+block, parser.SkipObjectResolution)
		if err != nil {
			var inner error
			if f, inner = parser.ParseFile(fset, "", head+"func _() error {\n"+block+"\nreturn nil\n}\n", parser.SkipObjectResolution); inner != nil {
				return errors.Join(err, inner)
			}
		}
		var faults []error
		conf := types.Config{Importer: imports, Error: func(err error) {
			if e, ok := errors.AsType[types.Error](err); !ok || !e.Soft { // unused names are for the reader to use
				faults = append(faults, err)
			}
		}}
		_, _ = conf.Check("blocks", fset, []*ast.File{f}, nil)
		return errors.Join(faults...)
	}
}

// blocks yields the fenced blocks of a language, with the lines at which they begin.
func blocks(text, language string) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		begun, number := 0, 0
		var block strings.Builder
		for line := range strings.Lines(text) {
			number++
			switch fence := strings.TrimSpace(line); {
			case begun == 0 && fence == "```"+language:
				begun = number + 1
				block.Reset()
			case begun > 0 && fence == "```":
				if !yield(begun, block.String()) {
					return
				}
				begun = 0
			case begun > 0:
				block.WriteString(line)
			}
		}
	}
}
