package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/internal/inspect"
)

// inspectFlags are what inspect takes beside the flags of the network.
type inspectFlags struct {
	noBrowser bool
	port      int
	credentialFlags
}

func (a *app) inspectCommand() *cobra.Command {
	var n network
	var f inspectFlags
	cmd := &cobra.Command{
		Use:   "inspect DOMAIN",
		Short: "show in a browser how a domain was asked, and its tools",
		Long: `inspect serves a page on this machine, and prints its address. The page shows each
request as it happens, the answer with the source of each fact, the tools as a model
would get them, and calls before they are sent.

The address has a token of this launch: without it nothing is served. Press Ctrl-C to
stop.`,
		Example: "  wayfind inspect example.com\n  wayfind inspect example.com --no-browser",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New(`name one domain, for example "wayfind inspect example.com"`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.inspect(cmd, args[0], &n, &f) },
	}
	n.register(cmd)
	f.registerFlags(cmd)
	cmd.Flags().BoolVar(&f.noBrowser, "no-browser", false, "open no browser, also on a terminal")
	cmd.Flags().IntVar(&f.port, "port", 0, "serve at this `NUMBER` of a port; 0 is any that is free")
	return cmd
}

func (a *app) inspect(cmd *cobra.Command, target string, n *network, f *inspectFlags) error {
	if err := a.named(cmd, n, target); err != nil {
		return err
	}
	vault, err := f.vault(a)
	if err != nil {
		return err
	}
	watch, recording := inspect.NewWatch(), new(client.Recording)
	n.record, n.observe = recording.Add, watch.Observe
	c, err := n.open(a)
	if err != nil {
		return err
	}
	defer a.end(c)
	n.consent.in = nil // the page says which flag approves, and waits for no terminal
	i, err := inspect.New(inspect.Options{
		Target: target, Client: c.Client, Watch: watch, Recording: recording,
		Caller: &call.Options{Credentials: vault, Approve: n.consent.approve},
	})
	if err != nil {
		return err
	}
	return a.serveInspector(cmd.Context(), i, f)
}

// serveInspector serves the page until the command is interrupted.
func (a *app) serveInspector(ctx context.Context, i *inspect.Inspector, f *inspectFlags) error {
	return i.Serve(ctx, f.port, func(url string) {
		fmt.Fprintln(a.out, url)
		if f.noBrowser || !isTerminal(a.in) || !isTerminal(a.out) {
			return
		}
		if err := openBrowser(ctx, url); err != nil {
			fmt.Fprintf(a.err, "wayfind: no browser could be opened (%s): open the address yourself\n", show(err.Error()))
		}
	})
}
