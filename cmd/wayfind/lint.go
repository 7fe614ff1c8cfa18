package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/humanize"
	"github.com/wayfindhq/wayfind/internal/textpos"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/resolve"
)

// linter is one "wayfind lint".
type linter struct {
	*app
	network network
	file    client.ParseOptions // of documents that are files
	client  *client.Client      // nil when all are
	formats []*parse.Format
	json    bool
	fix     bool
	output  string   // "", outputSARIF or outputGitHub
	words   []string // of --format
	sarif   *sarifRun
	body    []byte // of the document that is read
}

func (a *app) lintCommand() *cobra.Command {
	l := &linter{app: a}
	cmd := &cobra.Command{
		Use:   "lint FILE|URL…|-",
		Short: "report mistakes in documents, and how to mend them",
		Long: `lint is for publishers. It reads documents from files, from https URLs or, with
"-", from standard input. For each it lists the rules that it breaks, the sections
of the specification, and how to mend the document. The content decides the format;
of a file that it does not decide, the name does, as for llms.txt.

--format sarif prints a report for tools (SARIF 2.1.0), --format github the
annotations of a workflow.

--fix prints a diff of what can be mended without a decision, and writes nothing. In
JSON it removes byte order marks and commas after the last value, sets or removes
quotes, adds brackets around a single element, gives members and bindings the names
that the specification has, and sets methods, digests, slashes, queries and schemes of
URLs right. docs/DIAGNOSTICS.md lists all that it mends.

A URL is requested each time, without the pause that its format asks for between
two requests, so that you see your latest change. Nothing is kept.

Exit status: 0 nothing of severity error, 1 something, or a document that cannot
be used, 2 wrong usage, 3 could not be asked, 4 refused by policy; of several
documents the highest. docs/DIAGNOSTICS.md explains all codes.`,
		Example: "  wayfind lint agent.json\n  wayfind lint https://example.com/.well-known/agent\n  wayfind lint --json *.json | jq .diagnostics\n  wayfind lint --fix agent.json | patch",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New(`name a file, a URL, or "-" for standard input`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return l.run(cmd.Context(), args) },
	}
	var all cobra.Command
	l.network.register(&all)
	all.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "cache" && f.Name != "cache-key" && f.Name != "offline" && f.Name != "live" {
			cmd.Flags().AddFlag(f)
		}
	})
	f := cmd.Flags()
	f.Lookup("verbose").Usage = "show all findings, however many have one code, and log each request to standard error"
	f.StringSliceVar(&l.words, "format", nil, "read files as the format of this `NAME`, regardless of their content; or print the report as sarif or github")
	f.StringVar(&l.file.URL, "url", "", "the `URL` that a file is for")
	f.StringVar(&l.file.ContentType, "content-type", "", "the media `TYPE` that files come with")
	f.BoolVar(&l.json, "json", false, "print JSON, one line for each of several documents")
	f.BoolVar(&l.fix, "fix", false, "print a diff of what can be mended without a decision")
	cmd.MarkFlagsMutuallyExclusive("json", "fix")
	return cmd
}

func (l *linter) run(ctx context.Context, names []string) error {
	o, err := l.network.options(l.app)
	if err != nil {
		return err
	}
	if err := l.setFormat(); err != nil {
		return err
	}
	urls, err := countURLs(names)
	if err != nil {
		return err
	}
	if urls > 0 {
		if l.file.Format != "" || l.file.URL != "" || l.file.ContentType != "" {
			return usagef("--format, --url and --content-type are for files; a URL comes with its own media type")
		}
		o.Lab.Record = func(e *client.Exchange) { // the last one is the document
			if e.Failure == nil {
				l.body = e.Body
			}
		}
		if l.client, err = client.New(o); err != nil {
			return err
		}
		defer l.end(&session{Client: l.client})
	}
	l.formats, l.several = o.Formats, len(names) > 1
	l.file.Formats, l.file.Strict, l.file.MaxBytes, l.file.Now = o.Formats, o.Strict, o.Limits.MaxBytes, o.Lab.Now
	for i, name := range names {
		if err := l.lint(ctx, i, name); err != nil && l.output == outputSARIF {
			l.sarif.failed(name, err)
			l.tell(err)
		} else if err != nil {
			l.app.fail(name, err)
		}
	}
	if l.output == outputSARIF {
		return l.sarif.print(l.out)
	}
	return nil
}

// setFormat reads --format: the words of reports, and the name of a format.
func (l *linter) setFormat() error {
	for _, word := range l.words {
		switch {
		case word == outputSARIF || word == outputGitHub:
			if l.output != "" || l.json || l.fix {
				return usagef("--format %s, --json and --fix are different reports: use one", word)
			}
			l.output = word
		case l.file.Format != "":
			return usagef("--format %s: a file is read as one format, and %s is another", word, l.file.Format)
		default:
			l.file.Format = word
		}
	}
	if l.output == outputSARIF {
		l.sarif = newSARIF()
	}
	return nil
}

// countURLs counts the names that are URLs. One that cannot be asked makes the
// whole line a mistake, before any request.
func countURLs(names []string) (n int, err error) {
	for _, name := range names {
		switch {
		case hasScheme(name, "http"):
			return 0, usagef("%q cannot be asked: only https is", name)
		case hasScheme(name, "https"):
			if _, _, err := resolve.ParseTarget(name); err != nil {
				return 0, err
			}
			n++
		}
	}
	return n, nil
}

func hasScheme(name, scheme string) bool {
	before, _, ok := strings.Cut(name, "://")
	return ok && strings.EqualFold(before, scheme)
}

// lint reads one document and shows its faults.
func (l *linter) lint(ctx context.Context, i int, name string) error {
	result, err := l.read(ctx, name)
	if err != nil {
		return err
	}
	report := l.report(name, result)
	switch {
	case l.json:
		l.printJSON(report, nil)
	case l.output == outputSARIF:
		l.sarif.add(report)
	case l.output == outputGitHub:
		l.printGitHub(report)
	case l.fix:
		l.printFix(report)
	default:
		l.separate(i)
		l.print(report)
	}
	if !report.Usable || report.count(wayfind.SeverityError) > 0 {
		l.status = max(l.status, exitNothing)
	}
	return nil
}

func (l *linter) read(ctx context.Context, name string) (*client.ParseResult, error) {
	if hasScheme(name, "https") {
		return l.client.ParseURL(ctx, name)
	}
	body, err := l.readInput(name)
	if err != nil {
		return nil, err
	}
	l.body = body
	result, err := parseNamed(ctx, name, body, l.file)
	if errors.Is(err, wayfind.ErrInvalid) {
		return nil, usage{err} // it is about the flags, never about the document
	}
	return result, err
}

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
	// Diagnostics, those of severity error first.
	Diagnostics []lintFinding `json:"diagnostics"`

	// beside: links or policies were read, although it is no document of a format.
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
		Usable: r.Usable, Diagnostics: []lintFinding{}}
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
		report.Named = namedFormat(name, l.formats)
	}
	slices.SortStableFunc(report.Diagnostics, func(a, b lintFinding) int {
		return cmp.Or(cmp.Compare(severityRank(a.Severity), severityRank(b.Severity)),
			cmp.Compare(lineOf(a), lineOf(b)), comparePointers(a.Pointer, b.Pointer))
	})
	return report
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

// print shows a report to a person.
func (l *linter) print(r *lintReport) {
	l.heading(show(r.Name) + ": " + readAs(r))
	l.printFindings(r)
	switch {
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
			counts = append(counts, count(n, c.what))
		}
	}
	switch {
	case len(counts) > 0:
		l.line("  %s", strings.Join(counts, ", "))
	case r.Usable:
		l.line("  nothing is wrong")
	}
}

// readAs names the format that a document was read as.
func readAs(r *lintReport) string {
	name := humanize.Format(r.Format, r.Version, r.Dialect)
	switch {
	case r.Usable:
		return fmt.Sprintf("%s, %s", name, r.Verdict)
	case r.Format != "":
		return strings.TrimSpace(fmt.Sprintf("%s, not usable, %s %s", name, r.Verdict, parenthesis(r.Reason)))
	}
	if r.beside {
		return fmt.Sprintf("nothing but links and policies was read, %s %s", r.Verdict, parenthesis(r.Reason))
	}
	return strings.TrimSpace(fmt.Sprintf("no format reads it, %s %s", r.Verdict, parenthesis(r.Reason)))
}

// printFinding shows severity, code and place, then one line for each of
// message, section and what to do.
func (l *linter) printFinding(name string, f *lintFinding) {
	at := ""
	if f.Pointer != "" {
		at = " at " + show(f.Pointer)
	}
	if f.Line > 0 && f.Column == 0 {
		at += fmt.Sprintf(" in line %d", f.Line)
	}
	l.line("  %-7s  %s%s", show(string(f.Severity)), show(f.Code), at)
	l.detail(show(f.Message))
	if f.Column > 0 {
		l.line("           %s:%d:%d", show(name), f.Line, f.Column)
	}
	if f.Spec != nil {
		l.line("           %s", show(humanize.Cite(*f.Spec)))
	}
	if f.Mend != "" {
		l.detail("mend: " + show(f.Mend))
	}
}

// detail writes a text below a finding, and advice one below a document, broken where
// the line is full.
func (l *linter) detail(text string) { l.indented("           ", text) }
func (l *linter) advice(text string) { l.indented("  ", text) }

func (l *linter) indented(indent, text string) {
	room := 0
	if width := l.width(); width >= len(indent)+narrowest {
		room = width - len(indent)
	}
	for _, part := range wrap(text, room) {
		l.line("%s%s", indent, part)
	}
}
