package loopback

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"time"
)

// Handshake is the way in which a faulty site answers the first message of a client.
type Handshake string

// Handshakes that client.Failure has as a reason have the same text.
const (
	HandshakeExpired    Handshake = "certificate expired"
	HandshakeFuture     Handshake = "certificate not yet valid"
	HandshakeWrongName  Handshake = "certificate for another host"
	HandshakeSelfSigned Handshake = "self-signed certificate"
	HandshakeStranger   Handshake = "certificate of an unknown authority"
	HandshakePlain      Handshake = "no TLS"
	HandshakeClosed     Handshake = "closed"
	handshakeHTTP1      Handshake = "HTTP/1.1 only"
)

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
func (a *issuer) leaf(fault Handshake, names ...string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	parent, signer := a.cert, a.key
	from, to := validity()
	switch fault {
	case HandshakeExpired:
		from, to = from.AddDate(-2, 0, 0), from.AddDate(-1, 0, 0)
	case HandshakeFuture:
		from, to = from.AddDate(1, 0, 0), from.AddDate(2, 0, 0)
	case HandshakeWrongName:
		names = []string{"another.example"}
	case HandshakeStranger:
		stranger, err := newIssuer()
		if err != nil {
			return tls.Certificate{}, err
		}
		parent, signer = stranger.cert, stranger.key
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "wayfind demo"}, NotBefore: from, NotAfter: to,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, DNSNames: names}
	if fault == HandshakeSelfSigned {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// answer returns the configuration for one handshake, or nil for a site without a fault.
func (a *issuer) answer(hello *tls.ClientHelloInfo, fault Handshake) (*tls.Config, error) {
	switch fault {
	case "":
		return nil, nil
	case HandshakePlain:
		_, _ = io.WriteString(hello.Conn, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n") // the client may have left
		fallthrough
	case HandshakeClosed:
		return nil, errors.Join(errors.New(string(fault)), hello.Conn.Close())
	}
	leaf, err := a.leaf(fault, hello.ServerName)
	return &tls.Config{Certificates: []tls.Certificate{leaf}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}, err
}
