package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// shared is a buffer for standard error, to which the command and the servers of --server write.
type shared struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write writes one text at a time, as a file does.
func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// exec runs the command without a process.
func exec(t *testing.T, stdin string, args ...string) (code ui.Outcome, stdout, stderr string) {
	t.Helper()
	var out bytes.Buffer
	var errs shared
	code = run(t.Context(), args, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

func TestDemoGolden(t *testing.T) {
	for _, row := range []struct {
		file string
		args []string
	}{
		{"demo.jsonl", []string{"demo", "--json", "--now", "2026-01-02T15:04:05Z"}},
		{"demo.txt", []string{"demo", "--verbose", "--now", "2026-01-02T15:04:05Z"}},
		{"answer.txt", []string{"demo", "--all", "--now", "2026-01-02T15:04:05Z"}},
		{"tour.txt", []string{"demo", "--now", "2026-01-02T15:04:05Z"}},
	} {
		code, out, errs := exec(t, "", row.args...)
		if code != ui.ExitFound || errs != "" {
			t.Errorf("%v: exit status %d, %s", row.args, code, errs)
		}
		golden.Compare(t, []byte(out), filepath.Join("testdata", row.file))
	}
}

func TestExitStatus(t *testing.T) {
	kind := func(op string, k error, c wayfind.Code) error {
		return fmt.Errorf("wrapped: %w", &wayfind.Error{Op: op, Kind: k, Code: c})
	}
	for _, row := range []struct {
		err  error
		want ui.Outcome
	}{
		{nil, 0},
		{kind("resolve", wayfind.ErrNotFound, ""), 1},
		{kind("resolve", wayfind.ErrInvalid, wayfind.CodeJSONSyntax), 1},
		{kind("describe", wayfind.ErrInvalid, wayfind.CodeSchema), 1},
		{kind("target", wayfind.ErrInvalid, wayfind.CodeHostSyntax), 2},
		{kind("options", wayfind.ErrInvalid, wayfind.CodeSchema), 2},
		{kind("describe", wayfind.ErrInvalid, wayfind.CodeUnknownKey), 2},
		{ui.Usagef("x"), 2},
		{kind("resolve", wayfind.ErrUnreachable, wayfind.CodeTLS), 3},
		{kind("resolve", wayfind.ErrThrottled, ""), 3},
		{kind("resolve", wayfind.ErrBlocked, ""), 3},
		{kind("resolve", wayfind.ErrRefused, wayfind.CodeBlockedAddress), 4},
		{errors.New("anything"), 1},
	} {
		if got := ui.ExitStatus(row.err); got != row.want {
			t.Errorf("%v: %d, want %d", row.err, got, row.want)
		}
	}
}

func TestBareForm(t *testing.T) {
	root := command((&ui.App{}))
	for in, want := range map[string]string{
		"example.com":                 "resolve example.com",
		"--json example.com":          "resolve --json example.com",
		"--timeout 5s example.com":    "resolve --timeout 5s example.com",
		"parse x":                     "parse x",
		"resolve demo":                "resolve demo",
		"--help":                      "--help",
		"--version":                   "version",
		"-v --version example.com":    "version",
		"":                            "",
		"help parse":                  "help parse",
		"completion bash":             "completion bash",
		"--user-agent demo x.example": "resolve --user-agent demo x.example",
		"--user-agent=demo parse":     "--user-agent=demo parse",
		"--connect-to a:1:b:2 demo.x": "resolve --connect-to a:1:b:2 demo.x",
		"-v example.com":              "resolve -v example.com",
		"__complete lint --for":       "__complete lint --for",
		"__complete --rob":            "__complete resolve --rob",
	} {
		if got := strings.Join(bareForm(root, strings.Fields(in)), " "); got != want {
			t.Errorf("%q reads as %q, want %q", in, got, want)
		}
	}
}

// A cancelled run ends with its own exit status and gives the reason.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	if code := run(ctx, []string{"example.com"}, strings.NewReader(""), &out, &errs); code != ui.ExitInterrupted || !strings.Contains(errs.String(), "canceled") {
		t.Errorf("exit status %d, %s", code, errs.String())
	}
}
