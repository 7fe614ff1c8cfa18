package cache_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind/internal/lab/golden"
)

// The documentation has the figures of the golden files, which the runs check.
func TestTheDocumentationHasTheFiguresOfTheSuite(t *testing.T) {
	var b strings.Builder
	b.WriteString("| profile | required | optimal | wanted yes | wanted no | either way | left out |\n|---|---|---|---|---|---|---|\n")
	for _, profile := range suiteProfiles() {
		file := "testdata/" + profile.role.file
		_, rest, _ := strings.Cut(string(golden.Read(t, file)), "\n# ")
		counted, rest, _ := strings.Cut(rest, "\n# not counted: ")
		left, _, _ := strings.Cut(rest, "\n")
		fmt.Fprintf(&b, "| [%s](../cache/%s) |", profile.name, file)
		for group := range strings.SplitSeq(counted, ";") {
			_, figure, _ := strings.Cut(group, ": ")
			fmt.Fprintf(&b, " %s |", figure)
		}
		out := 0
		for words := strings.Fields(left); len(words) > 1; words = words[2:] {
			var n int
			if _, err := fmt.Sscan(words[1], &n); err != nil {
				t.Fatal(err)
			}
			out += n
		}
		fmt.Fprintf(&b, " %d |\n", out)
	}
	inDocumentation(t, b.String())
}

// The documentation has each reason for which a test is left out, with the number of
// tests in each profile.
func TestTheDocumentationListsTheSuiteTestsThatAreLeftOut(t *testing.T) {
	tests := readSuite(t)
	var reasons []string
	counts := map[string]*[3]int{}
	for i, profile := range suiteProfiles() {
		for _, test := range tests {
			scope, reason := profile.role.scope(test)
			if scope == suiteCounted {
				continue
			}
			if reason == "" {
				t.Fatalf("%s is left out without a reason", test.ID)
			}
			if counts[reason] == nil {
				counts[reason] = new([3]int)
				reasons = append(reasons, reason)
			}
			counts[reason][i]++
		}
	}
	var b strings.Builder
	b.WriteString("| left out, because | private | shared | one user |\n|---|---|---|---|\n")
	for _, reason := range reasons {
		n := counts[reason]
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", reason, n[0], n[1], n[2])
	}
	inDocumentation(t, b.String())
}

func inDocumentation(t *testing.T, table string) {
	t.Helper()
	if docs := string(golden.Read(t, "../docs/CACHING.md")); !strings.Contains(docs, "\n\n"+table+"\n") {
		t.Errorf("docs/CACHING.md lacks this table:\n%s", table)
	}
}
