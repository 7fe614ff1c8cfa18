// Package demo has the verb that shows the client on sample sites of this machine.
package demo

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/commandline"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/loopback"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/show"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
)

// siblings maps sample sites to further hosts that only documents refer to.
var siblings = map[string]string{"market.example.com": "mcp.market.example.com"}

// registryHost is the host of the sample registry for "wayfind search".
const registryHost = "registry.example"

// Site is a site of the demo. about describes its subject.
type Site struct{ Host, about string }

// Sites returns the sites that the demo resolves, in this order.
func Sites() []Site {
	return []Site{
		{"mailforge.example", "publishes an Agent Discovery Protocol manifest with detail documents"},
		{"forecast.example", "publishes an AI Discovery Endpoint"},
		{"bookings.example", "publishes an agent.json of the Agent Web Protocol"},
		{"garden.example", "publishes an agents.md"},
		{"crew.example", "lists its agents at /agents/v1"},
		{"translate.example", "publishes an A2A agent card"},
		{"tickets.example", "publishes an ai-plugin.json that leads to its OpenAPI description"},
		{"library.example", "publishes a robots.txt and an llms.txt that leads to its OpenAPI description"},
		{"assistant.example", "publishes an MCP server card, and runs the server"},
		{"ledger.example", "publishes an llms.txt that leads to its OpenRPC description"},
		{"market.example.com", "publishes an AI Catalog that leads to the MCP server card of a sibling host"},
		{"recipes.example", "publishes an Agent Skills index"},
		{"transit.example", "publishes an api-catalog that leads to its OpenAPI description"},
		{"workshop.example", "publishes an integrations.json that leads to its OpenAPI description"},
		{"signpost.example", "publishes a record of Agent Identity & Discovery that leads to its OpenAPI description"},
		{"archive.example", "names its OpenAPI description in the head of its home page"},
		{"shoes.example", "publishes a profile of the Universal Commerce Protocol"},
		{"pantry.example", "publishes an acp.json of the Agentic Commerce Protocol"},
		{"everything.example", "publishes all of them: one model, with the disagreements between them"},
		{"sloppy.example", "publishes one with mistakes: it is read, and --verbose names each mistake"},
		{"catchall.example", "answers 200 with a web page to anything: nothing is there"},
		{"nothing.example", "answers 404"},
		{registryHost, "is a registry: \"wayfind search\" asks it, resolving it finds nothing"},
	}
}

// Command returns the verb demo.
func Command(a *ui.App) *cobra.Command {
	var f demoFlags
	var now string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "find a site, call it and ask again, on sample sites of this machine",
		Long: `demo starts sample sites with TLS on the loopback interface, and asks them through
the ordinary client: it finds a site, makes a call that the site describes, and asks
again from the cache. No request leaves the machine.

With --all, --verbose and --json it asks every sample site, one for each format. With
--serve the sites stay up, and a line is printed that leads the commands of another shell
to them. They answer the calls that they describe: of a credential, any value will do.`,
		Args: commandline.NoWords,
		RunE: func(cmd *cobra.Command, _ []string) error {
			clock, err := session.ParseNow(now)
			if err != nil {
				return err
			}
			return runDemo(cmd.Context(), a, clock, &f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.all, "all", false, "ask all sample sites")
	flags.BoolVar(&f.asJSON, "json", false, "print the models of all sites as JSON, one line for each")
	flags.BoolVar(&f.verbose, "verbose", false, "show of all sites the places that were asked, the documents and the notes")
	flags.BoolVar(&f.serve, "serve", false, "keep the sites running until interrupted")
	flags.StringVar(&now, "now", "", "use this `TIME` (RFC 3339) as the present, for reproducible output")
	return cmd
}

// demoFlags are the flags of demo.
type demoFlags struct{ all, asJSON, serve, verbose bool }

func runDemo(ctx context.Context, a *ui.App, now func() time.Time, f *demoFlags) error {
	sites, err := Start(now)
	if err != nil {
		return fmt.Errorf("cannot start the sample sites on the loopback interface: %w", err)
	}
	defer sites.Close()
	if f.serve {
		return serveDemo(ctx, a, sites)
	}
	o := sites.Options(now)
	whole := f.all || f.verbose || f.asJSON
	if !whole {
		o.Live = nil // as in "wayfind DOMAIN"
	}
	c, err := client.New(o)
	if err != nil {
		return err
	}
	defer c.Close()
	if whole {
		return demoAll(ctx, a, c, f)
	}
	return runTour(ctx, a, c, now)
}

// demoAll shows every sample site.
func demoAll(ctx context.Context, a *ui.App, c *client.Client, f *demoFlags) error {
	a.Several = true
	for i, s := range Sites() {
		var t client.Trace
		site, err := c.Resolve(client.WithTrace(ctx, &t), s.Host)
		if f.asJSON {
			a.PrintJSON(site, ui.NewFailure(s.Host, err))
			continue
		}
		a.Separate(i)
		a.Sentence("── " + s.Host + " " + s.about)
		a.Line("")
		if f.verbose {
			show.Site(a, site, err, &t)
		} else {
			show.Answer(a, site, err, &t, show.Asked{})
		}
	}
	if !f.asJSON {
		a.Line("\nTo ask these sites yourself, keep them running with\n\n  %s demo --serve", ui.Program())
	}
	return nil
}

// serveDemo keeps the sites running and prints the line for a shell that wants to ask them.
func serveDemo(ctx context.Context, a *ui.App, d *loopback.Server) error {
	l, err := d.Lead(loopback.OnlyCommand)
	if l != nil {
		defer a.Ending.Last(l.Remove)()
		defer l.Remove()
	}
	if err != nil {
		return err
	}
	a.Line("The sample sites are up. Copy this line into another shell:\n\n%s", l.Lines())
	a.Line("and ask them there by name (\"%s demo --all\" shows each). In that shell wayfind\ntrusts only these sites; other programs are not changed.\n", ui.Program())
	a.Line("  %s %s", ui.Program(), Sites()[0].Host)
	a.Line("  %s describe %s adp:send_email", ui.Program(), Sites()[0].Host)
	a.Line("  %s call %s %s city=%s", ui.Program(), tourHost, tourKey, tourCity)
	a.Line("  %s search %s 'send email'", ui.Program(), registryHost)
	a.Line("\nAnother program needs the address and the authority of the sites:\n\n%s", l.Curl(Sites()[0].Host, "/.well-known/agent"))
	a.Line("\nPress Ctrl-C to stop.")
	return a.Wait(ctx)
}

// demoHosts returns all hosts of the sample sites.
func demoHosts() []string {
	var hosts []string
	for _, s := range Sites() {
		hosts = append(hosts, s.Host)
		if sibling := siblings[s.Host]; sibling != "" {
			hosts = append(hosts, sibling)
		}
	}
	return hosts
}
