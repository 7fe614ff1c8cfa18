package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/netip"
	"time"
)

// Resolver looks names up. *net.Resolver is one.
type Resolver interface {
	// LookupNetIP is called with network "ip" and a rooted name
	// ("example.com.") and returns all addresses of it.
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Network is how the network is reached, for [Options].
type Network struct {
	// Resolver replaces the system's DNS. Its whole answer is judged by
	// Policy before anything is dialed. With Policy.UnsafeProxy it is asked for
	// the name of the proxy alone, as that is written.
	Resolver Resolver
	// Dial replaces the opening of a connection. It gets an address that
	// Policy already allows, and must connect to just that. With
	// Policy.UnsafeProxy it connects to the proxy.
	Dial func(ctx context.Context, addr netip.AddrPort) (net.Conn, error)
	// Local opens connections to servers that are part of this process and listen at no
	// address, by their hosts, such as "notes.localhost". Policy.AllowDev must have the
	// origin ("http://notes.localhost"). No place of such a host is asked for documents, only
	// an endpoint that is named. The answers of all other hosts are shared as without it.
	Local map[string]func(ctx context.Context) (net.Conn, error)
	// UnsafeDial makes the connections where it alone can know the address: an
	// SSH tunnel, the sidecar of a service mesh. It gets "tcp" and
	// "example.com:443", looks the name up itself, and must return soon after
	// ctx ends. Unsafe: no address is judged here, so the function itself must
	// keep to public ones. This module still ensures that hosts are canonical
	// public names and that TLS is verified up to the site. New logs a warning,
	// and each Site of Resolve has the diagnostic "policy.unsafe_dial". Not
	// together with Policy.UnsafeProxy; Policy.ConnectTo goes past it.
	UnsafeDial func(ctx context.Context, network, hostport string) (net.Conn, error)
	// UnsafeTLS adds settings to TLS with sites that an organisation may demand:
	// Certificates and GetClientCertificate (mutual TLS), KeyLogWriter
	// (debugging), CipherSuites, CurvePreferences, MinVersion and MaxVersion
	// (its rules). Unsafe: a client certificate tells every site that asks who
	// the caller is, and a key log opens the traffic to anyone who reads it. New
	// refuses every other field: nothing switches the verification of
	// certificates off or lowers TLS below 1.2. Authorities are RootCAs.
	UnsafeTLS *tls.Config
	// RootCAs replaces the system's certificate authorities.
	RootCAs *x509.CertPool
	// View names the network behind Dial, Resolver, RootCAs, UnsafeDial and
	// UnsafeTLS. Clients and processes that share a Store and a View see the
	// same Internet. If one of the five is set and View is empty, a random one
	// is drawn, so nothing is shared. Policy is part of the view by itself.
	View string
	// KeepAlive is how long an idle connection stays open; default
	// 30 seconds.
	KeepAlive time.Duration
	// UserAgent is sent with every request; default DefaultUserAgent. Name
	// your product and a URL.
	UserAgent string
	// Sign signs requests over https with a key of the caller's, so that sites can
	// tell whose they are (Web Bot Auth); nil: none is signed.
	Sign *Sign
	// BeforeHost is called for each host that a caller, a document or a redirect
	// brings, before its name is looked up, and again for each new connection to
	// it. An error refuses the host: kind wayfind.ErrRefused, code
	// wayfind.CodeHostRefused. It runs inside work that several callers share, so
	// ctx has no values of theirs; it must return soon after ctx ends.
	// security.HostDetector has a ready one. Nil lets all pass.
	BeforeHost func(ctx context.Context, host string) error
}
