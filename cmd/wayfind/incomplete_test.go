package main

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/loopback"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// TestAnIncompleteDomainIsSaidByAllVerbs asks a site that has a document and fails at two well-known
// places: each verb that asks it says what is missing, on standard error, and exits with 5.
func TestAnIncompleteDomainIsSaidByAllVerbs(t *testing.T) {
	sites, err := loopback.Start(loopback.AnyPort(), []string{"few.example"}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/llms.txt":
			_, _ = w.Write([]byte("# Shop\n\n> Sells.\n\n- [API](https://few.example/api): the API\n"))
		case "/agents.md", "/.well-known/ucp":
			w.WriteHeader(http.StatusBadGateway)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer sites.Close()
	leadTo(t, sites)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("list.txt", []byte("few.example\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := `{"schema":"wayfind/site/1","origin":"https://few.example"}`
	if err := os.WriteFile("empty.json", []byte(empty), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args []string
		says string
	}{
		{[]string{"few.example"}, "wayfind: few.example is incomplete: "},
		{[]string{"--json", "few.example"}, "wayfind: few.example is incomplete: "},
		{[]string{"--verbose", "few.example"}, "wayfind: few.example is incomplete: "},
		{[]string{"tools", "few.example"}, "wayfind: few.example is incomplete: "},
		{[]string{"check", "few.example"}, "wayfind: few.example is incomplete: "},
		{[]string{"lint", "https://few.example"}, "wayfind: few.example is incomplete: "},
		{[]string{"diff", "empty.json", "few.example"}, "wayfind: few.example is incomplete: "},
		{[]string{"pin", "--pins", "pins.json", "few.example"}, "wayfind: few.example is incomplete: "},
		{[]string{"batch", "list.txt"}, "incomplete, because places gave no answer: 1\n"},
	} {
		args := row.args
		if args[0] != "lint" {
			args = append(args, "--cache", "none")
		}
		status, printed, errs := exec(t, "", args...)
		if !strings.Contains(errs, row.says) || status != ui.ExitIncomplete {
			t.Errorf("wayfind %s: status %d: %s", strings.Join(row.args, " "), status, errs)
		}
		if row.args[0] == "--json" && !strings.Contains(printed, `"incomplete": {`) {
			t.Errorf("%s", printed)
		}
	}
}
