package main

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wayfindhq/wayfind/internal/text"
)

// suggestFlag adds to the error of a flag that there is not the one that may be
// meant.
func suggestFlag(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	if unknown.GetSpecifiedName() == "no-cache" && cmd.Flags().Lookup("refresh") != nil {
		return hinted{err, "; --refresh asks again, and --cache none keeps nothing"}
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := text.Nearest(unknown.GetSpecifiedName(), names); near != "" {
		return hinted{err, "; did you mean --" + near + "?"}
	}
	return hinted{err, `; see "` + cmd.CommandPath() + ` --help"`}
}

// oneOfGroup refuses flags of which only one may be given, in words of ours.
func oneOfGroup(cmd *cobra.Command) error {
	if cmd.ValidateFlagGroups() == nil {
		return nil
	}
	var given []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Annotations["cobra_annotation_mutually_exclusive"] != nil {
			given = append(given, "--"+f.Name)
		}
	})
	return usagef("%s cannot be used together: choose one", strings.Join(given, " and "))
}

// knownCommand refuses the arguments of a command that has only commands.
func knownCommand(cmd *cobra.Command, args []string) error {
	err := cobra.NoArgs(cmd, args)
	if err == nil {
		return nil
	}
	if near := text.Nearest(args[0], verbs(cmd)); near != "" {
		return hinted{err, `; did you mean "` + cmd.CommandPath() + " " + near + `"?`}
	}
	return err
}

// verbs are the commands that help lists.
func verbs(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}
