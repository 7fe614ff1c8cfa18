// Package plainly runs tests without the settings of the user who runs them, and with an empty home
// directory.
package plainly

import (
	"log"
	"os"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/commandline"
)

// Tests are the tests of a package.
type Tests struct{ *testing.M }

// Run implements testscript.TestingM.
func (t Tests) Run() int {
	home, err := os.MkdirTemp("", "wayfind-home-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	ClearEnvironment()
	for _, name := range []string{"HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"} {
		_ = os.Setenv(name, home)
	}
	_ = os.Setenv("LC_ALL", "C.UTF-8") // programs that tests start find files with any name
	return t.M.Run()
}

// ClearEnvironment unsets all variables that the command, or the library below it, reads.
func ClearEnvironment() {
	for _, flag := range commandline.EnvironmentFlags() {
		_ = os.Unsetenv(commandline.VariableOf(flag))
	}
	for _, setting := range os.Environ() {
		name, _, _ := strings.Cut(setting, "=")
		if strings.HasPrefix(name, "XDG_") || strings.HasSuffix(strings.ToUpper(name), "_PROXY") {
			_ = os.Unsetenv(name)
		}
	}
	for _, name := range []string{commandline.QueueVariable, commandline.CacheKeyVariable, "COLUMNS", "NO_COLOR", "TERM", "SSL_CERT_FILE", "SSL_CERT_DIR"} {
		_ = os.Unsetenv(name)
	}
}
