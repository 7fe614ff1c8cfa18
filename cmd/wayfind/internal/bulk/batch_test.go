package bulk

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// A file of results on a full disk is reported as such.
func TestBatchReportsWhyItsFileIsNotWritten(t *testing.T) {
	b := &batch{App: &ui.App{Err: new(bytes.Buffer), Out: io.Discard}, sum: newTally(nil)}
	b.failed(errors.Join(errors.New("crawl: the queue is full"), &fs.PathError{Op: "write", Path: "results", Err: syscall.ENOSPC}))
	if got := b.Err.(*bytes.Buffer).String(); b.Outcome() != ui.ExitUnasked || got != "wayfind: write results: no space left on device\n" {
		t.Errorf("%d, %s", b.Outcome(), got)
	}
}

// TestAPipeNeedsContactInTime: the length of a list from a pipe is known when that many targets were
// asked.
func TestAPipeNeedsContactInTime(t *testing.T) {
	b := &batch{sum: newTally(nil)}
	for range anonymousTargets {
		if !b.mayAsk() {
			t.Fatal("too early")
		}
	}
	if b.mayAsk() {
		t.Error("the next one is asked")
	}
	b.contact = true
	if !b.mayAsk() {
		t.Error("with an address it is not")
	}
}

// TestExcluded: a host that is excluded takes those below it along.
func TestExcluded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "no")
	if err := os.WriteFile(file, []byte("# opted out\nshop.example\n https://a.b.example/x # one host\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hosts, err := readExcluded(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	b := &batch{excluded: hosts}
	for host, want := range map[string]bool{"shop.example": true, "www.shop.example": true, "b.example": false, "a.b.example": true, "myshop.example": false, "example": false} {
		if got := b.isExcluded(host); got != want {
			t.Errorf("%s: %v", host, got)
		}
	}
	if err := os.WriteFile(file, []byte("no such\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readExcluded(t.Context(), file); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("%v", err)
	}
}
