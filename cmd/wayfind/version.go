package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/commandline"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/security"
)

func versionCommand(a *ui.App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print the version",
		Args:  commandline.NoWords,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.Out, "wayfind %s\npublic suffix list of %s\n", ui.Version(), (*security.SuffixList)(nil).Version())
			return err
		},
	}
}
