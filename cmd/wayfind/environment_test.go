package main

import (
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/commandline"
)

// TestMain makes the command available to the scripts as "wayfind".
func TestMain(m *testing.M) {
	testscript.Main(plainly{m}, map[string]func(){"wayfind": main, "bell": bell})
}

// plainly runs the tests without the settings of the user who runs them, and with an empty home
// directory.
type plainly struct{ *testing.M }

// Run implements testscript.TestingM.
func (p plainly) Run() int {
	home, err := os.MkdirTemp("", "wayfind-home-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	clearEnvironment()
	for _, name := range []string{"HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"} {
		_ = os.Setenv(name, home)
	}
	_ = os.Setenv("LC_ALL", "C.UTF-8") // programs that tests start find files with any name
	return p.M.Run()
}

// clearEnvironment unsets all variables that the command, or the library below it, reads.
func clearEnvironment() {
	for _, flag := range commandline.EnvironmentFlags() {
		_ = os.Unsetenv(commandline.VariableOf(flag))
	}
	for _, setting := range os.Environ() {
		name, _, _ := strings.Cut(setting, "=")
		if strings.HasPrefix(name, "XDG_") || strings.HasSuffix(strings.ToUpper(name), "_PROXY") {
			_ = os.Unsetenv(name)
		}
	}
	for _, name := range []string{queueVariable, cacheKeyVariable, "COLUMNS", "NO_COLOR", "TERM", "SSL_CERT_FILE", "SSL_CERT_DIR"} {
		_ = os.Unsetenv(name)
	}
}

// plainScript is the environment of a script: it has a home directory of its own.
func plainScript(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home-of-the-user")
	env.Setenv("NO_COLOR", "1")
	env.Setenv("HOME", home)
	env.Setenv("USERPROFILE", home)
	return os.Mkdir(home, 0o700)
}

// The settings of a user do not reach a test.
func TestSettingsOfAUserDoNotReachATest(t *testing.T) {
	set := []string{"COLUMNS", "NO_COLOR", "TERM", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HTTPS_PROXY", "http_proxy", queueVariable, cacheKeyVariable}
	for _, flag := range commandline.EnvironmentFlags() {
		set = append(set, commandline.VariableOf(flag))
	}
	for _, name := range set {
		if value, there := os.LookupEnv(name); there {
			t.Errorf("%s is %q", name, value)
		}
		t.Setenv(name, "of a user") // and it is unset at the end
	}
	clearEnvironment()
	for _, name := range set {
		if value, there := os.LookupEnv(name); there {
			t.Errorf("%s stays %q", name, value)
		}
	}
	if home, err := os.UserHomeDir(); err != nil || !strings.HasPrefix(filepath.Base(home), "wayfind-home-") {
		t.Errorf("the home directory is %s, %v", home, err)
	}
}
