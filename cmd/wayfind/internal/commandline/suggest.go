package commandline

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// SuggestFlag adds a suggestion to the error of a flag that does not exist.
func SuggestFlag(cmd *cobra.Command, err error) error {
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return wrongValue(wrong.GetFlag(), wrong.GetValue(), err)
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return err
	}
	name := cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName()) // "csv" for -csv, which is c, s and v
	if hint := flagHint(cmd, name); hint != "" {
		return ui.Hint(err, "; "+hint)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := text.Nearest(name, names); near != "" {
		return ui.Hint(err, "; did you mean --"+near+"?")
	}
	if hint := flagHint(cmd, unknown.GetSpecifiedName()); hint != "" {
		return ui.Hint(err, "; "+hint)
	}
	return ui.Hint(err, `; see "`+cmd.CommandPath()+` --help"`)
}

// wrongValue returns the error for a value that a flag does not take, in place of the text of a
// parser of Go.
func wrongValue(f *pflag.Flag, value string, err error) error {
	switch kind := f.Value.Type(); {
	case kind == "duration":
		return ui.Usagef("--%s %q is no time: write a number with its unit, such as 5s or 2m", f.Name, value)
	case kind == "bool":
		return ui.Usagef("--%s=%s: write --%s alone, or --%s=false", f.Name, value, f.Name, f.Name)
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"), strings.HasPrefix(kind, "float"), kind == "count":
		return ui.Usagef("--%s %q is no number, or is too large: write digits alone", f.Name, value)
	}
	return err
}

// OneOfGroup returns an error if several flags of a group are given that exclude each other. Its
// text replaces that of cobra.
func OneOfGroup(cmd *cobra.Command) error {
	if cmd.ValidateFlagGroups() == nil {
		return nil
	}
	var given []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Annotations["cobra_annotation_mutually_exclusive"] != nil {
			given = append(given, "--"+f.Name)
		}
	})
	return ui.Usagef("%s cannot be used together: choose one", strings.Join(given, " and "))
}

// KnownCommands makes each command with subcommands reject a word that is not one of them.
func KnownCommands(root *cobra.Command) {
	for _, c := range root.Commands() {
		switch {
		case c.Name() == "help":
			c.Args = knownTopic
		case c.HasAvailableSubCommands():
			c.Args = knownCommand
			if !c.Runnable() { // cobra does not check the arguments of a command that is not runnable
				c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
			}
		}
	}
}

// knownCommand rejects the arguments of a command that has only subcommands.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return unknownCommand(cmd, args[0])
}

// NoWords rejects words behind a command that takes only flags.
func NoWords(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := ui.Usagef("%s takes no word behind it, and %q is one", cmd.CommandPath(), args[0])
	if cmd.Flags().Lookup("domain") != nil {
		return ui.Hint(err, "; did you mean --domain "+ui.Show(args[0])+"?")
	}
	return ui.Hint(err, `; see "`+cmd.CommandPath()+` --help"`)
}

// knownTopic rejects a topic of help that is not a command.
func knownTopic(help *cobra.Command, args []string) error {
	cmd, rest, err := help.Root().Find(args)
	if err == nil && len(rest) == 0 {
		return nil
	}
	if err != nil {
		cmd, rest = help.Root(), args
	}
	return unknownCommand(cmd, rest[0])
}

// unknownCommand returns an error that suggests a similar command, or lists all commands.
func unknownCommand(parent *cobra.Command, word string) error {
	names := Verbs(parent)
	err := fmt.Errorf("unknown command %q for %q", word, parent.CommandPath())
	if near := NearestVerb(word, names); near != "" {
		return ui.Hint(err, `; did you mean "`+parent.CommandPath()+" "+near+`"?`)
	}
	if parent.HasParent() {
		return ui.Hint(err, "; its commands are "+strings.Join(names, ", "))
	}
	return ui.Hint(err, `; see "`+parent.CommandPath()+` --help"`)
}

// Verbs returns the commands that help lists, and help itself.
func Verbs(parent *cobra.Command) []string {
	var names []string
	for _, c := range parent.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			names = append(names, c.Name())
		}
	}
	return names
}

// NearestVerb returns the only command that begins with a word, otherwise the most similar one.
func NearestVerb(word string, names []string) string {
	var begun []string
	for _, name := range names {
		if strings.HasPrefix(name, strings.ToLower(word)) {
			begun = append(begun, name)
		}
	}
	if len(begun) == 1 {
		return begun[0]
	}
	return text.Nearest(word, names)
}
