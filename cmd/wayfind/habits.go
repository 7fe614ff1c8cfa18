package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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

// verbBehind returns an error for "wayfind DOMAIN COMMAND", so that nothing is asked then.
func verbBehind(a *ui.App, cmd *cobra.Command, words []string) error {
	if !a.Bare || len(words) < 2 || !slices.Contains(commandline.Verbs(cmd.Root()), words[1]) {
		return nil
	}
	return ui.Usagef("%q is a command, and stands first; did you mean \"wayfind %s %s\"?", words[1], words[1], ui.Show(words[0]))
}

// cacheClearCommand returns "cache clear", another name for "cache rm --all".
func cacheClearCommand(a *ui.App, rm *cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "clear",
		Short: "forget all answers and obligations, as \"rm --all\" does",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("clear forgets everything; to forget one domain: wayfind cache rm %s", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := rm.Flags().Set("all", "true"); err != nil {
				return err
			}
			if f := cmd.Flags().Lookup("json"); f.Changed {
				if err := rm.Flags().Set("json", f.Value.String()); err != nil {
					return err
				}
			}
			rm.SetContext(cmd.Context())
			return rm.RunE(rm, nil)
		},
	}
	cmd.Flags().Bool("json", false, "print JSON")
	return cmd
}
