package main

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// everyCommand calls f for each command, the root included.
func everyCommand(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, c := range cmd.Commands() {
		everyCommand(c, f)
	}
}

// TestHelpFits: no line of a help text is longer than 100 columns, or than the terminal if it can
// be broken between words. Each help text lists the exit statuses.
func TestHelpFits(t *testing.T) {
	for _, columns := range []string{"", "80"} {
		t.Setenv("COLUMNS", columns)
		most := helpWidth
		if columns != "" {
			most = 80
		}
		everyCommand((&app{}).command(), func(c *cobra.Command) {
			args := append(strings.Fields(c.CommandPath())[1:], "--help")
			code, out, errs := exec(t, "", args...)
			if code != exitFound || errs != "" {
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

// A shared flag that no section names would come among the flags of each command.
func TestSharedFlagsHaveASection(t *testing.T) {
	cmd := &cobra.Command{}
	new(network).register(cmd)
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
			everyCommand((&app{}).command(), func(c *cobra.Command) { known = known || c.Flags().Lookup(name) != nil })
			if seen[name] || !known {
				t.Errorf("--%s stands there twice, or for nothing", name)
			}
			seen[name] = true
		}
	}
	root := (&app{}).command()
	resolve, _, _ := root.Find([]string{"resolve"})
	for _, name := range environmentFlags() {
		if resolve.Flags().Lookup(name) == nil {
			t.Errorf("%s stands for no flag", variableOf(name))
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
