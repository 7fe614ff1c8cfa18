package check

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
	"github.com/wayfindhq/wayfind/internal/show/sitecheck"
)

// print shows a report to a person, on one page.
func (c *checker) print(r *sitecheck.Report) {
	if c.failure != nil {
		c.printUnasked(r)
		return
	}
	c.Heading(fmt.Sprintf("%s: level %d of %d, %s", titleOf(r), r.Level, highestLevel, r.LevelName))
	if r.Elsewhere != "" {
		c.Sentence(fmt.Sprintf("Everything redirects to %s: type \"wayfind check %s\" to judge that host.", ui.Show(r.Elsewhere), ui.Show(r.Elsewhere)))
	}
	c.printChecks(r)
	c.printOffer(&r.Offer)
	c.printLevels(r)
	c.printBaseline(r.Baseline)
	c.printNext(r)
	if why := c.below(r); why != "" {
		c.Line("")
		c.Sentence(why)
	}
}

// printUnasked shows what the places of a site said that could not be judged, and what lets agents in.
func (c *checker) printUnasked(r *sitecheck.Report) {
	c.Heading(titleOf(r) + ": not judged; the places say")
	for i := range r.Answers {
		c.Indented("  ", r.Answers[i].Text(r.Asked()))
	}
	for _, check := range r.Barriers() {
		c.Line("")
		c.Table([][]string{{check.Status.Text(), check.ID, whyText(check)}})
		c.Paragraph(check.Mend)
	}
}

// printChecks prints a line for each check that something was judged by. Those with another status
// share a line.
func (c *checker) printChecks(r *sitecheck.Report) {
	group := ""
	var rows [][]string
	flush := func() {
		if len(rows) > 0 {
			c.Line("")
			c.Heading(group)
			c.Table(rows)
			rows = nil
		}
	}
	for i := range r.Checks {
		check := &r.Checks[i]
		if check.Group != group {
			flush()
			group = check.Group
		}
		if c.network.Verbose || check.Status.Judged() {
			rows = append(rows, []string{check.Status.Text(), check.ID, whyText(check)})
		}
		if c.network.Verbose {
			rows = append(rows, ruleRows(check)...)
		}
	}
	flush()
	if c.network.Verbose {
		return
	}
	c.Line("")
	for _, status := range sitecheck.Statuses() {
		if status.Judged() {
			continue
		}
		for _, line := range alike(r.With(status)) {
			c.Indented("", status.Text()+": "+line)
		}
	}
}

// whyText returns the title of a check with the reason for its result.
func whyText(check *sitecheck.Result) string {
	if check.Why == "" {
		return check.Title
	}
	return check.Title + ": " + check.Why
}

// ruleRows returns the lines below a check that describe its rule.
func ruleRows(check *sitecheck.Result) (rows [][]string) {
	add := func(what, text string) {
		if text != "" {
			rows = append(rows, []string{"", "", what + ": " + text})
		}
	}
	add("asks", check.Asks)
	add("passes", "if "+check.Passes)
	add("gain", check.Gain)
	add("mend", check.Mend)
	if check.Spec != nil {
		add("rule", strings.TrimSpace(humanize.Cite(*check.Spec)+" "+check.Spec.URL))
	}
	add("scanners", check.Scanners)
	return rows
}

// alike returns a line for each reason, with the names of the checks that have it.
func alike(list []*sitecheck.Result) (lines []string) {
	byReason := map[string][]string{}
	var order []string
	for _, check := range list {
		if byReason[check.Why] == nil {
			order = append(order, check.Why)
		}
		byReason[check.Why] = append(byReason[check.Why], check.ID)
	}
	for _, why := range order {
		line := strings.Join(byReason[why], ", ")
		if why != "" {
			line += " (" + why + ")"
		}
		lines = append(lines, line)
	}
	return lines
}

// mostNotTools is the largest number of capabilities without a tool that are listed without
// --verbose.
const mostNotTools = 5

func (c *checker) printOffer(o *sitecheck.Offer) {
	c.Line("")
	c.Heading("An agent gets")
	var rows [][]string
	for _, s := range o.Services {
		text := fmt.Sprintf("%s, %s", cmp.Or(s.Name, s.ID), humanize.Plural(s.Capabilities, "capability", "capabilities"))
		if len(s.Protocols) > 0 {
			text += ", over " + strings.Join(s.Protocols, ", ")
		}
		rows = append(rows, []string{"service", text})
	}
	if len(o.Services) == 0 {
		rows = append(rows, []string{"service", "none"})
	}
	for _, text := range o.Installs {
		rows = append(rows, []string{"to install", text + "; nothing here runs it"})
	}
	rows = append(rows, []string{"tools", toolsText(o)})
	for i, t := range o.NotTools {
		if i == mostNotTools && !c.network.Verbose {
			rows = append(rows, []string{"no tool", fmt.Sprintf("and %d more; --verbose names them", len(o.NotTools)-i)})
			break
		}
		rows = append(rows, []string{"no tool", notToolText(&t)})
	}
	for _, text := range personText(o) {
		rows = append(rows, []string{"a person", text})
	}
	c.Table(rows)
	c.printQuality(o.Quality)
}

// mostShownQuality is the number of tools with shortfalls that are listed without --verbose.
const mostShownQuality = 3

// printQuality prints how well a model can choose and call the tools, with the reasons.
func (c *checker) printQuality(q *sitecheck.Quality) {
	if q == nil {
		return
	}
	c.Line("")
	c.Heading("A model reads")
	c.Paragraph(qualityText(q))
	var rows [][]string
	for i := range q.Worst {
		if i == mostShownQuality && !c.network.Verbose {
			break
		}
		t := &q.Worst[i]
		for j, s := range t.Shortfalls {
			name, score := "", ""
			if j == 0 {
				name, score = t.Tool, fmt.Sprint(t.Score)
			}
			rows = append(rows, []string{score, name, s.Why + ": " + strings.ToLower(s.Mend[:1]) + s.Mend[1:]})
		}
	}
	c.Table(rows)
	if n := len(q.Worst) - mostShownQuality; n > 0 && !c.network.Verbose {
		c.Sentence(fmt.Sprintf("--verbose lists %d more.", n))
	}
}

// qualityText returns the score in a sentence.
func qualityText(q *sitecheck.Quality) string {
	text := fmt.Sprintf("quality %d of 100 over %s, about %s of definitions", q.Score, humanize.Count(q.Tools, "tool"), humanize.Count(q.Tokens, "token"))
	if q.NotJudged > 0 {
		text += fmt.Sprintf("; %d more were not judged, because all definitions together are too large", q.NotJudged)
	}
	return text
}

func notToolText(t *sitecheck.NotTool) string {
	text := t.Reason
	if t.Key != "" {
		text = t.Key + ": " + text
	}
	if t.Tool != "" {
		text += "; see " + t.Tool
	}
	return text
}

// toolsText returns the number of tools, by vendor if the numbers differ.
func toolsText(o *sitecheck.Offer) string {
	var names, differ []string
	for _, v := range o.Vendors {
		text := fmt.Sprintf("%s %d", v.Name, v.Tools)
		if v.Left > 0 {
			text += fmt.Sprintf(" (no room for %d)", v.Left)
		}
		if n := len(v.NotTools); n > 0 {
			text += fmt.Sprintf(" (%d refused: %s)", n, v.NotTools[0].Reason)
		}
		names = append(names, v.Name)
		if v.Tools != o.Tools || v.Left > 0 {
			differ = append(differ, text)
		}
	}
	switch {
	case o.Problem != "":
		return o.Problem
	case o.Tools == 0:
		return "none"
	case len(differ) == 0:
		return fmt.Sprintf("%d, for each of %s", o.Tools, strings.Join(names, ", "))
	}
	return fmt.Sprintf("%d; fewer for %s", o.Tools, strings.Join(differ, ", "))
}

// personText returns what a person must do: agree, give credentials and approve other sites.
func personText(o *sitecheck.Offer) (lines []string) {
	if o.Tools == 0 {
		return nil
	}
	if o.Agrees > 0 {
		lines = append(lines, fmt.Sprintf("agrees to calls of %s before; %d only read", humanize.Count(o.Agrees, "tool"), o.Reads))
	} else {
		lines = append(lines, "is asked for no call: all tools only read")
	}
	for _, text := range o.Credentials {
		lines = append(lines, "gives a credential: "+text)
	}
	for _, origin := range o.OtherSites {
		lines = append(lines, "approves "+origin+", which is another site")
	}
	return lines
}

func (c *checker) printLevels(r *sitecheck.Report) {
	c.Line("")
	c.Heading("Levels")
	var rows [][]string
	for i := range r.Levels {
		l := &r.Levels[i]
		rows = append(rows, []string{fmt.Sprint(l.Level), l.Name, metText(l), levelRule(l)})
	}
	c.Table(rows)
}

func metText(l *sitecheck.Level) string {
	switch {
	case l.Met:
		return "reached"
	case len(l.Missing) == 0:
		return "waits" // for a lower level
	}
	return "missing"
}

// levelRule returns the rule of a level, with the checks that are missing.
func levelRule(l *sitecheck.Level) string {
	verb := " pass"
	if len(l.Checks) == 1 {
		verb = " passes"
	}
	text := strings.Join(l.Checks, ", ") + verb
	if len(l.Missing) > 0 && len(l.Missing) < len(l.Checks) {
		text += "; missing: " + strings.Join(l.Missing, ", ")
	}
	if len(l.NotAsked) > 0 {
		text += "; not asked of files: " + strings.Join(l.NotAsked, ", ")
	}
	return text
}

func (c *checker) printBaseline(b *sitecheck.Comparison) {
	if b == nil {
		return
	}
	c.Line("")
	c.Heading(fmt.Sprintf("Since the baseline of %s, level %d", ui.SiteName(b.Origin, "", b.Host), b.Level))
	for _, line := range baselineLines(b) {
		c.Indented("  ", line)
	}
}

// baselineLines returns a line for each change since the baseline.
func baselineLines(b *sitecheck.Comparison) (lines []string) {
	for _, part := range []struct {
		what string
		list []sitecheck.Change
	}{{"lost", b.Lost}, {"gained", b.Gained}, {"not compared", b.NotCompared}} {
		for _, change := range part.list {
			lines = append(lines, fmt.Sprintf("%s: %s, %s → %s", part.what, change.ID, statusWord(change.Before), statusWord(change.Now)))
		}
	}
	if len(lines) == 0 {
		lines = []string{"nothing has changed"}
	}
	return lines
}

// statusWord returns the text of a status. The status is empty if one of the two versions does not
// have the check.
func statusWord(s sitecheck.Status) string {
	if s == "" {
		return "no such check"
	}
	return s.Text()
}

func (c *checker) printNext(r *sitecheck.Report) {
	if len(r.Next) == 0 {
		return
	}
	next := &r.Next[0]
	c.Line("")
	c.Heading(fmt.Sprintf("Next, for level %d: %s", next.Level, next.Check))
	c.Paragraph(next.Text)
	if d := next.Document; d != nil {
		c.Line("")
		c.Indented("  ", documentTitle(d))
		c.Line("")
		for line := range strings.Lines(d.Content) {
			c.Line("    %s", ui.Show(strings.TrimRight(line, "\n")))
		}
	}
	if n := len(r.Next) - 1; n > 0 {
		c.Line("")
		var more []string
		for _, step := range r.Next[1:] {
			more = append(more, step.Check)
		}
		c.Indented("  ", "then: "+strings.Join(more, ", "))
	}
}

// documentTitle returns the place of a document, its media type and the values to fill in.
func documentTitle(d *sitecheck.Document) string {
	text := fmt.Sprintf("%s, served as %s", d.Place, d.MediaType)
	if d.Decide != "" {
		text += "; fill in " + d.Decide
	}
	return ui.Show(text) + ":"
}
