package tools

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/call"
	"github.com/wayfindhq/wayfind/client/mcpserver"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/attach"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/commandline"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/credentials"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/hosts"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/session"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/show/inspect"
	"github.com/wayfindhq/wayfind/resolve"
)

// mcpFlags are the flags of mcp in addition to the flags of the network.
type mcpFlags struct {
	domains  []string
	confirm  string
	allow    []string
	open     []string
	trust    []string
	readOnly bool
	noOpen   bool
	http     string
	token    string
	config   string
	install  string
	filterFlags
	credentials.Flags
}

// MCP returns the verb mcp.
func MCP(a *ui.App) *cobra.Command {
	var n session.Network
	var f mcpFlags
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "be an MCP server with the tools of domains behind it",
		Long: `mcp lets a host of the Model Context Protocol, such as a desktop application or a
coding agent, use the tools of domains. The host starts the command and speaks with it
over standard input and output, or over HTTP on this machine.

The host sees four tools: one searches, one describes, one calls, one opens a further
domain. Where few tools are behind them they are listed besides. What only reads runs.
Before a call that may change something, before a credential of yours goes to an origin for
the first time, and before a domain is opened, the host asks you (elicitation); your yes is
for one request or, if the call is not asked about each time, for the tool until this host
leaves. If the host cannot ask, the call is refused, and the answer says which flag
allows it. With --confirm host, a call is then left to the question
that the host itself asks before it calls a tool; calls through wayfind_call, and calls that
are asked about each time, are refused all the same.

An MCP server that you name by its URL or by its domain is believed if it says that a tool
of its own only reads. One that a document leads to, or that is opened later, is not.

--server puts an MCP server behind the bridge that speaks over standard input and output. Only
this flag starts a process, and no shell reads the command. The process ends with this one.

A call that must not be made twice and whose answer was lost, or that was killed, is
remembered for an hour in the user's state ($XDG_STATE_HOME/wayfind or
~/.local/state/wayfind), whatever --cache names: the next one like it is asked about.

"wayfind inspect --attach" shows the requests of this command as they are sent.

"wayfind mcp --print-config HOST" prints what to write into the configuration of a host,
and --install HOST writes it. With --http it is the entry of a server that runs already.`,
		Example: "  wayfind mcp --domain example.com --print-config claude-code\n  wayfind mcp --domain https://example.com/mcp --read-only\n  wayfind mcp --server 'notes=npx -y notes-server' --server-env notes=env:NOTES_KEY\n  wayfind mcp --domain example.com --http 127.0.0.1:8765",
		Args:    commandline.NoWords,
		RunE:    func(cmd *cobra.Command, _ []string) error { return runMCP(a, cmd, &n, &f) },
	}
	n.Register(cmd)
	n.Servers.Register(cmd)
	n.Servers.ForHosts = true
	n.RegisterMCP(cmd)
	cmd.Flags().Lookup("live").Usage = "contact the MCP and JSON-RPC endpoints that the domains name, at their origin; --live=false turns it off"
	cmd.Flags().Lookup("live").DefValue = "true"
	cmd.Flags().StringArrayVar(&f.domains, "domain", nil, "put the tools of this `DOMAIN` behind the server, of an MCP server by its URL, or of an API description by its path, such as ./openapi.yaml")
	cmd.Flags().StringVar(&f.confirm, "confirm", "auto", "in a host without elicitation, treat calls that change something by this `MODE`: auto, which refuses them; host, which makes those that the host asks you about itself")
	cmd.Flags().StringArrayVar(&f.allow, "allow", nil, "call the tool of this `NAME` of a --domain without asking you, as it is defined now; a pattern such as 'example_com__add*' is for calls that you need not be asked about each time. The command prints what each allows, and ends if none allows anything")
	cmd.Flags().StringArrayVar(&f.open, "open", nil, "open domains that this `PATTERN` matches without asking you, such as '*.example.com'")
	cmd.Flags().StringArrayVar(&f.trust, "trust-annotations", nil, "believe the MCP server at this `HOST` which of its tools only read")
	cmd.Flags().BoolVar(&f.readOnly, "read-only", false, "offer only tools whose HTTP method changes nothing")
	cmd.Flags().BoolVar(&f.noOpen, "no-open", false, "refuse to open further domains")
	cmd.Flags().StringVar(&f.http, "http", "", "speak streamable HTTP at this `ADDRESS` of this machine, such as 127.0.0.1:8765, and not over standard input")
	cmd.Flags().StringVar(&f.token, "token", "", "with --http, the token that hosts must show, as `env:NAME`, or \"none\" (default: a new one, printed to standard error)")
	cmd.Flags().StringVar(&f.config, "print-config", "", "print the configuration for this `HOST`, and do nothing else: "+strings.Join(hosts.Names(), ", "))
	cmd.Flags().StringVar(&f.install, "install", "", "write the configuration of this `HOST` after showing the difference, and do nothing else; all else in the file stays as it is")
	f.filterFlags.registerFlags(cmd)
	f.Flags.Register(cmd)
	return cmd
}

func runMCP(a *ui.App, cmd *cobra.Command, n *session.Network, f *mcpFlags) error {
	if err := f.read(a, cmd, n); err != nil {
		return err
	}
	switch {
	case f.config != "":
		return printConfig(a, cmd, f)
	case f.install != "":
		return runInstall(a, cmd, f)
	}
	called := new(call.Options)
	if err := f.Equip(a, called); err != nil {
		return err
	}
	opts, err := f.options(a, n)
	if err != nil {
		return err
	}
	var relay inspect.Relay
	n.Observe = relay.Observe
	c, err := n.Open(a)
	if err != nil {
		return err
	}
	defer session.End(a, c)
	domains, err := c.AddFiles(cmd.Context(), f.domains)
	if err != nil {
		return err
	}
	opts.Domains = n.Servers.With(targets(a, domains))
	defer attach.Attachable(cmd.Context(), a, &relay, func(text string) { opts.Logger.Info(text) })()
	called.Approve = n.Approver()
	n.NeverAsk() // standard input belongs to the host
	caller, err := call.New(c.Client, called)
	if err != nil {
		return ui.Usage(err)
	}
	defer caller.Close()
	if c.Store != nil {
		if opts.Stored, err = storedClient(n, a, c); err != nil {
			return err
		}
		defer opts.Stored.Close()
	}
	s, err := mcpserver.New(c.Client, caller, opts)
	if err != nil {
		return ui.Usage(err)
	}
	defer s.Close()
	if f.http != "" {
		return serveHTTP(cmd.Context(), a, s, f)
	}
	return serveLines(cmd.Context(), a, s)
}

// read reads the domains, and checks the other flags.
func (f *mcpFlags) read(a *ui.App, cmd *cobra.Command, n *session.Network) error {
	domains, err := session.NameTargets(a, cmd, n, f.domains...)
	if err != nil {
		return err
	}
	if f.domains, err = session.Absolute(domains); err != nil {
		return err
	}
	if !cmd.Flags().Changed("live") {
		n.Live = true // a user who names a domain here wants its tools to be called
	}
	if len(f.allow) > 0 && len(n.Servers.With(f.domains)) == 0 {
		return ui.Usagef("--allow is for tools of a --domain or a --server, and there is none")
	}
	if f.token != "" && f.http == "" {
		return ui.Usagef("--token is for --http")
	}
	if f.confirm != "auto" && f.confirm != "host" {
		return ui.Usagef("--confirm %q: write auto or host", f.confirm)
	}
	return nil
}

// serveLines speaks with a host over standard input and output until it leaves.
func serveLines(ctx context.Context, a *ui.App, s *mcpserver.Server) error {
	if ui.IsTerminal(a.In) {
		fmt.Fprintln(a.Err, "This is an MCP server, and it waits for a host on standard input. --print-config HOST\nprints the entry that starts it, --install HOST writes it. Ctrl-C ends it.")
	}
	err := s.Serve(ctx, mcpserver.Lines(a.In, a.Out))
	if s.Err() != nil {
		return ui.Usage(s.Err())
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(a.Err, "wayfind: the host has left: %s\n", ui.Show(err.Error()))
	}
	return nil
}

// options returns the options of the server.
func (f *mcpFlags) options(a *ui.App, n *session.Network) (*mcpserver.Options, error) {
	names, err := f.operationNames(a)
	return &mcpserver.Options{
		Only: f.filters(), OperationNames: names, ReadOnly: f.readOnly, NoOpen: f.noOpen,
		HostConfirms: f.confirm == "host", Allow: f.allow, Open: f.open, TrustAnnotations: f.trust,
		Version: strings.Fields(ui.Version())[0], Logger: ui.NewLogger(a.Err, n.Verbose && !n.Quiet),
	}, err
}

// targets returns domains as they were typed. A server under development, or in the user's own
// network, is written as its URL, so that its tools are known to belong to a named domain.
func targets(a *ui.App, domains []string) (list []string) {
	for _, domain := range domains {
		if target, _, err := resolve.ParseTargetFor(domain, a.Guard); err == nil && a.Guard.IsDev(target.Origin) {
			domain = target.String()
		}
		list = append(list, domain)
	}
	return list
}

// storedClient returns a client that shows the answers in the store of a session, and sends no request.
func storedClient(n *session.Network, a *ui.App, c *session.Session) (*client.Client, error) {
	own := *n
	own.Offline, own.Live = true, false
	o, err := own.Options(a)
	if err != nil {
		return nil, err
	}
	o.Store, o.Network.Local = c.Store, c.Servers.Reach()
	return client.New(o)
}

// Time limits of the server for programs on this machine.
const (
	headerTime = 10 * time.Second
	endTime    = 2 * time.Second
)

// serveHTTP speaks with hosts over HTTP until the command ends.
func serveHTTP(ctx context.Context, a *ui.App, s *mcpserver.Server, f *mcpFlags) error {
	at, err := f.address()
	if err != nil {
		return err
	}
	token, err := f.readToken()
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", at.String())
	if err != nil {
		return ui.Usagef("--http: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", s.Handler(token))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, fmt.Sprintf("The MCP endpoint of wayfind is http://%s/mcp.", listener.Addr()), http.StatusNotFound)
	})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	server := &http.Server{Handler: mux, ReadHeaderTimeout: headerTime, BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() {
		select {
		case <-s.Failed():
			cancel()
		case <-ctx.Done():
		}
		ending, stop := context.WithTimeout(context.WithoutCancel(ctx), endTime)
		defer stop()
		if err := server.Shutdown(ending); err != nil {
			_ = server.Close()
		}
	}()
	fmt.Fprintf(a.Err, "listening at http://%s/mcp\n", listener.Addr())
	if token == "" {
		fmt.Fprintln(a.Err, "no token is asked for: every program of this machine may use it")
	} else if f.token == "" {
		fmt.Fprintf(a.Err, "hosts must send: Authorization: Bearer %s\n", token)
	}
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	if err := s.Err(); err != nil {
		return ui.Usage(err)
	}
	return nil
}

// readToken returns the token that hosts must show, or "" if they need none.
func (f *mcpFlags) readToken() (string, error) {
	name, err := f.tokenVariable()
	switch {
	case err != nil:
		return "", err
	case f.token == "":
		return rand.Text(), nil
	case name == "":
		return "", nil
	}
	if value := os.Getenv(name); value != "" {
		return value, nil
	}
	return "", ui.Usagef("--token: the variable %s is empty; set it to a long random value", name)
}

// tokenVariable returns the name of the variable with the token, or "" if --token names none.
func (f *mcpFlags) tokenVariable() (string, error) {
	name, isEnv := strings.CutPrefix(f.token, "env:")
	switch {
	case f.token == "", f.token == "none":
		return "", nil
	case !isEnv || name == "":
		return "", ui.Usagef("--token: write env:NAME, or none") // the value may be a secret
	}
	return name, nil
}
