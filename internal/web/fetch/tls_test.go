package fetch

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/binary"
	"io"
	"math/big"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wayfindhq/wayfind"
)

// TestBadCertificatesAreRefusedBeforeARequest: each is refused with its reason, at the first
// attempt, before a request.
func TestBadCertificatesAreRefusedBeforeARequest(t *testing.T) {
	t.Setenv("GODEBUG", "rsa1024min=0") // else Go would not even make the small keys
	changed := func(change func(*x509.Certificate)) func(*world) tls.Certificate {
		return func(w *world) tls.Certificate {
			template := leaf("shop.example.com")
			change(template)
			return w.ca.leaf(w.t, template)
		}
	}
	strange := func(c *x509.Certificate) { // it signs nothing but itself
		c.Subject.CommonName = "Shop"
	}
	for _, tt := range []struct {
		name, reason string
		cert         func(*world) tls.Certificate
	}{
		{"expired", "certificate expired", changed(func(c *x509.Certificate) { c.NotAfter = notBefore().AddDate(1, 0, 0) })},
		{"not yet valid", "certificate not yet valid", changed(func(c *x509.Certificate) { c.NotBefore = notAfter().AddDate(-1, 0, 0) })},
		{"wrong name", "certificate for another host", changed(func(c *x509.Certificate) { c.DNSNames = []string{"other.example.com"} })},
		{"wildcard of the suffix", "certificate for another host", changed(func(c *x509.Certificate) { c.DNSNames = []string{"*.com"} })},
		{"wildcard of two levels", "certificate for another host", changed(func(c *x509.Certificate) { c.DNSNames = []string{"*.*.com", "*.shop.example.com"} })},
		{"common name only", "certificate for another host", changed(func(c *x509.Certificate) { c.DNSNames, c.Subject.CommonName = nil, "shop.example.com" })},
		{"address", "certificate for another host", changed(func(c *x509.Certificate) { c.DNSNames, c.IPAddresses = nil, []net.IP{net.ParseIP(ip1)} })},
		{"for clients", "invalid certificate", changed(func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} })},
		{"unknown authority", "certificate of an unknown authority", func(w *world) tls.Certificate {
			return newAuthority(w.t).leaf(w.t, leaf("shop.example.com"))
		}},
		{"self-signed", "self-signed certificate", func(w *world) tls.Certificate {
			other, template := newAuthority(w.t), leaf("shop.example.com")
			strange(template)
			cert := other.sign(w.t, template, template, &other.key.PublicKey)
			return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: other.key}
		}},
		{"missing intermediate", "certificate of an unknown authority", func(w *world) tls.Certificate {
			return w.ca.child(w.t).leaf(w.t, leaf("shop.example.com"))
		}},
		{"RSA 512", "weak certificate", func(w *world) tls.Certificate { return w.ca.rsaLeaf(w.t, 512) }},
		{"RSA 1024", "weak certificate", func(w *world) tls.Certificate { return w.ca.rsaLeaf(w.t, 1024) }},
		{"RSA 2047", "weak certificate", func(w *world) tls.Certificate { return w.ca.rsaLeaf(w.t, 2047) }},
		{"100 in a chain", "invalid certificate", func(w *world) tls.Certificate { return w.ca.chain(w.t, 99, 0) }},
		{"17 sent", "invalid certificate", func(w *world) tls.Certificate { return w.ca.chain(w.t, 1, maxCertificates-1) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			s := w.script("http/1.1")
			s.config.Certificates = []tls.Certificate{tt.cert(w)}
			if strings.HasSuffix(tt.name, "512") {
				s.config.MaxVersion = tls.VersionTLS12 // too small for a signature of TLS 1.3
			}
			expectTLS(t, w, s, tt.reason)
			if strings.HasPrefix(tt.name, "RSA") {
				return // the ciphers below are for other keys
			}
			// Changes of the caller's TLS configuration have no effect on it.
			again := newWorld(t)
			again.ca = w.ca
			same := again.script("http/1.1")
			same.config = s.config
			expectTLS(t, again, same, tt.reason, func(o *Options) { o.UnsafeTLS = fullTLS(t, w) })
		})
	}
}

// TestNobodyIsAskedAboutRevocation: no server is asked whether a certificate was revoked.
func TestNobodyIsAskedAboutRevocation(t *testing.T) {
	t.Run("answered", func(t *testing.T) {
		w := newWorld(t)
		w.name("crl.example.net", ip2)
		s := w.wire("http/1.1", says(helloH1))
		template := leaf("shop.example.com")
		template.OCSPServer, template.CRLDistributionPoints = []string{"http://crl.example.net/ocsp"}, []string{"http://crl.example.net/crl"}
		template.ExtraExtensions = []pkix.Extension{{ // "must staple" (RFC 7633)
			Id: asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 1, 24}, Value: []byte{0x30, 3, 2, 1, 5},
		}}
		s.config.Certificates = []tls.Certificate{w.ca.leaf(t, template)}
		got, _, _ := w.attempt(t, t.Context(), nil)
		sameAnswer(t, ok("hello"), got)
		if len(w.lookups) != 1 || w.dialCount() != 1 {
			t.Errorf("look-ups %v, dials %v", w.lookups, w.dialled())
		}
	})
	t.Run("refused", func(t *testing.T) {
		t.Skip("crypto/tls checks no revocation, and asking a third party would tell it whom we visit: docs/ROUGH-EDGES.md")
	})
}

// TestStrongCertificates: the limits hold to the certificate and to the bit.
func TestStrongCertificates(t *testing.T) {
	for name, cert := range map[string]func(w *world) tls.Certificate{
		"RSA 2048":          func(w *world) tls.Certificate { return w.ca.rsaLeaf(w.t, 2048) },
		"16 sent":           func(w *world) tls.Certificate { return w.ca.chain(w.t, 1, maxCertificates-2) },
		"one intermediate":  func(w *world) tls.Certificate { return w.ca.chain(w.t, 1, 0) },
		"16 in a chain":     func(w *world) tls.Certificate { return w.ca.chain(w.t, maxCertificates-1, 0) },
		"wildcard, level 1": func(w *world) tls.Certificate { return w.ca.leaf(w.t, leaf("*.example.com")) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := w.wire("http/1.1", says(helloH1))
			s.config.Certificates = []tls.Certificate{cert(w)}
			got, _, _ := w.attempt(t, t.Context(), nil)
			sameAnswer(t, ok("hello"), got)
		})
	}
}

// TestAnAnswerHasTheStateOfItsConnection: with each protocol, and on a connection that was used
// before.
func TestAnAnswerHasTheStateOfItsConnection(t *testing.T) {
	for _, proto := range []string{"h2", "http/1.1"} {
		w := newWorld(t)
		w.site("shop.example.com", ip1, func(http.ResponseWriter, *http.Request) {}, proto)
		conns := w.conns(nil)
		for range 2 {
			resp, err := conns.Do(t.Context(), &Ask{URL: mustURL(t, "https://shop.example.com/"), Method: http.MethodHead})
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if s := resp.TLS; s == nil || s.NegotiatedProtocol != proto || s.Version != tls.VersionTLS13 || len(s.VerifiedChains) != 1 || len(s.PeerCertificates) == 0 {
				t.Errorf("%s: %+v", proto, s)
			}
		}
	}
}

const helloH1 = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

// child is an authority below a. Its chain has one certificate more.
func (a *authority) child(t testing.TB) *authority {
	t.Helper()
	key := newKey(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(3), Subject: pkix.Name{CommonName: "Child of " + a.cert.Subject.CommonName},
		NotBefore: notBefore(), NotAfter: notAfter(),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	return &authority{cert: a.sign(t, template, a.cert, &key.PublicKey), key: key}
}

// rsaLeaf is a certificate for the site with an RSA key.
func (a *authority) rsaLeaf(t testing.TB, bits int) tls.Certificate {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	cert := a.sign(t, leaf("shop.example.com"), a.cert, &key.PublicKey)
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key}
}

// chain is a certificate for the site with so many intermediates, and others
// that have nothing to do with it.
func (a *authority) chain(t testing.TB, intermediates, others int) tls.Certificate {
	t.Helper()
	var sent [][]byte
	for range intermediates {
		a = a.child(t)
		sent = append([][]byte{a.cert.Raw}, sent...)
	}
	cert := a.leaf(t, leaf("shop.example.com"))
	cert.Certificate = append(cert.Certificate, sent...)
	for range others {
		cert.Certificate = append(cert.Certificate, newAuthority(t).cert.Raw)
	}
	return cert
}

// expectTLS asks once: no retry, no request line, one dial, nothing in plain.
func expectTLS(t *testing.T, w *world, s *wire, reason string, change ...func(*Options)) {
	t.Helper()
	tap := &tap{}
	s.below = tap.over
	w.name("shop.example.com", ip1)
	go s.accept(w.listen(ip1))
	got, _, err := w.attempt(t, t.Context(), func(o *Options) {
		for _, f := range change {
			f(o)
		}
	})
	sameAnswer(t, failed("tls", wayfind.CodeTLS), got)
	if err != nil && !strings.Contains(err.Error(), "(tls): "+reason) {
		t.Errorf("%v does not say %q", err, reason)
	}
	if s.requests.Load() != 0 || w.dialCount() != 1 {
		t.Errorf("%d requests, %d dials", s.requests.Load(), w.dialCount())
	}
	tap.isTLS(t)
}

// tap keeps the bytes that a client sends.
type tap struct {
	mu   sync.Mutex
	sent bytes.Buffer
}

func (tp *tap) over(c net.Conn) net.Conn { return &tapped{c, tp} }

type tapped struct {
	net.Conn
	tap *tap
}

func (c *tapped) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.tap.mu.Lock()
	defer c.tap.mu.Unlock()
	c.tap.sent.Write(p[:n])
	return n, err
}

// size returns the number of bytes that were sent.
func (tp *tap) size() int {
	tp.mu.Lock()
	defer tp.mu.Unlock()
	return tp.sent.Len()
}

// isTLS: nothing but TLS records was sent, beginning with one of a handshake.
func (tp *tap) isTLS(t *testing.T) {
	t.Helper()
	tp.mu.Lock()
	defer tp.mu.Unlock()
	sent := tp.sent.Bytes()
	if len(sent) == 0 || sent[0] != 22 {
		t.Errorf("sent %.20q", sent)
	}
	for len(sent) > 5 {
		if sent[0] < 20 || sent[0] > 23 || sent[1] != 3 {
			t.Fatalf("sent %.20q", sent)
		}
		sent = sent[min(len(sent), 5+int(binary.BigEndian.Uint16(sent[3:]))):]
	}
}

func TestOldVersionsOfTLSAreRefused(t *testing.T) {
	for name, change := range map[string]func(*tls.Config){
		"1.0":      func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS10 },
		"1.1":      func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 },
		"1.1 only": func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS11, tls.VersionTLS11 },
		"no cipher": func(c *tls.Config) {
			c.MaxVersion, c.CipherSuites = tls.VersionTLS12, []uint16{tls.TLS_RSA_WITH_RC4_128_SHA}
		},
		"no protocol": func(c *tls.Config) { c.NextProtos = []string{"spdy/3"} },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			s := w.script("http/1.1")
			change(s.config)
			expectTLS(t, w, s, "handshake")
		})
	}
}

// A server without TLS gets no plain request, and no retry.
func TestAServerWithoutTLSGetsNoPlainRequest(t *testing.T) {
	for _, answer := range []string{"HTTP/1.1 400 Bad Request\r\n\r\n", helloH1, "220 mail ready\r\n"} {
		w := newWorld(t)
		tap := &tap{}
		w.name("shop.example.com", ip1)
		l := w.listen(ip1)
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				c = tap.over(c)
				_, _ = io.ReadAtLeast(c, make([]byte, 1<<10), 5)
				_, _ = io.WriteString(c, answer)
				_ = c.Close()
			}
		}()
		got, _, _ := w.attempt(t, t.Context(), nil)
		sameAnswer(t, failed("tls", wayfind.CodeTLS), got)
		if w.dialCount() != 1 {
			t.Errorf("%d dials", w.dialCount())
		}
		tap.isTLS(t)
	}
}

// records passes on so many TLS records of a server, then makes its fault, and drops later ones.
type records struct {
	net.Conn
	left    int
	then    func(net.Conn)
	pending []byte
}

func (r *records) Write(p []byte) (int, error) {
	r.pending = append(r.pending, p...)
	for len(r.pending) >= 5 {
		size := 5 + int(binary.BigEndian.Uint16(r.pending[3:]))
		if len(r.pending) < size {
			break
		}
		if r.left > 0 {
			if _, err := r.Conn.Write(r.pending[:size]); err != nil {
				return 0, err
			}
		}
		if r.left--; r.left == 0 {
			r.then(r.Conn)
		}
		r.pending = r.pending[size:]
	}
	return len(p), nil
}

// TestAHandshakeThatEndsAtAnyRecordIsAnError ends the handshake after each record of the
// server, with silence, an alert, an end and a reset. The first two are not tried again.
func TestAHandshakeThatEndsAtAnyRecordIsAnError(t *testing.T) {
	fatal := []byte{21, 3, 3, 0, 2, 2, 40} // an alert: handshake_failure
	ways := []struct {
		name  string
		then  func(net.Conn)
		want  answer
		took  time.Duration
		dials int
	}{
		{"silence", func(net.Conn) {}, failed("tls", wayfind.CodeTimeout), handshakeTimeout, 1},
		{"alert", func(c net.Conn) { _, _ = c.Write(fatal) }, failed("tls", wayfind.CodeTLS), 0, 1},
		{"end", func(c net.Conn) { _ = c.Close() }, failed("tls", wayfind.CodeNetwork), 0, 2},
		{"reset", func(c net.Conn) { _ = c.(interface{ Reset() error }).Reset() }, failed("tls", wayfind.CodeNetwork), 0, 2},
	}
	// The bytes that a server sends before the client may go on with its request.
	for version, flight := range map[uint16]int{
		tls.VersionTLS12: 7, // hello, certificate, key, done; ticket, change of cipher, finished
		tls.VersionTLS13: 6, // hello, change of cipher, extensions, certificate, proof, finished
	} {
		for _, way := range ways {
			for n := 1; n <= flight; n++ {
				if n == flight && way.name != "silence" {
					break
				}
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t)
					s := w.script("http/1.1")
					s.config.MaxVersion = version
					s.below = func(c net.Conn) net.Conn { return &records{Conn: c, left: n, then: way.then} }
					w.name("shop.example.com", ip1)
					go s.accept(w.listen(ip1))
					got, took, _ := w.attempt(t, t.Context(), nil)
					want := way.want
					if n == flight { // the handshake is over: the request is out
						want.Op = "headers"
						sameAnswer(t, want, got)
						return
					}
					sameAnswer(t, want, got)
					if s.requests.Load() != 0 || w.dialCount() != way.dials || way.dials == 1 && took != way.took {
						t.Errorf("TLS %x, %s after record %d: %d requests, %d dials, took %v", version, way.name, n, s.requests.Load(), w.dialCount(), took)
					}
				})
			}
		}
	}
}
