// Package check has the verb that judges a domain as agents see it.
package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/publish"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/recorded"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/sitecheck"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/security"
)

// checker is one run of "wayfind check".
type checker struct {
	*ui.App
	network  session.Network
	full     bool
	save     string
	minLevel int
	baseline string
	output   string // the value of --format
	json     bool

	heard   publish.Heard
	failure *ui.Failure // of a site that could not be asked
}

// highestLevel is the largest value of --min-level.
const highestLevel = 5

// OutputMarkdown is the value of --format for a page, in addition to the values of lint.
const OutputMarkdown = "markdown"

const checkLong = `check is for publishers. It judges a domain as agents see it, on one page: each standard
with pass, fail, not there, or not for this site; the services and the tools that an agent
gets, with the reason for each capability that is no tool; how well a model can choose and
call these tools, with the weakest definitions; the level; and the next step, with a
document to copy that has the facts of the site. --verbose shows the rule of each line, and
how public scanners judge.

A level is a list of checks that pass, and the page states it. docs/CHECK.md explains all
checks. A site that refuses or cannot be asked is not judged: check lists what its places
said, and the setting that lets agents in.

check sends the requests of "wayfind tools DOMAIN", and asks again where an answer is
remembered; pauses that a site or a format demands are kept. --full sends up to nine more,
such as those for sitemaps and for pages as Markdown. It also asks for each document again,
with GET and HEAD, and reads every detail of it as lint does. Checks that need these
requests are otherwise listed as not asked.

A DIR with the files of a site, or a recording of "wayfind resolve --save DIR", is read in
place of the network. --dev allows servers under development.

For CI: --min-level N wants a level, and --baseline FILE compares with the output of an
earlier --json. --format github prints the annotations of a workflow, sarif a report for
tools (SARIF 2.1.0), markdown a page for a summary.

Exit status: 0 checked, 1 below --min-level, or a check that passed in the baseline does
not pass any more, 2 wrong usage, 3 could not be asked, also a check of the baseline, 4
refused by policy, 5 checked, and places of the site gave no answer.`

// Command returns the verb check.
func Command(a *ui.App) *cobra.Command {
	c := &checker{App: a}
	cmd := &cobra.Command{
		Use:     "check DOMAIN|FILE|DIR|-",
		Short:   "judge a site as agents see it, with the next step",
		Long:    checkLong,
		Example: "  wayfind check example.com\n  wayfind check --full example.com\n  wayfind check --dev http://localhost:3000\n  wayfind check ./public\n  wayfind check --json example.com > baseline.json\n  wayfind check --min-level 4 --baseline baseline.json --format github example.com",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New(`name one domain, for example "wayfind check example.com"`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := c.validate(); err != nil {
				return err
			}
			return recorded.Saving(a, cmd, c.save, &c.network, func() error { return c.run(cmd, args[0]) })
		},
	}
	c.network.Register(cmd)
	c.network.RegisterMCP(cmd)
	f := cmd.Flags()
	f.Lookup("verbose").Usage = "show the rule of each check, how to pass it and how public scanners judge; with --json or --format, log each request to standard error"
	f.BoolVar(&c.full, "full", false, "send the requests that discovery does not make, and read every detail of each document")
	f.BoolVar(&c.json, "json", false, "print JSON")
	f.StringVar(&c.output, "format", "", "print the report as `NAME`: github, sarif or markdown")
	f.IntVar(&c.minLevel, "min-level", 0, "exit with status 1 below this `LEVEL`, 1 to 5")
	f.StringVar(&c.baseline, "baseline", "", "compare with `FILE`, the output of an earlier --json: exit with status 1 if a check that passed does not pass any more")
	f.StringVar(&c.save, "save", "", "write requests and answers to files in `DIR`, for a bug report or a test")
	cmd.MarkFlagsMutuallyExclusive("json", "format")
	return cmd
}

// validate reads the flags before any request.
func (c *checker) validate() error {
	switch {
	case c.output != "" && !slices.Contains([]string{publish.OutputSARIF, publish.OutputGitHub, OutputMarkdown}, c.output):
		return ui.Usagef("--format %q: write %s, %s or %s", c.output, publish.OutputGitHub, publish.OutputSARIF, OutputMarkdown)
	case c.minLevel < 0 || c.minLevel > highestLevel:
		return ui.Usagef("--min-level %d: levels are 1 to %d", c.minLevel, highestLevel)
	}
	c.network.Quiet = c.network.Verbose && !c.json && c.output == ""
	return nil
}

// run checks one site.
func (c *checker) run(cmd *cobra.Command, word string) error {
	ctx := cmd.Context()
	earlier, err := c.readBaseline()
	if err != nil {
		return err
	}
	domains, sites, err := recorded.SitesOf(ctx, c.App, &c.network, []string{word})
	if err != nil {
		return err
	}
	if sites != nil {
		defer sites.Close()
	}
	if domains, err = session.NameTargets(c.App, cmd, &c.network, domains...); err != nil {
		c.Fail(domains[0], err)
		return nil
	}
	s, err := c.open(sites)
	if err != nil {
		return err
	}
	defer session.End(c.App, s)
	in, err := c.ask(ctx, s, sites, domains[0])
	if in == nil {
		c.Fail(domains[0], err)
		return nil
	}
	if err != nil {
		c.Tell(err)
		c.failure = ui.NewFailure(domains[0], err)
	}
	report := sitecheck.Check(in)
	if earlier != nil && isAnotherSite(earlier.Origin, report.Origin) {
		return ui.Usagef("--baseline %s is of %s, and not of %s", c.baseline, earlier.Origin, report.Origin)
	}
	if earlier != nil {
		report.Compare(earlier)
	}
	c.judge(report)
	return c.show(report)
}

// open returns the Client, which records each answer for the checks.
func (c *checker) open(sites *recorded.Sites) (*session.Session, error) {
	save := c.network.Record
	c.network.Record = func(e *client.Exchange) {
		if save != nil {
			save(e)
		}
		c.heard.Record(e)
	}
	return recorded.OpenAt(&c.network, c.App, sites)
}

// ask collects everything that the rules read. A site that answered and offers nothing is judged
// too. Of a site that refused or could not be asked, the answers of its places are returned with the
// error.
func (c *checker) ask(ctx context.Context, s *session.Session, sites *recorded.Sites, domain string) (*sitecheck.Input, error) {
	resolve := s.Refresh
	if c.network.Offline || sites != nil {
		resolve = s.Resolve
	}
	site, err := resolve(ctx, domain)
	in := &sitecheck.Input{Site: site, Full: c.full, Explain: explained, Formats: c.formatNames(), Files: sites.AreFiles()}
	if err != nil && (site == nil || !errors.Is(err, wayfind.ErrNotFound) && !errors.Is(err, wayfind.ErrInvalid)) {
		if site == nil || !slices.ContainsFunc(site.Probes, wasAsked) {
			in = nil
		} else {
			in.Full, in.Offer, in.Answers = false, sitecheck.Offer{Problem: "the site could not be asked"}, c.heard.All()
		}
		return in, s.HintOtherView(ctx, domain, err)
	}
	if other, ok := errors.AsType[*verdict.Elsewhere](err); ok {
		in.Elsewhere = other.Host
	}
	in.Offer = c.offer(ctx, s, site, domain)
	if c.full {
		c.askMore(ctx, s, sites, in)
	}
	in.Answers = c.heard.All()
	return in, nil
}

// wasAsked reports whether a place was asked, or would have been if the site had been reached.
func wasAsked(p wayfind.Probe) bool { return p.Verdict != wayfind.VerdictSkipped }

// explained returns the advice how to mend a diagnostic.
func explained(d wayfind.Diagnostic) string {
	rule, _ := client.Explain(d.Code, nil)
	return rule.Mend
}

// formatNames returns the names of the formats that are looked for.
func (c *checker) formatNames() (names []string) {
	for _, f := range publish.Chosen(&c.network) {
		names = append(names, f.Name)
	}
	return names
}

// judge sets the exit status of a report.
func (c *checker) judge(r *sitecheck.Report) {
	if r.Level < c.minLevel {
		c.Ends(ui.ExitNothing)
	}
	if b := r.Baseline; b != nil {
		if len(b.Lost) > 0 {
			c.Ends(ui.ExitNothing)
		}
		for _, change := range b.NotCompared {
			if change.Now == sitecheck.Unanswered {
				c.Ends(ui.ExitUnasked)
			}
		}
	}
}

// show prints a report.
func (c *checker) show(r *sitecheck.Report) error {
	switch {
	case c.json:
		c.PrintJSON(r, c.failure)
	case c.output == publish.OutputSARIF:
		return c.sarif(r)
	case c.output == publish.OutputGitHub:
		c.github(r)
	case c.output == OutputMarkdown:
		c.markdown(r)
	default:
		c.print(r)
	}
	return nil
}

// readBaseline reads the report of --baseline. It returns nil without the flag.
func (c *checker) readBaseline() (*sitecheck.Report, error) {
	if c.baseline == "" {
		return nil, nil
	}
	body, err := document.Read(c.App, c.baseline)
	if err != nil {
		return nil, ui.Usagef("--baseline: %w", err)
	}
	var read struct {
		Schema string `json:"schema"`
		sitecheck.Report
	}
	other := errors.New("it is no output of \"wayfind check --json\"")
	if err := json.Unmarshal(body, &read); err != nil {
		return nil, ui.Usagef("--baseline %s: %w", c.baseline, other)
	}
	if err := ui.CheckSchema(read.Schema, ui.SchemaCheck, other); err != nil {
		return nil, ui.Usagef("--baseline %s: %w", c.baseline, err)
	}
	return &read.Report, nil
}

// isAnotherSite reports whether two origins are of different registrable domains. Files have no origin.
func isAnotherSite(one, other string) bool {
	a, errA := url.Parse(one)
	b, errB := url.Parse(other)
	if errA != nil || errB != nil || a.Host == "" || b.Host == "" {
		return false
	}
	var suffixes *security.SuffixList
	return a.Hostname() != b.Hostname() && !suffixes.SameSite(a.Hostname(), b.Hostname())
}

// below returns how a report misses --min-level, or "" if it reaches it.
func (c *checker) below(r *sitecheck.Report) string {
	if r.Level >= c.minLevel {
		return ""
	}
	return fmt.Sprintf("level %d is below --min-level %d", r.Level, c.minLevel)
}

// titleOf returns the name of a site for a heading.
func titleOf(r *sitecheck.Report) string {
	return ui.SiteName(r.Origin, r.Base, r.Host)
}

// Schemas returns the schema of check.
func Schemas() []ui.Schema {
	return []ui.Schema{
		{Name: ui.SchemaCheck, By: "`check`", About: "The judgement of a site: the result of each check with its rule, the tools that an agent gets, the level and the steps to the next one.", Value: sitecheck.Report{}},
	}
}
