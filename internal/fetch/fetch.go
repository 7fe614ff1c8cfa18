// Package fetch asks web sites for this module: the guarded way from a URL to
// the bytes of an answer, as a stack of [Step] values.
//
// From the top: [NewBody] bounds and decodes answers; [NewRetry] asks again
// where that may help; [NewConns] holds the connections. A [Walk] judges the
// redirects between two requests. Start with
//
//	conns := fetch.NewConns(fetch.Options{})
//	defer conns.Close()
//	stack := fetch.NewBody(fetch.NewRetry(conns))
//	resp, err := stack.Do(ctx, &fetch.Ask{URL: u})
//
// The package promises: no connection is opened to an address that the
// [security.Guard] refuses, on any hop and on any redial, unless the caller
// chose another way to the address (Policy.UnsafeProxy, UnsafeDial); requests
// are GET or HEAD, except with Options.Interactive; they carry no cookie, no
// Referer and no credential except [Ask.Auth], each part of which goes to its
// own origin only; proxy environment variables are ignored; every read is
// bounded in bytes and in time; every error is a *wayfind.Error whose Op names
// the stage ("dns", "dial", "proxy", "tls", "headers", "body", "redirect") and
// whose Code names the cause. A request that the caller gave up, or whose own
// deadline passed, fails with the context's error wrapped and without a Kind:
// that is no fact about the site.
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

// Limits in time. None of them starts anew because a peer makes progress.
const (
	lookupTimeout    = 3 * time.Second
	dialTimeout      = 3 * time.Second             // all addresses of a name together
	tunnelTimeout    = lookupTimeout + dialTimeout // both are the proxy's to do
	handshakeTimeout = 5 * time.Second             // TLS, and the preface of HTTP/2
	headerTimeout    = 10 * time.Second            // from the request to the end of the header: AI Discovery §2.2
	requestTimeout   = 15 * time.Second            // all of it, without waiting for a free connection

	// The same for Interactive: a live peer may have to think.
	interactiveHeaderTimeout = 60 * time.Second
	interactiveTimeout       = 5 * time.Minute

	fallbackDelay = 300 * time.Millisecond // RFC 8305 §8, "Connection Attempt Delay"
	maxAddresses  = 4

	// maxHeaderBytes bounds all header fields of one answer, informational
	// answers included.
	maxHeaderBytes = 64 << 10

	// maxConns of HTTP/1.1 to one origin.
	maxConns = 6

	defaultKeepAlive = 30 * time.Second
	defaultUserAgent = "wayfind (+https://github.com/wayfindhq/wayfind)"
)

// Receive windows of HTTP/2: the bytes that a site can put into our memory
// before we read any. Go's defaults (4 MiB for a stream) would let it fill that
// before the caps on bodies see a byte, and many sites at once that of a
// process.
const (
	streamWindow = 256 << 10
	connWindow   = 512 << 10
)

// allowance is the number of bytes that a peer may send for the handshake, and
// for each request: a header, the unread bytes of a stream, frames and records.
// Twice the bytes that are read of bodies come on top.
const allowance = 1 << 20

// maxInformational bounds the informational responses (RFC 9110 §15.2) before
// an answer. One or two are usual.
const maxInformational = 1_000

// Options of [NewConns]. The zero value is the safe default.
type Options struct {
	// Policy says which addresses may be asked; nil is the default policy.
	Policy *security.Guard
	// Resolver looks names up. It gets rooted names ("example.com."), and must
	// not write IPv4 addresses in IPv6 form: those are refused. The default is
	// Go's own resolver.
	Resolver Resolver
	// Dial opens a connection to an address that the policy has allowed. It
	// must return soon after ctx ends. The default asks the policy once more
	// at the socket. The real peer of another function cannot be checked from
	// here: the function is trusted. With Policy.UnsafeProxy it connects to the
	// proxy, whose address no policy judges.
	Dial func(ctx context.Context, addr netip.AddrPort) (net.Conn, error)
	// Local opens connections to servers that are part of this process, by their hosts.
	// Only an origin of Policy.AllowDev over http is reached in this way.
	Local map[string]func(ctx context.Context) (net.Conn, error)
	// RootCAs to trust; nil means the system's. They are for an https proxy as
	// well.
	RootCAs *x509.CertPool
	// BeforeHost is asked before a name is looked up, or handed to a proxy that
	// looks it up. An error refuses the host. ctx is that of the connection.
	BeforeHost func(ctx context.Context, host string) error
	// UnsafeDial opens a connection to "host:443" where the address is not
	// known here: no look-up and no guard, only the rules of
	// Policy.CheckTunnel. It must return soon after ctx ends. With
	// Policy.UnsafeProxy it is not used.
	UnsafeDial func(ctx context.Context, network, hostport string) (net.Conn, error)
	// UnsafeTLS is the caller's configuration of TLS to sites; it must pass
	// [CheckTLS].
	UnsafeTLS *tls.Config
	// Certificate authenticates us to every site, so that these connections must be for
	// one. A site that does not ask for it is not spoken with.
	Certificate *tls.Certificate
	// Signing signs requests over https.
	Signing Signing
	// UserAgent of every request; the default names this module and its URL.
	UserAgent string
	// KeepAlive is how long an idle connection is kept; default 30 s,
	// negative: not at all.
	KeepAlive time.Duration
	// Concurrency narrows the number of requests to one origin at a time. The
	// default is the maximum: 6 with HTTP/1.1, no limit of ours with HTTP/2.
	Concurrency int
	// Interactive connections are for protocols that are spoken with a live
	// endpoint: all methods but CONNECT and TRACE, with bodies, not compressed, and
	// more time for an answer.
	Interactive bool
}

// Resolver has the methods that are needed of a *net.Resolver.
type Resolver interface {
	// LookupNetIP with network "ip" returns all IPv4 and IPv6 addresses.
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

// width is the number of HTTP/1.1 connections that an origin may have.
func (o *Options) width() int {
	if o.Concurrency > 0 {
		return min(o.Concurrency, maxConns)
	}
	return maxConns
}

// requestTimeout is the time for one whole exchange.
func (o *Options) requestTimeout() time.Duration {
	if o.Interactive {
		return interactiveTimeout
	}
	return requestTimeout
}

// headerTimeout is the time from the request to the end of the header.
func (o *Options) headerTimeout() time.Duration {
	if o.Interactive {
		return interactiveHeaderTimeout
	}
	return headerTimeout
}
