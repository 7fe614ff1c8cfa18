package redis_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"
)

// testCertificate is for 127.0.0.1 and its own authority.
type testCertificate struct {
	tls.Certificate
	parsed *x509.Certificate
}

func certificate(t *testing.T, until time.Time) testCertificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: until.Add(-24 * time.Hour), NotAfter: until,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return testCertificate{tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, parsed}
}

// roots trust the certificate alone.
func (c testCertificate) roots() *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(c.parsed)
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

// tlsProxy speaks TLS before a server that does not. It returns a URL.
func tlsProxy(t *testing.T, addr string, c testCertificate) string {
	t.Helper()
	config := &tls.Config{Certificates: []tls.Certificate{c.Certificate}, MinVersion: tls.VersionTLS12}
	url := fakeListener(t, func(plain net.Conn) {
		conn := tls.Server(plain, config)
		defer conn.Close()
		behind, err := net.Dial("tcp", addr)
		if err != nil {
			return
		}
		defer behind.Close()
		go func() {
			_, _ = io.Copy(conn, behind)
			_ = conn.Close()
		}()
		_, _ = io.Copy(behind, conn)
	})
	return strings.Replace(url, "redis://", "rediss://", 1)
}
