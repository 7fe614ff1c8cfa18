package client_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
	"github.com/wayfindhq/wayfind/parse"
)

func parseText(t *testing.T, body string, opts *client.ParseOptions) *client.ParseResult {
	t.Helper()
	r, err := client.Parse(t.Context(), []byte(body), opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestParse(t *testing.T) {
	rows := []struct {
		name, body string
		opts       client.ParseOptions
		format     string
		verdict    wayfind.Verdict
		usable     bool
		reason     string
	}{
		{"manifest", manifest("shop.example", "/a"), client.ParseOptions{}, "adp", wayfind.VerdictFound, true, ""},
		{"detail", detail("a", "https://shop.example/a"), client.ParseOptions{}, "adp", wayfind.VerdictFound, true, ""},
		{"web page", "<!doctype html><title>x</title>", client.ParseOptions{}, "", wayfind.VerdictSoft404, false, "html"},
		{"unknown JSON", `{"x": 1}`, client.ParseOptions{}, "", wayfind.VerdictUnrecognised, false, ""},
		{"text", "hello", client.ParseOptions{}, "", wayfind.VerdictUnrecognised, false, ""},
		{"another format", `{"agentsJson": "0.1.0", "info": {}, "sources": [], "flows": []}`, client.ParseOptions{}, "", wayfind.VerdictOtherFormat, false, "agentsjson"},
		{"broken", `{"spec_version": "1.0", `, client.ParseOptions{}, "", wayfind.VerdictMalformed, false, "json_syntax"},
		{"duplicate", `{"a": 1, "\u0061": 2}`, client.ParseOptions{}, "", wayfind.VerdictMalformed, false, "json_duplicate"},
		{"blank", "  \n", client.ParseOptions{}, "", wayfind.VerdictMalformed, false, "schema"},
		{"forced", `{"x": 1}`, client.ParseOptions{Format: "adp"}, "adp", wayfind.VerdictMalformed, false, ""},
		{"too large", `"` + strings.Repeat("x", 16<<20) + `"`, client.ParseOptions{}, "", wayfind.VerdictTooLarge, false, "too_large"},
		{"strict", strings.Replace(manifest("shop.example", "/a"), `"1.0"`, "1.0", 1), client.ParseOptions{Strict: true}, "adp", wayfind.VerdictMalformed, false, "strict"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			got := parseText(t, r.body, &r.opts)
			if got.Format != r.format || got.Verdict != r.verdict || got.Usable != r.usable || (r.reason != "" && got.Reason != r.reason) {
				t.Errorf("%q %s usable %v (%s), want %q %s %v (%s)", got.Format, got.Verdict, got.Usable, got.Reason, r.format, r.verdict, r.usable, r.reason)
			}
			if got.Site == nil || len(got.Site.Probes) != 1 || got.Diagnostics == nil {
				t.Errorf("result %+v", got)
			}
			if got.Verdict == wayfind.VerdictMalformed && len(got.Diagnostics) == 0 {
				t.Error("malformed, and no diagnostic says why")
			}
		})
	}
}

func TestParseAt(t *testing.T) {
	got := parseText(t, manifest("shop.example.com", "/a"), &client.ParseOptions{URL: "https://www.example.com/.well-known/agent", ContentType: "application/json; charset=utf-8"})
	if got.Site.Origin != "https://www.example.com" || got.Site.Sources[0].MediaType != "application/json" {
		t.Errorf("origin %q, source %+v", got.Site.Origin, got.Site.Sources[0])
	}
	if trust := got.Site.Services[0].Interfaces[0].Trust; trust != wayfind.TrustSameSite {
		t.Errorf("trust %s", trust)
	}
}

func TestParseOptionsRefused(t *testing.T) {
	for name, o := range map[string]*client.ParseOptions{
		"format": {Format: "nonsense"}, "URL": {URL: "http://x"}, "host": {URL: "https://127.0.0.1/"},
	} {
		if r, err := client.Parse(t.Context(), []byte("{}"), o); !errors.Is(err, wayfind.ErrInvalid) || r != nil {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client.Parse(ctx, []byte("{}"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Every document that others published is read without a panic and gets a
// verdict; only manifests and details of the protocol are claimed.
func TestCorpus(t *testing.T) {
	testkit.Large(t)
	own := map[string]string{"agent-discovery-protocol": "adp", "adp-capability-detail": "adp", "ai-discovery-endpoint": "aidiscovery",
		"agent-web-protocol": "awp", "agents-md": "agentsmd", "a2a-agent-card": "a2a", "ai-plugin": "aiplugin",
		"mcp-server-card": "mcp", "mcp-server-json": "mcp", "mcp-tools-list": "mcp", "openrpc": "openrpc", "oauth-metadata": "oauth",
		"openapi": "openapi", "agent-skills-index": "agentskills", "ai-catalog": "aicatalog", "api-catalog": "apicatalog", "llms-txt": "llmstxt", "robots-txt": "robots", "acp-discovery": "acp", "other-agent-json": "acp", "ucp-profile": "ucp"}
	counts := map[string]int{}
	usable := map[string]int{}
	documents := golden.Documents(t)
	for _, name := range documents {
		folder := filepath.Base(filepath.Dir(name))
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		o := &client.ParseOptions{MaxBytes: 8 << 20}
		if folder == "ai-txt" { // its grammar is the same as of robots.txt: the place distinguishes them
			o.URL = "https://shop.example.com/ai.txt"
		}
		r := parseText(t, string(body), o)
		counts[string(r.Verdict)]++
		if r.Usable {
			usable[folder]++
		}
		if r.Format != "" && r.Format != own[folder] {
			t.Errorf("%s/%s is claimed by %s", folder, filepath.Base(name), r.Format)
		}
		if r.Verdict == wayfind.VerdictFound != r.Usable {
			t.Errorf("%s: verdict %s, usable %v", name, r.Verdict, r.Usable)
		}
	}
	t.Logf("%d documents: %v; usable: %v", len(documents), counts, usable)
}

// The document cap is a format's own, or the caller's.
func TestParseLimits(t *testing.T) {
	small := toy("toy", parse.Location{Path: "/x"})
	small.Limits.Bytes = 16
	r := parseText(t, `{"toy": ["abcdefghijklmnop"]}`, &client.ParseOptions{Formats: []*parse.Format{small}})
	if r.Verdict != wayfind.VerdictTooLarge || r.Reason != string(wayfind.CodeTooLarge) {
		t.Errorf("%s (%s)", r.Verdict, r.Reason)
	}
	if d := cmp.Diff([]string{"document.too_large"}, []string{r.Diagnostics[0].Code}); d != "" {
		t.Error(d)
	}
}
