package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// Findings in YAML have the line and the column of the value: in a whole document, and in
// the front matter of a text.
func TestLintPlacesInYAML(t *testing.T) {
	for _, row := range []struct {
		name, body string
		flags      []string
		want       map[string]string // place by code and pointer
	}{
		{"openapi.yaml", "openapi: 3.0.1\ninfo:\n  title: 7\n  version: '1'\nservers:\n  - description: ä\n    url: http://shop.example\npaths:\n  /a:\n    get:\n      operationId: a\n", nil,
			map[string]string{"openapi.server_scheme /servers/0/url": "7:10", "openapi.responses /paths/~1a/get": "11:7"}},
		{"agents.md", "---\nversion: 1.10\nmcp:\n  endpoint: http://shop.example/mcp\n  auth:   magic\n---\n# Agents\n", []string{"--format", "agentsmd"},
			map[string]string{"agentsmd.wrong_type ": "2:10", "agentsmd.endpoint_scheme ": "4:13", "agentsmd.auth ": "5:11"}},
		{"SKILL.md", "---\nname:\ndescription: x\nName: y\n---\nText\n", []string{"--url", "https://shop.example/s/SKILL.md"},
			map[string]string{"agentskills.front_matter ": "2:6", "yaml.case_variant ": "4:7"}},
	} {
		file := filepath.Join(t.TempDir(), row.name)
		if err := os.WriteFile(file, []byte(row.body), 0o600); err != nil {
			t.Fatal(err)
		}
		_, out, errs := exec(t, "", append([]string{"lint", "--json", file}, row.flags...)...)
		var report struct {
			Diagnostics []struct {
				Code, Pointer string
				Line, Column  int
			}
		}
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			t.Fatalf("%v: %s%s", err, out, errs)
		}
		got := map[string]string{}
		for _, f := range report.Diagnostics {
			got[f.Code+" "+f.Pointer] = fmt.Sprintf("%d:%d", f.Line, f.Column)
		}
		for which, at := range row.want {
			if got[which] != at {
				t.Errorf("%s: %s is at %q, want %s", row.name, which, got[which], at)
			}
		}
	}
}

// The exit status stops a build if there are errors, and only then.
func TestLintExitStatus(t *testing.T) {
	const good = `{"spec_version": "1.0", "name": "MailForge", "description": "Transactional email API.", "base_url": "https://shop.example.com",
		"auth": {"type": "none"}, "capabilities": [{"name": "send_email", "description": "Send an email", "detail_url": "/d/send_email"}]}`
	const at = "--connect-to=shop.example:443:127.0.0.1:1"
	const there = "https://shop.example/.well-known/agent"
	for _, row := range []struct {
		stdin string
		args  []string
		want  ui.Outcome
	}{
		{good, []string{"-"}, ui.ExitFound},
		{strings.Replace(good, "shop.example.com", "shop.example.com/", 1), []string{"-"}, ui.ExitFound},    // a note
		{strings.Replace(good, "shop.example.com", "shop.example.com?v=1", 1), []string{"-"}, ui.ExitFound}, // a warning
		{strings.Replace(good, "Transactional email API.", "Emailing.", 1), []string{"-"}, ui.ExitNothing},  // a MUST
		{good, []string{"--content-type=text/plain", "-"}, ui.ExitNothing},                                  // an error of how it is served
		{strings.Replace(good, `"1.0"`, "1.0", 1), []string{"-"}, ui.ExitNothing},                           // an error
		{strings.Replace(good, `"1.0"`, "1.0", 1), []string{"--strict", "-"}, ui.ExitNothing},               // refused
		{`{"x": 1}`, []string{"-"}, ui.ExitNothing},                                                         // no format
		{good, []string{"--formats=awp", "-"}, ui.ExitNothing},                                              // none of these
		{good, []string{"--max-bytes=100", "-"}, ui.ExitNothing},                                            // too large
		{good, []string{"missing.json", "-"}, ui.ExitUsage},                                                 // and the other one is read
		{good, []string{"-", "http://shop.example/x"}, ui.ExitUsage},                                        // nothing is read
		{good, []string{"-", at, "--allow-cidr=127.0.0.0/8", "--timeout=2s", there}, ui.ExitUnasked},        // nobody listens
		{`{"x": 1}`, []string{"-", at, there}, ui.ExitRefused},                                              // the highest counts
		{good, []string{"--json", "-", "--url=https://127.0.0.1/"}, ui.ExitUsage},                           // no URL to be at
		{"", []string{"-"}, ui.ExitUsage},                                                                   // nothing to read
		{good, []string{"--robots=nonsense", "-"}, ui.ExitUsage},                                            // a flag of the network
		{good, []string{"--now=2026-01-02T15:04:05Z", "-", writeFile(t, good)}, ui.ExitFound},
	} {
		if code, out, errs := exec(t, row.stdin, append([]string{"lint"}, row.args...)...); code != row.want {
			t.Errorf("%v: exit status %d, want %d\n%s%s", row.args, code, row.want, out, errs)
		}
	}
}

// Of many findings with one code the first are shown, unless all are wanted.
func TestLintShowsTheFirstOfMany(t *testing.T) {
	var list strings.Builder
	for i := range 9 {
		fmt.Fprintf(&list, "- https://shop.example.com/%d\n", i)
	}
	text := "# Shop\n\n> Shoes.\n\n## Docs\n\n" + list.String()
	for args, want := range map[string]int{"": 5, "--verbose": 9} {
		_, out, _ := exec(t, text, strings.Fields("lint --url https://shop.example.com/llms.txt "+args+" -")...)
		if got := strings.Count(out, "  llmstxt.bare_url in line"); got != want || strings.Contains(out, "and 4 more of llmstxt.bare_url") != (args == "") {
			t.Errorf("%q: %d are shown\n%s", args, got, out)
		}
	}
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "agent.json")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
