package main

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/livemcp"
)

// siblings are further hosts of sample sites, which only documents lead to.
var siblings = map[string]string{"market.example.com": "mcp.market.example.com"}

// registryHost answers "wayfind search".
const registryHost = "registry.example"

// demoSites are what the demo resolves, in this order, with what they show.
var demoSites = [...]struct{ host, about string }{
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
	{"archive.example", "names its OpenAPI description in the head of its home page"},
	{"shoes.example", "publishes a profile of the Universal Commerce Protocol"},
	{"pantry.example", "publishes an acp.json of the Agentic Commerce Protocol"},
	{"everything.example", "publishes all of them: one model, with the disagreements between them"},
	{"sloppy.example", "publishes one with mistakes: it is read, and --verbose names each mistake"},
	{"catchall.example", "answers 200 with a web page to anything: nothing is there"},
	{"nothing.example", "answers 404"},
	{registryHost, "is a registry: \"wayfind search\" asks it, resolving it finds nothing"},
}

func (a *app) demoCommand() *cobra.Command {
	var asJSON, serve, verbose bool
	var now string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "resolve sample sites on this machine, offline",
		Long: `demo starts sample sites with TLS on the loopback interface and resolves them
through the ordinary client. With --serve they stay up, and a line is printed that
leads the commands of another shell to them.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			clock, err := parseNow(now)
			if err != nil {
				return err
			}
			return a.demo(cmd.Context(), clock, asJSON, serve, verbose)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, "print the models as JSON, one line for each site")
	f.BoolVar(&verbose, "verbose", false, "show all places that were asked, all documents and notes")
	f.BoolVar(&serve, "serve", false, "keep the sites running until interrupted")
	f.StringVar(&now, "now", "", "use this `TIME` (RFC 3339) as the present, for reproducible output")
	return cmd
}

func (a *app) demo(ctx context.Context, now func() time.Time, asJSON, serve, verbose bool) error {
	sites, err := startDemo(now)
	if err != nil {
		return fmt.Errorf("cannot start the sample sites on the loopback interface: %w", err)
	}
	defer sites.Close()
	if serve {
		return a.serveDemo(ctx, sites)
	}
	c, err := client.New(sites.options(now))
	if err != nil {
		return err
	}
	defer c.Close()
	a.several = true
	for i, s := range demoSites {
		var t client.Trace
		site, err := c.Resolve(client.WithTrace(ctx, &t), s.host)
		if asJSON {
			a.printJSON(site, newFailure(s.host, err))
			continue
		}
		a.separate(i)
		a.line("── %s %s", s.host, s.about)
		a.line("")
		if verbose {
			a.printSite(site, err, &t)
		} else {
			a.printAnswer(site, err, &t, false)
		}
		if err != nil {
			a.line("\n  the error of Resolve: %s", show(err.Error()))
		}
	}
	if !asJSON {
		a.line("\nTo ask these sites yourself, keep them running with\n\n  %s demo --serve", program())
	}
	return nil
}

// options are what it takes to reach the sample sites: just what the printed
// lines say.
func (d *demoServer) options(now func() time.Time) *client.Options {
	o := &client.Options{Network: client.Network{RootCAs: x509.NewCertPool(), View: "demo"}, Lab: client.Lab{Now: now}, Live: []client.LiveProber{livemcp.New(nil)}}
	o.Network.RootCAs.AddCert(d.authority)
	o.Policy.AllowCIDR = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	o.Policy.ConnectTo = map[string]netip.AddrPort{}
	for _, host := range demoHosts() {
		o.Policy.ConnectTo[host+":443"] = d.addr
	}
	return o
}

// serveDemo keeps the sites up and prints the line that leads a shell to them.
func (a *app) serveDemo(ctx context.Context, d *demoServer) error {
	dir, err := os.MkdirTemp("", "wayfind-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	authority, variables := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "env")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: d.authority.Raw})
	err = errors.Join(os.WriteFile(authority, certificate, 0o600), os.WriteFile(variables, d.variables(authority), 0o600))
	if err != nil {
		return err
	}
	a.line("The sample sites are up. Copy this line into another shell:\n\n  . %s\n", variables)
	a.line("and ask them there by name (\"%s demo\" lists them all; any other name is asked for on the network, as usual):\n", program())
	a.line("  %s %s", program(), demoSites[0].host)
	a.line("  %s describe %s adp:send_email", program(), demoSites[0].host)
	a.line("  %s search %s 'send email'", program(), registryHost)
	a.line("\nor with curl:\n")
	a.line("  curl --connect-to ::%s --cacert %s \\\n    https://%s/.well-known/agent", d.addr, authority, demoSites[0].host)
	a.line("\nPress Ctrl-C to stop.")
	<-ctx.Done()
	return nil
}

// variables are lines for a shell, which then asks the sample sites.
func (d *demoServer) variables(cacert string) []byte {
	var to []string
	for _, host := range demoHosts() {
		to = append(to, fmt.Sprintf("%s:443:%s", host, d.addr))
	}
	var b strings.Builder
	for _, v := range [][2]string{{"connect-to", strings.Join(to, " ")}, {"allow-cidr", "127.0.0.0/8"}, {"cacert", cacert}} {
		fmt.Fprintf(&b, "export %s='%s'\n", variableOf(v[0]), v[1])
	}
	return []byte(b.String())
}

// demoHosts are all hosts that the sample sites answer for.
func demoHosts() []string {
	var hosts []string
	for _, s := range demoSites {
		hosts = append(hosts, s.host)
		if sibling := siblings[s.host]; sibling != "" {
			hosts = append(hosts, sibling)
		}
	}
	return hosts
}

// program is how this command was started, so that printed lines work as they
// are: "go run" leaves no binary behind.
func program() string {
	if strings.Contains(os.Args[0], "go-build") && !strings.HasSuffix(os.Args[0], ".test") {
		return "go run ./cmd/wayfind"
	}
	return "wayfind"
}
