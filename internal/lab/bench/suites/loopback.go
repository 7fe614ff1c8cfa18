package suites

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/parse/formats"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security"
)

// network is one server on loopback to which all names lead.
type network struct {
	address string
	roots   *x509.CertPool
}

// startServer starts a server with HTTP/2 and a certificate for the subdomains of example.com.
func startServer(h http.Handler) (*httptest.Server, *network) {
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // competitors abandon handshakes
	s.StartTLS()
	return s, networkOf(s)
}

// networkOf returns the network of a server that is running.
func networkOf(s *httptest.Server) *network {
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return &network{s.Listener.Addr().String(), roots}
}

// LookupNetIP implements client.Resolver.
func (*network) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, nil
}

func (n *network) dial(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "tcp", n.address)
}

// options returns options for a Client that keeps no connections, as in a sweep.
func (n *network) options() *client.Options {
	return &client.Options{
		Policy:  security.Guard{AllowCIDR: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}},
		Network: client.Network{Resolver: n, Dial: n.dial, RootCAs: n.roots, View: "loopback", KeepAlive: time.Second},
	}
}

// transport returns a new http.Transport with common settings.
func (n *network) transport() *http.Transport {
	return &http.Transport{
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return n.dial(ctx, netip.AddrPort{}) },
		TLSClientConfig:   &tls.Config{RootCAs: n.roots},
		ForceAttemptHTTP2: true,
		IdleConnTimeout:   time.Second,
	}
}

// handshake opens a connection and closes it.
func (n *network) handshake(host string) error {
	raw, err := n.dial(context.Background(), netip.AddrPort{})
	if err != nil {
		return err
	}
	defer raw.Close()
	return tls.Client(raw, &tls.Config{RootCAs: n.roots, ServerName: host, NextProtos: []string{"h2"}}).Handshake()
}

// paths returns the places of a plan with all formats.
func paths() []string {
	const origin = "https://h.example.com"
	var list []string
	for _, candidate := range places.Plan(resolve.Target{Origin: origin}, formats.All()) {
		list = append(list, strings.TrimPrefix(candidate.URL, origin))
	}
	return list
}

// get requests one place and reads the answer.
func get(rt http.RoundTripper, host, path string) error {
	req, err := http.NewRequest(http.MethodGet, "https://"+host+path, nil)
	if err != nil {
		return err
	}
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return errors.Join(err, resp.Body.Close())
}
