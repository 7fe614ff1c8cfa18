package main

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/livemcp"
	"github.com/wayfindhq/wayfind/client/liverpc"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/document"
	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/ui"
	"github.com/wayfindhq/wayfind/internal/syntax/text"
	"github.com/wayfindhq/wayfind/parse"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security"
)

// network holds the flags of the verbs that send requests.
type network struct {
	connectTo  []string
	cacert     string
	allowCIDR  []string
	allowName  []string
	allowPort  []uint
	allowNAT   []string
	proxy      string
	timeout    time.Duration
	maxBytes   int64
	strict     bool
	formats    []string
	userAgent  string
	contact    string
	cache      string
	cacheKey   string
	robots     string
	live       bool
	dev        bool
	headers    []string
	targets    []string // the targets on the command line
	offline    bool
	keys       string
	fetchKeys  bool
	signKey    string
	pins       string
	pinPolicy  string
	approve    []string
	approvals  string
	upgrade    bool
	allowSafer bool
	verbose    bool
	quiet      bool // verbose, but nothing is logged because the result shows the requests
	now        string
	consent    *consent               // set by setApprovals
	record     func(*client.Exchange) // without a flag of its own: see --save
	observe    client.Observe         // without a flag: see the verb inspect
	digests    bool                   // without a flag: see "wayfind pin"
	memory     int64                  // memory and keepAlive have no flags: see the verb batch
	keepAlive  time.Duration
	servers    serverFlags // for the verbs with --server
}

func (n *network) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&n.formats, "formats", nil, "ask for these formats only, as `A,B`: names, or the groups seeds, field and all (see \"wayfind formats\")")
	_ = cmd.RegisterFlagCompletionFunc("formats", completeFormats) // fails only if the command has no such flag
	f.BoolVar(&n.live, "live", false, "contact the MCP and JSON-RPC servers at the origin that its documents name; \"wayfind describe\" also those elsewhere, if you approve. A URL with a path, such as https://example.com/mcp, is asked itself, unless --live=false")
	f.BoolVar(&n.dev, "dev", false, "for developers: ask the servers that you name even over http or at a loopback address, such as http://localhost:3000/mcp; nothing else is loosened")
	f.StringArrayVarP(&n.headers, "header", "H", nil, headerHelp)
	f.BoolVar(&n.offline, "offline", false, "send no requests: show stored answers, also stale ones")
	f.StringVar(&n.cache, "cache", "", "keep answers in this `DIR`, in a Redis server (redis://, rediss://, unix://), or \"none\" (default: wayfind in the user's cache directory; none with --now and with flags that change who answers)")
	f.StringVar(&n.cacheKey, "cache-key", "", "authenticate answers in Redis with the first line of `FILE`, and accept those of its other lines")
	f.DurationVar(&n.timeout, "timeout", client.DefaultTimeout, "give up on a domain after this `TIME`")
	f.BoolVarP(&n.verbose, "verbose", "v", false, "log each request to standard error")

	f.StringArrayVar(&n.connectTo, "connect-to", nil, "connect to ADDR:PORT instead of HOST:PORT, as `HOST:PORT:ADDR:PORT`; ADDR is an IP address and must be allowed (see --allow-cidr)")
	f.StringVar(&n.cacert, "cacert", "", "trust the certificate authorities in `FILE` (PEM) instead of the system's")
	f.StringArrayVar(&n.allowCIDR, "allow-cidr", nil, "allow addresses in `CIDR` that are otherwise refused, for example 127.0.0.0/8")
	f.StringArrayVar(&n.allowName, "allow-name", nil, "allow a `NAME` of your own network, such as api.corp.internal or *.corp.internal; its addresses must be allowed (see --allow-cidr)")
	f.UintSliceVar(&n.allowPort, "allow-port", nil, "allow a `PORT` other than 443 for the names of --allow-name")
	f.StringArrayVar(&n.allowNAT, "allow-nat64", nil, "contact IPv4 sites through the NAT64 `PREFIX` of this network, for example 64:ff9b::/96")
	f.StringVar(&n.proxy, "unsafe-proxy", "", "connect through the HTTP proxy at `URL`; the proxy chooses the addresses, and must keep requests out of private networks itself")
	f.StringVar(&n.userAgent, "user-agent", client.DefaultUserAgent, "send this `TEXT` as User-Agent")
	f.StringVar(&n.contact, "contact", "", "add this `ADDRESS`, a URL or an e-mail address, to the User-Agent, for the operators of sites")
	f.StringVar(&n.signKey, "sign-key", "", signHelp)
	f.StringVar(&n.robots, "robots", "report", "treat a site's robots.txt in this `MODE`: report, ignore or enforce")
	f.Int64Var(&n.maxBytes, "max-bytes", parse.DefaultBytes, "read at most this `NUMBER` of bytes of a document")

	f.BoolVar(&n.strict, "strict", false, "refuse documents that break a MUST of their specification")
	f.StringVar(&n.pins, "pins", "", "compare definitions with the pins in `FILE` (see \"wayfind pin\")")
	f.StringVar(&n.pinPolicy, "pin-policy", "refuse", "treat definitions that differ from their pins by this `POLICY`: refuse; warn; safer, which accepts equal and safer ones; strict, which also refuses pinned ones that could not be seen, and new ones")
	f.StringVar(&n.keys, "keys", "", keysHelp)
	f.BoolVar(&n.fetchKeys, "fetch-keys", false, "fetch the keys that Agent Cards name on their own site; they prove that a card was not changed, but not its author")
	f.StringArrayVar(&n.approve, "approve", nil, "allow contact with a host that a document of another site names, as `HOST[:PROTOCOL]`: HOST to read documents there, HOST:mcp or HOST:jsonrpc to contact a server (see --live), HOST:call to make calls, HOST:oauth to log in")
	f.StringVar(&n.approvals, "approvals", "", "keep your approvals in `FILE`, for 30 days and for the same document (default: they count for this run only)")
	f.BoolVar(&n.allowSafer, "allow-safer", false, "let approvals count for another version of a document that is equal or safer")
	f.BoolVar(&n.upgrade, "upgrade", false, "rewrite files of pins and approvals of an older version; older programs can no longer read them")

	f.StringVar(&n.now, "now", "", "use this `TIME` (RFC 3339) as the present, for reproducible output")
}

// nameTargets records the targets of a command line. It returns the error of the first word that cannot
// be a target, so that the arguments of a mistyped command are not asked for. It turns --live on if
// all targets are URLs with a path, because such a URL may be an endpoint that no document names.
func nameTargets(a *ui.App, cmd *cobra.Command, n *network, targets ...string) error {
	if err := n.servers.read(); err != nil {
		return err
	}
	n.targets = targets
	a.Guard = n.devGuard()
	paths := len(targets) > 0
	for _, s := range targets {
		target, _, err := resolve.ParseTargetFor(s, a.Guard)
		if err != nil {
			return err
		}
		paths = paths && target.Base != "" && (document.HasScheme(s, "https") || a.Guard.IsDev(target.Origin))
	}
	if !cmd.Flags().Changed("live") && (paths || len(n.servers.specs) > 0) {
		n.live = true
	}
	return nil
}

// devGuard returns a guard that permits the targets of --dev and --allow-name, and the servers of
// --server.
func (n *network) devGuard() *security.Guard {
	guard := &security.Guard{AllowNames: n.allowName}
	for _, port := range n.allowPort {
		guard.AllowPorts = append(guard.AllowPorts, uint16(port))
	}
	guard.AllowDev = n.devOrigins()
	for _, spec := range n.servers.specs {
		guard.AllowDev = append(guard.AllowDev, spec.Origin())
	}
	return guard
}

// devOrigins returns the origins of the targets of --dev.
func (n *network) devOrigins() (list []string) {
	for _, s := range n.targets {
		if origin, err := security.ParseDev(s); n.dev && err == nil && !slices.Contains(list, origin) {
			list = append(list, origin)
		}
	}
	return list
}

// options returns the client.Options for the flags. Its errors are mistakes of the caller.
func (n *network) options(a *ui.App) (*client.Options, error) {
	o := &client.Options{Timeout: n.timeout, Limits: client.Limits{MaxBytes: n.maxBytes, Memory: n.memory}, Strict: n.strict, Network: client.Network{UserAgent: agentText(n.userAgent, n.contact), KeepAlive: n.keepAlive}, Offline: n.offline, Observe: n.observe, Lab: client.Lab{Record: n.record}}
	if n.timeout <= 0 || n.maxBytes <= 0 {
		return nil, ui.Usagef("--timeout and --max-bytes take values above zero")
	}
	o.Logger = ui.NewLogger(a.Err, n.verbose && !n.quiet)
	if n.live {
		o.Live = []client.LiveProber{livemcp.New(nil), liverpc.New()}
	}
	approvals := func(o *client.Options) error { return n.setApprovals(a, o) }
	for _, step := range []func(*client.Options) error{n.setRobots, n.setFormats, n.setPolicy, n.setHeaders, n.setRoots, n.setClock, n.setKeys, n.setSigner, n.setPins, approvals} {
		if err := step(o); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (n *network) setRobots(o *client.Options) error {
	modes := map[string]client.RobotsMode{"report": client.RobotsReport, "ignore": client.RobotsIgnore, "enforce": client.RobotsEnforce}
	mode, ok := modes[n.robots]
	if !ok {
		return ui.Usagef("--robots %q: write report, ignore or enforce", n.robots)
	}
	o.Robots.Mode = mode
	return nil
}

func (n *network) setFormats(o *client.Options) (err error) {
	if len(n.formats) > 0 {
		o.Formats, err = formats.Select(n.formats...)
	}
	if err != nil {
		return ui.Usage(nearestFormat(n.formats, err))
	}
	return nil
}

// nearestFormat returns the error for words that name no format. It suggests a similar name if
// there is one.
func nearestFormat(wanted []string, err error) error {
	names := formatWords()
	for _, word := range wanted {
		if near := text.Nearest(word, names); near != "" && !slices.Contains(names, word) {
			return fmt.Errorf("there is no format %q; did you mean %s? \"wayfind formats\" lists all", word, near)
		}
	}
	return err
}

// formatWords returns the values of --formats: names of formats and of groups.
func formatWords() (names []string) {
	for _, f := range slices.Concat(formats.All(), formats.OnRequest()) {
		names = append(names, f.Name)
	}
	for _, g := range formats.Groups() {
		names = append(names, g.Name)
	}
	return names
}

// completeFormats completes the last value of --formats with the names of formats and groups.
func completeFormats(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	var words []string
	for _, g := range formats.Groups() {
		words = append(words, before+g.Name+"\t"+g.Title)
	}
	for _, f := range slices.Concat(formats.All(), formats.OnRequest()) {
		words = append(words, before+f.Name+"\t"+f.Title)
	}
	return words, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
}

func (n *network) setPolicy(o *client.Options) error {
	own := n.devGuard()
	if i := slices.IndexFunc(n.allowPort, func(port uint) bool { return port == 0 || port > 1<<16-1 }); i >= 0 {
		return ui.Usagef("--allow-port %d: write a port from 1 to 65535", n.allowPort[i])
	}
	o.Policy.AllowDev, o.Policy.AllowNames, o.Policy.AllowPorts = own.AllowDev, own.AllowNames, own.AllowPorts
	for _, s := range n.allowCIDR {
		prefix, err := netip.ParsePrefix(s)
		if err != nil {
			return ui.Usagef("--allow-cidr %q: write an address range such as 127.0.0.0/8", s)
		}
		o.Policy.AllowCIDR = append(o.Policy.AllowCIDR, prefix)
	}
	for _, s := range n.allowNAT {
		prefix, err := netip.ParsePrefix(s)
		if err != nil {
			return ui.Usagef("--allow-nat64 %q: write an address range such as 64:ff9b::/96", s)
		}
		o.Policy.AllowNAT64 = append(o.Policy.AllowNAT64, prefix)
	}
	if n.proxy != "" {
		proxy, err := security.ParseProxy(n.proxy)
		if err != nil {
			return ui.Usagef("--unsafe-proxy: %w; write http://HOST:PORT or https://HOST:PORT", err)
		}
		o.Policy.UnsafeProxy = proxy
	}
	for _, s := range n.connectTo {
		host, to, err := parseConnectTo(s, &o.Policy)
		if err != nil {
			return err
		}
		if o.Policy.ConnectTo == nil {
			o.Policy.ConnectTo = map[string]netip.AddrPort{}
		}
		o.Policy.ConnectTo[host] = to
	}
	return nil
}

// parseConnectTo reads HOST:PORT:ADDR:PORT, where ADDR may be [v6]. HOST may be a name of
// --allow-name.
func parseConnectTo(s string, guard *security.Guard) (at string, to netip.AddrPort, err error) {
	parts := strings.SplitN(s, ":", 3)
	if len(parts) == 3 {
		to, err = netip.ParseAddrPort(parts[2])
		port, portErr := strconv.ParseUint(parts[1], 10, 16)
		host, hostErr := namedHost(parts[0], parts[1], guard)
		if err == nil && portErr == nil && hostErr == nil && port > 0 {
			return fmt.Sprintf("%s:%d", host, port), to, nil
		}
	}
	return "", to, ui.Usagef("--connect-to %q: write HOST:PORT:ADDR:PORT such as example.com:443:127.0.0.1:8443", s)
}

// namedHost returns the canonical form of a host that a flag names with a port.
func namedHost(host, port string, guard *security.Guard) (string, error) {
	if origin, tail, ok := guard.DevTarget("https://" + host + ":" + port); ok && tail == "/" {
		u, err := url.Parse(origin)
		return u.Hostname(), err
	}
	canon, _, err := security.CanonicalHost(host)
	return canon, err
}

// setRoots reads --cacert. A run that trusts other authorities has another view of the Internet.
// The hash of the file identifies that view.
func (n *network) setRoots(o *client.Options) error {
	if n.cacert == "" {
		return nil
	}
	pem, err := os.ReadFile(n.cacert)
	if err != nil {
		return ui.Usagef("--cacert: %w", err)
	}
	o.Network.RootCAs = x509.NewCertPool()
	if !o.Network.RootCAs.AppendCertsFromPEM(pem) {
		return ui.Usagef("--cacert %s: there is no PEM certificate in it", n.cacert)
	}
	sum := sha256.Sum256(pem)
	o.Network.View = "cacert " + hex.EncodeToString(sum[:])
	return nil
}

func (n *network) setClock(o *client.Options) (err error) {
	o.Lab.Now, err = parseNow(n.now)
	return err
}

func parseNow(s string) (func() time.Time, error) {
	if s == "" {
		return nil, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return nil, ui.Usagef("--now %q: write a time such as 2026-01-02T15:04:05Z", s)
	}
	return fixed(t), nil
}

// fixed returns a clock that always returns the same time. Its monotonic reading does not advance
// either, so the output does not depend on how long anything took.
func fixed(t time.Time) func() time.Time {
	now := time.Now()
	now = now.Add(t.Sub(now)) // UTC would remove the monotonic reading
	return func() time.Time { return now }
}
