package conformance

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// everything is the server of the Go SDK that the scenarios for servers are written for.
const everything = "github.com/modelcontextprotocol/go-sdk/conformance/everything-server"

// line matches a line of the summary of the suite.
var line = regexp.MustCompile(`^(✓|✗) (\S+): (\d+) passed, (\d+) failed`)

// Each scenario for servers, played with the server of the Go SDK behind the bridge, has the result of the
// list.
func TestServerScenarios(t *testing.T) {
	node, suite := installed(t)
	folder := t.TempDir()
	build := func(name, dir, pkg string) string {
		program := filepath.Join(folder, name)
		cmd := exec.CommandContext(t.Context(), "go", "build", "-o", program, pkg)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return program
	}
	server, wayfind := build("everything", ".", everything), build("wayfind", "../../../..", "./cmd/wayfind")
	url := bridge(t, wayfind, server)
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	play := exec.CommandContext(ctx, node, suite, "server", "--url", url, "--suite", "all", "--timeout", "30000")
	play.Dir = folder
	out, err := play.Output()
	if e, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || !e.Exited()) {
		t.Fatalf("%v\n%s", err, out)
	}
	_, summary, _ := strings.Cut(string(out), "=== SUMMARY ===")
	want := expected(t, "testdata/server.txt")
	for text := range strings.Lines(summary) {
		found := line.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		name, result := found[2], want[found[2]]
		delete(want, name)
		switch vacuous := found[3] == "0" && found[4] == "0"; {
		case result == "":
			t.Errorf("%s: it is not in testdata/server.txt", name)
		case vacuous != (result == empty):
			t.Errorf("%s: checks nothing: %t, want %q", name, vacuous, result)
		case vacuous:
		case found[1] == "✓" && result != passes:
			t.Errorf("%s: it passes now, and the list says: %s", name, result)
		case found[1] == "✗" && result == passes:
			_, own, _ := strings.Cut(string(out), "=== Running scenario: "+name+" ===")
			own, _, _ = strings.Cut(own, "=== Running scenario: ")
			t.Errorf("%s: it fails: %s\n%s", name, text, own)
		}
	}
	for name := range want {
		t.Errorf("%s: the suite has no such scenario", name)
	}
}

// bridge starts the command as a bridge before a server over HTTP, and returns its URL.
func bridge(t *testing.T, wayfind, server string) (url string) {
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), wayfind, "mcp", "--server", "ev="+server, "--allow", "*", "--http", "127.0.0.1:0", "--token", "none", "--cache", "none")
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_CACHE_HOME="+home)
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(said)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if _, at, ok := strings.Cut(lines.Text(), "listening at "); ok {
			go func() { _, _ = io.Copy(io.Discard, said) }()
			return strings.TrimSpace(at)
		}
	}
	t.Fatalf("the bridge does not listen: %v", lines.Err())
	return ""
}

// installed returns the programs of the step conformance, without which a test is skipped.
func installed(t *testing.T) (node, suite string) {
	folder := os.Getenv("WAYFIND_CONFORMANCE")
	if folder == "" {
		t.Skip("the conformance suite is not installed: the step conformance installs it")
	}
	if runtime.GOOS != "linux" {
		t.Skip("the client finds the ports of the suite in /proc")
	}
	modules, err := filepath.Abs(filepath.Join(folder, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	return filepath.Join(modules, "node-linux-"+arch, "bin", "node"), filepath.Join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js")
}
