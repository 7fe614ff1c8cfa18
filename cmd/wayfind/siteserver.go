package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/livemcp"
)

// siteServer is one TLS listener on the loopback interface that answers for several
// sites.
type siteServer struct {
	addr      netip.AddrPort
	authority *x509.Certificate
	hosts     []string // "shop.example", "shop.example:8443"
	server    *http.Server
	done      chan error
}

// handshake is the way in which a faulty site answers the first message of a client.
type handshake string

// Handshakes that client.Failure has as a reason have the same text.
const (
	handshakeExpired    handshake = "certificate expired"
	handshakeFuture     handshake = "certificate not yet valid"
	handshakeWrongName  handshake = "certificate for another host"
	handshakeSelfSigned handshake = "self-signed certificate"
	handshakeStranger   handshake = "certificate of an unknown authority"
	handshakePlain      handshake = "no TLS"
	handshakeClosed     handshake = "closed"
	handshakeHTTP1      handshake = "HTTP/1.1 only"
)

// anyPort returns the loopback interface, with a port that the system chooses.
func anyPort() netip.AddrPort { return netip.MustParseAddrPort("127.0.0.1:0") }

// startSites serves hosts with a handler, at an address of the loopback interface, and an HTTP proxy
// to them at the same port. The hosts in odd have a faulty handshake.
func startSites(at netip.AddrPort, hosts []string, handler http.Handler, odd map[string]handshake) (*siteServer, error) {
	listener, err := net.Listen("tcp", at.String())
	if err != nil {
		return nil, err
	}
	return startSitesAt(newSiteProxy(listener, withPorts(hosts), handler), hosts, handler, odd)
}

// startSitesAt serves hosts at a listener, which it closes.
func startSitesAt(listener net.Listener, hosts []string, handler http.Handler, odd map[string]handshake) (*siteServer, error) {
	authority, err := newIssuer()
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	var names []string
	for _, host := range hosts {
		names = append(names, hostname(host))
	}
	leaf, err := authority.leaf(handshakeHTTP1, names...)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	d := &siteServer{addr: listener.Addr().(*net.TCPAddr).AddrPort(), authority: authority.cert, hosts: hosts, done: make(chan error, 1)}
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

// hostname returns a host without its port.
func hostname(hostport string) string {
	host, _, _ := strings.Cut(hostport, ":")
	return host
}

// Close stops the sites.
func (d *siteServer) Close() error {
	err := d.server.Close()
	if served := <-d.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// options returns the options with which a client reaches the sites. They have the same effect as
// the printed lines.
func (d *siteServer) options(now func() time.Time) *client.Options {
	o := &client.Options{Network: client.Network{RootCAs: x509.NewCertPool(), View: "demo"}, Lab: client.Lab{Now: now}, Live: []client.LiveProber{livemcp.New(nil)}}
	o.Network.RootCAs.AddCert(d.authority)
	o.Policy.AllowCIDR = []netip.Prefix{d.itself()}
	o.Policy.ConnectTo = map[string]netip.AddrPort{}
	for _, at := range withPorts(d.hosts) {
		o.Policy.ConnectTo[at] = d.addr
	}
	return o
}

// itself returns the range that has no address but that of the sites.
func (d *siteServer) itself() netip.Prefix {
	return netip.PrefixFrom(d.addr.Addr(), d.addr.Addr().BitLen())
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

// issuer is a certificate authority that exists only in this process.
type issuer struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newIssuer() (*issuer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	from, to := validity()
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "wayfind demo, this run only"}, NotBefore: from, NotAfter: to,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, ca, ca, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &issuer{cert, key}, err
}

// validity returns the period in which certificates without a fault are valid.
func validity() (from, to time.Time) {
	return time.Now().Add(-time.Hour), time.Now().Add(24 * time.Hour)
}

// leaf returns a certificate for names. Its only fault is that of the handshake.
func (a *issuer) leaf(fault handshake, names ...string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	parent, signer := a.cert, a.key
	from, to := validity()
	switch fault {
	case handshakeExpired:
		from, to = from.AddDate(-2, 0, 0), from.AddDate(-1, 0, 0)
	case handshakeFuture:
		from, to = from.AddDate(1, 0, 0), from.AddDate(2, 0, 0)
	case handshakeWrongName:
		names = []string{"another.example"}
	case handshakeStranger:
		stranger, err := newIssuer()
		if err != nil {
			return tls.Certificate{}, err
		}
		parent, signer = stranger.cert, stranger.key
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "wayfind demo"}, NotBefore: from, NotAfter: to,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, DNSNames: names}
	if fault == handshakeSelfSigned {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// answer returns the configuration for one handshake, or nil for a site without a fault.
func (a *issuer) answer(hello *tls.ClientHelloInfo, fault handshake) (*tls.Config, error) {
	switch fault {
	case "":
		return nil, nil
	case handshakePlain:
		_, _ = io.WriteString(hello.Conn, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n") // the client may have left
		fallthrough
	case handshakeClosed:
		return nil, errors.Join(errors.New(string(fault)), hello.Conn.Close())
	}
	leaf, err := a.leaf(fault, hello.ServerName)
	return &tls.Config{Certificates: []tls.Certificate{leaf}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}, err
}
