package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/demo"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// full is a standard output that has no room.
type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

// writingLines are command lines that write to standard output, at least one for each verb that does.
// The sample sites answer them. DIR is an empty directory.
var writingLines = []string{
	"mailforge.example", "resolve --json mailforge.example", "--verbose mailforge.example crew.example", "mailforge.example --jq .origin",
	"batch -", "crawl status --queue DIR/queue", "parse DIR/agent.json", "lint DIR/agent.json", "check mailforge.example",
	"describe mailforge.example adp:send_email", "tools mailforge.example", "call bookings.example awp:search_tables city=Rome",
	"mcp", "mcp --domain shop.example --print-config cursor", "search registry.example mail", "pin --pins DIR/pins", "diff DIR/site.json DIR/site.json",
	"formats", "formats --schema adp", "keys --new https://bot.example.com DIR/key", "cache stats --cache DIR/cache", "demo", "demo --all", "demo --json", "demo --serve",
	"serve --hostile", "serve --hostile --json", "inspect mailforge.example", "version", "--version", "help", "--help", "help call", "completion bash", "__complete lint --for",
}

// writesNothing are the verbs whose result is a file.
var writesNothing = []string{"logout", "man"}

// writing prepares the directory and the sites of writingLines, and returns the lines.
func writing(t *testing.T) []string {
	t.Helper()
	sites, err := demo.Start(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sites.Close() })
	leadTo(t, sites)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "agent.json"), []byte(contractManifest), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"mailforge.example --cache DIR/cache", "resolve --json mailforge.example --cache none -o DIR/site.json", "pin --pins DIR/pins mailforge.example", "crawl load --queue DIR/queue -"} {
		if code, out, errs := exec(t, "a.example\n", inDir(line, dir)...); code != ui.ExitFound {
			t.Fatalf("%s: %d, %s%s", line, code, out, errs)
		}
	}
	t.Setenv("WAYFIND_CACHE", "none")
	return slices.Collect(func(yield func(string) bool) {
		for _, line := range writingLines {
			if !yield(strings.Join(inDir(line, dir), "\x00")) {
				return
			}
		}
	})
}

func inDir(line, dir string) (words []string) {
	for word := range strings.FieldsSeq(line) {
		words = append(words, strings.ReplaceAll(word, "DIR", dir))
	}
	return words
}

// typing is what a host writes to the verbs that read standard input. It stays.
func typing(t *testing.T) io.Reader {
	r, w := io.Pipe()
	t.Cleanup(func() { _ = r.Close() })
	go func() { _, _ = io.WriteString(w, typed) }()
	return r
}

const typed = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"host","version":"1"}}}` + "\n"

// If standard output cannot be written, each verb ends, and reports the reason and nothing else. If
// the reader has left, it ends without a word.
func TestEachVerbEndsWithItsOutput(t *testing.T) {
	disk := &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
	for _, line := range writing(t) {
		words := strings.Split(line, "\x00")
		var errs bytes.Buffer
		code := run(t.Context(), words, typing(t), full{disk}, &errs)
		if want := "wayfind: standard output: no space left on device\n"; code != ui.ExitUnasked || !strings.HasSuffix(errs.String(), want) || strings.Contains(errs.String(), "queue is full") {
			t.Errorf("%q: exit status %d, %s", words, code, errs.String())
		}
		var quiet bytes.Buffer
		if code := run(t.Context(), words, typing(t), full{syscall.EPIPE}, &quiet); code == ui.ExitInterrupted || strings.Contains(quiet.String(), "pipe") || strings.Contains(quiet.String(), "cancel") {
			t.Errorf("%q into a closed pipe: exit status %d, %s", words, code, quiet.String())
		}
	}
}

// Each verb is among those lines.
func TestEachVerbHasALineThatWrites(t *testing.T) {
	for _, c := range command((&ui.App{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})).Commands() {
		if !slices.ContainsFunc(writingLines, func(line string) bool { return strings.HasPrefix(line+" ", c.Name()+" ") }) && !slices.Contains(writesNothing, c.Name()) {
			t.Errorf("there is no line for %s", c.Name())
		}
	}
}

// A disk that is full ends a process with the reason.
func TestAFullDiskEndsTheCommand(t *testing.T) {
	disk, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("there is no /dev/full on %s", runtime.GOOS)
	}
	defer disk.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd := &osexec.Cmd{Path: self, Args: []string{"wayfind", "formats"}, Stdout: disk, Stderr: &errs}
	status, ended := errors.AsType[*osexec.ExitError](cmd.Run())
	if !ended || ui.Outcome(status.ExitCode()) != ui.ExitUnasked || errs.String() != "wayfind: standard output: no space left on device\n" {
		t.Errorf("%v, %s", status, errs.String())
	}
}

// faulty is a stream that panics.
type faulty struct{}

func (faulty) Read([]byte) (int, error) { panic("the reader\x1b[2J broke") }

// A panic ends the command with a sentence, a line for a report and a status of its own, for each verb that
// reads standard input. Only --debug prints the stack.
func TestAFaultHasItsOwnEnd(t *testing.T) {
	for _, line := range []string{"parse -", "lint -", "lint --debug -", "--debug parse --json -"} {
		var out, errs bytes.Buffer
		status := run(t.Context(), strings.Fields(line), faulty{}, &out, &errs)
		said := errs.String()
		if status != ui.ExitFault || !strings.Contains(said, "a fault of wayfind, and no answer: the reader") || !strings.Contains(said, "please report it") || strings.Contains(said, "\x1b") {
			t.Errorf("%s: status %d, %q", line, status, said)
		}
		if hasStack := strings.Contains(said, "goroutine "); hasStack != strings.Contains(line, "--debug") {
			t.Errorf("%s: a stack is printed: %t", line, hasStack)
		}
	}
}

// A panic that the library has caught has the same status.
func TestACaughtFaultHasTheSameStatus(t *testing.T) {
	err := wayfind.NewError("parse", "https://a.example/x", wayfind.CodePanic, errors.New("format x: panic: y"))
	if status := ui.ExitStatus(err); status != ui.ExitFault {
		t.Errorf("status %d", status)
	}
}
