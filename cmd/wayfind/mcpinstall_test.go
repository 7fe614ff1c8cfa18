package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// --install writes what --print-config prints, shows the difference, and leaves the rest of
// the file. A value of a variable is written only for a host that takes no reference, is not
// shown, and makes the file the owner's alone.
func TestMCPInstall(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("MAILKEY", "s3cret")
	t.Chdir(t.TempDir())
	line := func(host string) []string {
		return []string{"mcp", "--domain", "shop.example", "--credential", "api_key=env:MAILKEY", "--install", host}
	}
	cursor, zed := filepath.Join(home, ".cursor", "mcp.json"), filepath.Join(home, ".config", "zed", "settings.json")
	if runtime.GOOS == "windows" {
		t.Skip("Zed has its file elsewhere")
	}
	for file, text := range map[string]string{cursor: "{\n  // mine\n  \"mcpServers\": {}\n}\n", zed: "{\"theme\": \"x\"}\n"} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.WriteFile(file, []byte(text), 0o644), os.Chmod(file, 0o644)); err != nil { // under any umask
			t.Fatal(err)
		}
	}
	for host, row := range map[string]struct {
		file, keeps, has string
		mode             os.FileMode
	}{"cursor": {cursor, "// mine", "${env:MAILKEY}", 0o644}, "zed": {zed, `{"theme": "x"`, "s3cret", 0o600}} {
		status, out, errs := ran(t, line(host)...)
		if status != ui.ExitFound || strings.Contains(out+errs, "s3cret") || !strings.Contains(out, row.file) || !strings.Contains(out, "+ ") || !strings.Contains(out, "shop.example") {
			t.Errorf("%s: %d, %s\n%s", host, status, out, errs)
		}
		text, err := os.ReadFile(row.file)
		if err != nil || !strings.Contains(string(text), row.keeps) || !strings.Contains(string(text), row.has) {
			t.Errorf("%s: %v, %s", host, err, text)
		}
		if info, err := os.Stat(row.file); err != nil || info.Mode().Perm() != row.mode {
			t.Errorf("%s: %v, %v", host, info.Mode(), err)
		}
		if status, out, errs = ran(t, line(host)...); status != ui.ExitFound || out != "" || !strings.Contains(errs, "already") {
			t.Errorf("%s again: %d, %s%s", host, status, out, errs)
		}
	}
	if err := os.WriteFile(cursor, []byte("{ broken"), 0o644); err != nil {
		t.Fatal(err)
	}
	if status, _, errs := ran(t, line("cursor")...); status == ui.ExitFound || !strings.Contains(errs, "is left as it is") {
		t.Errorf("a broken file: %d, %s", status, errs)
	}
	if text, err := os.ReadFile(cursor); err != nil || string(text) != "{ broken" {
		t.Errorf("%s, %v", text, err)
	}
	t.Setenv("MAILKEY", "")
	if status, _, errs := ran(t, line("zed")...); status != ui.ExitUsage || !strings.Contains(errs, "MAILKEY is empty") {
		t.Errorf("without the value: %d, %s", status, errs)
	}
}

// The difference contains no other entry, and no value of a variable or a header field, whether the
// file is on one line or on many.
func TestMCPInstallShowsNoSecretOfTheFile(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	t.Chdir(t.TempDir())
	const old = `{"env": {"A": "s3cret"}, "headers": {"Authorization": "Bearer s3cret"}, "url": "https://old.example/mcp"}`
	const oldTOML = "[mcp_servers.wayfind]\ncommand = \"/old\"\nhttp_headers = { A = \"s3cret\" }\n[mcp_servers.o.env]\nB=\"s3cret\"\n[mcp_servers.wayfind.env]\nC=\"s3cret\"\n"
	for _, row := range []struct{ host, file, text, was string }{
		{"cursor", ".cursor/mcp.json", `{"mcpServers":{"o":{"env":{"T":"s3cret"}}}}`, ""},
		{"cursor", ".cursor/mcp.json", `{"mcpServers":{"o":{"env":{"T":"s3cret"}},"wayfind":` + old + `}}`, `-   "url": "https://old.example/mcp"`},
		{"cursor", ".cursor/mcp.json", `{"mcpServers":{"wayfind":{"x":["s3cret"] /* s3cret */}}}`, `- "wayfind": •••`},
		{"cursor", ".cursor/mcp.json", "{\"mcpServers\": {\n\"wayfind\": " + old + ",\n\"o\": \"s3cret\"}}", `-   "url": "https://old.example/mcp"`},
		{"codex", ".codex/config.toml", oldTOML, `- command = "/old"`},
		{"goose", ".config/goose/config.yaml", "extensions:\n  o:\n    envs: {A: s3cret}\n  wayfind:\n    cmd: /old\n    envs:\n      A: s3cret\n    headers: {B: s3cret}\n  p: s3cret\n", "-     cmd: /old"},
	} {
		file := filepath.Join(home, row.file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(row.text), 0o600)); err != nil {
			t.Fatal(err)
		}
		status, out, errs := ran(t, "mcp", "--domain", "shop.example", "--credential", "api_key=env:MAILKEY", "--install", row.host)
		if status != ui.ExitFound || strings.Contains(out+errs, "s3cret") || !strings.Contains(out, row.was) || !strings.Contains(out, "shop.example") || strings.Contains(out, `"o"`) || strings.Contains(out, ".o.") {
			t.Errorf("%s, %s: %d\n%s%s", row.host, row.text, status, out, errs)
		}
	}
}

// The printed entry works from any directory: variables are handed on, paths are absolute,
// and flags that came from the environment are written out. A password of the environment is
// not.
func TestMCPConfigWorksElsewhere(t *testing.T) {
	t.Setenv("WAYFIND_CONNECT_TO", "shop.example:443:127.0.0.1:8443")
	t.Setenv("WAYFIND_CACHE", "rediss://user:s3cret@cache.example/0")
	t.Setenv("TOKEN", "s3cret")
	t.Chdir(t.TempDir())
	status, out, errs := ran(t, "mcp", "--domain", "shop.example", "--cacert", "ca.pem", "--credential", "k=file:key.txt", "--credential", "m=env:MAILKEY", "--print-config", "gemini-cli")
	for _, part := range []string{filepath.Join(filepath.Dir(mustAbs(t, "x")), "ca.pem"), "k=file:" + mustAbs(t, "key.txt"), `"MAILKEY": "${MAILKEY}"`, `"WAYFIND_CACHE": "${WAYFIND_CACHE}"`, "shop.example:443:127.0.0.1:8443"} {
		if status != ui.ExitFound || !strings.Contains(out, part) {
			t.Errorf("%d: no %s in %s%s", status, part, out, errs)
		}
	}
	if strings.Contains(out+errs, "s3cret") {
		t.Errorf("a secret is printed: %s", out)
	}
	status, out, _ = ran(t, "mcp", "--http", "localhost:8765", "--token", "env:TOKEN", "--print-config", "windsurf")
	if status != ui.ExitFound || !strings.Contains(out, `"serverUrl": "http://127.0.0.1:8765/mcp"`) || !strings.Contains(out, "Bearer ${env:TOKEN}") || strings.Contains(out, "s3cret") {
		t.Errorf("%d: %s", status, out)
	}
	t.Setenv("LATER", "") // the host reads it when it starts
	if status, out, errs = ran(t, "mcp", "--http", "localhost:8765", "--token", "env:LATER", "--print-config", "windsurf"); status != ui.ExitFound || !strings.Contains(out, "Bearer ${env:LATER}") {
		t.Errorf("%d: %s%s", status, out, errs)
	}
	if status, out, errs = ran(t, "mcp", "--http", "localhost:8765", "--token", "env:TOKEN", "--print-config", "zed"); status != ui.ExitFound || strings.Contains(out, "s3cret") || !strings.Contains(errs, "put in the values of TOKEN") {
		t.Errorf("%d: %s%s", status, out, errs)
	}
}

func mustAbs(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
