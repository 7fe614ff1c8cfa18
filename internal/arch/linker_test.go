package arch

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// If a function that calls a method by its name is reachable, the linker keeps every exported
// method of every type: a third of the command. Templates do that.
var callsByName = []string{"html/template", "text/template"}

func TestNoTemplates(t *testing.T) {
	for _, p := range load(t) {
		for _, f := range p.production() {
			for _, spec := range f.imports() {
				if slices.Contains(callsByName, unquote(spec.Path)) {
					t.Errorf("%s: write the text without a template: it makes the command larger by a third", f.at(spec))
				}
			}
		}
	}
}

// TestTheLinkerRemovesMethods looks at what is reachable, in other modules too.
func TestTheLinkerRemovesMethods(t *testing.T) {
	testkit.LongOnly(t)
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-dumpdep", "-o", t.TempDir(), "./cmd/wayfind")
	build.Dir = golden.Root(t)
	reached, err := build.CombinedOutput()
	if err != nil || strings.Count(string(reached), " -> ") < 1000 {
		t.Fatalf("%v\n%.2000s", err, reached)
	}
	if way := wayToNames(string(reached)); way != nil {
		t.Errorf("the linker keeps all methods, since this calls one by its name:\n%s", strings.Join(way, "\n"))
	}
}

// wayToNames returns the symbols from the start of a program to one that calls methods by name, in
// the output of the linker's -dumpdep: "symbol -> symbol" for each symbol when it is first reached.
func wayToNames(reached string) (way []string) {
	from := map[string]string{}
	for line := range strings.Lines(reached) {
		a, b, ok := strings.Cut(strings.TrimSpace(line), " -> ")
		if _, known := from[symbolOf(b)]; ok && !known {
			from[symbolOf(b)] = symbolOf(a)
		}
		if ok && way == nil && strings.Contains(b, "<ReflectMethod>") {
			way = []string{symbolOf(b)}
		}
	}
	for way != nil && from[way[0]] != "" && !slices.Contains(way, from[way[0]]) {
		way = append([]string{from[way[0]]}, way...)
	}
	return way
}

// symbolOf returns a symbol without the linker's words about it.
func symbolOf(s string) string {
	symbol, _, _ := strings.Cut(s, " <")
	return symbol
}

func TestWaysToNamesAreCaught(t *testing.T) {
	const reached = `_ -> _rt0_amd64_linux
_rt0_amd64_linux -> main.main
main.main -> fmt.Println
main.main -> main.page <UsedInIface>
main.page <UsedInIface> -> text/template.(*state).evalField <ReflectMethod>
`
	want := "_ _rt0_amd64_linux main.main main.page text/template.(*state).evalField"
	if got := strings.Join(wayToNames(reached), " "); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if way := wayToNames(strings.ReplaceAll(reached, " <ReflectMethod>", "")); way != nil {
		t.Errorf("%q", way)
	}
}
