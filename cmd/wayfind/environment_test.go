package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/commandline"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/plainly"
)

// TestMain makes the command available to the scripts as "wayfind".
func TestMain(m *testing.M) {
	testscript.Main(plainly.Tests{M: m}, map[string]func(){"wayfind": main, "bell": bell})
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
	set := []string{"COLUMNS", "NO_COLOR", "TERM", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HTTPS_PROXY", "http_proxy", commandline.QueueVariable, commandline.CacheKeyVariable}
	for _, flag := range commandline.EnvironmentFlags() {
		set = append(set, commandline.VariableOf(flag))
	}
	for _, name := range set {
		if value, there := os.LookupEnv(name); there {
			t.Errorf("%s is %q", name, value)
		}
		t.Setenv(name, "of a user") // and it is unset at the end
	}
	plainly.ClearEnvironment()
	for _, name := range set {
		if value, there := os.LookupEnv(name); there {
			t.Errorf("%s stays %q", name, value)
		}
	}
	if home, err := os.UserHomeDir(); err != nil || !strings.HasPrefix(filepath.Base(home), "wayfind-home-") {
		t.Errorf("the home directory is %s, %v", home, err)
	}
}
