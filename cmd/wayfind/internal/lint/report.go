package lint

import (
	"cmp"
	"slices"
	"strings"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/internal/syntax/textpos"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
)

// lintReport is one document as "wayfind lint --json" prints it.
type lintReport struct {
	// Name of the file, or URL.
	Name string `json:"name"`
	// Format that read it, "" when nothing claims it: Verdict says why.
	Format string `json:"format"`
	// Dialect within the format.
	Dialect string `json:"dialect,omitempty"`
	// Version of the format, as the document says it.
	Version string `json:"version,omitempty"`
	// Verdict on the document.
	Verdict wayfind.Verdict `json:"verdict"`
	// Reason is the finer cause when the verdict is not found.
	Reason string `json:"reason,omitempty"`
	// Usable: there is something in it that an agent can use.
	Usable bool `json:"usable"`
	// Named is the format that is looked for under the name of the file, where the
	// content is of none.
	Named string `json:"named,omitempty"`
	// NotRead says why documents of this kind are not read, where the kind is known.
	NotRead string `json:"notRead,omitempty"`
	// Caching says what a client does with the answer of a URL: for how long it keeps the
	// document, and how it asks again then. It is absent for a file.
	Caching string `json:"caching,omitempty"`
	// HeadNotJudged says why the answer to HEAD and the connection of a URL were not judged. It
	// is absent if they were, and for a file.
	HeadNotJudged string `json:"headNotJudged,omitempty"`
	// Redirects are the URLs that redirects led to, in order.
	Redirects []string `json:"redirects,omitempty"`
	// Diagnostics, errors first.
	Diagnostics []lintFinding `json:"diagnostics"`
	// Off are the rules that a file switches off, and that the document breaks.
	Off []lintOff `json:"off,omitempty"`

	// beside is true if links or policies came from a document in no recognised format.
	beside bool
}

// lintFinding is a diagnostic with its explanation.
type lintFinding struct {
	wayfind.Diagnostic
	// Column counts letters from 1, where the place in the text is known.
	Column int `json:"column,omitempty"`
	// Means explains the code.
	Means string `json:"means,omitempty"`
	// Mend tells how to mend the fault.
	Mend string `json:"mend,omitempty"`
}

func (l *linter) report(name string, r *client.ParseResult) *lintReport {
	report := &lintReport{Name: name, Format: r.Format, Dialect: r.Dialect, Verdict: r.Verdict, Reason: r.Reason,
		Usable: r.Usable, Caching: r.Caching, HeadNotJudged: l.unheaded, Diagnostics: []lintFinding{}}
	if len(r.Site.Probes) > 0 {
		report.Redirects = r.Site.Probes[0].Redirects
	}
	report.beside = len(r.Site.Documents)+len(r.Site.Policies) > 0
	if len(r.Site.Sources) > 0 {
		report.Version = r.Site.Sources[0].Version
	}
	body := textpos.New(l.body)
	for _, d := range r.Diagnostics {
		rule, _ := client.Explain(d.Code, l.formats)
		d.Source = "" // it is the document itself
		f := lintFinding{Diagnostic: d, Means: rule.Means, Mend: l.mend(rule, d)}
		if line, column := body.Position(d); line > 0 {
			f.Line, f.Column = line, column
		}
		report.Diagnostics = append(report.Diagnostics, f)
	}
	if r.Format == "" {
		report.Named = document.NamedFormat(name, l.formats)
		report.NotRead = notRead(r.Reason)
	}
	l.switchOff(report)
	slices.SortStableFunc(report.Diagnostics, func(a, b lintFinding) int {
		return cmp.Or(cmp.Compare(severityRank(a.Severity), severityRank(b.Severity)),
			cmp.Compare(lineOf(a), lineOf(b)), document.ComparePointers(a.Pointer, b.Pointer))
	})
	return report
}

// misnamed reports a document that a format would claim but for the name of a member.
func (r *lintReport) misnamed() bool {
	return slices.ContainsFunc(r.Diagnostics, func(f lintFinding) bool { return strings.HasSuffix(f.Code, ".misspelt") })
}

// lineOf is the line that orders findings: one with a pointer has its place by that.
func lineOf(f lintFinding) int {
	if f.Pointer != "" {
		return 0
	}
	return f.Line
}

// mend tells a publisher how to mend a finding, with an example of a member
// that is missing.
func (l *linter) mend(rule parse.Rule, d wayfind.Diagnostic) string {
	list := l.formats
	if list == nil {
		list = slices.Concat(formats.All(), formats.OnRequest())
	}
	for _, f := range list {
		if member := f.Example(d); member != "" {
			return strings.TrimSuffix(rule.Mend, ".") + ", for example `" + member + "`."
		}
	}
	return rule.Mend
}

// count counts the findings of a severity.
func (r *lintReport) count(s wayfind.Severity) int {
	n := 0
	for i := range r.Diagnostics {
		if r.Diagnostics[i].Severity == s {
			n++
		}
	}
	return n
}

// severityRank is 0 for the worst.
func severityRank(s wayfind.Severity) int {
	return slices.Index([]wayfind.Severity{wayfind.SeverityError, wayfind.SeverityWarning, wayfind.SeverityInfo}, s)
}
