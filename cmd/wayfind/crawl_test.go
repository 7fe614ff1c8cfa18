package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A sweep says who it is from.
func TestCrawlNeedsAContact(t *testing.T) {
	queue := filepath.Join(t.TempDir(), "queue.jsonl")
	var text strings.Builder
	text.WriteString(`{"schema":"wayfind/crawl-file/1"}` + "\n")
	for i := range anonymousTargets + 1 {
		fmt.Fprintf(&text, `{"op":"offer","target":"d%d.example"}`+"\n", i)
	}
	if err := os.WriteFile(queue, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := exec(t, "", "crawl", "work", "--alone", "--queue", queue); code != exitUsage || !strings.Contains(errs, "10001 domains") || !strings.Contains(errs, "--contact") {
		t.Errorf("exit status %d: %s", code, errs)
	}
}
