// Package resolve has the verbs that ask domains for their offers: resolve and describe.
package resolve

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/recorded"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/show"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/security/prompt"
)

// resolveFlags are the flags of resolve.
type resolveFlags struct {
	session.Network
	shape          output
	trace, refresh bool
	save           string
}

// Command returns the verb resolve.
func Command(a *ui.App) *cobra.Command {
	var f resolveFlags
	cmd := &cobra.Command{
		Use:   "resolve DOMAIN… | FILE | DIR | -",
		Short: "ask domains for their offers (the default)",
		Long: `resolve asks domains for their offers to AI agents, and shows them as one model.

A FILE, "-" for standard input, a DIR with the files of a site, or a DIR that --save
wrote is read in place of the network: "wayfind tools --help" says how.`,
		Example: "  wayfind resolve example.com\n  wayfind resolve --json example.com example.org\n  wayfind https://example.com/mcp\n  wayfind resolve ./public",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args)+len(f.Servers.Lines) == 0 {
				return errors.New(`name a domain, for example "wayfind resolve example.com"`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.refresh && f.Offline {
				return ui.Usagef("--refresh asks again, and --offline sends no request: choose one")
			}
			f.Quiet = f.Verbose && !f.trace && !f.shape.json && !f.shape.prompt
			targets, err := f.Servers.Targets(args)
			if err != nil {
				return err
			}
			return recorded.Saving(a, cmd, f.save, &f.Network, func() error { return runResolve(a, cmd, f.Servers.With(targets), &f) })
		},
	}
	f.Register(cmd)
	f.Servers.Register(cmd)
	f.RegisterMCP(cmd)
	cmd.Flags().Lookup("verbose").Usage = "show all places that were asked, all documents and notes; with --json, --prompt or --trace, log each request to standard error"
	f.shape.register(cmd, "print the model as JSON, one line for each of several domains")
	cmd.Flags().BoolVar(&f.refresh, "refresh", false, "ask again, also where an answer is remembered; pauses that a site or a format demands are kept")
	cmd.Flags().StringVar(&f.save, "save", "", "write requests and answers to files in `DIR`, for a bug report or a test")
	cmd.Flags().BoolVar(&f.trace, "trace", false, "show the source and the time of each answer")
	return cmd
}

// output selects the form of a result. It is a table unless a flag is set.
type output struct{ json, prompt bool }

func (o *output) register(cmd *cobra.Command, aboutJSON string) {
	cmd.Flags().BoolVar(&o.json, "json", false, aboutJSON)
	cmd.Flags().BoolVar(&o.prompt, "prompt", false, "print text for a language model, in which foreign text cannot act")
	cmd.MarkFlagsMutuallyExclusive("json", "prompt")
}

func runResolve(a *ui.App, cmd *cobra.Command, words []string, f *resolveFlags) error {
	a.Several = len(words) > 1
	a.Guard = f.DevGuard()
	if err := verbBehind(a, cmd, words); err != nil {
		return err
	}
	if err := keyBehind(a, cmd, words); err != nil {
		return err
	}
	domains, sites, err := recorded.SitesOf(cmd.Context(), a, &f.Network, words)
	if err != nil {
		return failEach(a, words, err)
	}
	if sites != nil {
		defer sites.Close()
	}
	domains, _ = session.NameTargets(a, cmd, &f.Network, domains...) // errors are reported for each domain below
	if err := mistyped(a, cmd, domains); err != nil {
		return failEach(a, domains, err)
	}
	if !slices.ContainsFunc(domains, func(domain string) bool { return session.IsTarget(a, domain) }) { // then nothing is opened
		for _, domain := range domains {
			a.Fail(domain, session.TargetError(a, domain))
		}
		return nil
	}
	c, err := recorded.OpenAt(&f.Network, a, sites)
	if err != nil {
		return failEach(a, domains, err)
	}
	defer session.End(a, c)
	for i, domain := range domains {
		if err := cmd.Context().Err(); i > 0 && err != nil {
			if !a.JSON {
				break
			}
			a.Fail(domain, wayfind.NewError("resolve", "", wayfind.CodeCanceled, err)) // with --json, each domain has a line
			continue
		}
		resolveOne(a, cmd, c, i, domain, f)
	}
	return nil
}

// resolveOne asks one of several domains.
func resolveOne(a *ui.App, cmd *cobra.Command, c *session.Session, i int, domain string, f *resolveFlags) {
	if err := session.TargetError(a, domain); err != nil {
		a.Fail(domain, err)
		return
	}
	var t client.Trace
	ctx, ask := cmd.Context(), c.Resolve
	if f.refresh {
		ask = c.Refresh
	}
	site, err := ask(client.WithTrace(ctx, &t), domain)
	err = c.HintOtherView(ctx, domain, err)
	switch {
	case f.shape.prompt:
		a.Separate(i)
		show.Prompt(a, err, func(p *prompt.Prompt) { p.Site(site) })
	case site == nil:
		a.Fail(domain, err)
		return
	case f.shape.json:
		a.PrintJSON(show.AnswerOf(site, &t), ui.NewFailure(domain, err))
	default:
		a.Separate(i)
		if f.Verbose {
			show.Site(a, site, err, &t)
		} else {
			show.Answer(a, site, err, &t, show.Asked{Refresh: f.refresh, Offline: f.Offline})
		}
		show.Trace(a, &t, f.trace)
		if errors.Is(err, wayfind.ErrNotFound) { // the printed answer reports it
			a.Ends(ui.ExitStatus(err))
			return
		}
	}
	if err != nil {
		a.Tell(err)
	}
}

// Schemas returns the schemas of resolve and describe.
func Schemas() []ui.Schema {
	return []ui.Schema{
		{Name: ui.SchemaSite, By: "`resolve`, `demo`", About: "One for each domain: its offers, the source of each fact, and the places that were asked. Beside an `error` it holds the facts that were learned all the same. All members but `remembered` are those of Go's `wayfind.Site`.", Value: show.SiteAnswer{}},
		{Name: "wayfind/detail/1", By: "`describe`", About: "How to call one capability, or the description of one service.", Value: wayfind.Detail{}},
	}
}
