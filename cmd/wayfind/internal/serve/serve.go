// Package serve has the verb that serves recorded or hostile sites on this machine.
package serve

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/loopback"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/recorded"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
)

// Command returns the verb serve.
func Command(a *ui.App) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve [DIR] [-- COMMAND…]",
		Short: "serve recorded or hostile sites on this machine, for any client",
		Long: `serve replays what "wayfind resolve --save DIR" and "wayfind call --save DIR" recorded:
the sites answer each recorded URL and each recorded call as it was answered, with TLS,
on the loopback interface. Everything else of them is 404; a recorded server that speaks
JSON-RPC answers it with an error instead. Failures are replayed as well: certificates that are not valid, answers that
are cut off or never end. Lifetimes begin anew.

With --hostile it serves sites that break the rules instead, each in a way of its own,
so that the author of a client can practise; the list says what a good client does.

It prints a line that leads the programs of another shell to the sites by variables of
the environment: wayfind, curl, programs in Python, Go and Java, and Node from 22.21 and
24.5 on. The same port answers TLS and is the proxy that HTTPS_PROXY names. The proxy
refuses every other name with 502, and connects to nothing.

With a command after "--", serve runs the command with these variables, passes signals on
to it, and ends with its exit status. With --json it prints the address, the files and
the variables as one object, then serves.`,
		Example: "  wayfind resolve --save rec example.com\n  wayfind call --save rec example.com adp:search_mail query=invoices\n  wayfind serve rec\n  wayfind serve rec -- pytest -x\n  wayfind serve --hostile --listen 127.0.0.1:8443",
		RunE: func(cmd *cobra.Command, args []string) error {
			if i := cmd.ArgsLenAtDash(); i >= 0 {
				if args, f.command = args[:i], args[i:]; len(f.command) == 0 {
					return ui.Usagef("serve needs a command after --")
				}
			}
			switch {
			case f.asJSON && f.command != nil:
				return ui.Usagef("serve prints no JSON beside the output of a command: leave out --json or the command")
			case len(args) > 1:
				return ui.Usagef("serve takes one directory, and a command only after --")
			case f.hostile && len(args) == 0:
				return serveHostile(cmd.Context(), a, &f)
			case f.hostile:
				return ui.Usagef("serve takes either a directory or --hostile")
			case len(args) == 0:
				return ui.Usagef("serve needs the directory of a recording, or --hostile")
			}
			return serveRecorded(cmd.Context(), a, &f, args[0])
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.hostile, "hostile", false, "serve sites that break the rules")
	flags.BoolVar(&f.asJSON, "json", false, "print the address, the files and the variables as JSON")
	flags.StringVar(&f.listen, "listen", loopback.AnyPort().String(), "listen at this `ADDR` of the loopback interface; port 0 is one that the system chooses")
	return cmd
}

// serveFlags are the flags of serve, and the command behind them.
type serveFlags struct {
	hostile, asJSON bool
	listen          string
	command         []string
}

// at returns the address to listen at.
func (f *serveFlags) at() (netip.AddrPort, error) {
	at, err := netip.ParseAddrPort(f.listen)
	if err != nil || !at.Addr().IsLoopback() {
		return at, ui.Usagef("--listen %q: write an address of this machine with a port, such as 127.0.0.1:8443", f.listen)
	}
	return at, nil
}

// serveRecorded serves the sites of a recording until the context ends.
func serveRecorded(ctx context.Context, a *ui.App, f *serveFlags, dir string) error {
	recording, err := recorded.Read(dir)
	if err != nil {
		return err
	}
	hosts, odd, err := loopback.RecordedHosts(recording)
	if err != nil {
		return ui.Usagef("%s: %w", dir, err)
	}
	if len(hosts) == 0 && len(recording.Exchanges()) > 0 {
		return ui.Usagef("%s: sites are served with https, and the recording has only servers under development that were asked over http; \"wayfind %[1]s\" shows them", ui.Show(dir))
	}
	if len(hosts) == 0 {
		return ui.Usagef("%s: the recording is empty", dir)
	}
	return serveSites(ctx, a, f, hosts, loopback.Replay{Recording: recording}, odd, func() {
		a.Line("The recorded sites are up: %s.", text.Printable(strings.Join(hosts, ", ")))
	})
}

// serveSites serves sites until the context or the command ends. about says which sites they are.
func serveSites(ctx context.Context, a *ui.App, f *serveFlags, hosts []string, handler http.Handler, odd map[string]loopback.Handshake, about func()) error {
	at, err := f.at()
	if err != nil {
		return err
	}
	d, err := loopback.Start(at, hosts, handler, odd)
	if err != nil {
		return fmt.Errorf("cannot serve on the loopback interface: %w", err)
	}
	defer d.Close()
	l, err := d.Lead("")
	if l != nil {
		defer a.Ending.Last(l.Remove)()
		defer l.Remove()
	}
	switch {
	case err != nil:
		return err
	case f.command != nil:
		return runInside(a, l, f.command)
	case f.asJSON:
		a.PrintJSON(l, nil)
	default:
		about()
		tellWay(a, l)
	}
	return a.Wait(ctx)
}

// tellWay prints how clients reach the sites.
func tellWay(a *ui.App, l *loopback.Lead) {
	a.Line("\nCopy this line into another shell:\n\n%s", l.Lines())
	a.Line("and ask them there by name:\n\n  %s %s\n  curl https://%s/\n", ui.Program(), l.Sites[0], l.Sites[0])
	a.Line("Programs that read HTTPS_PROXY and the file of an authority from the environment find\nthem, too, and reach no other name in that shell. Any other client connects to\n%s for each name, and trusts one authority:\n", l.Address)
	a.Line("%s\n", l.Curl(l.Sites[0], "/"))
	a.Line("Press Ctrl-C to stop.")
}

// Schemas returns the schema of serve.
func Schemas() []ui.Schema {
	return []ui.Schema{
		{Name: "wayfind/serve/1", By: "`serve`", About: "The served sites, and the files and variables that lead clients to them. It is printed when the sites are up.", Value: loopback.Lead{}},
	}
}
