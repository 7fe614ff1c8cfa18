package main

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/demo"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// copied matches lines that a person copies as a whole: URLs, commands, and JSON of a site.
var copied = regexp.MustCompile(`https?://|^\s+(\. /|wayfind |curl |--|export )|\\$|^\s*(wayfind: )?[\[{]|[:=] ?[\[{]|(response|output|body|input)\s+[\[{]|/tmp/`)

// TestNoLineIsWiderThanTheTerminal prints the text of every command over the sample sites.
func TestNoLineIsWiderThanTheTerminal(t *testing.T) {
	testkit.Large(t)
	sites, err := demo.Start(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer sites.Close()
	leadTo(t, sites)
	t.Setenv("WAYFIND_CACHE", t.TempDir())
	commands := [][]string{
		{"demo"}, {"demo", "--all"}, {"formats"}, {"cache", "stats"}, {"search", "registry.example", "send email"},
		{"describe", "mailforge.example", "adp:send_email"}, {"describe", "bookings.example", "awp:book_table"}, {"call", "bookings.example", "awp:book_table"},
		{"call", "--dry-run", "bookings.example", "awp:book_table", "table_id=t1"}, {"reslove"}, {"list"}, {"mailforge.example", "-H", "X: y"}, {"check", "bookings.example"},
		{"describe", "mailforge.example", "adp:send_emial"}, {"help"},
	}
	for _, s := range demo.Sites() {
		commands = append(commands, []string{s.Host}, []string{"--verbose", s.Host})
	}
	var helps func(c *cobra.Command, words []string)
	helps = func(c *cobra.Command, words []string) {
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				path := append(append([]string{}, words...), sub.Name())
				commands = append(commands, append(append([]string{}, path...), "--help"))
				helps(sub, path)
			}
		}
	}
	helps(command((&ui.App{})), nil)
	for _, columns := range []struct {
		text string
		n    int
	}{{"80", 80}, {"60", 60}} {
		t.Setenv("COLUMNS", columns.text)
		for _, args := range commands {
			_, out, errs := exec(t, "", args...)
			for line := range strings.Lines(out + errs) {
				line = strings.TrimRight(line, "\n")
				longest := 0
				for word := range strings.FieldsSeq(line) {
					longest = max(longest, utf8.RuneCountInString(word))
				}
				if utf8.RuneCountInString(line) > columns.n && longest < columns.n/2 && !copied.MatchString(line) {
					t.Errorf("wayfind %s in %d columns has %d: %s", strings.Join(args, " "), columns.n, utf8.RuneCountInString(line), line)
				}
			}
		}
	}
}
