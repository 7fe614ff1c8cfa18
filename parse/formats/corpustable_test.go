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
	"github.com/wayfindhq/wayfind/internal/golden"
)

// corpusPlace is where a document of a folder of the corpus is served, where its
// format tells documents apart by that; "" elsewhere.
func corpusPlace(folder string) string {
	return map[string]string{
		"ai-txt":          "https://shop.example.com/ai.txt", // its grammar is that of robots.txt
		"mcp-server-card": "https://shop.example.com/.well-known/mcp/server-card.json",
		"ai-plugin":       "https://shop.example.com/.well-known/ai-plugin.json",
	}[folder]
}

// TestCorpusTable logs the table of docs/CORPUS.md: what becomes of the
// documents that other people published, each folder read at its own place.
func TestCorpusTable(t *testing.T) {
	type row struct {
		documents, recognised, usable int
		said                          map[wayfind.Severity]int
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
		for _, d := range r.Diagnostics {
			at.said[d.Severity]++
		}
		t.Logf("%s/%s: %q %s %s %v", folder, filepath.Base(name), r.Format, r.Dialect, r.Verdict, len(r.Diagnostics))
	}
	var table strings.Builder
	for _, folder := range slices.Sorted(maps.Keys(rows)) {
		at := rows[folder]
		fmt.Fprintf(&table, "| %s | %d | %d | %d | %d | %d | %d |\n", folder, at.documents, at.recognised, at.usable,
			at.said[wayfind.SeverityError], at.said[wayfind.SeverityWarning], at.said[wayfind.SeverityInfo])
	}
	t.Logf("folder, documents, recognised, usable, errors, warnings, notes:\n%s", table.String())
}
