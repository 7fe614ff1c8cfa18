package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// environmentFlags returns the flags that an environment variable can set.
func environmentFlags() []string {
	return []string{"cache", "formats", "timeout", "connect-to", "cacert", "allow-cidr", "robots", "user-agent", "contact", "pins", "keys", "sign-key", "approvals"}
}

// variableOf returns the name of the environment variable for a flag.
func variableOf(flag string) string {
	return "WAYFIND_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// setFromEnvironment sets the flags that the command line does not have from their environment
// variables. An empty variable is treated as unset.
func setFromEnvironment(cmd *cobra.Command) error {
	for _, name := range environmentFlags() {
		f := cmd.Flags().Lookup(name)
		if f == nil || f.Changed {
			continue
		}
		values := []string{os.Getenv(variableOf(name))}
		if _, several := f.Value.(pflag.SliceValue); several {
			values = strings.Fields(values[0])
		}
		for _, value := range values {
			if value == "" {
				continue
			}
			if err := f.Value.Set(value); err != nil {
				return ui.Usagef("%s: %w", variableOf(name), err)
			}
		}
	}
	return nil
}
