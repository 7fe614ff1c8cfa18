package arch

import (
	"regexp"
	"testing"
)

// papers are names of documents that a reader of this repository does not have,
// and the numbers of their rows. A comment says the rule itself.
var papers = regexp.MustCompile(`\b(DESIGN|CONVENTIONS|LIBRARIES|PROTOCOLS2?|SCENARIOS|FAULTS|TOOLS)\b` +
	`|\b(SECURITY|CACHING|PERFORMANCE|ARCHITECTURE)(\.md)?,? §` +
	`|\bfindings/|\bP[01]\d\d\b|\b[Ff]inding [A-Z]*\d`)

// TestCommentsCiteNoPapers: names of tests may carry numbers, comments may
// not stand on them.
func TestCommentsCiteNoPapers(t *testing.T) {
	for _, p := range load(t) {
		for _, f := range p.files {
			for _, group := range f.ast.Comments {
				if cited := papers.FindString(group.Text()); cited != "" {
					t.Errorf("%s: a comment cites %q: say the rule", f.at(group), cited)
				}
			}
		}
	}
}

func TestPapersAreCaught(t *testing.T) {
	for text, want := range map[string]string{
		"as DESIGN §5 says": "DESIGN", "see SECURITY §3": "SECURITY §", "SECURITY.md, §3": "SECURITY.md, §", "P092: no verb": "P092",
		"findings/house.md": "findings/", "finding 12": "finding 1", "PROTOCOLS2": "PROTOCOLS2", "FAULTS R17": "FAULTS",
		"docs/SECURITY.md tells": "", "TestP092_NoVerbShowsSecrets": "", "elliptic.P256": "", "a finding in two documents": "", "RFC 9111 §4.2": "",
	} {
		if got := papers.FindString(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
