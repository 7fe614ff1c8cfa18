package main

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/commandline"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// everyCommand calls f for each command, the root included.
func everyCommand(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, c := range cmd.Commands() {
		everyCommand(c, f)
	}
}

// TestHelpFits: no line of a help text is longer than 80 columns, or than a narrower terminal if it
// can be broken between words. Each help text lists the exit statuses.
func TestHelpFits(t *testing.T) {
	for columns, most := range map[string]int{"": helpWidth, "200": helpWidth, "60": 60} {
		t.Setenv("COLUMNS", columns)
		everyCommand(command((&ui.App{})), func(c *cobra.Command) {
			args := append(strings.Fields(c.CommandPath())[1:], "--help")
			code, out, errs := exec(t, "", args...)
			if code != ui.ExitFound || errs != "" {
				t.Errorf("%q: exit status %d, %s", args, code, errs)
			}
			if !strings.Contains(out, "Exit status") {
				t.Errorf("%q: no exit status", args)
			}
			for line := range strings.Lines(out) {
				line = strings.TrimRight(line, "\n")
				if n := utf8.RuneCountInString(line); n > most && (n > helpWidth || strings.Contains(strings.TrimSpace(line), "  ")) {
					t.Errorf("%q: %d columns: %s", args, n, line)
				}
			}
		})
	}
}

// TestEveryCommandThatPrintsJSONFiltersIt: --jq and --out stand beside --json everywhere, or a
// reason stands here.
func TestEveryCommandThatPrintsJSONFiltersIt(t *testing.T) {
	without := map[string]string{
		"wayfind demo --jq":          "it is a show of several sites",
		"wayfind demo --out":         "it is a show of several sites",
		"wayfind crawl results --jq": "it copies each result as it is",
	}
	n := 0
	everyCommand(command((&ui.App{})), func(c *cobra.Command) {
		if !ui.PrintsJSON(c) {
			return
		}
		n++
		for _, name := range []string{"jq", "out"} {
			_, excused := without[c.CommandPath()+" --"+name]
			if has := c.Flags().Lookup(name) != nil; has == excused {
				t.Errorf("%s prints JSON; it has --%s: %t", c.CommandPath(), name, has)
			}
		}
	})
	if n < 15 {
		t.Errorf("only %d commands print JSON", n)
	}
	// The result of this one is JSON without a flag.
	if code, out, errs := exec(t, `{"openapi": "3.1.0", "info": {"title": "Shop", "version": "1"}, "servers": [{"url": "https://shop.example"}],
		"paths": {"/orders": {"get": {"operationId": "listOrders", "responses": {"200": {"description": "all"}}}}}}`, "tools", "-", "--jq", ".[].name"); code != ui.ExitFound || out != "listOrders\n" {
		t.Errorf("tools --jq: exit status %d, %q, %s", code, out, errs)
	}
}

// A shared flag that no section names would come among the flags of each command.
func TestSharedFlagsHaveASection(t *testing.T) {
	cmd := &cobra.Command{}
	new(session.Network).Register(cmd)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !slices.ContainsFunc(flagSections(), func(s section) bool { return slices.Contains(s.names, f.Name) }) {
			t.Errorf("--%s is in no section of flagSections in help.go", f.Name)
		}
	})
}

// TestHelpNamesFlagsOnce: every flag of a section belongs to a command, and is in one section only.
func TestHelpNamesFlagsOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range flagSections() {
		for _, name := range s.names {
			known := name == "help"
			everyCommand(command((&ui.App{})), func(c *cobra.Command) { known = known || c.Flags().Lookup(name) != nil })
			if seen[name] || !known {
				t.Errorf("--%s stands there twice, or for nothing", name)
			}
			seen[name] = true
		}
	}
	root := command((&ui.App{}))
	resolve, _, _ := root.Find([]string{"resolve"})
	for _, name := range commandline.EnvironmentFlags() {
		if resolve.Flags().Lookup(name) == nil {
			t.Errorf("%s stands for no flag", commandline.VariableOf(name))
		}
	}
	for _, s := range commandSections() {
		for _, name := range s.names {
			if name != "mcp" && !slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == name }) {
				t.Errorf("there is no command %s", name)
			}
		}
	}
}
