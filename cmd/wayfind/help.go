package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/commandline"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
)

// helpWidth is the largest width of help in columns, even on a wider terminal.
const helpWidth = 80

// section is a group of flags or of commands under one heading.
type section struct {
	title string
	names []string
}

// flagSections returns the groups of the flags that many commands share. All other flags of a
// command come before them.
func flagSections() []section {
	return []section{
		{"Common flags", []string{"formats", "live", "offline", "cache", "cache-key", "timeout", "jq", "out", "verbose", "help"}},
		{"Network flags", []string{"dev", "header", "connect-to", "cacert", "allow-cidr", "allow-name", "allow-port", "allow-nat64", "unsafe-proxy", "user-agent", "contact", "sign-key", "robots", "max-bytes"}},
		{"Trust flags", []string{"strict", "pins", "pin-policy", "keys", "fetch-keys", "approve", "approvals", "allow-safer", "upgrade"}},
		{"Flags for tests and reports", []string{"trace", "save", "now"}},
	}
}

// commandSections returns the groups of commands. A command in no group is listed in the last one.
func commandSections() []section {
	return []section{
		{"Find", []string{"resolve", "describe", "inspect", "search", "batch", "crawl"}},
		{"Use", []string{"tools", "call", "mcp", "logout"}},
		{"Publish", []string{"check", "lint", "parse", "formats", "keys"}},
		{"Watch", []string{"pin", "diff", "cache"}},
		{"Learn", []string{"demo", "serve", "man", "completion", "version", "help"}},
	}
}

// exitCodes describes the exit status in the help of a command whose text does not.
var exitCodes = "Exit status: " + verdict.Outcomes() + "; of several the highest."

// printHelp writes the help of a command, at most helpWidth columns wide.
func printHelp(a *ui.App, cmd *cobra.Command) {
	h := &helper{w: cmd.OutOrStdout(), width: helpWidth}
	if n := a.Width(); n >= 40 {
		h.width = min(n, helpWidth)
	}
	h.text(describedBy(cmd))
	if !strings.Contains(cmd.Long, "Exit status") {
		h.line("")
		h.text(exitCodes)
	}
	h.usage(cmd)
	h.commands(cmd)
	if !cmd.HasParent() {
		h.rootFlags(cmd)
	} else {
		h.flags(cmd, flagSections())
	}
	h.environment(cmd)
}

func describedBy(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return strings.TrimSpace(cmd.Long)
	}
	first, size := utf8.DecodeRuneInString(cmd.Short)
	return string(unicode.ToUpper(first)) + cmd.Short[size:] + "."
}

// helper writes help.
type helper struct {
	w     io.Writer
	width int
}

func (h *helper) line(s string) { fmt.Fprintln(h.w, strings.TrimRight(s, " ")) }

func (h *helper) title(s string) {
	h.line("")
	h.line(s + ":")
}

// text writes paragraphs. It breaks their lines anew, except in a paragraph that begins with a
// blank.
func (h *helper) text(s string) {
	for i, paragraph := range strings.Split(s, "\n\n") {
		if i > 0 {
			h.line("")
		}
		if strings.HasPrefix(paragraph, " ") || strings.HasPrefix(paragraph, "\t") {
			h.listing(paragraph)
			continue
		}
		for _, l := range ui.Wrap(strings.Join(strings.Fields(paragraph), " "), h.width) {
			h.line(l)
		}
	}
}

// listing writes lines unchanged, except for the commands of wayfind, which shell writes.
func (h *helper) listing(lines string) {
	for l := range strings.SplitSeq(lines, "\n") {
		if strings.HasPrefix(l, "  wayfind ") {
			h.shell(l)
			continue
		}
		h.line(l)
	}
}

func (h *helper) usage(cmd *cobra.Command) {
	h.title("Usage")
	switch {
	case !cmd.HasParent():
		h.line("  " + cmd.UseLine())
		h.line("  wayfind COMMAND …")
	case cmd.HasAvailableSubCommands():
		h.line("  " + cmd.CommandPath() + " COMMAND [flags]")
	default:
		h.useLine(cmd.UseLine())
	}
	if cmd.Example != "" {
		h.title("Examples")
		h.shell(cmd.Example)
	}
}

// useLine writes how a command is called. A line that is too long goes on below.
func (h *helper) useLine(line string) {
	for i, l := range ui.Wrap(line, h.width-4) {
		h.line(strings.Repeat(" ", 2+4*min(i, 1)) + l)
	}
}

// shell writes lines for a shell. A line that is too long is continued with a backslash.
func (h *helper) shell(lines string) {
	for l := range strings.SplitSeq(lines, "\n") {
		h.line(strings.Join(ui.Wrap(l, h.width-2), " \\\n      "))
	}
}

// commands lists the subcommands of a command.
func (h *helper) commands(cmd *cobra.Command) {
	if !cmd.HasAvailableSubCommands() {
		return
	}
	left := map[string]*cobra.Command{}
	var order []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			left[c.Name()] = c
			order = append(order, c.Name())
		}
	}
	if cmd.HasParent() {
		h.title("Commands")
		h.listed(left, order)
		return
	}
	list := commandSections()
	for i, s := range list {
		names := s.names
		if i == len(list)-1 {
			names = append(slices.Clone(names), order...)
		}
		h.title(s.title)
		h.listed(left, names)
	}
}

// listed writes the named commands that are in left, and removes them from it.
func (h *helper) listed(left map[string]*cobra.Command, names []string) {
	for _, name := range names {
		if c := left[name]; c != nil {
			h.entry("  "+name, c.Short, 16)
			delete(left, name)
		}
	}
}

// rootFlags lists the flags of resolve that people need every day.
func (h *helper) rootFlags(root *cobra.Command) {
	resolve, _, err := root.Find([]string{"resolve"})
	if err != nil {
		return
	}
	h.flags(resolve, flagSections()[:1])
	h.line("")
	h.text(`"wayfind resolve --help" lists the flags for networks, trust and tests, "wayfind COMMAND --help" those of a command.`)
}

// flags lists the flags of a command: its own flags, and the given sections of shared flags.
func (h *helper) flags(cmd *cobra.Command, sections []section) {
	shared := map[string]bool{}
	for _, s := range flagSections() {
		for _, name := range s.names {
			shared[name] = true
		}
	}
	cmd.InitDefaultHelpFlag()
	var own []*pflag.Flag
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !shared[f.Name] && !f.Hidden {
			own = append(own, f)
		}
	})
	cmd.InheritedFlags().VisitAll(func(f *pflag.Flag) {
		if !shared[f.Name] && !f.Hidden && cmd.Flags().Lookup(f.Name) == nil {
			own = append(own, f)
		}
	})
	h.flagList("Flags", own)
	for _, s := range sections {
		var list []*pflag.Flag
		for _, name := range s.names {
			if f := cmd.Flag(name); f != nil && !f.Hidden {
				list = append(list, f)
			}
		}
		h.flagList(s.title, list)
	}
}

func (h *helper) flagList(title string, list []*pflag.Flag) {
	if len(list) == 0 {
		return
	}
	h.title(title)
	for _, f := range list {
		word, usage := pflag.UnquoteUsage(f)
		name := "      --" + f.Name
		if f.Shorthand != "" {
			name = "  -" + f.Shorthand + ", --" + f.Name
		}
		if word != "" {
			name += " " + word
		}
		if !strings.Contains(usage, "(default:") { // the text contains the default
			usage += defaultText(f)
		}
		h.entry(name, usage, 30)
	}
}

// defaultText returns the default of a flag for its help, or "" for a zero value.
func defaultText(f *pflag.Flag) string {
	switch f.DefValue {
	case "", "0", "false", "[]":
		return ""
	}
	return " (default: " + f.DefValue + ")"
}

// entry writes a name, and its description in a second column.
func (h *helper) entry(name, text string, column int) {
	size := utf8.RuneCountInString(name)
	if size+2 > column {
		h.line(name)
		name, size = "", 0
	}
	for _, l := range ui.Wrap(text, h.width-column) {
		h.line(name + strings.Repeat(" ", column-size) + l)
		name, size = "", 0
	}
}

// environment lists the environment variables that set flags of the command.
func (h *helper) environment(cmd *cobra.Command) {
	if !cmd.HasParent() {
		cmd, _, _ = cmd.Find([]string{"resolve"})
	}
	var names []string
	for _, name := range commandline.EnvironmentFlags() {
		if cmd.Flags().Lookup(name) != nil {
			names = append(names, commandline.VariableOf(name))
		}
	}
	if len(names) == 0 {
		return
	}
	h.title("Environment")
	h.entry("  WAYFIND_…", "stands for the flag of that name, where it is not given; values of a flag that may be repeated are separated by blanks: "+strings.Join(names, ", "), 16)
	if cmd.Flags().Lookup("cache-key") != nil {
		h.entry("  "+commandline.CacheKeyVariable, "the key itself, not a file", 16)
	}
	h.entry("  NO_COLOR", "print without bold type", 16)
	h.entry("  COLUMNS", "break lines at this column", 16)
}
