// Package loopback serves sites with TLS on this machine, for verbs that need sites which no other
// machine serves, and leads clients to them.
package loopback

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/livemcp"
)

// Server is one TLS listener on the loopback interface that answers for several
// sites.
type Server struct {
	Addr      netip.AddrPort
	authority *x509.Certificate
	hosts     []string // "shop.example", "shop.example:8443"
	server    *http.Server
	done      chan error
}

// AnyPort returns the loopback interface, with a port that the system chooses.
func AnyPort() netip.AddrPort { return netip.MustParseAddrPort("127.0.0.1:0") }

// Start serves hosts with a handler, at an address of the loopback interface, and an HTTP proxy
// to them at the same port. The hosts in odd have a faulty handshake.
func Start(at netip.AddrPort, hosts []string, handler http.Handler, odd map[string]Handshake) (*Server, error) {
	listener, err := net.Listen("tcp", at.String())
	if err != nil {
		return nil, err
	}
	return StartAt(newSiteProxy(listener, withPorts(hosts), handler), hosts, handler, odd)
}

// StartPlain serves a handler at a listener without TLS, and closes the listener at its end.
func StartPlain(listener net.Listener, handler http.Handler) (*Server, error) {
	authority, err := newIssuer()
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	d := &Server{Addr: listener.Addr().(*net.TCPAddr).AddrPort(), authority: authority.cert, done: make(chan error, 1)}
	d.server = &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { d.done <- d.server.Serve(listener) }()
	return d, nil
}

// StartAt serves hosts at a listener, which it closes.
func StartAt(listener net.Listener, hosts []string, handler http.Handler, odd map[string]Handshake) (*Server, error) {
	authority, err := newIssuer()
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	var names []string
	for _, host := range hosts {
		names = append(names, Hostname(host))
	}
	leaf, err := authority.leaf(handshakeHTTP1, names...)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	d := &Server{Addr: listener.Addr().(*net.TCPAddr).AddrPort(), authority: authority.cert, hosts: hosts, done: make(chan error, 1)}
	d.server = &http.Server{
		Handler: handler,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{leaf}, MinVersion: tls.VersionTLS12,
			GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
				return authority.answer(hello, odd[hello.ServerName])
			}},
		ReadHeaderTimeout: 5 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	go func() { d.done <- d.server.ServeTLS(listener, "", "") }()
	return d, nil
}

// Hostname returns a host without its port.
func Hostname(hostport string) string {
	host, _, _ := strings.Cut(hostport, ":")
	return host
}

// Close stops the sites.
func (d *Server) Close() error {
	err := d.server.Close()
	if served := <-d.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// Options returns the options with which a client reaches the sites. They have the same effect as
// the printed lines.
func (d *Server) Options(now func() time.Time) *client.Options {
	o := &client.Options{Network: client.Network{RootCAs: x509.NewCertPool(), View: "demo"}, Lab: client.Lab{Now: now}, Live: []client.LiveProber{livemcp.New(nil)}}
	o.Network.RootCAs.AddCert(d.authority)
	o.Policy.AllowCIDR = []netip.Prefix{d.itself()}
	o.Policy.ConnectTo = map[string]netip.AddrPort{}
	for _, at := range withPorts(d.hosts) {
		o.Policy.ConnectTo[at] = d.Addr
	}
	return o
}

// itself returns the range that has no address but that of the sites.
func (d *Server) itself() netip.Prefix {
	return netip.PrefixFrom(d.Addr.Addr(), d.Addr.Addr().BitLen())
}

// withPorts returns hosts with their ports.
func withPorts(hosts []string) (list []string) {
	for _, host := range hosts {
		if !strings.Contains(host, ":") {
			host += ":443"
		}
		list = append(list, host)
	}
	return list
}

// EntityTag is an ETag made of the content (RFC 9110 §8.8.3).
func EntityTag(body []byte) string {
	return fmt.Sprintf("%q", fmt.Sprintf("%x", sha256.Sum256(body))[:16])
}
