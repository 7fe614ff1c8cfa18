package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// broken returns the differences that break a program that reads the old page: schemas and members
// that are missing or have other values. A changed comment is not a break.
func broken(old, now string) (list []string) {
	before, after := membersIn(old), membersIn(now)
	for name, value := range before {
		heading, _, isMember := strings.Cut(name, " ")
		_, isThere := after[heading]
		switch {
		case !isMember && !isThere && strings.HasPrefix(heading, "wayfind/"):
			list = append(list, heading+" is gone")
		case isMember && isThere && after[name] != value && after[name] != strings.TrimSuffix(value, "?"):
			list = append(list, fmt.Sprintf("%s was %q and is %q", name, value, after[name]))
		}
	}
	slices.Sort(list)
	return list
}

// membersIn are the headings of a page, and by "heading member" the values of
// their members, with a question mark for those that may be absent.
func membersIn(text string) map[string]string {
	members, heading := map[string]string{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			heading = strings.Trim(strings.TrimLeft(line, "# "), "`")
			members[heading] = ""
		}
		cells := strings.Split(line, " | ")
		if name, optional, ok := strings.Cut(strings.TrimPrefix(cells[0], "| `"), "`"); ok && len(cells) == 3 && strings.HasPrefix(line, "| `") && heading != "The schemas" {
			members[heading+" "+name] = cells[1] + optional
		}
	}
	return members
}

// TestBroken lists the changes that are breaks.
func TestBroken(t *testing.T) {
	const page = "### `wayfind/a/1`\n| `x` | string | X. |\n| `y`? | number | Y. |\n### `T`\n| `z` | string | Z. |\n"
	for now, want := range map[string]string{
		page:                                "",
		page + "| `more` | string | M. |\n": "",
		strings.Replace(page, "X.", "Says x.", 1):             "",
		strings.Replace(page, "`y`?", "`y`", 1):               "",
		strings.Replace(page, "`x`", "`x`?", 1):               `wayfind/a/1 x was "string" and is "string?"`,
		strings.Replace(page, "`x`", "`w`", 1):                `wayfind/a/1 x was "string" and is ""`,
		strings.Replace(page, "number", "string", 1):          `wayfind/a/1 y was "number?" and is "string?"`,
		strings.Replace(page, "a/1", "a/2", 1):                "wayfind/a/1 is gone",
		strings.Replace(page, "| `z` | string | Z. |", "", 1): `T z was "string" and is ""`,
		strings.Replace(page, "`T`", "`U`", 1):                "",
	} {
		if got := strings.Join(broken(page, now), "; "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
