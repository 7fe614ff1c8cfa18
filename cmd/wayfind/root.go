package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/bulk"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/cache"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/call"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/check"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/commandline"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/demo"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/inspect"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/keys"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/lint"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/parse"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/resolve"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/search"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/serve"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/tools"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/watch"
)

// command builds the tree of commands.
func command(a *ui.App) *cobra.Command {
	root := &cobra.Command{
		Use:   "wayfind DOMAIN… [flags]",
		Short: "show what a web domain offers to AI agents",
		Long: `wayfind asks a web domain for its offers to AI agents, at every place that a known
format uses, and shows them as one model: services, authentication, capabilities, the
source of each fact, and the places that were asked.

"wayfind DOMAIN…" is short for "wayfind resolve DOMAIN…".

Exit status: 0 found, 1 nothing found or not usable, 2 wrong usage, 3 could not
be asked, 4 refused by policy, 5 incomplete (places of the domain gave no answer), 70 a
fault of wayfind, 130 interrupted; of several domains the highest.`,
		Example:       "  wayfind example.com\n  wayfind --json example.com | jq .services\n  wayfind demo",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,

		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return prepare(a, cmd) },
		RunE: func(*cobra.Command, []string) error {
			return errors.New(`name a domain, for example "wayfind example.com", or see "wayfind --help"`)
		},
	}
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	root.PersistentFlags().BoolVar(&a.Debug, "debug", false, "print the stack of a fault of wayfind, for a report")
	_ = root.PersistentFlags().MarkHidden("debug")             // the sentence about a fault names it
	root.Flags().Bool("version", false, "version for wayfind") // for completion: see bareForm
	root.AddCommand(resolve.Command(a), bulk.Batch(a), bulk.Crawl(a), parse.Command(a), lint.Command(a), check.Command(a), resolve.Describe(a, call.Curl), tools.Command(a), call.Command(a), tools.MCP(a), call.Logout(a), search.Command(a), watch.Pin(a), watch.Diff(a), parse.Formats(a), keys.Command(a), cache.Command(a), demo.Command(a), serve.Command(a), inspect.Command(a), manCommand(a), versionCommand(a))
	a.RegisterOutput(root)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { printHelp(a, cmd) })
	root.SetFlagErrorFunc(commandline.SuggestFlag)
	addCompletions(root)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Short = "show the help of a command"
		case "completion":
			c.Short = "write a script that completes commands, flags and values in a shell"
			c.Long = "completion writes a script for a shell, which then completes commands, flags, values,\nand the keys of domains that are stored. \"wayfind completion SHELL --help\" says how\nto load it."
			for _, shell := range c.Commands() {
				shell.Short = "write the script for " + shell.Name()
			}
		}
	}
	commandline.KnownCommands(root)
	return root
}

// prepare reads the flags that many commands share.
func prepare(a *ui.App, cmd *cobra.Command) error {
	a.JSON = wantsJSON(cmd, nil)
	for _, step := range []func(*cobra.Command) error{commandline.SetFromEnvironment, noEmptyValue, commandline.OneOfGroup, a.Redirect} {
		if err := step(cmd); err != nil {
			return err
		}
	}
	return nil
}

// wantsJSON reports whether a command is to print JSON. If the command line could not be parsed to
// its end, args are searched for the flag.
func wantsJSON(cmd *cobra.Command, args []string) bool {
	if cmd.Annotations[ui.AlwaysJSON] != "" {
		return true
	}
	f := cmd.Flags().Lookup("json")
	if f == nil || f.Value.Type() != "bool" {
		return false
	}
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return f.Value.String() == "true" || slices.Contains(args, "--json")
}

// noEmptyValue rejects a flag whose value is empty, such as --pins "$FILE" if the variable is not
// set. It must not be treated as if the flag were absent.
func noEmptyValue(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		slice, isSlice := f.Value.(pflag.SliceValue)
		empty := f.Value.Type() == "string" && f.Value.String() == "" || isSlice && (len(slice.GetSlice()) == 0 || slices.Contains(slice.GetSlice(), ""))
		if err == nil && empty && f.Name != "save" { // --save reports the missing value itself
			err = ui.Usagef("--%s has an empty value; leave the flag out, or give it one", f.Name)
		}
	})
	return err
}

// bareForm turns "wayfind DOMAIN…" into "wayfind resolve DOMAIN…" if the first word that is neither
// a flag nor the value of a flag is not a command, and "wayfind --version" into "wayfind version".
func bareForm(root *cobra.Command, args []string) []string {
	own := []string{"help", "completion", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}
	for _, c := range root.Commands() {
		own = append(own, c.Name())
	}
	if len(args) > 1 && slices.Contains(own[2:4], args[0]) { // the line that a shell wants completed
		if rest := bareForm(root, args[1:]); len(rest) > len(args)-1 && args[1] != "" {
			return append([]string{args[0]}, rest...)
		}
		return args
	}
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--version": // cobra prints its version by a template, which keeps the linker from removing methods
			return []string{"version"}
		case slices.Contains([]string{"-h", "--help"}, arg), slices.Contains(own, arg):
			return args
		case !strings.HasPrefix(arg, "-"):
			return append([]string{"resolve"}, args...)
		case takesValue(root, arg):
			i++
		}
	}
	if len(args) > 0 {
		return append([]string{"resolve"}, args...)
	}
	return args
}

// takesValue reports whether a flag of resolve has its value in the next word.
func takesValue(root *cobra.Command, arg string) bool {
	resolve, _, err := root.Find([]string{"resolve"})
	if err != nil || strings.Contains(arg, "=") {
		return false
	}
	f := resolve.Flags().Lookup(strings.TrimLeft(arg, "-"))
	return f != nil && f.NoOptDefVal == ""
}
