package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/humanize"
)

// print shows a report to a person.
func (l *linter) print(r *lintReport) {
	l.Heading(ui.Show(r.Name) + ": " + readAs(r))
	if r.Caching != "" {
		l.advice("the answer is " + ui.Show(r.Caching))
	}
	if n := len(r.Redirects); n > 0 {
		l.advice(fmt.Sprintf("%s led to %s", humanize.Count(n, "redirect"), ui.Show(r.Redirects[n-1])))
	}
	if r.HeadNotJudged != "" {
		l.advice("HEAD and the certificate were not judged: " + ui.Show(r.HeadNotJudged))
	}
	l.printFindings(r)
	switch {
	case r.NotRead != "":
		l.advice(r.NotRead)
	case r.Named != "":
		l.advice(fmt.Sprintf("clients look for a file of this name as %[1]s; \"wayfind lint --format %[1]s\" lists the missing parts", r.Named))
	case r.Format == "" && r.Verdict == wayfind.VerdictUnrecognised:
		l.advice("\"wayfind lint --format NAME\" lists the parts that a document of that format needs; \"wayfind formats\" lists the names")
	}
	var counts []string
	for _, c := range []struct {
		severity wayfind.Severity
		what     string
	}{{wayfind.SeverityError, "error"}, {wayfind.SeverityWarning, "warning"}, {wayfind.SeverityInfo, "note"}} {
		if n := r.count(c.severity); n > 0 {
			counts = append(counts, humanize.Count(n, c.what))
		}
	}
	for _, off := range r.Off {
		l.advice(fmt.Sprintf("%s switched off: %s, %s", humanize.Count(off.Count, "finding"), ui.Show(off.Code), ui.Show(off.Reason)))
	}
	switch {
	case len(counts) > 0:
		l.Line("  %s", strings.Join(counts, ", "))
	case r.Usable:
		l.Line("  nothing is wrong")
	}
}

// readAs names the format that a document was read as.
func readAs(r *lintReport) string {
	name := humanize.Format(r.Format, r.Version, r.Dialect)
	switch {
	case r.Usable:
		return fmt.Sprintf("%s, %s", name, r.Verdict)
	case r.Format != "":
		return strings.TrimSpace(fmt.Sprintf("%s, not usable, %s %s", name, r.Verdict, ui.Parenthesis(r.Reason)))
	}
	if r.beside {
		return fmt.Sprintf("nothing but links and policies was read, %s %s", r.Verdict, ui.Parenthesis(r.Reason))
	}
	return strings.TrimSpace(fmt.Sprintf("no format reads it, %s %s", r.Verdict, ui.Parenthesis(r.Reason)))
}

// printFinding shows severity, code and place, then one line for each of
// message, section and what to do.
func (l *linter) printFinding(name string, f *lintFinding) {
	at := ""
	if f.Pointer != "" {
		at = " at " + ui.Show(f.Pointer)
	}
	if f.Line > 0 && f.Column == 0 {
		at += fmt.Sprintf(" in line %d", f.Line)
	}
	l.Line("  %-7s  %s%s", humanize.Severity(f.Severity), ui.Show(f.Code), at)
	l.detail(ui.Show(f.Message))
	if f.Column > 0 {
		l.Line("           %s:%d:%d", ui.Show(name), f.Line, f.Column)
	}
	if f.Spec != nil {
		l.Line("           %s", ui.Show(humanize.Cite(*f.Spec)))
	}
	if f.Mend != "" {
		l.detail("mend: " + ui.Show(f.Mend))
	}
}

// detail writes a text below a finding, and advice one below a document, broken where
// the line is full.
func (l *linter) detail(text string) { l.Indented("           ", text) }

func (l *linter) advice(text string) { l.Indented("  ", text) }

// mostAlike is how many findings of one code are shown: a page of notes on the same
// thing hides what else there is.
const mostAlike = 5

// printFindings shows the findings, of many with one code the first.
func (l *linter) printFindings(r *lintReport) {
	shown, more := map[string]int{}, map[string]int{}
	for i := range r.Diagnostics {
		f := &r.Diagnostics[i]
		if shown[f.Code] == mostAlike && !l.network.Verbose {
			more[f.Code]++
			continue
		}
		shown[f.Code]++
		l.printFinding(r.Name, f)
	}
	for _, code := range slices.Sorted(maps.Keys(more)) {
		l.Line("  and %d more of %s; --verbose shows them", more[code], ui.Show(code))
	}
}
