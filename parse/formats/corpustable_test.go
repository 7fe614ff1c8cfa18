package formats_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// corpusPlace returns the place of the documents in a folder of the corpus, or "" if they have
// no place, or if it depends on their content.
func corpusPlace(folder string) string {
	path := map[string]string{
		"a2a-agent-card":            "/.well-known/agent-card.json",
		"acp-discovery":             "/.well-known/acp.json",
		"agent-descriptions":        "/.well-known/agent-descriptions",
		"agent-index":               "/.well-known/agent-index.json",
		"agent-permissions":         "/.well-known/agent-permissions.json",
		"agent-discovery-protocol":  "/.well-known/agent",
		"agent-skills-index":        "/.well-known/agent-skills/index.json",
		"agent-web-protocol":        "/agent.json",
		"agents-json":               "/.well-known/agents.json",
		"agents-md":                 "/agents.md",
		"agents-md-coding":          "/agents.md",
		"agents-txt":                "/agents.txt",
		"ai-catalog":                "/.well-known/ai-catalog.json",
		"ai-discovery-endpoint":     "/.well-known/ai",
		"ai-plugin":                 "/.well-known/ai-plugin.json",
		"ai-txt":                    "/ai.txt",
		"api-catalog":               "/.well-known/api-catalog",
		"http-signatures-directory": "/.well-known/http-message-signatures-directory",
		"llms-txt":                  "/llms.txt",
		"mcp-server-card":           "/.well-known/mcp/server-card.json",
		"nlweb-json":                "/.well-known/nlweb.json",
		"other-agent-json":          "/agent.json",
		"robots-txt":                "/robots.txt",
		"tdmrep":                    "/.well-known/tdmrep.json",
		"ucp-profile":               "/.well-known/ucp",
		"webmcp-manifest":           "/.well-known/webmcp.json",
		"x402-manifest":             "/.well-known/x402",
	}[folder]
	if path == "" {
		return ""
	}
	return "https://shop.example" + path
}

// documentedTable reads the table in CORPUS.md: the figures by folder. If a cell has two
// figures, it uses the second.
func documentedTable(t *testing.T) map[string]string {
	t.Helper()
	doc, err := os.ReadFile("CORPUS.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.SplitSeq(string(doc), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		if len(cells) != 8 || !strings.HasPrefix(line, "| `") {
			continue
		}
		var figures []string
		for _, cell := range cells[1:] {
			parts := strings.Split(cell, "→")
			figures = append(figures, strings.TrimSpace(parts[len(parts)-1]))
		}
		rows[strings.Trim(cells[0], "` ")] = strings.Join(figures, " ")
	}
	return rows
}

// TestCorpusTable logs the table for CORPUS.md: the results for the published documents, with
// each folder read at its own place. The figures are those of the published documents.
func TestCorpusTable(t *testing.T) {
	type row struct {
		documents, recognised, usable, named int
		said                                 map[wayfind.Severity]int
	}
	rows := map[string]*row{}
	for _, name := range golden.Documents(t) {
		folder := filepath.Base(filepath.Dir(name))
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r := parsed(t, body, &client.ParseOptions{MaxBytes: 8 << 20, URL: corpusPlace(folder)})
		at := rows[folder]
		if at == nil {
			at = &row{said: map[wayfind.Severity]int{}}
			rows[folder] = at
		}
		at.documents++
		if r.Format != "" {
			at.recognised++
		}
		if r.Usable {
			at.usable++
		}
		if r.Verdict == wayfind.VerdictOtherFormat && r.Reason != "" {
			at.named++
		}
		if r.Verdict == wayfind.VerdictOtherFormat && slices.ContainsFunc(formats.All(), func(f *parse.Format) bool { return f.Name == r.Reason }) {
			t.Errorf("%s/%s is of another format, which is %q, and that format is read", folder, filepath.Base(name), r.Reason)
		}
		for _, d := range r.Diagnostics {
			at.said[d.Severity]++
		}
		t.Logf("%s/%s: %q %s %s %v", folder, filepath.Base(name), r.Format, r.Dialect, r.Verdict, len(r.Diagnostics))
	}
	documented, published := documentedTable(t), golden.Published(t, golden.EnvCorpus)
	var table strings.Builder
	for _, folder := range slices.Sorted(maps.Keys(rows)) {
		at := rows[folder]
		got := fmt.Sprintf("%d %d %d %d %d %d %d", at.documents, at.recognised, at.usable, at.named,
			at.said[wayfind.SeverityError], at.said[wayfind.SeverityWarning], at.said[wayfind.SeverityInfo])
		fmt.Fprintf(&table, "| `%s` | %s |\n", folder, strings.ReplaceAll(got, " ", " | "))
		if want := documented[folder]; published && got != want && (want != "" || at.recognised+at.named > 0) {
			t.Errorf("%s: %s, and CORPUS.md says %q", folder, got, want)
		}
	}
	t.Logf("folder, documents, recognised, usable, named, errors, warnings, notes:\n%s", table.String())
}
