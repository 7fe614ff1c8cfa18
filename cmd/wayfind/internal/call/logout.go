package call

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/credentials"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// Logout returns the verb logout.
func Logout(a *ui.App) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "logout [HOST]",
		Short: "forget the tokens of a file",
		Long: `logout takes refresh tokens out of a file that "wayfind call --token-file" wrote: those
for one host, or all. It sends no request: the authorization server is not told.`,
		Example: "  wayfind logout --token-file ~/.wayfind-tokens api.example.com",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if name == "" {
				return ui.Usagef("name the file with --token-file")
			}
			if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
				return ui.Usagef("--token-file: there is no file %s", name)
			}
			file, err := credentials.OpenTokens(name)
			if err != nil {
				return err
			}
			n, err := file.Remove(cmd.Context(), func(k *credentials.KeptTokens) bool {
				return len(args) == 0 || isAt(k.Resource, args[0])
			})
			if err != nil {
				return err
			}
			fmt.Fprintln(a.Err, "forgot "+humanize.Count(n, "token"))
			return nil
		},
	}
	cmd.Flags().StringVar(&name, "token-file", "", "the `FILE` of the tokens")
	return cmd
}

// isAt reports whether a resource is at a place or below it: a host, a host with a path, or a URL.
func isAt(resource, place string) bool {
	place = strings.TrimRight(place, "/")
	if !strings.Contains(place, "://") {
		_, resource, _ = strings.Cut(resource, "://")
	}
	return resource == place || strings.HasPrefix(resource, place+"/")
}
