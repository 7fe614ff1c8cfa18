package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// manCommand returns the command that writes the manual pages of all commands.
func manCommand(a *ui.App) *cobra.Command {
	var now string
	cmd := &cobra.Command{
		Use:     "man DIR",
		Short:   "write the manual pages of all commands to a directory",
		Example: "  wayfind man ~/.local/share/man/man1\n  man wayfind-resolve",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New(`name one directory, for example "wayfind man ~/.local/share/man/man1"`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			clock, err := session.ParseNow(now)
			if err != nil {
				return err
			}
			when := time.Now()
			if clock != nil {
				when = clock()
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return ui.Usagef("%w", err)
			}
			return writeManual(cmd.Root(), args[0], when)
		},
	}
	cmd.Flags().StringVar(&now, "now", "", "use this `TIME` (RFC 3339) as the date of the pages")
	return cmd
}

// writeManual writes the page of a command and those of its commands to a directory.
func writeManual(c *cobra.Command, dir string, when time.Time) error {
	c.InitDefaultHelpFlag()
	if err := os.WriteFile(filepath.Join(dir, pageName(c)+".1"), []byte(manualPage(c, when)), 0o644); err != nil {
		return err
	}
	for _, sub := range c.Commands() {
		if !shown(sub) {
			continue
		}
		if err := writeManual(sub, dir, when); err != nil {
			return err
		}
	}
	return nil
}

func shown(c *cobra.Command) bool { return c.IsAvailableCommand() && !c.IsAdditionalHelpTopicCommand() }

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manualPage returns the page of a command, in the macros of man(7).
func manualPage(c *cobra.Command, when time.Time) string {
	var b strings.Builder
	section := func(title string) { b.WriteString(".SH " + title + "\n") }
	fmt.Fprintf(&b, ".nh\n.TH \"%s\" \"1\" \"%s\" \"wayfind %s\" \"wayfind\"\n", roff(strings.ToUpper(pageName(c))), when.Format("2006-01-02"), roff(ui.Version()))
	section("NAME")
	b.WriteString(roff(pageName(c)+" - "+c.Short) + "\n")
	section("SYNOPSIS")
	b.WriteString("\\fB" + roff(c.UseLine()) + "\\fP\n")
	section("DESCRIPTION")
	b.WriteString(".nf\n" + roff(describedBy(c)) + "\n.fi\n")
	flags(&b, "OPTIONS", c.NonInheritedFlags())
	flags(&b, "OPTIONS OF ALL COMMANDS", c.InheritedFlags())
	if c.Example != "" {
		section("EXAMPLES")
		b.WriteString(".nf\n" + roff(c.Example) + "\n.fi\n")
	}
	var others []string
	if c.HasParent() {
		others = append(others, pageName(c.Parent()))
	}
	for _, sub := range c.Commands() {
		if shown(sub) {
			others = append(others, pageName(sub))
		}
	}
	if len(others) > 0 {
		section("SEE ALSO")
		b.WriteString("\\fB" + roff(strings.Join(others, "(1), ")) + "(1)\\fP\n")
	}
	return b.String()
}

// flags writes a section about flags, if there are any.
func flags(b *strings.Builder, title string, set *pflag.FlagSet) {
	if !set.HasAvailableFlags() {
		return
	}
	b.WriteString(".SH " + title + "\n")
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "\\fB" + roff("--"+f.Name) + "\\fP"
		if f.Shorthand != "" {
			name = "\\fB" + roff("-"+f.Shorthand) + "\\fP, " + name
		}
		if value != "" {
			name += " \\fI" + roff(value) + "\\fP"
		}
		b.WriteString(".TP\n" + name + "\n" + roff(usage) + "\n")
	})
}

var roffEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`)

// roff returns a text with the characters escaped that have a meaning in a manual page.
func roff(s string) string {
	lines := strings.Split(roffEscapes.Replace(s), "\n")
	for n, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[n] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
