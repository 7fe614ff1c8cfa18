package security

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/publicsuffix"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// TestOverlayIsCurrent generates psl/overlay.dat from the list in the vectors and compares it.
// -update writes it.
func TestOverlayIsCurrent(t *testing.T) {
	want := generateOverlay(t, string(golden.Read(t, golden.Vectors(t, "psl", "public_suffix_list.dat"))))
	path := filepath.Join("psl", "overlay.dat")
	switch published := golden.Published(t, golden.EnvVectors); {
	case !published: // the samples have a few rules
		for line := range strings.Lines(want) {
			if !strings.Contains(overlay, line) {
				t.Errorf("%s lacks %s", path, line)
			}
		}
	case golden.Updating():
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		if diff := cmp.Diff(want, overlay); diff != "" {
			t.Errorf("%s is stale, run go test -update ./security (-want +got):\n%s", path, diff)
		}
	}
}

const overlayHeader = `// This Source Code Form is subject to the terms of the Mozilla Public
// License, v. 2.0. If a copy of the MPL was not distributed with this
// file, You can obtain one at https://mozilla.org/MPL/2.0/.
//
// Rules of the Public Suffix List of 2026-08-19 that are not in
// golang.org/x/net/publicsuffix (list of 2026-02-06). Taken from
// https://publicsuffix.org/list/public_suffix_list.dat, commit e8c9a2b2 of
// https://github.com/publicsuffix/list; names are written as A-labels and
// nothing else was changed.
//
// Generated: go test ./security -run TestOverlayIsCurrent -update
//
// VERSION: 2026-08-19
`

func generateOverlay(t *testing.T, list string) string {
	var b strings.Builder
	b.WriteString(overlayHeader)
	total := map[string]int{}
	section := ""
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "// ===BEGIN "); ok {
			section = strings.TrimSuffix(name, " DOMAINS===")
			fmt.Fprintf(&b, "\n%s\n", line)
			continue
		}
		if line == "" || strings.HasPrefix(line, "//") {
			continue
		}
		total[section]++
		rule := aLabels(t, strings.Fields(line)[0])
		if lacks(rule) {
			total[section+" new"]++
			b.WriteString(rule + "\n")
		}
	}
	t.Logf("rules: %v", total)
	if total["ICANN"] < golden.Least(t, golden.EnvVectors, 5000) || total["PRIVATE"] < golden.Least(t, golden.EnvVectors, 2000) {
		t.Fatalf("the list is not whole: %v", total)
	}
	return b.String()
}

// lacks reports whether the linked list does not contain a rule.
func lacks(rule string) bool {
	if name, ok := strings.CutPrefix(rule, "*."); ok {
		suffix, _ := publicsuffix.PublicSuffix("probe." + name)
		return suffix != "probe."+name
	}
	if name, ok := strings.CutPrefix(rule, "!"); ok {
		_, parent, _ := strings.Cut(name, ".")
		suffix, _ := publicsuffix.PublicSuffix(name)
		return suffix != parent || lacks("*."+parent)
	}
	suffix, icann := publicsuffix.PublicSuffix(rule)
	return suffix != rule || !icann && !strings.Contains(rule, ".")
}

func aLabels(t *testing.T, rule string) string {
	prefix := rule[:len(rule)-len(strings.TrimLeft(rule, "*.!"))]
	ascii, err := strictIDNA.ToASCII(rule[len(prefix):])
	if err != nil {
		t.Fatalf("rule %q: %v", rule, err)
	}
	return prefix + ascii
}

// TestWholeList compares with a simple reading of the newer list, for names under each of its
// rules.
func TestWholeList(t *testing.T) {
	list := string(golden.Read(t, golden.Vectors(t, "psl", "public_suffix_list.dat")))
	var ascii strings.Builder
	var names []string
	for line := range strings.Lines(list) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "//") {
			continue
		}
		rule := aLabels(t, fields[0])
		fmt.Fprintln(&ascii, rule)
		name := strings.TrimLeft(rule, "*.!")
		names = append(names, name, "x."+name, "y.x."+name)
	}
	reference := plainRules(t, ascii.String())
	stricter := 0
	for _, name := range names {
		want, _ := reference.match(name)
		got, listed := bundledSuffix(name)
		switch {
		case got == want && listed, want == "" && !listed:
		case strings.HasSuffix(got, "."+want):
			stricter++ // the newer list does not have this rule
		default:
			t.Errorf("suffix of %s: got %s (listed %v), want %s", name, got, listed, want)
		}
	}
	t.Logf("%d names; %d have a longer suffix in the older list", len(names), stricter)
	if len(names) < golden.Least(t, golden.EnvVectors, 20000) || stricter > 200 {
		t.Errorf("%d names, %d stricter", len(names), stricter)
	}
}

// plainRules reads rules with A-labels.
func plainRules(t *testing.T, list string) suffixRules {
	t.Helper()
	rules, err := readRules(list, func(rule string) (string, error) { return rule, nil })
	if err != nil {
		t.Fatal(err)
	}
	return rules
}

func TestRules(t *testing.T) {
	rules := plainRules(t, "// comment\nck\n*.ck\n!www.ck\nnew.example // note\n*.deep.example\n")
	for name, want := range map[string]string{
		"ck": "ck", "a.ck": "a.ck", "b.a.ck": "a.ck", "www.ck": "ck",
		"a.www.ck": "ck", "x.new.example": "new.example", "example": "",
		"deep.example": "", "y.x.deep.example": "x.deep.example", "": "",
	} {
		if got, _ := rules.match(name); got != want {
			t.Errorf("match(%q) = %q, want %q", name, got, want)
		}
	}
}
