package wall

import (
	"slices"
	"strings"
	"testing"
)

// known returns all walls of the tables.
func known() (list []Wall) {
	for _, f := range slices.Concat(marks[:], servers[:], edges[:]) {
		list = append(list, f.Wall)
	}
	for _, p := range pages {
		list = append(list, p.Wall)
	}
	for _, d := range doors {
		list = append(list, d.Wall)
	}
	return append(list, Wall{"a legal block", refuses}, Wall{"a page for browsers", challenges})
}

// Each row of advice is about a wall that is recognised, and names it once.
func TestAdviceIsAboutKnownWalls(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range advice {
		first, _, _ := strings.Cut(row.name, " (")
		if seen[row.name] || !slices.ContainsFunc(known(), func(w Wall) bool { return w.Name == row.name }) || !strings.Contains(row.text, first) || !strings.HasSuffix(row.text, ".") {
			t.Errorf("%q: %s", row.name, row.text)
		}
		seen[row.name] = true
	}
}

// A wall without a row of its own has advice that names no product.
func TestEachWallHasAdvice(t *testing.T) {
	for _, w := range known() {
		text := w.Advice()
		if text == "" {
			t.Errorf("%v: no advice", w)
		}
		for _, row := range advice {
			if row.name != w.Name && row.text == text {
				t.Errorf("%v: the advice of %s", w, row.name)
			}
		}
	}
	for w, part := range map[Wall]string{
		{"Cloudflare", challenges}:          "action Skip",
		{"AWS WAF", challenges}:             "scope-down",
		{"Vercel", login}:                   "Deployment Protection",
		{"Okta", login}:                     "out of the login",
		{"Yahoo", consents}:                 "Ask for consent in the page",
		{"a page for browsers", challenges}: "pass the firewall",
	} {
		if got := w.Advice(); !strings.Contains(got, part) {
			t.Errorf("%v: %q has no %q", w, got, part)
		}
	}
}
