package testkit

import (
	"os/exec"
	"strings"
	"testing"
)

// Program returns the path of a program. It skips the test, with the name of the program, if it
// is not in PATH.
func Program(tb testing.TB, name string) string {
	tb.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		tb.Skip(name + " is not installed")
	}
	return path
}

// RunGo runs the command go in a folder and returns its standard output. It skips the test if the
// command is not in PATH, or cannot work for this user: without HOME it may find no modules, and no
// cache that it can write to.
func RunGo(tb testing.TB, dir string, args ...string) string {
	tb.Helper()
	out, stderr, err := tryGo(tb, dir, args...)
	if err == nil {
		return out
	}
	if _, why, broken := tryGo(tb, dir, "list", "-export", "-f", "{{.Export}}", "errors", "github.com/google/go-cmp/cmp"); broken != nil {
		tb.Skipf("go cannot compile here: %v\n%s", broken, why)
	}
	tb.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr)
	return ""
}

func tryGo(tb testing.TB, dir string, args ...string) (out, stderr string, err error) {
	tb.Helper()
	var said, faults strings.Builder
	cmd := exec.CommandContext(tb.Context(), Program(tb, "go"), args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &said, &faults
	err = cmd.Run()
	return said.String(), faults.String(), err
}
