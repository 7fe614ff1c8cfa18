package session

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/parse"
)

// Network holds the flags of the verbs that send requests.
type Network struct {
	connectTo  []string
	cacert     string
	allowCIDR  []string
	allowName  []string
	allowPort  []uint
	allowNAT   []string
	proxy      string
	Timeout    time.Duration
	maxBytes   int64
	Strict     bool
	Formats    []string
	userAgent  string
	Contact    string
	Cache      string
	cacheKey   string
	Robots     string
	Live       bool
	mcp        bool
	ServerURL  string // for files: see RegisterMCP
	Dev        bool
	headers    []string
	Targets    []string // the targets on the command line
	Offline    bool
	keys       string
	fetchKeys  bool
	signKey    string
	Pins       string
	pinPolicy  string
	approve    []string
	approvals  string
	Upgrade    bool
	allowSafer bool
	Verbose    bool
	Quiet      bool // verbose, but nothing is logged because the result shows the requests
	Now        string
	consent    *consent               // set by setApprovals
	Record     func(*client.Exchange) // without a flag of its own: see --save
	Observe    client.Observe         // without a flag: see the verb inspect
	Digests    bool                   // without a flag: see "wayfind pin"
	Memory     int64                  // Memory and KeepAlive have no flags: see the verb batch
	KeepAlive  time.Duration
	Servers    serverFlags    // for the verbs with --server
	Source     client.Targets // set by NameTargets: who named the targets
}

// Register adds the flags to a command.
func (n *Network) Register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&n.Formats, "formats", nil, "ask for these formats only, as `A,B`: names, or the groups seeds, field and all (see \"wayfind formats\")")
	_ = cmd.RegisterFlagCompletionFunc("formats", completeFormats) // fails only if the command has no such flag
	f.BoolVar(&n.Live, "live", false, "contact the MCP and JSON-RPC servers at the origin that its documents name; \"wayfind describe\" also those elsewhere, if you approve. A URL with a path, such as https://example.com/mcp, is asked as a server if its answer to a GET has a sign of one, unless --live=false")
	f.BoolVar(&n.Dev, "dev", false, "for developers: ask the servers that you name even over http or at a loopback address, such as http://localhost:3000/mcp; nothing else is loosened")
	f.StringArrayVarP(&n.headers, "header", "H", nil, headerHelp)
	f.BoolVar(&n.Offline, "offline", false, "send no requests: show stored answers, also stale ones")
	f.StringVar(&n.Cache, "cache", "", "keep answers in this `DIR`, in a Redis server (redis://, rediss://, unix://), or \"none\" (default: wayfind in the user's cache directory; none with --now and with flags that change who answers)")
	f.StringVar(&n.cacheKey, "cache-key", "", "authenticate answers in Redis with the first line of `FILE`, and accept those of its other lines")
	f.DurationVar(&n.Timeout, "timeout", client.DefaultTimeout, "give up on a domain after this `TIME`")
	f.BoolVarP(&n.Verbose, "verbose", "v", false, "log each request to standard error")

	f.StringArrayVar(&n.connectTo, "connect-to", nil, "connect to ADDR:PORT instead of HOST:PORT, as `HOST:PORT:ADDR:PORT`; ADDR is an IP address and must be allowed (see --allow-cidr)")
	f.StringVar(&n.cacert, "cacert", "", "trust the certificate authorities in `FILE` (PEM) instead of the system's")
	f.StringArrayVar(&n.allowCIDR, "allow-cidr", nil, "allow addresses in `CIDR` that are otherwise refused, for example 127.0.0.0/8")
	f.StringArrayVar(&n.allowName, "allow-name", nil, "allow a `NAME` of your own network, such as api.corp.internal or *.corp.internal; its addresses must be allowed (see --allow-cidr)")
	f.UintSliceVar(&n.allowPort, "allow-port", nil, "allow a `PORT` other than 443 for the names of --allow-name")
	f.StringArrayVar(&n.allowNAT, "allow-nat64", nil, "contact IPv4 sites through the NAT64 `PREFIX` of this network, for example 64:ff9b::/96")
	f.StringVar(&n.proxy, "unsafe-proxy", "", "connect through the HTTP proxy at `URL`; the proxy chooses the addresses, and must keep requests out of private networks itself")
	f.StringVar(&n.userAgent, "user-agent", client.DefaultUserAgent, "send this `TEXT` as User-Agent")
	f.StringVar(&n.Contact, "contact", "", "add this `ADDRESS`, a URL or an e-mail address, to the User-Agent, for the operators of sites")
	f.StringVar(&n.signKey, "sign-key", "", signHelp)
	f.StringVar(&n.Robots, "robots", "report", "treat a site's robots.txt in this `MODE`: report, ignore or enforce")
	f.Int64Var(&n.maxBytes, "max-bytes", parse.DefaultBytes, "read at most this `NUMBER` of bytes of a document")

	f.BoolVar(&n.Strict, "strict", false, "refuse documents that break a MUST of their specification")
	f.StringVar(&n.Pins, "pins", "", "compare definitions with the pins in `FILE` (see \"wayfind pin\")")
	f.StringVar(&n.pinPolicy, "pin-policy", "refuse", "treat definitions that differ from their pins by this `POLICY`: refuse; warn; safer, which accepts equal and safer ones; strict, which also refuses pinned ones that could not be seen, and new ones")
	f.StringVar(&n.keys, "keys", "", KeysHelp)
	f.BoolVar(&n.fetchKeys, "fetch-keys", false, "fetch the keys that Agent Cards name on their own site; they prove that a card was not changed, but not its author")
	f.StringArrayVar(&n.approve, "approve", nil, "allow contact with a host that a document of another site names, as `HOST[:PROTOCOL]`: HOST to read documents there, HOST:mcp or HOST:jsonrpc to contact a server (see --live), HOST:call to make calls, HOST:oauth to log in. "+sameSite+" allows documents and servers at all hosts of the site that names them, but no login")
	f.StringVar(&n.approvals, "approvals", "", "keep your approvals in `FILE`, for 30 days and for the same document (default: they count for this run only)")
	f.BoolVar(&n.allowSafer, "allow-safer", false, "let approvals count for another version of a document that is equal or safer")
	f.BoolVar(&n.Upgrade, "upgrade", false, "rewrite files of pins and approvals of an older version; older programs can no longer read them")

	f.StringVar(&n.Now, "now", "", "use this `TIME` (RFC 3339) as the present, for reproducible output")
}
