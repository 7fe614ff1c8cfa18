package vendors

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// hostsFolder returns the folder with the npm hosts, which are large and require a separate
// step.
func hostsFolder(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("WAYFIND_HOSTS")
	if folder == "" {
		t.Skip("the hosts of npm are not installed: run .ci/run hosts")
	}
	return folder
}

// kitchen starts a fastmcp server over HTTP and returns its address.
func kitchen(t *testing.T, folder string) *url.URL {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", "kitchen.mjs", "--http", fmt.Sprint(freePort(t)))
	cmd.Dir = folder
	var said bytes.Buffer
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = in, in
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = in.Close()
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait(); _ = out.Close() })
	for lines := bufio.NewScanner(io.TeeReader(out, &said)); lines.Scan(); {
		if _, at, ok := strings.Cut(lines.Text(), "running on HTTP Stream at "); ok {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			u, err := url.Parse(at)
			if err != nil {
				t.Fatal(err)
			}
			return u
		}
	}
	t.Fatalf("the server does not run: %s", said.Bytes())
	return nil
}

// bridgeScript writes a program that starts "wayfind mcp", for hosts that add their own flags.
func bridgeScript(t *testing.T, wayfind string, args ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "bridge")
	text := "#!/bin/sh\nexec '" + wayfind + "' mcp --cache none '" + strings.Join(args, "' '") + "'\n"
	if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

// The Inspector, mcporter and mcp-remote use a fastmcp server through "wayfind mcp". The server
// is given by its URL and by its command. A tool that only reads runs. A tool with effects is
// refused with the flag that allows it, because none of the three hosts asks a person.
func TestInspectorMcporterAndMcpRemote(t *testing.T) {
	folder, wayfind := hostsFolder(t), command(t)
	home := t.TempDir()
	node := func(t *testing.T, input io.Reader, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "node", args...)
		cmd.Dir, cmd.Stdin, cmd.Env = folder, input, append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home)
		out, err := cmd.CombinedOutput()
		if err != nil && input == nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	wants := func(t *testing.T, got string, list ...string) {
		t.Helper()
		for _, want := range list {
			if !strings.Contains(got, want) {
				t.Errorf("%q is missing in\n%s", want, got)
			}
		}
	}
	at := kitchen(t, folder).String()
	script, err := filepath.Abs(filepath.Join(folder, "kitchen.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	const refusal = "wayfind can be started with --allow bake"
	for kind, bridge := range map[string]string{
		"url":     bridgeScript(t, wayfind, "--dev", "--domain", at),
		"command": bridgeScript(t, wayfind, "--server", "kitchen=node "+script),
	} {
		t.Run("inspector "+kind, func(t *testing.T) {
			inspect := func(args ...string) string {
				return node(t, nil, append([]string{"node_modules/@modelcontextprotocol/inspector/cli/build/index.js", bridge}, args...)...)
			}
			wants(t, inspect("--method", "tools/list"), `"weigh"`, `"bake"`, `"readOnlyHint": true`)
			wants(t, inspect("--method", "tools/call", "--tool-name", "weigh", "--tool-arg", "grams=3"), ":\\n3 g\\n")
			wants(t, inspect("--method", "tools/call", "--tool-name", "bake", "--tool-arg", "dish=pie"), refusal, `"isError": true`)
			wants(t, inspect("--method", "resources/list"), "kitchen://menu")
			wants(t, inspect("--method", "prompts/get", "--prompt-name", "recipe", "--prompt-args", "dish=pie"), "How to cook pie?")
		})
		t.Run("mcporter "+kind, func(t *testing.T) {
			port := func(args ...string) string {
				return node(t, nil, append([]string{"node_modules/.bin/mcporter", args[0], "--stdio", bridge, "--name", "kitchen"}, args[1:]...)...)
			}
			wants(t, port("list", "--schema"), "weigh", "bake")
			wants(t, port("call", "weigh", "grams=3"), "3 g")
			wants(t, port("call", "bake", "dish=pie"), refusal)
		})
	}
	t.Run("mcp-remote", func(t *testing.T) {
		listening, token := overHTTP(t, wayfind, "mcp", "--cache", "none", "--dev", "--domain", at)
		asked, end := io.Pipe()
		go func() {
			for _, message := range []string{
				`"id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"host","version":"1"}}`,
				`"method":"notifications/initialized"`,
				`"id":1,"method":"tools/call","params":{"name":"weigh","arguments":{"grams":3}}`,
				`"id":2,"method":"tools/call","params":{"name":"bake","arguments":{"dish":"pie"}}`,
			} {
				fmt.Fprintf(end, `{"jsonrpc":"2.0",%s}`+"\n", message)
			}
		}()
		cmd := exec.CommandContext(t.Context(), "node", "node_modules/.bin/mcp-remote", listening, "--allow-http", "--transport", "http-only", "--header", "Authorization: Bearer "+token)
		cmd.Dir, cmd.Stdin, cmd.Env = folder, asked, append(os.Environ(), "HOME="+home)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = cmd.Process.Kill(); _ = end.Close(); _ = cmd.Wait() }()
		want := map[any]string{1.0: "3 g", 2.0: refusal}
		for lines := bufio.NewScanner(out); len(want) > 0 && lines.Scan(); {
			var answer struct {
				ID any
			}
			if part := ""; json.Unmarshal(lines.Bytes(), &answer) == nil {
				if part = want[answer.ID]; part != "" {
					wants(t, lines.Text(), part)
					delete(want, answer.ID)
				}
			}
		}
		if len(want) > 0 {
			t.Errorf("there is no answer to %v", want)
		}
	})
}
