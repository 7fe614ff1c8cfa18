package arch

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// maxLinked is the maximum number of modules that an importer of client links.
const maxLinked = 20

func TestClientLinksFewModules(t *testing.T) {
	if !slices.ContainsFunc(load(t), func(p *pkg) bool { return p.dir == "client" && p.name != "" }) {
		t.Skip("there is no package client")
	}
	modules := strings.Fields(testkit.RunGo(t, golden.Root(t), "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", "./client"))
	slices.Sort(modules)
	modules = slices.Compact(modules)
	if len(modules) == 0 || len(modules) > maxLinked {
		t.Errorf("client links %d modules, want 1 to %d:\n%s", len(modules), maxLinked, strings.Join(modules, "\n"))
	}
	for _, m := range []string{"github.com/spf13/cobra", "github.com/google/go-cmp", "github.com/rogpeppe/go-internal"} {
		if slices.Contains(modules, m) {
			t.Errorf("client links %s, which belongs to the command or to tests", m)
		}
	}
}

// TestModuleFile checks that the module file has no tools and replacements. They would affect,
// or break, importers of the module.
func TestModuleFile(t *testing.T) {
	text := string(golden.Read(t, filepath.Join(golden.Root(t), "go.mod")))
	for line := range strings.Lines(text) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if slices.Contains([]string{"tool", "replace", "exclude"}, word) {
			t.Errorf("go.mod has a directive %s", word)
		}
	}
	if !strings.Contains(text, "\ntoolchain go1.26.") {
		t.Error("go.mod names no toolchain")
	}
}
