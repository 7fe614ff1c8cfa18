package arch

import (
	"go/ast"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// rowOf returns the row of a package: its own row, or the row of its roof with the rules of its
// room.
func rowOf(dir string) (row, bool) {
	rows := table()
	if r, ok := rows[dir]; ok {
		return r, true
	}
	for pattern, r := range rows {
		if ok, err := path.Match(pattern, dir); err == nil && ok {
			room := rooms()[dir]
			r.pure, r.json, r.rawJSON = r.pure || room.pure, r.json || room.json, r.rawJSON || room.rawJSON
			return r, true
		}
	}
	return row{}, false
}

// nameOf returns the roof of a room, or the package.
func nameOf(dir string) string {
	if roof := roofOf(dir); roof != "" {
		return "the roof " + roof
	}
	return dir
}

// TestEveryRoomHasItsRules: the rules of a room that does not exist hold over nothing.
func TestEveryRoomHasItsRules(t *testing.T) {
	exists := map[string]bool{}
	for _, p := range load(t) {
		exists[p.dir] = true
	}
	for room := range rooms() {
		if !exists[room] {
			t.Errorf("there is no package %s", room)
		}
	}
}

func TestEveryPackageIsInTheTable(t *testing.T) {
	for _, p := range load(t) {
		if _, ok := rowOf(p.dir); !ok {
			t.Errorf("package %s is not in the import table (internal/arch/table_test.go)", p.dir)
		}
	}
}

func TestImports(t *testing.T) {
	for _, p := range load(t) {
		r, _ := rowOf(p.dir)
		for _, f := range p.files {
			for _, spec := range f.imports() {
				if problem := judge(p, r, f, unquote(spec.Path)); problem != "" {
					t.Errorf("%s: %s", f.at(spec), problem)
				}
			}
		}
	}
}

// judge returns the mistake in one import, or "".
func judge(p *pkg, r row, f *source, imported string) string {
	if dir, ok := ourDir(imported); ok {
		switch {
		case matchAny(r.ours, dir):
		case f.test && (dir == p.dir || matchAny(testImports(), dir)):
		default:
			return nameOf(p.dir) + " may not know " + nameOf(dir) + ": " + p.dir + " imports " + dir
		}
		return ""
	}
	if !thirdParty(imported) || (f.test || r.testOnly) && coverAny(testThirdParty(), imported) {
		return ""
	}
	owner, ok := ownerOf(imported)
	switch {
	case !ok:
		return imported + " has no owner in the table of third-party packages"
	case !covers(owner, p.dir) && !slices.Contains(strings.Fields(guests()[imported]), p.dir):
		return imported + " belongs to " + owner
	}
	return ""
}

// ourDir converts an import path of this module to a folder.
func ourDir(imported string) (string, bool) {
	if imported == golden.Module {
		return ".", true
	}
	return strings.CutPrefix(imported, golden.Module+"/")
}

// thirdParty distinguishes paths with a host name from paths of the standard library.
func thirdParty(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return strings.Contains(first, ".")
}

func matchAny(patterns []string, dir string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, dir)
		return ok && err == nil
	})
}

// covers reports whether a name in the third-party table, or of an owner, includes the package.
func covers(name, imported string) bool {
	if base, ok := strings.CutSuffix(name, "/..."); ok {
		return imported == base || strings.HasPrefix(imported, base+"/")
	}
	return name == imported
}

func coverAny(names []string, imported string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return covers(name, imported) })
}

func ownerOf(imported string) (string, bool) {
	for name, owner := range owners() {
		if covers(name, imported) {
			return owner, true
		}
	}
	return "", false
}

func TestJSONHasOneDoor(t *testing.T) {
	for _, p := range load(t) {
		r, _ := rowOf(p.dir)
		for _, f := range p.production() {
			if r.json || f.localName("encoding/json") == "" {
				continue
			}
			if !r.rawJSON {
				t.Errorf("%s: encoding/json belongs to the root package and the command", f.path)
			}
			f.selectors("encoding/json", func(sel *ast.SelectorExpr) {
				if sel.Sel.Name != "RawMessage" {
					t.Errorf("%s: json.%s outside of the root package and the command", f.at(sel), sel.Sel.Name)
				}
			})
		}
	}
}

// TestPure checks the packages that do no I/O and read no clock.
func TestPure(t *testing.T) {
	header := []string{"Header", "CanonicalHeaderKey", "ParseTime", "DetectContentType"}
	const logForm = "error_data.go" // the form of an Error in a log; the file writes none
	for _, p := range load(t) {
		r, _ := rowOf(p.dir)
		if !r.pure {
			continue
		}
		for _, f := range p.production() {
			for _, forbidden := range []string{"net", "os", "os/exec", "syscall", "crypto/tls", "math/rand", "math/rand/v2", "crypto/rand", "log", "log/slog"} {
				if f.localName(forbidden) != "" && f.path != logForm {
					t.Errorf("%s: imports %s, but %s is pure", f.path, forbidden, p.dir)
				}
			}
			f.selectors("net/http", func(sel *ast.SelectorExpr) {
				name := sel.Sel.Name
				if !slices.Contains(header, name) && !strings.HasPrefix(name, "Status") && !strings.HasPrefix(name, "Method") {
					t.Errorf("%s: http.%s, but %s is pure", f.at(sel), name, p.dir)
				}
			})
			f.selectors("time", func(sel *ast.SelectorExpr) {
				if slices.Contains([]string{"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "NewTimer", "NewTicker", "Tick"}, sel.Sel.Name) {
					t.Errorf("%s: time.%s, but %s is pure", f.at(sel), sel.Sel.Name, p.dir)
				}
			})
		}
	}
}

// TestJudge checks judge itself: a table that allows everything would accept every tree.
func TestJudge(t *testing.T) {
	const ours = golden.Module + "/"
	tests := []struct {
		dir, imported string
		test          bool
		ok            bool
	}{
		{"parse", golden.Module, false, true},
		{"parse", ours + "client", false, false},
		{"internal/formats/adp", ours + "parse", false, true},
		{"internal/formats/adp", ours + "internal/formats/a2a", false, false},
		{"internal/formats/adp", ours + "internal/syntax/jsonscan", false, false},
		{"internal/formats/adp", ours + "internal/lab/golden", false, false},
		{"internal/formats/adp", ours + "internal/lab/golden", true, true},
		{"internal/formats/adp", "github.com/google/go-cmp/cmp", false, false},
		{"internal/formats/adp", "github.com/google/go-cmp/cmp", true, true},
		{"cache/cachetest", "github.com/google/go-cmp/cmp", false, true},
		{"client", "gopkg.in/yaml.v3", false, false},
		{"client", "example.com/unknown", false, false},
		{"client", "net/http", false, true},
		{"internal/syntax/mdscan", "github.com/yuin/goldmark/ast", false, true},
		{"cache", golden.Module, false, false},
		{"internal/syntax/text", ours + "internal/site/merge", false, false},
		{"internal/syntax/text", ours + "internal/run/fuel", false, false},
		{"internal/web/fetch", ours + "internal/act/tokens", false, false},
		{"internal/site/discover", ours + "internal/web/fetch", false, true},
		{"internal/act/tokens", ours + "internal/show/humanize", false, false},
		{"internal/show/inspect", ours + "internal/lab/golden", false, false},
		{".", ours + "parse", false, false},
	}
	for _, tt := range tests {
		r, ok := rowOf(tt.dir)
		if !ok {
			t.Errorf("no row for %s", tt.dir)
		}
		problem := judge(&pkg{dir: tt.dir}, r, &source{test: tt.test}, tt.imported)
		if (problem == "") != tt.ok {
			t.Errorf("%s importing %s (test %t): %q, want allowed %t", tt.dir, tt.imported, tt.test, problem, tt.ok)
		}
	}
}
