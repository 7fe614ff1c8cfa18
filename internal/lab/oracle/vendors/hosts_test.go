package vendors

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// command builds the command.
func command(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "wayfind")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./cmd/wayfind")
	build.Dir = filepath.Join("..", "..", "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

// TestHostsOfNPM uses "wayfind mcp" with the npm SDK over both transports. The server is the
// MCP project's test server, given by its URL.
func TestHostsOfNPM(t *testing.T) {
	folder := npmFolder(t)
	url := startEverything(t).String() + "/mcp"
	wayfind := command(t)
	serve := []string{"mcp", "--dev", "--domain", url}
	t.Run("stdio", func(t *testing.T) {
		host(t, folder, append([]string{"stdio", wayfind}, serve...)...)
	})
	t.Run("http", func(t *testing.T) {
		at, token := overHTTP(t, wayfind, serve...)
		host(t, folder, "http", at, token)
	})
}

// overHTTP starts "wayfind mcp" over HTTP, and returns its address and the token for its hosts.
func overHTTP(t *testing.T, wayfind string, args ...string) (at, token string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), wayfind, append(args, "--http", "127.0.0.1:0")...)
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	for lines := bufio.NewScanner(said); token == "" && lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "listening at "); ok {
			at = rest
		}
		if _, rest, ok := strings.Cut(lines.Text(), "Bearer "); ok {
			token = rest
		}
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	return at, token
}

// host runs the host and checks its answers.
func host(t *testing.T, folder string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", append([]string{"host.mjs"}, args...)...)
	cmd.Dir = folder
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, errs.String())
	}
	answers := make(map[string]string)
	for line := range bytes.Lines(out) {
		var row struct {
			What  string
			Value json.RawMessage
		}
		if err := json.Unmarshal(line, &row); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		answers[row.What] += string(row.Value)
	}
	if strings.Contains(answers["asked"], "get-sum") {
		t.Errorf("asked about a tool that only reads: %s", answers["asked"])
	}
	for what, want := range map[string]string{
		"tools": "wayfind_search", "found": "get-sum", "described": "inputSchema", "called": "is 5", "direct": "is 50", "unknown": "unknown tool", "changed": "Started simulated", "asked": "toggle-simulated-logging",
		"listed": "demo://resource/dynamic/text/{resourceId}", "read": "Resource 7", "prompt": "Oslo", "image": "image image/png", "link": "resource_link wayfind://",
	} {
		if !strings.Contains(answers[what], want) {
			t.Errorf("%s: %.500s, want %q in it", what, answers[what], want)
		}
	}
}
