package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/commandline"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/recorded"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/show"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security/prompt"
)

// resolveFlags are the flags of resolve.
type resolveFlags struct {
	session.Network
	shape          output
	trace, refresh bool
	save           string
}

func resolveCommand(a *ui.App) *cobra.Command {
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
	_ = session.NameTargets(a, cmd, &f.Network, domains...) // errors are reported for each domain below
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
		printPrompt(a, err, func(p *prompt.Prompt) { p.Site(site) })
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
			a.Status = max(a.Status, ui.ExitStatus(err))
			return
		}
	}
	if err != nil {
		a.Tell(err)
	}
}

// mistyped returns the error of "wayfind WORD…" if WORD cannot be a domain and may be meant as a
// command. Its arguments must not be asked then.
func mistyped(a *ui.App, cmd *cobra.Command, domains []string) error {
	err := session.TargetError(a, domains[0])
	e, ok := errors.AsType[*wayfind.Error](err)
	if !a.Bare || !ok || e.Code != wayfind.CodeHostSingleLabel {
		return nil
	}
	if habit := commandline.Habits()[strings.ToLower(domains[0])]; habit != "" {
		return ui.Hint(fmt.Errorf("unknown command %q", domains[0]), ": "+habit)
	}
	if near := verbMeant(cmd, domains[0]); near != "" {
		err = ui.Hint(err, fmt.Sprintf("; did you mean \"wayfind %s\"?", near))
	}
	return err
}

// verbMeant returns the hint of a command of another program, otherwise the command that a word may
// be mistyped for, or "".
func verbMeant(cmd *cobra.Command, word string) string {
	return cmp.Or(commandline.Habits()[strings.ToLower(word)], commandline.NearestVerb(word, commandline.Verbs(cmd.Root())))
}

// failEach reports the error of a run that asks nothing. With --json, it prints an object for each
// of several targets.
func failEach(a *ui.App, domains []string, err error) error {
	if !a.JSON || !a.Several {
		return err
	}
	for _, domain := range domains {
		a.PrintJSON(ui.Failed{}, ui.NewFailure(domain, cmp.Or(session.TargetError(a, domain), err)))
	}
	a.Tell(ui.Usage(err))
	return nil
}

// printPrompt prints a result for a language model. Of an error it prints only the class.
func printPrompt(a *ui.App, err error, write func(*prompt.Prompt)) {
	p := prompt.New()
	write(p)
	if err != nil {
		p.Error(err)
	}
	fmt.Fprint(a.Out, p.String())
}

// checkTargets returns an error if one of the words cannot be a domain, so that the arguments of a
// mistyped command are not asked.
func checkTargets(domains []string) error {
	for _, domain := range domains {
		if _, _, err := resolve.ParseTarget(domain); err != nil {
			return err
		}
	}
	return nil
}

// describeCommand returns the verb describe. curlOf does the work of its flag --curl.
func describeCommand(a *ui.App, curlOf func(*ui.App, *cobra.Command, []string, *session.Network) error) *cobra.Command {
	var n session.Network
	var shape output
	var curl bool
	cmd := &cobra.Command{
		Use:   "describe DOMAIN|FILE|DIR|- KEY",
		Short: "show how to call one capability",
		Long: `describe fetches a domain's full definition of one capability or service.
Copy KEY from the output of "wayfind DOMAIN".

For a file, or "-" for standard input, it shows the document's own definition without
sending a request; copy KEY from the output of "wayfind parse FILE". A name that ends
in .json, .yaml, .yml or .txt is that of a file if there is one, and so is every name
that begins with a slash or a dot. A DIR is a recording, or has the files of a site that
is not published yet: "wayfind tools --help" says how it is read.`,
		Example: "  wayfind describe example.com adp:send_email\n  wayfind describe openapi.json openapi:root/createOrder",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 && (!curl || len(args) < 2) {
				return errors.New(`name a domain and a key, for example "wayfind describe example.com adp:send_email"; "wayfind example.com" lists the keys`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			first, err := n.Servers.Targets(args[:1])
			if err != nil {
				return err
			}
			args = session.InOrder(a, append(first, args[1:]...))
			if curl {
				return curlOf(a, cmd, args, &n)
			}
			if info, err := os.Stat(args[0]); document.NamesFile(args[0]) && (err != nil || !info.IsDir()) {
				return describeFile(a, cmd, args[0], args[1], &n, &shape)
			}
			return runDescribe(a, cmd, args[0], args[1], &n, &shape)
		},
	}
	n.Register(cmd)
	n.Servers.Register(cmd)
	shape.register(cmd, "print JSON")
	cmd.Flags().BoolVar(&curl, "curl", false, "print the request of a call for a shell, with the arguments NAME=VALUE that follow KEY; credentials are left to you")
	return cmd
}

func runDescribe(a *ui.App, cmd *cobra.Command, word, key string, n *session.Network, shape *output) error {
	words, err := n.Servers.Targets([]string{word})
	if err != nil {
		return err
	}
	domains, sites, err := recorded.SitesOf(cmd.Context(), a, n, words)
	if err != nil {
		return err
	}
	if sites != nil {
		defer sites.Close()
	}
	domain := domains[0]
	if err := session.NameTargets(a, cmd, n, domain); err != nil {
		a.Fail(domain, err)
		return nil
	}
	c, err := recorded.OpenAt(n, a, sites)
	if err != nil {
		return err
	}
	defer session.End(a, c)
	site, err := c.Resolve(cmd.Context(), domain)
	err = c.HintOtherView(cmd.Context(), domain, err)
	if err != nil && !session.IsPinError(err) { // Describe reports a pin error only if it is about KEY
		if shape.prompt {
			printPrompt(a, err, func(*prompt.Prompt) {})
		}
		a.Fail(domain, err)
		return nil
	}
	detail, err := c.Describe(cmd.Context(), site, key)
	usable := detail != nil && !session.IsPinError(err)
	switch {
	case shape.prompt && session.IsPinError(err):
		printPrompt(a, err, func(*prompt.Prompt) {})
	case shape.prompt:
		printPrompt(a, err, func(p *prompt.Prompt) { p.Detail(detail) })
	case !usable:
	case shape.json:
		a.PrintJSON(detail, ui.NewFailure(domain, err))
	default:
		show.Detail(a, detail)
	}
	switch {
	case err == nil:
	case usable:
		a.Tell(err)
	default:
		a.Fail(domain, err)
	}
	if errors.Is(err, wayfind.ErrInvalid) && detail == nil {
		fmt.Fprintf(a.Err, "see the keys with: wayfind %s\n", ui.Show(word))
	}
	return nil
}

// resolveSchemas returns the schemas of resolve and describe.
func resolveSchemas() []ui.Schema {
	return []ui.Schema{
		{Name: ui.SchemaSite, By: "`resolve`, `demo`", About: "One for each domain: its offers, the source of each fact, and the places that were asked. Beside an `error` it holds the facts that were learned all the same. All members but `remembered` are those of Go's `wayfind.Site`.", Value: show.SiteAnswer{}},
		{Name: "wayfind/detail/1", By: "`describe`", About: "How to call one capability, or the description of one service.", Value: wayfind.Detail{}},
	}
}
