package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// TestListedCommands runs the lines of docs/COMMANDS.md in order, against a site on loopback. Each has a
// result.
func TestListedCommands(t *testing.T) {
	lines := shellLines(t, "docs/COMMANDS.md")
	flags := contractSite(t)
	t.Chdir(t.TempDir())
	caches := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", caches)
	t.Setenv("HOME", caches)
	store := []string{"--cache", session.DefaultCache()}
	for name, text := range map[string]string{
		"agent.json": contractManifest, "keys.json": `{"keys": []}`, "domains.txt": "example.com\n",
		"openapi.json": `{"openapi": "3.1.0", "info": {"title": "T", "version": "1"}, "servers": [{"url": "https://example.com"}],
			"paths": {"/a": {"get": {"operationId": "listOrders", "responses": {"200": {"description": "ok"}}}}}}`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, old, errs := exec(t, "", slices.Concat([]string{"resolve", "--json"}, flags, store, []string{"example.com"})...)
	if err := os.WriteFile("old.json", []byte(old), 0o600); err != nil || code != ui.ExitFound {
		t.Fatal(err, errs)
	}
	ran := 0
	for _, words := range lines {
		for i, word := range words {
			words[i] = strings.ReplaceAll(word, "registry.example", "example.com")
		}
		switch {
		case slices.Contains(words, "--serve"), words[0] == "serve", words[0] == "inspect", words[0] == "mcp":
			continue // it stays until it is interrupted
		case slices.Contains(words, "--mcp"):
			continue // its host is not served here
		case words[0] == "keys": // its URL is not asked
		case slices.Contains(words, "--offline"):
			words = slices.Concat([]string{"resolve"}, flags, store, words)
		case !slices.Contains([]string{"parse", "lint", "formats", "cache", "demo"}, words[0]), strings.Contains(strings.Join(words, " "), "https://"): // others ask nobody
			at := 0
			if !strings.HasPrefix(words[0], "-") && words[0] != "example.com" {
				at = 1
			}
			words = slices.Insert(words, at, flags...)
		}
		if code, out, errs := exec(t, "", words...); code != ui.ExitFound || out == "" {
			t.Errorf("%q: exit status %d\n%s%s", words, code, out, errs)
		}
		ran++
	}
	if ran < 18 {
		t.Errorf("%d lines were run", ran)
	}
}

// TestShellBlocks: every line with the command in the documents has a verb and
// flags that there are.
func TestShellBlocks(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	files := []string{"README.md", "CONTRIBUTING.md"}
	for _, name := range names {
		files = append(files, filepath.Join("docs", filepath.Base(name)))
	}
	count := 0
	for _, file := range files {
		for _, words := range shellLines(t, file) {
			count++
			root := command((&ui.App{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard}))
			cmd, rest, err := root.Find(bareForm(root, words))
			if err == nil {
				err = cmd.ParseFlags(rest)
			}
			if err == nil && cmd.Args != nil {
				err = cmd.Args(cmd, cmd.Flags().Args())
			}
			if err != nil || cmd == root {
				t.Errorf("%s: %q: %v", file, words, err)
			}
		}
	}
	if count < 20 {
		t.Errorf("%d lines", count)
	}
}

// shellLines are the words behind the command in the shell blocks of a document.
func shellLines(t *testing.T, file string) (lines [][]string) {
	t.Helper()
	inside := false
	for line := range strings.Lines(string(golden.Read(t, filepath.Join(golden.Root(t), file)))) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			inside = line == "```sh"
			continue
		}
		rest, is := strings.CutPrefix(line, "wayfind ")
		if !is {
			rest, is = strings.CutPrefix(line, "go run ./cmd/wayfind ")
		}
		if inside && is {
			lines = append(lines, shellWords(rest))
		}
	}
	return lines
}

// shellWords divides a line as a shell does, as far as the documents need it: blanks,
// single quotes and comments.
func shellWords(line string) (words []string) {
	var word strings.Builder
	begun, quoted := false, false
	for _, r := range line + " " {
		switch {
		case r == '\'':
			begun, quoted = true, !quoted
		case quoted || r != ' ' && (r != '#' || begun):
			begun = true
			word.WriteRune(r)
		case r == '#':
			return words
		case begun:
			words = append(words, word.String())
			word.Reset()
			begun = false
		}
	}
	return words
}

func TestShellWords(t *testing.T) {
	if got := shellWords("search a.example 'send  email' --x=#1 # why"); !slices.Equal(got, []string{"search", "a.example", "send  email", "--x=#1"}) {
		t.Errorf("%q", got)
	}
}
