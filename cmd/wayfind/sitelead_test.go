package main

import (
	"bufio"
	"context"
	"io"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// printedByServing runs a command that serves sites, and returns what it prints. The end of the test ends it.
func printedByServing(t *testing.T, args ...string) (printed []string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	ended := make(chan ui.Outcome)
	go func() { ended <- run(ctx, args, strings.NewReader(""), w, io.Discard) }()
	t.Cleanup(func() {
		cancel()
		if code := <-ended; code != ui.ExitFound {
			t.Errorf("%q ends with %d", args, code)
		}
	})
	lines := bufio.NewScanner(r)
	for lines.Scan() && lines.Text() != "Press Ctrl-C to stop." {
		printed = append(printed, lines.Text())
	}
	return printed
}

// after returns the printed text from the line with a prefix on, or fails the test.
func after(t *testing.T, printed []string, prefix string) string {
	t.Helper()
	for i, line := range printed {
		if strings.HasPrefix(line, prefix) {
			return strings.Join(printed[i:], "\n")
		}
	}
	t.Fatalf("no line begins with %q in\n%s", prefix, strings.Join(printed, "\n"))
	return ""
}

// The lines that lead another shell to the sites can be copied, whatever the directory for temporary
// files is. Those of the demo are for wayfind alone, so that they change no other program.
func TestTheLinesThatLeadToTheSitesCanBeCopied(t *testing.T) {
	if _, err := osexec.LookPath("sh"); err != nil {
		t.Skip("sh is not installed")
	}
	dir := filepath.Join(t.TempDir(), "it's a café")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	for _, row := range []struct {
		args  []string
		proxy string
	}{{[]string{"demo", "--serve"}, "no proxy"}, {[]string{"serve", "--hostile"}, "http://127.0.0.1:"}} {
		printed := printedByServing(t, row.args...)
		line, _, _ := strings.Cut(after(t, printed, "  . "), "\n")
		out, err := osexec.Command("sh", "-c", line+"\n"+`test -f "$WAYFIND_CACERT" && echo "${HTTPS_PROXY-no proxy} ${SSL_CERT_FILE-no file}"`).CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), row.proxy) || strings.Contains(string(out), "no file") != (row.proxy == "no proxy") {
			t.Errorf("%q: %s: %v, %s", row.args, line, err, out)
		}
		curl := strings.Join(strings.SplitN(after(t, printed, "  curl --connect-to"), "\n", 3)[:2], "\n")
		if out, err := osexec.Command("sh", "-c", `curl() { test -f "$4" && test $# = 5; }`+"\n"+curl).CombinedOutput(); err != nil {
			t.Errorf("%q: %s: %v, %s", row.args, curl, err, out)
		}
		shell, _, _ := strings.Cut(after(t, printed, "  Get-Content -Raw '"), "\n")
		file := strings.TrimSuffix(strings.TrimPrefix(shell, "  Get-Content -Raw '"), "' | Invoke-Expression")
		script, err := os.ReadFile(strings.ReplaceAll(file, "''", "'"))
		if err != nil || !strings.Contains(string(script), "$env:WAYFIND_CACERT = '"+strings.ReplaceAll(dir, "'", "''")) {
			t.Errorf("%q: %s: %v, %s", row.args, shell, err, script)
		}
	}
}
