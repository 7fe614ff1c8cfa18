package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/netip"
	"time"

	"github.com/wayfindhq/wayfind/security"
)

// Resolver looks up names. *net.Resolver is one.
type Resolver interface {
	// LookupNetIP is called with network "ip" and a rooted name ("example.com."). It returns all
	// addresses of that name.
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Network configures the access to the network, for [Options].
type Network struct {
	// Resolver replaces the system's DNS. Policy checks its whole answer before anything is dialed.
	// With Policy.UnsafeProxy it is only asked for the name of the proxy, in the form in which it
	// is written.
	Resolver Resolver
	// Dial replaces the opening of a connection. It gets an address that Policy already allows, and
	// must connect to exactly that address. With Policy.UnsafeProxy it connects to the proxy.
	Dial func(ctx context.Context, addr netip.AddrPort) (net.Conn, error)
	// Local opens connections to servers that are part of this process and listen at no address, by
	// their hosts, such as "notes.localhost". Policy.AllowDev must contain the origin
	// ("http://notes.localhost"). No place of such a host is asked for documents, only an endpoint
	// that is named. Local does not change the sharing of the answers of all other hosts.
	Local map[string]func(ctx context.Context) (net.Conn, error)
	// UnsafeDial opens connections that only the caller can address: through an SSH tunnel, or the
	// sidecar of a service mesh. It gets "tcp" and "example.com:443", looks up the name itself, and
	// must return soon after ctx ends. Unsafe: this module checks no address, so the function
	// itself must connect only to public ones. This module still ensures that hosts are canonical
	// public names and that TLS is verified up to the site. New logs a warning, and each Site of
	// Resolve has the diagnostic "policy.unsafe_dial". UnsafeDial cannot be combined with
	// Policy.UnsafeProxy. Connections of Policy.ConnectTo do not use it.
	UnsafeDial func(ctx context.Context, network, hostport string) (net.Conn, error)
	// UnsafeTLS adds settings that an organisation may demand to TLS with sites: Certificates and
	// GetClientCertificate (mutual TLS), KeyLogWriter (debugging), CipherSuites, CurvePreferences,
	// MinVersion and MaxVersion (its rules). Unsafe: a client certificate reveals the identity of
	// the caller to every site that requests one, and a key log reveals the traffic to every reader
	// of it. New refuses every other field, so nothing disables the verification of certificates or
	// lowers TLS below 1.2. Use RootCAs for certificate authorities.
	UnsafeTLS *tls.Config
	// RootCAs replaces the system's certificate authorities.
	RootCAs *x509.CertPool
	// View identifies the network behind Dial, Resolver, RootCAs, UnsafeDial and UnsafeTLS. Clients
	// and processes that share a Store and a View see the same Internet. If one of the five is set
	// and View is empty, a random View is chosen, so nothing is shared. Policy is always part of
	// the view.
	View string
	// KeepAlive is the time that an idle connection stays open; default 30 seconds.
	KeepAlive time.Duration
	// DevCredentials are sent with every request to their origins, which must be in Policy.AllowDev:
	// the header fields, for example, that a gateway before a server under development demands. No
	// other origin gets them, also after a redirect. Over http they are sent to this machine only. A
	// credential that a request has of its own replaces one with the same field. The place In is a
	// header field or a cookie; fields that belong to HTTP, to a protocol or to the cache are
	// refused. Answers from these origins stay in this process, and the values are replaced in
	// results of calls, recordings and documents.
	DevCredentials []security.Credential
	// UserAgent is sent with every request; default DefaultUserAgent. Name your product and a URL.
	UserAgent string
	// Sign signs requests over https with a key of the caller, so that sites can recognise them
	// (Web Bot Auth). If it is nil, no request is signed.
	Sign *Sign
	// BeforeHost is called for each host from a caller, a document or a redirect, before its name
	// is looked up, and again for each new connection to it. If it returns an error, the host is
	// refused: kind wayfind.ErrRefused, code wayfind.CodeHostRefused. It runs inside work that
	// several callers share, so ctx has no values of theirs. It must return soon after ctx ends.
	// security.HostDetector returns a ready function. If it is nil, all hosts are allowed.
	BeforeHost func(ctx context.Context, host string) error
}
