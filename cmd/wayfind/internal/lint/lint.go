// Package lint has the verb that finds the errors of documents, and mends some.
package lint

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/publish"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/sarif"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/sitecheck"
	"github.com/wayfindhq/wayfind/parse"
)

// linter is one "wayfind lint".
type linter struct {
	*ui.App
	network  session.Network
	file     client.ParseOptions // of documents that are files
	client   *client.Client      // nil when all are
	formats  []*parse.Format
	json     bool
	fix      bool
	output   string   // "", or a form of package publish
	words    []string // of --format
	failOn   string   // of --fail-on
	rules    string   // of --rules
	off      []ruleSwitch
	sarif    *sarif.Run
	body     []byte        // of the document that is read
	unheaded string        // why its answer to HEAD was not judged
	heard    publish.Heard // while a URL is read
	shown    int           // documents
	unread   []unreadFile
	files    map[string][]string // of the directories, by the last part of their names
	named    []string            // paths of URLs that documents of directories name
}

// lintLong is the help of lint.
const lintLong = `lint is for publishers. It reads documents from files, from https URLs or, with
"-", from standard input. For each it lists the rules that it breaks, the sections
of the specification, and how to mend the document. Details, schemas and references
are read as well. The content decides the format; of a file that it does not decide,
the name does, as for llms.txt.

Of a directory it reads the files that a format claims by content or by place, and the
broken files that one of them names. A URL without a path is a domain: lint reads all
documents that "wayfind DOMAIN" finds, and requests each by itself once more. --dev
allows servers under development: "wayfind lint --dev http://localhost:3000".

The file .wayfind-lint.yaml of the working directory, or the one that --rules names,
switches rules off. Each needs a reason:

  rules:
    openapi.unused:
      reason: partners use these definitions

--format sarif prints a report for tools (SARIF 2.1.0), --format github the
annotations of a workflow.

--fix prints a diff of what can be mended without a decision, and writes nothing. In
JSON it removes byte order marks and commas after the last value, sets or removes
quotes, adds brackets around a single element, gives members and bindings the names
that the specification has, and sets methods, digests, slashes, queries and schemes of
URLs right. docs/DIAGNOSTICS.md lists all that it mends.

Of a URL it judges the header of the answer too, such as caching, cookies, CORS and
compression, and says what clients do with the answer: "kept for 1 h, then asked again
with If-None-Match". It asks once more with HEAD, and judges that answer and the
certificate.

A URL is requested each time, without the pause that its format asks for between
two requests, so that you see your latest change. Nothing is kept.

Exit status: 0 nothing of severity error or of the one that --fail-on names, 1
something, or a document that cannot be used, 2 wrong usage, 3 could not be asked, 4
refused by policy, 5 places of a domain gave no answer; of several documents the highest. docs/DIAGNOSTICS.md explains all
codes.`

// Command returns the verb lint.
func Command(a *ui.App) *cobra.Command {
	l := &linter{App: a}
	cmd := &cobra.Command{
		Use:     "lint FILE|DIR|URL…|-",
		Short:   "report mistakes in documents, and how to mend them",
		Long:    lintLong,
		Example: "  wayfind lint agent.json\n  wayfind lint public\n  wayfind lint https://example.com\n  wayfind lint https://example.com/.well-known/agent\n  wayfind lint --json *.json | jq .diagnostics\n  wayfind lint --fix agent.json | patch",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New(`name a file, a URL, or "-" for standard input`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return l.run(cmd, args) },
	}
	var all cobra.Command
	l.network.Register(&all)
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
	f.StringVar(&l.failOn, "fail-on", failOnError, "exit with status 1 if there is a finding of this `SEVERITY` or a graver one: error, warning or note")
	f.StringVar(&l.rules, "rules", "", "switch rules off as `FILE` says (default: .wayfind-lint.yaml, if it is there)")
	cmd.MarkFlagsMutuallyExclusive("json", "fix")
	return cmd
}

func (l *linter) run(cmd *cobra.Command, words []string) error {
	ctx := cmd.Context()
	l.network.Targets = words
	l.Guard = l.network.DevGuard()
	o, err := l.network.Options(l.App)
	if err != nil {
		return err
	}
	for _, step := range []func() error{l.setFormat, l.checkFailOn, l.readRules} {
		if err := step(); err != nil {
			return err
		}
	}
	list, err := l.inputs(words)
	if err != nil {
		return err
	}
	if err := l.open(list, o); err != nil {
		return err
	}
	if l.client != nil {
		defer session.End(l.App, session.Of(l.App, l.client))
	}
	l.Several = len(list) > 1 || list[0].kind == lintDomain
	l.file.Full, l.file.Formats, l.file.Strict, l.file.MaxBytes, l.file.Now = true, l.formats, o.Strict, o.Limits.MaxBytes, o.Lab.Now
	l.files = make(map[string][]string)
	for _, in := range list {
		if base := filepath.Base(in.name); in.kind == lintFound {
			l.files[base] = append(l.files[base], in.name)
		}
	}
	for _, in := range list {
		l.lintOrFail(ctx, in)
	}
	l.lintNamed(ctx)
	l.unreadIn()
	if l.output == publish.OutputSARIF {
		return l.sarif.Print(l.Out)
	}
	return nil
}

// open makes the Client that URLs and domains need.
func (l *linter) open(list []lintInput, o *client.Options) (err error) {
	l.formats = o.Formats
	if !slices.ContainsFunc(list, func(in lintInput) bool { return in.kind == lintURL || in.kind == lintDomain }) {
		return nil
	}
	if l.file.Format != "" || l.file.URL != "" || l.file.ContentType != "" {
		return ui.Usagef("--format, --url and --content-type are for files; a URL comes with its own media type")
	}
	o.Lab.Record = l.heard.Record
	l.client, err = client.New(o)
	return err
}

// lintOrFail reads one input, and reports an input that cannot be read.
func (l *linter) lintOrFail(ctx context.Context, in lintInput) {
	read := l.lint
	if in.kind == lintDomain {
		read = l.lintDomain
	}
	switch err := read(ctx, in); {
	case err == nil:
	case l.output == publish.OutputSARIF:
		l.sarif.Failed(in.name, err)
		l.Tell(err)
	default:
		l.App.Fail(in.name, err)
	}
}

// lintDomain reads all documents of a domain.
func (l *linter) lintDomain(ctx context.Context, in lintInput) error {
	site, err := l.client.Resolve(ctx, in.name)
	l.TellIncomplete(site)
	if site == nil {
		return err
	}
	before := l.shown
	for _, in := range documentsOf(site) {
		l.lintOrFail(ctx, in)
	}
	if l.shown == before {
		return err
	}
	return nil
}

// setFormat reads --format: the words of reports, and the name of a format.
func (l *linter) setFormat() error {
	for _, word := range l.words {
		switch {
		case word == publish.OutputSARIF || word == publish.OutputGitHub:
			if l.output != "" || l.json || l.fix {
				return ui.Usagef("--format %s, --json and --fix are different reports: use one", word)
			}
			l.output = word
		case l.file.Format != "":
			return ui.Usagef("--format %s: a file is read as one format, and %s is another", word, l.file.Format)
		default:
			l.file.Format = word
		}
	}
	if l.output == publish.OutputSARIF {
		l.sarif = sarif.New()
	}
	return nil
}

// lint reads one document and shows its faults.
func (l *linter) lint(ctx context.Context, in lintInput) error {
	result, err := l.read(ctx, in)
	if in.kind == lintMoved && (err != nil || result.Format == "") {
		return nil // most such places redirect to a page for people
	}
	if err != nil {
		return err
	}
	if in.kind == lintFound {
		l.compareDigests(result)
	}
	report := l.report(in.name, result)
	if in.kind == lintFound && report.Format == "" && report.Named == "" && report.NotRead == "" && !report.misnamed() {
		l.unread = append(l.unread, unreadFile{in.name, report.Verdict.Unreadable()})
		return nil
	}
	if in.kind == lintFound {
		l.named = append(l.named, pathsIn(result.Site)...)
	}
	switch {
	case l.json:
		l.PrintJSON(report, nil)
	case l.output == publish.OutputSARIF:
		add(l.sarif, report)
	case l.output == publish.OutputGitHub:
		l.printGitHub(report)
	case l.fix:
		l.printFix(ctx, report)
	default:
		l.Separate(l.shown)
		l.print(report)
	}
	l.shown++
	other := in.kind == lintFound && report.NotRead != "" // it lies beside documents, and breaks no rule
	if !report.Usable && !other || l.fails(report) {
		l.Ends(ui.ExitNothing)
	}
	return nil
}

// askHead asks for the header of a document with HEAD, and adds the rules that the answer breaks.
func (l *linter) askHead(ctx context.Context, result *client.ParseResult, u string, first http.Header) {
	faults, unsent := publish.AskHead(ctx, &l.network, l.client, u, first)
	result.Diagnostics = append(result.Diagnostics, faults...)
	l.unheaded = unsent
	if err := ctx.Err(); err != nil {
		l.Tell(wayfind.NewError("lint", u, wayfind.CodeCanceled, err))
	}
}

// answerOf is the answer with the document of a URL, and its URL. Its references may have led to
// others.
func (l *linter) answerOf(name string, result *client.ParseResult) (u string, a sitecheck.Answer) {
	var urls []string
	if result != nil && len(result.Site.Probes) > 0 {
		urls = append([]string{result.Site.Probes[0].URL}, result.Site.Probes[0].Redirects...)
	}
	for i, u := range slices.Backward(urls) {
		if a, _ := l.heard.At(u); a.Body != nil {
			if i == 0 {
				u = name // the other has no secrets
			}
			return u, a
		}
	}
	a, _ = l.heard.At(name)
	return name, a
}

func (l *linter) read(ctx context.Context, in lintInput) (*client.ParseResult, error) {
	l.unheaded = ""
	if in.kind == lintURL || in.kind == lintMoved {
		defer l.heard.Forget()
		result, err := l.client.ParseURL(ctx, in.name)
		u, answer := l.answerOf(in.name, result)
		l.body = answer.Body
		if err == nil && result.Format != "" {
			l.askHead(ctx, result, u, answer.Header)
		}
		return result, err
	}
	body, err := document.Read(l.App, in.name)
	if err != nil {
		return nil, err
	}
	l.body = body
	name := in.name
	if rel, err := filepath.Rel(in.root, name); err == nil && in.kind == lintFound && filepath.Dir(rel) != "." {
		name = rel // the directory is the root of the site
	}
	result, err := document.Parse(ctx, name, body, l.file)
	if errors.Is(err, wayfind.ErrInvalid) {
		return nil, ui.Usage(err) // it is about the flags, never about the document
	}
	return result, err
}

// Schemas returns the schema of lint.
func Schemas() []ui.Schema {
	return []ui.Schema{
		{Name: "wayfind/lint/1", By: "`lint`", About: "One for each document: its faults, the worst first.", Value: lintReport{}},
	}
}
