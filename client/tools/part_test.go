package tools

import (
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
)

// If some places of a domain gave no answer, Watch reads the domain again when they may be asked.
func TestADomainThatIsIncompleteIsReadAgain(t *testing.T) {
	now := time.Now()
	for name, row := range map[string]struct{ notBefore, want time.Time }{
		"at the end of the pause": {now.Add(10 * time.Minute), now.Add(10 * time.Minute)},
		"soon":                    {time.Time{}, now.Add(failedPause)},
	} {
		in := &wayfind.Incomplete{Missing: []wayfind.Missing{{Verdict: wayfind.VerdictThrottled, URLs: []string{"https://shop.example/llms.txt"}}}, NotBefore: row.notBefore}
		l := newLoader(nil, &Options{}, newBudget())
		l.until(now.Add(time.Hour))
		l.unanswered(&wayfind.Site{Origin: "https://shop.example", Incomplete: in})
		if got := dueAfter(l.box, now, 0, leastPause); !got.Equal(row.want) {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
		if want := "Could be asked only in part: shop.example. They may offer more than is listed."; l.box.Note() != want {
			t.Errorf("%s: %q", name, l.box.Note())
		}
	}
	// What is not listed there is not said, whatever the verdicts of places are.
	l := newLoader(nil, &Options{}, newBudget())
	l.unanswered(&wayfind.Site{Origin: "https://shop.example", Probes: []wayfind.Probe{{URL: "https://shop.example/.well-known/ucp", Verdict: wayfind.VerdictRefused, Reason: "redirect_limit"}}})
	if l.box.Note() != "" || len(l.box.Skipped()) > 0 {
		t.Errorf("%q, %v", l.box.Note(), l.box.Skipped())
	}
	// A server that was asked since is not missing.
	l.answered = map[string]bool{"https://shop.example/mcp": true}
	l.unanswered(&wayfind.Site{Origin: "https://shop.example", Incomplete: &wayfind.Incomplete{Missing: []wayfind.Missing{{Verdict: wayfind.VerdictUnreachable, URLs: []string{"https://shop.example/mcp"}}}}})
	if len(l.box.Skipped()) > 0 {
		t.Errorf("%v", l.box.Skipped())
	}
}
