// Package inspect has the verb that shows a domain, a process or a log on a page in a browser.
package inspect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/credentials"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/recorded"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/inspect"
)

// inspectFlags are the flags of inspect in addition to the flags of the network.
type inspectFlags struct {
	noBrowser bool
	refresh   bool
	attach    bool
	port      int
	html      string
	against   []string
	credentials.Flags
}

// nameOneDomain is the error text for a command line that inspect cannot read.
const nameOneDomain = `name one domain, or a recording and a domain of it, for example "wayfind inspect example.com"`

// Command returns the verb inspect.
func Command(a *ui.App) *cobra.Command {
	var n session.Network
	var f inspectFlags
	cmd := &cobra.Command{
		Use:   "inspect DOMAIN | FILE | DIR [DOMAIN] | LOG.har | --attach [PROCESS]",
		Short: "show in a browser how a domain was asked, and its tools",
		Long: `inspect serves a page on this machine, and prints its address. The page shows each
request as it happens, the answer with the source of each fact, the tools as a model
would get them, calls before they are sent, and the changes since another answer: that
of the cache, that of --against, and the pins of --pins.

DIR is a recording of "wayfind resolve --save DIR". It is asked in place of the network,
so that a directory is a report that others can open. Name the DOMAIN where it has
several. FILE, or a DIR with the files of a site, is shown as if it were published at the
host that its documents name: see "wayfind tools --help". LOG.har is a log of requests, of
this page or of a browser: it is shown without its secrets, and nothing is asked.
With --attach the page shows the requests of a running "wayfind mcp" of yours from now on;
name the number of its PROCESS if several run.

The address has a token of this launch: without it nothing is served. Press Ctrl-C to
stop. With --html FILE no page is served: the same answer is written as one plain page
without scripts.`,
		Example: "  wayfind inspect example.com\n  wayfind inspect example.com --no-browser --against yesterday.json\n  wayfind inspect rec\n  wayfind inspect ./public\n  wayfind inspect wayfind.har\n  wayfind inspect --attach\n  wayfind inspect --html report.html example.com",
		Args: func(_ *cobra.Command, args []string) error {
			if f.attach && len(args) < 2 {
				return nil
			}
			if f.attach || len(args) == 0 || len(args) > 2 {
				return errors.New(nameOneDomain)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runInspect(a, cmd, args, &n, &f) },
	}
	n.Register(cmd)
	n.RegisterMCP(cmd)
	f.Register(cmd)
	cmd.Flags().BoolVar(&f.noBrowser, "no-browser", false, "open no browser, also on a terminal")
	cmd.Flags().BoolVar(&f.attach, "attach", false, "show the requests of a running \"wayfind mcp\" as they are sent")
	cmd.Flags().BoolVar(&f.refresh, "refresh", false, "ask the domain at first, also for answers that are stored and still valid")
	cmd.Flags().IntVar(&f.port, "port", 0, "serve at this `NUMBER` of a port; 0 is any that is free")
	cmd.Flags().StringVar(&f.html, "html", "", "write the answer to `FILE` as a plain page, and serve nothing")
	cmd.Flags().StringArrayVar(&f.against, "against", nil, "compare with `STATE`: a recording, or a file that \"wayfind resolve --json\" wrote")
	return cmd
}

func runInspect(a *ui.App, cmd *cobra.Command, args []string, n *session.Network, f *inspectFlags) error {
	if f.attach {
		return inspectProcess(cmd.Context(), a, args, f)
	}
	if isHAR(args[0]) {
		return inspectLog(cmd.Context(), a, args, f)
	}
	domains, sites, err := recorded.SitesOf(cmd.Context(), a, n, args)
	if err != nil {
		return err
	}
	if sites != nil {
		defer sites.Close()
	}
	if len(domains) > 1 {
		return ui.Usagef("%s is no recording: %s", ui.Show(args[0]), nameOneDomain)
	}
	if domains, err = session.NameTargets(a, cmd, n, domains[0]); err != nil {
		return err
	}
	target := domains[0]
	opts := new(call.Options)
	if err := f.Equip(a, opts); err != nil {
		return err
	}
	watch, documents := inspect.NewWatch(), new(inspect.Documents)
	n.Record, n.Observe = documents.Add, watch.Observe
	c, err := recorded.OpenAt(n, a, sites)
	if err != nil {
		return err
	}
	defer session.End(a, c)
	opts.Approve = n.Approver()
	n.NeverAsk() // the page names the flag that approves, and does not wait for the terminal
	others, err := otherStates(cmd.Context(), a, n, f, c, target)
	if err != nil {
		return err
	}
	i, err := inspect.New(inspect.Options{
		Target: target, Client: c.Client, Watch: watch, Documents: documents, Replayed: sites != nil, Others: others,
		Refresh: f.refresh, Version: strings.Fields(ui.Version())[0], Words: ui.Sentence,
		Caller: opts, Placeholder: placeholders(opts.Credentials), OpenedTwice: func() { tellOpenedTwice(a) },
	})
	if err != nil {
		return err
	}
	if f.html != "" {
		return writeInspector(cmd.Context(), a, i, f.html)
	}
	return serveInspector(cmd.Context(), a, i, f)
}

// tellOpenedTwice warns that another user may have read the address from the browser's command
// line.
func tellOpenedTwice(a *ui.App) {
	fmt.Fprintln(a.Err, "wayfind: warning: the address that the browser got was opened twice: another user of this machine may have the page; press Ctrl-C, and start again with --no-browser")
}

// placeholders returns a function that gives stand-ins for the credentials that a vault does not
// have.
func placeholders(vault func(context.Context, *call.CredentialRequest) (*call.Grant, error)) func(context.Context, *call.CredentialRequest) (*call.Grant, error) {
	return func(ctx context.Context, q *call.CredentialRequest) (*call.Grant, error) {
		if g, err := vault(ctx, q); g != nil || err != nil {
			return g, err
		}
		return credentials.StandIn(q.Scheme, call.Binding{Origin: q.Origin, Proof: call.ProofPerson})
	}
}

// writeInspector asks the domain, and writes the answer to a file. If there is no answer, it writes
// no file.
func writeInspector(ctx context.Context, a *ui.App, i *inspect.Inspector, file string) error {
	failed := i.Ask(ctx, false)
	if _, err := i.LoadTools(ctx); err != nil && failed == nil {
		failed = err
	}
	var page bytes.Buffer
	if err := i.WriteHTML(&page); err != nil {
		if failed == nil {
			failed = err
		}
		a.Fail(i.Target, failed)
		return nil
	}
	if err := a.Replace(ctx, file, page.Bytes()); err != nil {
		return ui.Usagef("--html: %w", err)
	}
	if failed != nil {
		a.Fail(i.Target, failed)
	} else if site, err := i.Site(); err == nil {
		a.TellIncomplete(site)
	}
	return nil
}

// otherStates returns the states that an answer can be compared with: those that the command line
// names, and the earlier answer in the cache.
func otherStates(ctx context.Context, a *ui.App, n *session.Network, f *inspectFlags, c *session.Session, target string) (list []inspect.Other, err error) {
	for i, name := range f.against {
		o := inspect.Other{Name: fmt.Sprintf("against-%d", i+1), Title: name}
		if document.IsRecording(name) {
			o.Site, err = recordedSite(ctx, a, n, name, target)
		} else {
			o.Site, err = document.ReadSite(name)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	if n.Pins != "" {
		set, err := session.PinsOf(n.Pins)
		if err != nil {
			return nil, err
		}
		list = append(list, inspect.Other{Name: "pins", Title: "the pins of " + n.Pins, Pins: set})
	}
	if site := storedSite(ctx, a, n, c, target); site != nil {
		list = append(list, inspect.Other{Name: "stored", Title: "the answer that was stored before, of " + ui.ClockText(site.ResolvedAt), Site: site})
	}
	return list, nil
}

// quietly returns a copy of the flags for a second Client, which is not inspected.
func quietly(n *session.Network) *session.Network {
	own := *n
	own.Record, own.Observe, own.Live, own.Quiet = nil, nil, false, true
	own.Pins = "" // no caller uses the answer
	return &own
}

// recordedSite asks a recording for the target.
func recordedSite(ctx context.Context, a *ui.App, n *session.Network, dir, target string) (*wayfind.Site, error) {
	sites, err := recorded.Open(dir)
	if err != nil {
		return nil, err
	}
	defer sites.Close()
	c, err := recorded.OpenClient(quietly(n), a, sites)
	if err != nil {
		return nil, err
	}
	defer session.End(a, c)
	site, err := c.Resolve(ctx, target)
	if site == nil {
		return nil, ui.Usage(fmt.Errorf("%s: %w", dir, err))
	}
	return site, nil
}

// storedSite returns the answer in the cache, or nil if it has none.
func storedSite(ctx context.Context, a *ui.App, n *session.Network, c *session.Session, target string) *wayfind.Site {
	if c.Store == nil {
		return nil
	}
	own := quietly(n)
	own.Offline = true
	o, err := own.Options(a)
	if err != nil {
		return nil
	}
	o.Store = c.Store
	before, err := client.New(o)
	if err != nil {
		return nil
	}
	defer before.Close()
	site, err := before.Resolve(ctx, target)
	if err != nil || len(site.Sources) == 0 {
		return nil
	}
	return site
}

// serveInspector serves the page until the command is interrupted.
func serveInspector(ctx context.Context, a *ui.App, i *inspect.Inspector, f *inspectFlags) error {
	return i.Serve(ctx, f.port, func(address, once string) {
		fmt.Fprintln(a.Out, address)
		if f.noBrowser || !ui.IsTerminal(a.In) || !ui.IsTerminal(a.Out) {
			return
		}
		if err := openBrowser(ctx, once); err != nil {
			fmt.Fprintf(a.Err, "wayfind: no browser could be opened (%s): open the address yourself\n", ui.Show(err.Error()))
		}
	})
}
