package check

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/publish"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/sarif"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/internal/show/sitecheck"
)

// sarif prints the failed checks as a SARIF report: one result for each fault of a document, or one
// result for a check without faults.
func (c *checker) sarif(r *sitecheck.Report) error {
	s := sarif.New()
	for _, check := range r.With(sitecheck.Fail) {
		rule := sarif.Rule{ID: check.ID, ShortDescription: sarif.Text{Text: check.Title + ": passes if " + check.Passes}, Help: sarif.Text{Text: check.Mend}}
		if check.Spec != nil {
			rule.HelpURI = check.Spec.URL
		}
		for _, f := range faultsOf(r, check) {
			place := sarif.Location{Physical: sarif.Physical{Artifact: sarif.Artifact{URI: sarif.ArtifactURI(f.Source)}}}
			if f.Line > 0 {
				place.Physical.Region = &sarif.Region{StartLine: f.Line}
			}
			if f.Pointer != "" {
				place.Logical = []sarif.Logical{{FullyQualifiedName: f.Pointer}}
			}
			s.Results = append(s.Results, sarif.Result{RuleID: check.ID, RuleIndex: s.Rule(rule), Level: "error", Message: sarif.Text{Text: faultText(&f)}, Locations: []sarif.Location{place}})
		}
	}
	if r.Offer.Quality != nil {
		qualityResults(s, r.Offer.Quality)
	}
	return s.Print(c.Out)
}

// qualityResults adds a note for each shortfall of the tools with the lowest scores.
func qualityResults(s *sarif.Run, q *sitecheck.Quality) {
	for i := range q.Worst {
		t := &q.Worst[i]
		for _, short := range t.Shortfalls {
			rule := sarif.Rule{ID: "quality." + string(short.Code), ShortDescription: sarif.Text{Text: "quality of a definition: " + string(short.Code)}, Help: sarif.Text{Text: short.Mend}}
			place := sarif.Location{Physical: sarif.Physical{Artifact: sarif.Artifact{URI: sarif.ArtifactURI(t.Source)}}}
			if t.Pointer != "" {
				place.Logical = []sarif.Logical{{FullyQualifiedName: t.Pointer}}
			}
			s.Results = append(s.Results, sarif.Result{RuleID: rule.ID, RuleIndex: s.Rule(rule), Level: "note",
				Message: sarif.Text{Text: fmt.Sprintf("%s (score %d): %s\nmend: %s", t.Tool, t.Score, short.Why, short.Mend)}, Locations: []sarif.Location{place}})
		}
	}
}

// faultsOf returns the faults of a failed check. If it has none, the check itself is the only
// fault. The check "correct" sums up other checks, so its faults are not repeated.
func faultsOf(r *sitecheck.Report, check *sitecheck.Result) []sitecheck.Fault {
	if len(check.Faults) > 0 && check.ID != "correct" {
		return check.Faults
	}
	source := r.Asked() + "/"
	if len(check.Places) > 0 {
		source = check.Places[0]
	}
	return []sitecheck.Fault{{Message: cmp.Or(check.Why, check.Title), Source: source, Mend: check.Mend}}
}

func faultText(f *sitecheck.Fault) string {
	text := f.Message
	if f.Code != "" {
		text = f.Code + ": " + text
	}
	if f.Mend != "" {
		text += "\nmend: " + f.Mend
	}
	return text
}

// github prints the annotations of a GitHub workflow: faults, lost checks, and the level.
func (c *checker) github(r *sitecheck.Report) {
	tell := func(level, title, message string) {
		c.Line("::%s title=%s::%s", level, publish.GitHubProperty(title), publish.GitHubText(message))
	}
	for _, check := range r.With(sitecheck.Fail) {
		for _, f := range faultsOf(r, check) {
			tell("warning", "check "+check.ID, f.Source+placeIn(&f)+"\n"+faultText(&f))
		}
	}
	if b := r.Baseline; b != nil {
		for _, change := range b.Lost {
			tell("error", "check "+change.ID, fmt.Sprintf("it passed in the baseline: now %s", statusWord(change.Now)))
		}
		for _, change := range b.NotCompared {
			tell("notice", "check "+change.ID, fmt.Sprintf("it passed in the baseline: now %s", statusWord(change.Now)))
		}
	}
	level, text := "notice", fmt.Sprintf("%s: level %d of %d, %s", titleOf(r), r.Level, highestLevel, r.LevelName)
	if why := c.below(r); why != "" {
		level, text = "error", text+"; "+why
	}
	if len(r.Next) > 0 {
		text += fmt.Sprintf("\nnext, for level %d: %s", r.Next[0].Level, r.Next[0].Text)
	}
	tell(level, "wayfind check", text)
}

func placeIn(f *sitecheck.Fault) string {
	switch {
	case f.Pointer != "":
		return " at " + f.Pointer
	case f.Line > 0:
		return fmt.Sprintf(" in line %d", f.Line)
	}
	return ""
}

// markdown prints a page for a summary, with the rule of each check.
func (c *checker) markdown(r *sitecheck.Report) {
	c.Line("# %s: level %d of %d, %s", cell(titleOf(r)), r.Level, highestLevel, r.LevelName)
	c.Line("\n| status | check | result | passes if | rule |\n|---|---|---|---|---|")
	for i := range r.Checks {
		check := &r.Checks[i]
		rule := ""
		if check.Spec != nil {
			rule = fmt.Sprintf("[%s](%s)", cell(humanize.Cite(*check.Spec)), check.Spec.URL)
		}
		c.Line("| %s | `%s` | %s | %s | %s |", check.Status.Text(), check.ID, cell(whyText(check)), cell(check.Passes), rule)
	}
	c.Line("\n## An agent gets\n")
	for _, s := range r.Offer.Services {
		c.Line("- service: %s, %s", cell(cmp.Or(s.Name, s.ID)), humanize.Plural(s.Capabilities, "capability", "capabilities"))
	}
	for _, text := range r.Offer.Installs {
		c.Line("- to install: %s", cell(text))
	}
	c.Line("- tools: %s", cell(toolsText(&r.Offer)))
	for _, t := range r.Offer.NotTools {
		c.Line("- no tool: %s", cell(notToolText(&t)))
	}
	for _, text := range personText(&r.Offer) {
		c.Line("- a person %s", cell(text))
	}
	if q := r.Offer.Quality; q != nil {
		c.Line("\n## A model reads\n\n%s", cell(qualityText(q)))
		if len(q.Worst) > 0 {
			c.Line("\n| score | tool | reason | mend |\n|---|---|---|---|")
		}
		for i := range q.Worst {
			for _, short := range q.Worst[i].Shortfalls {
				c.Line("| %d | %s | %s | %s |", q.Worst[i].Score, cell(q.Worst[i].Tool), cell(short.Why), cell(short.Mend))
			}
		}
	}
	c.Line("\n## Levels\n\n| level | name | state | rule |\n|---|---|---|---|")
	for i := range r.Levels {
		l := &r.Levels[i]
		c.Line("| %d | %s | %s | %s |", l.Level, l.Name, metText(l), levelRule(l))
	}
	if r.Baseline != nil {
		c.Line("\n## Since the baseline\n")
		for _, line := range baselineLines(r.Baseline) {
			c.Line("- %s", cell(line))
		}
	}
	if len(r.Next) > 0 {
		c.markdownNext(&r.Next[0])
	}
	if why := c.below(r); why != "" {
		c.Line("\n**%s**", cell(why))
	}
}

func (c *checker) markdownNext(next *sitecheck.Step) {
	c.Line("\n## Next, for level %d: %s\n\n%s", next.Level, next.Check, cell(next.Text))
	if d := next.Document; d != nil {
		c.Line("\n%s\n", cell(documentTitle(d)))
		for line := range strings.Lines(d.Content) { // an indented block: no text can end it
			c.Line("    %s", ui.Show(strings.TrimRight(line, "\n")))
		}
	}
}

// markdownEscapes escapes foreign text so that it is not read as markup.
var markdownEscapes = strings.NewReplacer("\\", "\\\\", "|", "\\|", "<", "&lt;", "&", "&amp;", "[", "\\[", "]", "\\]", "`", "\\`", "*", "\\*", "_", "\\_", "!", "\\!", "\n", " ")

func cell(s string) string { return markdownEscapes.Replace(ui.Show(strings.ReplaceAll(s, "\n", " "))) }
