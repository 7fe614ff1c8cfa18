package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/golden"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/internal/show/sitecheck"
)

const checkHead = "# Checks of a site\n\n" +
	"`wayfind check DOMAIN` judges a site as agents see it. This page lists its checks; it is\n" +
	"generated: `go test ./cmd/wayfind -update`.\n\n" +
	"- A check passes, fails, is not there, or is not for this site. A place that could not be\n" +
	"  asked has no answer, and a check that this run did not make is not asked: neither is a\n" +
	"  fault.\n" +
	"- A document fails if it breaks a MUST of its specification, or cannot be read.\n" +
	"- The command sends the requests of `wayfind tools DOMAIN`. `--full` sends up to ten\n" +
	"  more, which the checks marked \"--full\" need, and reads every detail of each document.\n" +
	"- Of a directory, which no server has yet, no check of the server is made, and no level\n" +
	"  needs one. A recording has the answers of `--full` if it was made by\n" +
	"  `wayfind check --full --save DIR`; it has none that depends on a media type.\n\n" +
	"The sample site transit.example has the highest level: run `wayfind demo --serve`, and\n" +
	"`wayfind check transit.example` in the shell that it names.\n\n" +
	"## In CI\n\n" +
	"`wayfind check --json example.com > baseline.json` writes the baseline, which is kept\n" +
	"beside the site. A step of a workflow compares with it:\n\n" +
	"```yaml\n" +
	"- run: wayfind check --min-level 4 --baseline baseline.json --format github example.com\n" +
	"```\n\n" +
	"The step fails below level 4. It also fails if a check that passed in the\n" +
	"baseline fails now, or has nothing to look at any more. If such a check could not be\n" +
	"asked, the exit status is 3. It is 5 if the site was checked and places of it gave no\n" +
	"answer; standard error says which and why.\n"

// TestCheckDoc writes docs/CHECK.md from the table of checks, and fails if the page is stale.
func TestCheckDoc(t *testing.T) {
	var b strings.Builder
	b.WriteString(checkHead)
	b.WriteString("\n## Levels\n\nA site has the highest level whose checks pass, and those of all levels below it.\n\n| level | name | checks that pass | meaning |\n|---|---|---|---|\n| 0 | Not ready | – | – |\n")
	for _, l := range sitecheck.Check(&sitecheck.Input{Site: &wayfind.Site{}}).Levels {
		fmt.Fprintf(&b, "| %d | %s | `%s` | %s |\n", l.Level, l.Name, strings.Join(l.Checks, "`, `"), l.Means)
	}
	group := ""
	for _, r := range sitecheck.Rules() {
		if r.Group != group {
			group = r.Group
			fmt.Fprintf(&b, "\n## %s\n", group)
		}
		fmt.Fprintf(&b, "\n### `%s`: %s\n\n", r.ID, r.Title)
		full := ""
		if r.Full() {
			full = " (--full)"
		}
		fmt.Fprintf(&b, "- asks: %s%s\n- passes if %s\n- gain: %s\n- mend: %s\n", r.Asks, full, r.Passes, r.Gain, r.Mend)
		if r.Spec.Title != "" {
			fmt.Fprintf(&b, "- rule: %s, <%s>\n", humanize.Cite(r.Spec), r.Spec.URL)
		}
		if r.Scanners != "" {
			fmt.Fprintf(&b, "- scanners: %s\n", r.Scanners)
		}
	}
	golden.Compare(t, []byte(b.String()), filepath.Join("..", "..", "docs", "CHECK.md"))
}
