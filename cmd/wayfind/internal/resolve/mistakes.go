package resolve

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/commandline"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// keyBehind returns an error for "wayfind DOMAIN KEY", so that nothing is asked then. The error
// suggests "wayfind describe". A first word that may be a mistyped command is none of its cases.
func keyBehind(a *ui.App, cmd *cobra.Command, words []string) error {
	i := slices.IndexFunc(words, func(word string) bool { return session.IsKey(a, word) })
	if i < 0 || len(words) != 2 && !strings.ContainsAny(words[i], ":_") || len(words) < 2 {
		return nil
	}
	domain := words[0]
	if i == 0 {
		domain = words[1]
	}
	if i == 0 && a.Bare && verbMeant(cmd, words[0]) != "" || session.IsKey(a, domain) {
		return nil
	}
	return ui.Usagef("%q is the key of a capability; did you mean \"wayfind describe %s %s\"?", words[i], ui.Show(domain), ui.Show(words[i]))
}

// verbBehind returns an error for "wayfind DOMAIN COMMAND", and for a command of another program with words
// behind it, so that nothing is asked then.
func verbBehind(a *ui.App, cmd *cobra.Command, words []string) error {
	if !a.Bare || len(words) < 2 {
		return nil
	}
	if habit := commandline.Habits()[strings.ToLower(words[0])]; habit != "" && !exists(words[0]) { // "validate FILE"
		return unknownCommand(words[0], habit)
	}
	if !slices.Contains(commandline.Verbs(cmd.Root()), words[1]) {
		return nil
	}
	return ui.Usagef("%q is a command, and stands first; did you mean \"wayfind %s %s\"?", words[1], words[1], ui.Show(words[0]))
}

// mistyped returns the error of "wayfind WORD…" if WORD cannot be a domain and may be meant as a
// command. Its arguments must not be asked then.
func mistyped(a *ui.App, cmd *cobra.Command, domains []string) error {
	err := session.TargetError(a, domains[0])
	e, ok := errors.AsType[*wayfind.Error](err)
	if !a.Bare || !ok || e.Code != wayfind.CodeHostSingleLabel {
		return nil
	}
	if habit := commandline.Habits()[strings.ToLower(domains[0])]; habit != "" {
		return unknownCommand(domains[0], habit)
	}
	if near := verbMeant(cmd, domains[0]); near != "" {
		err = ui.Hint(err, fmt.Sprintf("; did you mean \"wayfind %s\"?", near))
	}
	return err
}

// unknownCommand returns the error for a command of another program.
func unknownCommand(word, habit string) error {
	return ui.Hint(ui.Usagef("unknown command %q", word), ": "+habit)
}

// exists reports whether there is a file or a directory of a name.
func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// verbMeant returns the hint of a command of another program, otherwise the command that a word may
// be mistyped for, or "".
func verbMeant(cmd *cobra.Command, word string) string {
	return cmp.Or(commandline.Habits()[strings.ToLower(word)], commandline.NearestVerb(word, commandline.Verbs(cmd.Root())))
}

// failEach reports the error of a run that asks nothing. With --json, it prints an object for each
// of several targets.
func failEach(a *ui.App, domains []string, err error) error {
	if !a.JSON || !a.Several {
		return err
	}
	for _, domain := range domains {
		a.PrintJSON(ui.Failed{}, ui.NewFailure(domain, cmp.Or(session.TargetError(a, domain), err)))
	}
	a.Tell(ui.Usage(err))
	return nil
}
