package main

import (
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand returns the command that writes the manual pages of all commands.
func (a *app) manCommand() *cobra.Command {
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
			clock, err := parseNow(now)
			if err != nil {
				return err
			}
			when := time.Now()
			if clock != nil {
				when = clock()
			}
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return usagef("%w", err)
			}
			root := cmd.Root()
			root.DisableAutoGenTag = true
			return doc.GenManTree(root, &doc.GenManHeader{Title: "WAYFIND", Section: "1", Date: &when, Source: "wayfind " + version(), Manual: "wayfind"}, args[0])
		},
	}
	cmd.Flags().StringVar(&now, "now", "", "use this `TIME` (RFC 3339) as the date of the pages")
	return cmd
}
