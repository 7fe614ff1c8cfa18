// Package commandline knows the words and flags of the command line: variables that set flags,
// suggestions for mistyped ones, and hints for users of other programs.
package commandline

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

const (
	// QueueVariable is the environment variable with the default of --queue.
	QueueVariable = "WAYFIND_QUEUE"
	// CacheKeyVariable is the environment variable with the content of --cache-key's file, for
	// users who keep secrets in the environment.
	CacheKeyVariable = "WAYFIND_CACHE_KEY"
)

// EnvironmentFlags returns the flags that an environment variable can set.
func EnvironmentFlags() []string {
	return []string{"cache", "formats", "timeout", "connect-to", "cacert", "allow-cidr", "robots", "user-agent", "contact", "pins", "keys", "sign-key", "approvals"}
}

// VariableOf returns the name of the environment variable for a flag.
func VariableOf(flag string) string {
	return "WAYFIND_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// SetFromEnvironment sets the flags that the command line does not have from their environment
// variables. An empty variable is treated as unset.
func SetFromEnvironment(cmd *cobra.Command) error {
	for _, name := range EnvironmentFlags() {
		f := cmd.Flags().Lookup(name)
		if f == nil || f.Changed {
			continue
		}
		values := []string{os.Getenv(VariableOf(name))}
		if _, several := f.Value.(pflag.SliceValue); several {
			values = strings.Fields(values[0])
		}
		for _, value := range values {
			if value == "" {
				continue
			}
			if err := f.Value.Set(value); err != nil {
				return ui.Usagef("%s: %w", VariableOf(name), err)
			}
		}
	}
	return nil
}
