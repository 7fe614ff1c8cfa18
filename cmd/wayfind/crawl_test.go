package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// A sweep needs a contact address.
func TestCrawlNeedsAContact(t *testing.T) {
	queue := filepath.Join(t.TempDir(), "queue.jsonl")
	var text strings.Builder
	text.WriteString(`{"schema":"wayfind/crawl-file/1"}` + "\n")
	for i := range manyTargets + 1 {
		fmt.Fprintf(&text, `{"op":"offer","target":"d%d.example"}`+"\n", i)
	}
	if err := os.WriteFile(queue, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := exec(t, "", "crawl", "work", "--alone", "--queue", queue); code != ui.ExitUsage || !strings.Contains(errs, "10001 domains") || !strings.Contains(errs, "--contact") {
		t.Errorf("exit status %d: %s", code, errs)
	}
}

// A list may contain a domain several times, and lines without a domain.
func TestCrawlLoadOfABadList(t *testing.T) {
	queue := filepath.Join(t.TempDir(), "queue.jsonl")
	list := "a.example\nA.EXAMPLE.\nhttps://a.example/\n# a comment\n\nnot a domain!\nhttp://a.example\n127.0.0.1\nb.example\n" + strings.Repeat("x", 100_000) + "\nc.example"
	code, out, errs := exec(t, list, "crawl", "load", "--queue", queue, "-")
	if want := "offered: 3, there already: 2, lines without a domain: 4\n"; code != ui.ExitNothing || out != want {
		t.Errorf("exit status %d, %q, want %q", code, out, want)
	}
	for _, line := range []string{"line 6:", "line 7:", "line 8:", "line 10:"} {
		if !strings.Contains(errs, line) {
			t.Errorf("%q is not named in %.2000s", line, errs)
		}
	}
	if code, out, _ := exec(t, list, "crawl", "load", "--queue", queue, "-"); code != ui.ExitNothing || !strings.HasPrefix(out, "offered: 0, there already: 5,") {
		t.Errorf("the second time: exit status %d, %q", code, out)
	}
}

// The file of the queue is not overwritten with its results.
func TestCrawlResultsIntoTheQueue(t *testing.T) {
	queue := filepath.Join(t.TempDir(), "queue.jsonl")
	if code, _, errs := exec(t, "a.example\n", "crawl", "load", "--queue", queue, "-"); code != ui.ExitFound {
		t.Fatal(errs)
	}
	before, err := os.ReadFile(queue)
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(queue, link); err != nil {
		t.Skip(err)
	}
	for _, out := range []string{queue, link} {
		if code, _, errs := exec(t, "", "crawl", "results", "--queue", queue, "--out", out); code != ui.ExitUsage || !strings.Contains(errs, "is the queue") {
			t.Errorf("--out %s: exit status %d: %s", out, code, errs)
		}
		if after, err := os.ReadFile(queue); err != nil || string(after) != string(before) {
			t.Errorf("--out %s: the queue holds %q, %v", out, after, err)
		}
	}
}
