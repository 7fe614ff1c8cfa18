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

// Options returns options for a client in this Internet: Resolver, Dial, RootCAs and View are set.
// Everything else, including the guard, has its default. The caller may change them.
func (n *Internet) Options() *client.Options {
	return &client.Options{Network: client.Network{Resolver: n, Dial: n.Dial, RootCAs: n.RootCAs(), View: n.View()}}
}

// Client makes a client in this Internet, which is closed when the Internet stops. Each function
// may change the options. If client.New refuses the options, the test fails; after [Start], the
// result is then nil.
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

// FromServer returns options for a client that finds a server under the names, default
// "example.com". The server must listen on loopback and be started with StartTLS or NewTLSServer.
// No other name exists, and a connection to any address but loopback fails the test. The
// certificate of an httptest.Server is for example.com and its direct subdomains; a name that it
// does not cover fails the test at once.
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
