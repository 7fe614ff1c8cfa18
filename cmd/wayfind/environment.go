package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// environmentFlags are the flags that a variable can stand for.
func environmentFlags() []string {
	return []string{"cache", "formats", "timeout", "connect-to", "cacert", "allow-cidr", "robots", "user-agent", "contact", "pins", "keys", "sign-key", "approvals"}
}

// variableOf is the variable that stands for a flag.
func variableOf(flag string) string {
	return "WAYFIND_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// setFromEnvironment gives flags that were not written the values of their
// variables. One that is empty counts as not set.
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
				return usagef("%s: %w", variableOf(name), err)
			}
		}
	}
	return nil
}
