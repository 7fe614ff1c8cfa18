package suites

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"time"
)

// newChain returns a certificate for the names h1.example and so on, in the form of public
// servers: P-256 with an intermediate. root is PEM.
func newChain() (server tls.Certificate, root []byte, err error) {
	authority := func(name string) *x509.Certificate {
		return &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
			KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	}
	top, err := issue(authority("bench root"), nil)
	if err != nil {
		return server, nil, err
	}
	middle, err := issue(authority("bench intermediate"), top)
	if err != nil {
		return server, nil, err
	}
	leaf := authority("bench leaf")
	leaf.IsCA, leaf.KeyUsage, leaf.DNSNames = false, x509.KeyUsageDigitalSignature, []string{"*.example"}
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	end, err := issue(leaf, middle)
	if err != nil {
		return server, nil, err
	}
	server = tls.Certificate{Certificate: [][]byte{end.cert.Raw, middle.cert.Raw}, PrivateKey: end.key}
	return server, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: top.cert.Raw}), nil
}

// issued is a certificate with its key.
type issued struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// issue returns a certificate, signed by parent or by itself.
func issue(template *x509.Certificate, parent *issued) (*issued, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	if parent == nil {
		parent = &issued{template, key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent.cert, key.Public(), parent.key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	return &issued{cert, key}, err
}
