package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/wayfindhq/wayfind/internal/expected"
)

// expectedScript runs one script of testdata/expected, which shows a fault
// that is still to be mended.
func expectedScript(t *testing.T, name string) {
	t.Helper()
	expected.Failure(t)
	testscript.Run(t, testscript.Params{
		Files: []string{filepath.Join("testdata", "expected", name)},
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "1")
			return nil
		},
	})
}

func TestN21_OutIsARegularFile(t *testing.T)  { expectedScript(t, "N21_out.txtar") }
func TestN21_OutIsPrivate(t *testing.T)       { expectedScript(t, "N21_private.txtar") }
func TestN21_OutFollowsNoLink(t *testing.T)   { expectedScript(t, "N21_link.txtar") }
func TestMM5_LintFailsOnAMust(t *testing.T)   { expectedScript(t, "MM5_lint.txtar") }
func TestML8_EmptyListOfFormats(t *testing.T) { expectedScript(t, "ML8_formats.txtar") }
