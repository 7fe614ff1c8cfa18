package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// "nothing found", "could not be asked", "nothing is stored" and "no such name" are four
// answers, as are the refusals.
func TestNothingFoundAskedStoredOrNamedAreFourAnswers(t *testing.T) {
	site := &wayfind.Site{Origin: "https://example.com"}
	later := time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)
	for want, err := range map[string]error{
		"nothing found": &wayfind.Error{Kind: wayfind.ErrNotFound},
		"no such name":  wayfind.NewError("resolve", "", wayfind.CodeDNSNotFound, nil),
		"nothing is stored, and --offline sends no request":                                     wayfind.NewError("resolve", "", wayfind.CodeOffline, nil),
		"could not be asked (tls)":                                                              wayfind.NewError("resolve", "", wayfind.CodeTLS, nil),
		"could not be asked: the site refuses (firewall)":                                       wayfind.NewError("resolve", "", wayfind.CodeFirewall, nil),
		"could not be asked: the site wants to be asked later, not before 2026-01-02 15:00:00Z": &wayfind.Error{Kind: wayfind.ErrThrottled, NotBefore: later},
		"was not asked: the policy of this run refuses (blocked_address)":                       wayfind.NewError("resolve", "", wayfind.CodeBlockedAddress, nil),
		"nothing that can be used, only broken documents (json_syntax)":                         wayfind.NewError("resolve", "", wayfind.CodeJSONSyntax, nil),
		"interrupted before anything was found":                                                 wayfind.NewError("resolve", "", wayfind.CodeCanceled, nil),
		"no answer (panic)":                                                                     wayfind.NewError("resolve", "", wayfind.CodePanic, nil),
	} {
		if got := answerText(site, err); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}

// TestAnswerFitsAScreen: a typical site takes at most 24 lines of 80 columns.
func TestAnswerFitsAScreen(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	code, out, errs := exec(t, "", "demo", "--all", "--now", "2026-01-02T15:04:05Z")
	if code != ui.ExitFound || errs != "" {
		t.Fatal(code, errs)
	}
	sites := strings.Split(out, "\n── ")
	for _, site := range sites {
		name, text, _ := strings.Cut(site, "\n\n")
		name = strings.Fields(strings.TrimPrefix(name, "── "))[0]
		lines := strings.Split(strings.TrimSpace(text), "\n")
		if len(lines) > 23 && !slices.Contains([]string{"everything.example", "garden.example", "registry.example"}, name) {
			t.Errorf("%s takes %d lines:\n%s", name, len(lines), text)
		}
		for _, l := range lines {
			if n := len([]rune(l)); n > 80 && strings.Count(strings.TrimSpace(l), " ") > 3 {
				t.Errorf("%s: a line of %d columns: %s", name, n, l)
			}
		}
	}
	if len(sites) != len(demoSites()) {
		t.Errorf("%d sites", len(sites))
	}
}

func TestWrap(t *testing.T) {
	for _, row := range []struct {
		text string
		n    int
		want string
	}{
		{"one two three", 7, "one two|three"},
		{"one two three", 0, "one two three"},
		{"overlong two", 3, "overlong|two"},
		{"", 3, ""},
		{"a  b", 3, "a |b"},
	} {
		if got := strings.Join(ui.Wrap(row.text, row.n), "|"); got != row.want {
			t.Errorf("%q in %d: %q, want %q", row.text, row.n, got, row.want)
		}
	}
}
