// Package fetch asks web sites for this module: the guarded way from a URL to
// the bytes of an answer, as a stack of [Step] values.
//
// The steps are, from the top: [NewBody] bounds and decodes answers, [NewRetry] asks again if that
// may help, and [NewConns] holds the connections. A [Walk] checks the redirects between two
// requests. Start with
//
//	conns := fetch.NewConns(fetch.Options{})
//	defer conns.Close()
//	stack := fetch.NewBody(fetch.NewRetry(conns))
//	resp, err := stack.Do(ctx, &fetch.Ask{URL: u})
//
// The package guarantees the following. No connection is opened to an address that the
// [security.Guard] refuses, on any hop and on any redial, unless the caller chose another way to
// the address (Policy.UnsafeProxy, UnsafeDial). Requests are GET or HEAD, except with
// Options.Interactive. They carry no cookie, no Referer and no credential except [Ask.Auth], and
// each part of it is sent only to its own origin. Proxy environment variables are ignored. Every
// read is bounded in bytes and in time. Every error is a *wayfind.Error whose Op is the stage
// ("dns", "dial", "proxy", "tls", "headers", "body", "redirect") and whose Code is the cause. If
// the caller gave up a request, or its own deadline passed, the error wraps the error of the
// context and has no Kind, because it is no fact about the site.
package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/netip"
	"time"

	"github.com/wayfindhq/wayfind/security"
)

// Time limits. They do not start anew if a peer makes progress.
const (
	lookupTimeout    = 3 * time.Second
	dialTimeout      = 3 * time.Second             // all addresses of a name together
	tunnelTimeout    = lookupTimeout + dialTimeout // the proxy does both
	handshakeTimeout = 5 * time.Second             // TLS, and the preface of HTTP/2
	headerTimeout    = 10 * time.Second            // from the request to the end of the header: AI Discovery §2.2
	requestTimeout   = 15 * time.Second            // the whole exchange, once it has a connection

	// The same for Interactive, because a live peer may need longer.
	interactiveHeaderTimeout = 60 * time.Second
	interactiveTimeout       = 5 * time.Minute

	fallbackDelay = 300 * time.Millisecond // RFC 8305 §8, "Connection Attempt Delay"
	maxAddresses  = 4

	// maxHeaderBytes bounds all header fields of one answer, including informational answers.
	maxHeaderBytes = 64 << 10

	// maxConns is the number of HTTP/1.1 connections to one origin.
	maxConns = 6

	defaultKeepAlive = 30 * time.Second
	defaultUserAgent = "wayfind (+https://github.com/wayfindhq/wayfind)"
)

// Receive windows of HTTP/2: the bytes that a site can send before any are read. With Go's defaults
// (4 MiB for a stream) a site could fill that memory before the limits on bodies apply, and many
// sites at once could fill the memory of a process.
const (
	streamWindow = 256 << 10
	connWindow   = 512 << 10
)

// allowance is the number of bytes that a peer may send for the handshake, and for each request: a
// header, the unread bytes of a stream, frames and records. Twice the bytes that are read of bodies
// are added to it.
const allowance = 1 << 20

// maxInformational bounds the informational responses (RFC 9110 §15.2) before
// an answer. One or two are usual.
const maxInformational = 1_000

// Options configures [NewConns]. The zero value is the safe default.
type Options struct {
	// Policy determines the addresses that may be asked; nil means the default policy.
	Policy *security.Guard
	// Resolver looks up names. It gets rooted names ("example.com."). It must not return IPv4
	// addresses in IPv6 form, because they are refused. The default is Go's own resolver.
	Resolver Resolver
	// Dial opens a connection to an address that the policy has allowed. It must return soon after
	// ctx ends. The default asks the policy once more at the socket. If Dial is another function,
	// its real peer cannot be checked: the function is trusted. With Policy.UnsafeProxy it connects
	// to the proxy, and no policy checks the address of the proxy.
	Dial func(ctx context.Context, addr netip.AddrPort) (net.Conn, error)
	// Local opens connections to servers that are part of this process, by their hosts. Only an
	// origin of Policy.AllowDev over http is reached in this way.
	Local map[string]func(ctx context.Context) (net.Conn, error)
	// RootCAs are the trusted certificate authorities, for an https proxy as well; nil means the
	// system's.
	RootCAs *x509.CertPool
	// BeforeHost is called before a name is looked up, or passed to a proxy that looks it up. If it
	// returns an error, the host is refused. ctx is the context of the connection.
	BeforeHost func(ctx context.Context, host string) error
	// UnsafeDial opens a connection to "host:443" if its address is not known to this process.
	// There is no look-up and no guard; only the rules of Policy.CheckTunnel apply. It must return
	// soon after ctx ends. With Policy.UnsafeProxy it is not used.
	UnsafeDial func(ctx context.Context, network, hostport string) (net.Conn, error)
	// UnsafeTLS is the caller's configuration of TLS to sites; it must pass
	// [CheckTLS].
	UnsafeTLS *tls.Config
	// Certificate authenticates this client to every site, so these connections must be for one
	// site. If the site does not request it, no request is sent.
	Certificate *tls.Certificate
	// Signing signs requests over https.
	Signing Signing
	// UserAgent is the User-Agent of every request; the default names this module and its URL.
	UserAgent string
	// KeepAlive is the time that an idle connection is kept; default 30 s, negative for no time.
	KeepAlive time.Duration
	// Concurrency narrows the number of requests to one origin at a time. The default is the
	// maximum: 6 with HTTP/1.1, and no limit of this package with HTTP/2.
	Concurrency int
	// Interactive makes connections for protocols that are spoken with a live endpoint: all methods
	// except CONNECT and TRACE, with bodies, without compression, and with more time for an answer.
	Interactive bool
}

// Resolver has the required methods of a *net.Resolver.
type Resolver interface {
	// LookupNetIP returns all IPv4 and IPv6 addresses if network is "ip".
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

func (o *Options) policy() *security.Guard {
	if o.Policy == nil {
		return &security.Guard{}
	}
	return o.Policy
}

func (o *Options) resolver() Resolver {
	if o.Resolver == nil {
		return &systemResolver{net.Resolver{PreferGo: true}}
	}
	return o.Resolver
}

func (o *Options) userAgent() string {
	if o.UserAgent == "" {
		return defaultUserAgent
	}
	return o.UserAgent
}

func (o *Options) keepAlive() time.Duration {
	if o.KeepAlive == 0 {
		return defaultKeepAlive
	}
	return o.KeepAlive
}

// width returns the number of HTTP/1.1 connections that an origin may have.
func (o *Options) width() int {
	if o.Concurrency > 0 {
		return min(o.Concurrency, maxConns)
	}
	return maxConns
}

// requestTimeout returns the time for one whole exchange.
func (o *Options) requestTimeout() time.Duration {
	if o.Interactive {
		return interactiveTimeout
	}
	return requestTimeout
}

// headerTimeout returns the time that net/http allows from the end of a request, which may have a
// body, to the end of the header. Zero means that exchange.TimeOut limits it.
func (o *Options) headerTimeout() time.Duration {
	if o.Interactive {
		return interactiveHeaderTimeout
	}
	return 0
}
