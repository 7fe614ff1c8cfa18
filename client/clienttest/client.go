package clienttest

import (
	"crypto/rand"
	"crypto/x509"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/security"
)

// Options returns options for a client in this Internet: Resolver, Dial,
// RootCAs and View are set, everything else, the guard included, is the
// default. The caller may change them.
func (n *Internet) Options() *client.Options {
	return &client.Options{Network: client.Network{Resolver: n, Dial: n.Dial, RootCAs: n.RootCAs(), View: n.View()}}
}

// Client makes a client in this Internet, closed when it stops. Each function
// may change the options. Options that client.New refuses fail the test; after
// [Start], the result is then nil.
func (n *Internet) Client(change ...func(*client.Options)) *client.Client {
	if n.t != nil {
		n.t.Helper()
	}
	opts := n.Options()
	for _, f := range change {
		f(opts)
	}
	c, err := client.New(opts)
	if err != nil {
		n.report("client: %w", err)
		if n.t != nil {
			n.t.FailNow()
		}
		return nil
	}
	n.atStop(c.Close)
	return c
}

// FromServer returns options for a client for which the names, default
// "example.com", are a server that listens on loopback and was started with
// StartTLS or NewTLSServer. No other name exists, and a connection to anything
// but loopback fails the test. The certificate of an httptest.Server is for
// example.com and its direct subdomains; names that it does not cover fail the
// test at once.
func FromServer(t testing.TB, srv *httptest.Server, names ...string) *client.Options {
	t.Helper()
	if len(names) == 0 {
		names = []string{"example.com"}
	}
	cert := srv.Certificate()
	if cert == nil {
		t.Fatalf("clienttest: the server at %s was not started with TLS", srv.URL)
	}
	addr, err := netip.ParseAddrPort(srv.Listener.Addr().String())
	if err != nil {
		t.Fatalf("clienttest: the address of the server: %v", err)
	}
	policy := security.Guard{
		AllowCIDR: []netip.Prefix{netip.PrefixFrom(addr.Addr(), addr.Addr().BitLen())},
		ConnectTo: map[string]netip.AddrPort{},
	}
	for _, name := range names {
		name = canonical(name)
		if err := cert.VerifyHostname(name); err != nil {
			t.Fatalf("clienttest: the certificate of the server: %v", err)
		}
		policy.ConnectTo[name+":443"] = addr
	}
	roots := x509.NewCertPool()
	roots.AddCert(cert)
	network := loopback{t}
	return &client.Options{
		Policy: policy, Network: client.Network{Resolver: network, Dial: network.dial, RootCAs: roots, View: "httptest " + rand.Text()},
	}
}
