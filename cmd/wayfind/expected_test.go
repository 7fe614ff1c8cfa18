package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// expectedScript runs the script of a fault that is still there.
func expectedScript(t *testing.T) {
	t.Helper()
	testkit.ExpectedFailure(t)
	scriptOf(t)
}

// scriptOf runs the script of a test TestExpected_NAME, which is
// testdata/expected/NAME.txtar.
func scriptOf(t *testing.T) {
	t.Helper()
	testscript.Run(t, testscript.Params{
		Files:               []string{filepath.Join("testdata", "expected", strings.TrimPrefix(t.Name(), "TestExpected_")+".txtar")},
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"demo-env": demoEnv, "proxy-env": proxyEnv},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               plainScript,
	})
}

// TestScriptsHaveTests: each script of testdata/expected has a test.
func TestScriptsHaveTests(t *testing.T) {
	sources, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, name := range sources {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		code.Write(b)
	}
	scripts, err := filepath.Glob(filepath.Join("testdata", "expected", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range scripts {
		test := "func TestExpected_" + strings.TrimSuffix(filepath.Base(name), ".txtar") + "("
		if !strings.Contains(code.String(), test) {
			t.Errorf("%s: there is no %st *testing.T)", name, test)
		}
	}
}

func TestExpected_OutIsARegularFile(t *testing.T)  { scriptOf(t) }
func TestExpected_OutIsPrivate(t *testing.T)       { scriptOf(t) }
func TestExpected_OutFollowsNoLink(t *testing.T)   { scriptOf(t) }
func TestExpected_LintFailsOnAMust(t *testing.T)   { expectedScript(t) }
func TestExpected_EmptyListOfFormats(t *testing.T) { expectedScript(t) }
