package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/wayfindhq/wayfind/client/crawl"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// Duplicate and nonsense lines: each line is counted, each nonsense has a result
// with its line number and its code, and another run adds nothing.
func TestBatchOfABadList(t *testing.T) {
	f := newFleet(t, 2)
	long := strings.Repeat("x", 3*(4<<10)) // a line has at most 4 KiB
	list := strings.Join([]string{
		"d00.example.com", "https://D00.example.com/", "no such", "http://d01.example.com", "127.0.0.1", "localhost",
		"\xff\xfe.example", "no such", "a\x00b.example", long, "https://d01.example.com/#q=1", "{\"schema\":1}", "d01.example.com", "ends without a newline",
	}, "\n")
	file := writeFile(t, list)
	out := filepath.Join(t.TempDir(), "results.jsonl")
	code, _, errs := exec(t, "", append(slices.Clone(f.args), "--out", out, file)...)
	if code != ui.ExitNothing || !strings.Contains(errs, "2 domains: 2 found\nlines without a domain: 9, named again: 3, asked in an earlier run: 0\n") {
		t.Errorf("exit status %d: %s", code, errs)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]string{}
	for line := range strings.Lines(string(text)) {
		var r resultLine
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		got[r.Line] = crawl.Found
		if r.Error != nil {
			got[r.Line] = r.Error.Code
		}
		if r.Line == 11 && (r.Site == nil || len(r.Site.Diagnostics) == 0) {
			t.Error("the result does not say that the fragment was dropped")
		}
	}
	want := map[int]string{1: "found", 3: "host_syntax", 4: "scheme", 5: "host_ip_literal", 6: "host_single_label", 7: "host_syntax", 9: "host_syntax", 10: "host_syntax", 11: "found", 12: "port", 14: "host_syntax"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("causes by line (-want +got):\n%s", diff)
	}
	code, _, errs = exec(t, "", append(slices.Clone(f.args), "--out", out, file)...)
	if code != ui.ExitFound || !strings.Contains(errs, "lines without a domain: 0, named again: 0, asked in an earlier run: 14\n") {
		t.Errorf("again: exit status %d: %s", code, errs)
	}
	if after, _ := os.ReadFile(out); string(after) != string(text) {
		t.Errorf("the second run added %q", after[len(text):])
	}
}

// "wayfind crawl" reads the results of a batch, and offers them again.
func TestCrawlReadsABatch(t *testing.T) {
	f := newFleet(t, 2)
	out := filepath.Join(t.TempDir(), "results.jsonl")
	list := writeFile(t, "d00.example.com\nno such\nd01.example.com\n")
	args := append(slices.Clone(f.args), "--out", out, list)
	if code, _, errs := exec(t, "", args...); code != ui.ExitNothing {
		t.Fatalf("exit status %d: %s", code, errs)
	}
	code, printed, errs := exec(t, "", "crawl", "status", "--json", "--causes", "--queue", out)
	if code != ui.ExitFound || !strings.Contains(printed, `"finished": 3`) || !strings.Contains(printed, `"found": 2`) || !strings.Contains(printed, `"host_syntax": 1`) {
		t.Errorf("exit status %d: %s%s", code, printed, errs)
	}
	if code, printed, errs = exec(t, "", "crawl", "retry", "--all", "--queue", out); code != ui.ExitFound || !strings.HasPrefix(printed, "2 offered again") {
		t.Errorf("exit status %d: %s%s", code, printed, errs)
	}
	if code, _, errs = exec(t, "", args...); code != ui.ExitFound || !strings.Contains(errs, "2 domains: 2 found\n") || f.requests("d00.example.com", "/llms.txt") != 2 {
		t.Errorf("exit status %d: %s", code, errs)
	}
}

// Two batches cannot write into one file at a time.
func TestBatchHasItsFileAlone(t *testing.T) {
	out := filepath.Join(t.TempDir(), "results.jsonl")
	q, err := crawl.OpenFile(out, new(crawl.FileOptions))
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	if code, _, errs := exec(t, "no such\n", "batch", "--cache", "none", "--out", out, "-"); code != ui.ExitUsage || !strings.Contains(errs, "in use by another process") {
		t.Errorf("exit status %d: %s", code, errs)
	}
}
