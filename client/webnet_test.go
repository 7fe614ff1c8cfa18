package client_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"time"

	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/client/clienttest"
)

// onInternet makes the hosts of a set-up.
func (p *play) onInternet(internet *clienttest.Internet) *client.Options {
	opts := internet.Options()
	for _, name := range p.names() {
		host := internet.Host(name, p)
		if p.Proto.H1 {
			host.Protocols("http/1.1")
		}
		if n := p.Proto.MaxStreams; n > 0 {
			host.Raw(func(conn net.Conn) { serveStreams(conn, p, n) })
		}
		p.certify(host, opts)
		if p.Proto.V6 != "" {
			v6 := internet.NewAddr6()
			host.At(append(host.Addrs(), v6)...)
			host.FailAddr(v6, map[string]clienttest.ConnFault{"refuse": clienttest.Refuse(), "hole": clienttest.BlackHole()}[p.Proto.V6])
		}
		if p.Proto.Cert == "www" && name == p.www { // one address, with the certificate of www
			internet.DNS(p.apex, clienttest.Addrs(host.Addrs()...))
		}
	}
	return opts
}

// certify gives a host the certificate of the set-up.
func (p *play) certify(host *clienttest.Host, opts *client.Options) {
	switch p.Proto.Cert {
	case "platform":
		host.FailConn(clienttest.WrongNameCert())
	case "expired":
		host.FailConn(clienttest.ExpiredCert())
	case "missing":
		host.FailConn(clienttest.MissingIntermediate())
	case "staple":
		cert := mustStaple(host.Name())
		opts.Network.RootCAs.AddCert(cert.Leaf)
		host.TLS(func(config *tls.Config) { config.Certificates = []tls.Certificate{cert} })
	}
	if p.Proto.RSA == "kex" { // a way to agree on a key that clients have given up
		host.TLS(func(config *tls.Config) {
			config.MaxVersion, config.CipherSuites = tls.VersionTLS12, []uint16{tls.TLS_RSA_WITH_AES_128_GCM_SHA256}
		})
	}
}

// isTrusted reports whether a host has a certificate for its name, and a way to agree on a key.
func (p *play) isTrusted(name string) bool {
	return p.Proto.RSA == "" && (p.Proto.Cert == "" || p.Proto.Cert == "staple" || p.Proto.Cert == "www" && name == p.www)
}

// mustStaple makes a certificate that demands a stapled answer about its revocation (RFC 7633).
func mustStaple(name string) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<32, 0),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtraExtensions: []pkix.Extension{{Id: asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 1, 24}, Value: []byte{0x30, 3, 2, 1, 5}}},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		panic(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// serveStreams serves a connection, with so many streams at a time.
func serveStreams(conn net.Conn, h http.Handler, streams int) {
	l := &oneConn{conn: make(chan net.Conn, 1), addr: conn.LocalAddr()}
	l.conn <- conn
	server := &http.Server{
		Handler: h, HTTP2: &http.HTTP2Config{MaxConcurrentStreams: streams}, TLSConfig: &tls.Config{NextProtos: []string{"h2"}},
		ConnState: func(_ net.Conn, s http.ConnState) {
			if s == http.StateClosed {
				close(l.conn)
			}
		},
		ErrorLog: log.New(io.Discard, "", 0),
	}
	_ = server.Serve(l) // ends with the connection
}

// oneConn is a listener of one connection.
type oneConn struct {
	conn chan net.Conn
	addr net.Addr
}

func (l *oneConn) Accept() (net.Conn, error) {
	if conn, ok := <-l.conn; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (l *oneConn) Close() error   { return nil }
func (l *oneConn) Addr() net.Addr { return l.addr }
