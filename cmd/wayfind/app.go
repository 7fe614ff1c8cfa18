package main

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/security"
)

// Exit statuses. A run with several domains exits with the highest of their statuses.
const (
	exitFound   = verdict.ExitFound
	exitNothing = verdict.ExitNothing
	exitUsage   = 2
	exitUnasked = verdict.ExitUnasked
	exitRefused = verdict.ExitRefused
	// exitInterrupted is the status of a run that Ctrl-C ended. Shells expect this value.
	exitInterrupted = 130
)

// app is one run of the command.
type app struct {
	in       io.Reader
	out, err io.Writer
	stdout   *standardOutput // under out; nil in some tests
	status   int
	inside   bool            // status is that of the command that serve ran
	json     bool            // --json: print results for programs
	guard    *security.Guard // permits the servers under development that the user named; may be nil
	several  bool            // more than one result may follow: print one line for each
	bare     bool            // no verb was written: "wayfind DOMAIN…"
	output   outputFlags
	schemas  []schema
	finish   func() error // writes the rest of the output
}

// New returns the app of a run. The first write to standard output that fails calls stop.
func New(stdin io.Reader, stdout, stderr io.Writer, stop func(cause error)) *app {
	out := &standardOutput{to: stdout, stop: stop}
	return &app{in: stdin, out: out, stdout: out, err: stderr, finish: func() error { return nil }}
}

// end writes the rest of the output, and returns the exit status.
func (a *app) end(interrupted bool) int {
	if err := a.finish(); err != nil {
		a.tell(err)
	}
	if err := a.stdout.failure(); err != nil {
		return a.unwritten(err)
	}
	if a.status != exitFound && interrupted && !a.inside {
		return exitInterrupted
	}
	return a.status
}

// usage is a mistake of the caller.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

// Usage marks an error as a mistake of the caller.
func Usage(err error) error { return usage{err} }

func usagef(format string, args ...any) error { return usage{fmt.Errorf(format, args...)} }

// exitStatus returns exitUsage for a mistake of the caller, otherwise the status for the kind of
// the error.
func exitStatus(err error) int {
	var u usage
	var e *wayfind.Error
	switch {
	case err == nil:
		return exitFound
	case errors.As(err, &u):
		return exitUsage
	}
	status := verdict.Exit(err)
	if status == exitNothing && errors.As(err, &e) && errors.Is(e.Kind, wayfind.ErrInvalid) &&
		(e.Op == "target" || e.Op == "options" || e.Code == wayfind.CodeUnknownKey) {
		return exitUsage
	}
	return status
}

// hinted is an error with a hint for a person.
type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error { return h.error }

// Hint adds a hint for a person to an error.
func Hint(err error, hint string) error { return hinted{err, hint} }

// hasHint reports whether an error has a hint.
func hasHint(err error) bool {
	_, ok := errors.AsType[hinted](err)
	return ok
}

// sentence puts an error into words for a person.
func sentence(err error) string {
	if h, ok := errors.AsType[hinted](err); ok {
		return sentence(h.error) + h.hint
	}
	var e *wayfind.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	if e.Op != "target" {
		return once(failureOf(err, e), e)
	}
	why := string(e.Code)
	if e.Err != nil {
		why = e.Err.Error()
	}
	what := "this target"
	if e.URL != "" {
		what = `"` + e.URL + `"`
	}
	_, notDev := security.ParseDev(e.URL)
	if wrong, ok := errors.AsType[*wayfind.Error](notDev); ok && e.Code == wayfind.CodeScheme && strings.HasPrefix(e.URL, "http://") {
		why = wrong.Err.Error() // --dev does not help, because the URL is wrong in another way
	}
	if e.Code == wayfind.CodeHostSingleLabel && notDev == nil {
		why += ", and is this machine: for a server under development there, add --dev"
	}
	text := what + " cannot be asked: " + why + "; name a public domain such as example.com"
	if e.Code == wayfind.CodeHostSingleLabel {
		text += ", or see \"wayfind --help\" for the commands"
	} else if host, _, several := strings.Cut(e.URL, ","); several && strings.Contains(host, ".") {
		text += "; write a blank between several domains"
	} else if notDev == nil {
		text += "; for a server under development that you name, add --dev"
	}
	return text
}

// once returns the text of an error without the repetitions of its class by its causes.
func once(text string, e *wayfind.Error) string {
	if e.Kind == nil || e.Code == "" {
		return text
	}
	class := fmt.Sprintf(": %s (%s)", e.Kind, e.Code)
	before, after, _ := strings.Cut(text, class)
	if after == "" {
		return text
	}
	return before + class + strings.ReplaceAll(after, class, "")
}

// command builds the tree of commands.
func command(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "wayfind DOMAIN… [flags]",
		Short: "show what a web domain offers to AI agents",
		Long: `wayfind asks a web domain for its offers to AI agents, at every place that a known
format uses, and shows them as one model: services, authentication, capabilities, the
source of each fact, and the places that were asked.

"wayfind DOMAIN…" is short for "wayfind resolve DOMAIN…".

Exit status: 0 found, 1 nothing found or not usable, 2 wrong usage, 3 could not
be asked, 4 refused by policy, 130 interrupted; of several domains the highest.`,
		Example:       "  wayfind example.com\n  wayfind --json example.com | jq .services\n  wayfind demo",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,

		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return prepare(a, cmd) },
		RunE: func(*cobra.Command, []string) error {
			return errors.New(`name a domain, for example "wayfind example.com", or see "wayfind --help"`)
		},
	}
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.Flags().Bool("version", false, "version for wayfind") // for completion: see bareForm
	root.AddCommand(resolveCommand(a), batchCommand(a), crawlCommand(a), parseCommand(a), lintCommand(a), checkCommand(a), describeCommand(a, printCurl), toolsCommand(a), callCommand(a), mcpCommand(a), logoutCommand(a), searchCommand(a), pinCommand(a), diffCommand(a), formatsCommand(a), keysCommand(a), cacheCommand(a), demoCommand(a), serveCommand(a), inspectCommand(a), manCommand(a), versionCommand(a))
	a.registerOutput(root)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { printHelp(a, cmd) })
	root.SetFlagErrorFunc(suggestFlag)
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
	knownCommands(root)
	return root
}

// prepare reads the flags that many commands share.
func prepare(a *app, cmd *cobra.Command) error {
	a.json = wantsJSON(cmd, nil)
	for _, step := range []func(*cobra.Command) error{setFromEnvironment, noEmptyValue, oneOfGroup, a.redirect} {
		if err := step(cmd); err != nil {
			return err
		}
	}
	return nil
}

// alwaysJSON marks a command whose results and errors are JSON without a flag. resultJSON marks a
// command whose result is JSON, and whose errors go to standard error alone.
const (
	alwaysJSON = "json"
	resultJSON = "result"
)

// wantsJSON reports whether a command is to print JSON. If the command line could not be parsed to
// its end, args are searched for the flag.
func wantsJSON(cmd *cobra.Command, args []string) bool {
	if cmd.Annotations[alwaysJSON] != "" {
		return true
	}
	f := cmd.Flags().Lookup("json")
	if f == nil || f.Value.Type() != "bool" { // in "call", --json names the file with the arguments
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
			err = usagef("--%s has an empty value; leave the flag out, or give it one", f.Name)
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

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Args:  noWords,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.out, "wayfind %s\npublic suffix list of %s\n", version(), (*security.SuffixList)(nil).Version())
			return err
		},
	}
}

// version returns the version of the module, or the revision of the checkout that it was built
// from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && (v == "" || v == "(devel)") {
			v = "devel " + s.Value[:min(12, len(s.Value))]
		}
	}
	if v == "" {
		v = "(devel)"
	}
	return v + " " + info.GoVersion
}
