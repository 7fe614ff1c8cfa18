package fetch

import (
	"bufio"
	"context"
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
	"net/url"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/memconn"
	"github.com/wayfindhq/wayfind/security"
)

// world is an Internet in memory: names, addresses and what listens there. It
// is the Resolver and the dialer of a Conns. Everything in it is made by the
// test that uses it, so that it works inside a bubble.
type world struct {
	t    testing.TB
	ca   *authority
	mu   sync.Mutex
	dns  map[string]func() ([]netip.Addr, error) // by rooted name
	net  map[netip.AddrPort]*memconn.Listener
	hole map[netip.AddrPort]bool // accepts nothing, ever
	shut map[netip.AddrPort]bool // refuses at once

	lookups []string
	dials   []netip.AddrPort
}

func newWorld(t testing.TB) *world {
	return &world{
		t: t, ca: newAuthority(t),
		dns:  map[string]func() ([]netip.Addr, error){},
		net:  map[netip.AddrPort]*memconn.Listener{},
		hole: map[netip.AddrPort]bool{}, shut: map[netip.AddrPort]bool{},
	}
}

// LookupNetIP is the Resolver.
func (w *world) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	w.lookups = append(w.lookups, network+" "+host)
	answer := w.dns[host]
	w.mu.Unlock()
	if answer == nil {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return answer()
}

func (w *world) dial(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	w.mu.Lock()
	w.dials = append(w.dials, addr)
	l, hole, shut := w.net[addr], w.hole[addr], w.shut[addr]
	w.mu.Unlock()
	switch {
	case hole:
		<-ctx.Done()
		return nil, ctx.Err()
	case l == nil:
		if !shut {
			w.t.Errorf("connection to %v, which is nowhere in this world", addr)
		}
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	return l.Dial(ctx)
}

func (w *world) dialled() []netip.AddrPort {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.dials)
}

func (w *world) dialCount() int { return len(w.dialled()) }

// name makes host resolve to addrs.
func (w *world) name(host string, addrs ...string) {
	var ips []netip.Addr
	for _, a := range addrs {
		ips = append(ips, netip.MustParseAddr(a))
	}
	w.answer(host, func() ([]netip.Addr, error) { return ips, nil })
}

func (w *world) answer(host string, answer func() ([]netip.Addr, error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dns[host+"."] = answer
}

// listen opens port 443 of addr.
func (w *world) listen(addr string) *memconn.Listener {
	return w.listenAt(netip.AddrPortFrom(netip.MustParseAddr(addr), 443))
}

func (w *world) listenAt(at netip.AddrPort) *memconn.Listener {
	l := memconn.Listen(net.TCPAddrFromAddrPort(at))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.net[at] = l
	w.t.Cleanup(func() { _ = l.Close() })
	return l
}

// refuse makes addrs refuse connections.
func (w *world) refuse(addrs ...string) {
	for _, a := range addrs {
		w.shut[netip.AddrPortFrom(netip.MustParseAddr(a), 443)] = true
	}
}

// blackhole makes addr swallow connection attempts.
func (w *world) blackhole(addr string) {
	w.hole[netip.AddrPortFrom(netip.MustParseAddr(addr), 443)] = true
}

// site serves host at addr by handler; protos as in ALPN.
func (w *world) site(host, addr string, handler http.HandlerFunc, protos ...string) *memconn.Listener {
	w.name(host, addr)
	l := w.listen(addr)
	w.serve(l, host, handler, protos...)
	return l
}

func (w *world) serve(l net.Listener, host string, handler http.HandlerFunc, protos ...string) {
	if len(protos) == 0 {
		protos = []string{"h2", "http/1.1"}
	}
	var p http.Protocols
	p.SetHTTP1(true)
	p.SetHTTP2(slices.Contains(protos, "h2"))
	s := &http.Server{
		Handler:   handler,
		Protocols: &p,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{w.ca.leaf(w.t, leaf(host))}, NextProtos: protos},
		ErrorLog:  log.New(io.Discard, "", 0),
	}
	go func() { _ = s.ServeTLS(l, "", "") }()
	w.t.Cleanup(func() { _ = s.Close() })
}

// readHeader reads a request without a body.
func readHeader(r io.Reader) error {
	_, err := http.ReadRequest(bufio.NewReader(r))
	return err
}

// says returns a talk that writes text and closes.
func says(text string) func(*tls.Conn) {
	return func(c *tls.Conn) { _, _ = io.WriteString(c, text) }
}

// options are those that live in the world.
func (w *world) options() Options {
	return Options{Resolver: w, Dial: w.dial, RootCAs: w.ca.pool}
}

func (w *world) conns(change func(*Options)) *Conns {
	o := w.options()
	if change != nil {
		change(&o)
	}
	c := NewConns(o)
	w.t.Cleanup(func() { _ = c.Close() })
	return c
}

// stack is Conns, Retry and Body.
func (w *world) stack(change func(*Options)) Step {
	return NewBody(NewRetry(w.conns(change)))
}

type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

// notBefore and notAfter hold for a bubble, which begins in 2000, as well.
func notBefore() time.Time { return time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC) }
func notAfter() time.Time  { return time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC) }

func newAuthority(t testing.TB) *authority {
	t.Helper()
	key := newKey(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test Authority"},
		NotBefore: notBefore(), NotAfter: notAfter(),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a := &authority{key: key, pool: x509.NewCertPool()}
	a.cert = a.sign(t, template, template, &key.PublicKey)
	a.pool.AddCert(a.cert)
	return a
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (a *authority) sign(t testing.TB, template, parent *x509.Certificate, pub any) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, pub, a.key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return cert
}

// leaf is a template of a certificate for hosts.
func leaf(hosts ...string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: hosts,
		NotBefore: notBefore(), NotAfter: notAfter(),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
}

func (a *authority) leaf(t testing.TB, template *x509.Certificate) tls.Certificate {
	t.Helper()
	key := newKey(t)
	cert := a.sign(t, template, a.cert, &key.PublicKey)
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key}
}

// asking returns an Ask for any URL.
func asking(t testing.TB, rawURL string) *Ask {
	t.Helper()
	u, err := url.Parse(rawURL)
	if err != nil {
		t.Fatal(err)
	}
	return &Ask{URL: u}
}

func mustURL(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := security.ParseURL(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// answer is the result of a fetch.
type answer struct {
	Status int
	Body   string
	Op     string
	Code   wayfind.Code
	Kind   error
}

// get fetches a URL, with an Ask like the one given, and reads the body.
func get(t testing.TB, ctx context.Context, rt Step, rawURL string, like ...Ask) answer {
	t.Helper()
	a, _ := getErr(t, ctx, rt, rawURL, like...)
	return a
}

func getErr(t testing.TB, ctx context.Context, rt Step, rawURL string, like ...Ask) (answer, error) {
	t.Helper()
	a := asking(t, rawURL)
	for _, l := range like {
		l.URL = a.URL
		a = &l
	}
	resp, err := rt.Do(ctx, a)
	if err != nil {
		return answerOf(t, 0, "", err), err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return answerOf(t, resp.StatusCode, "", err), err
	}
	return answer{Status: resp.StatusCode, Body: string(body)}, nil
}

// answerOf checks what every error promises: the type, a bounded text of one
// printable line.
func answerOf(t testing.TB, status int, body string, err error) answer {
	t.Helper()
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok {
		t.Fatalf("%T is no *wayfind.Error: %v", err, err)
	}
	text := err.Error()
	if len(text) > 512 {
		t.Errorf("error text of %d bytes", len(text))
	}
	for _, c := range []byte(text) {
		if c < ' ' || c >= 0x7f {
			t.Errorf("error text holds byte %#x: %q", c, text)
		}
	}
	return answer{Status: status, Body: body, Op: e.Op, Code: e.Code, Kind: e.Kind}
}

func failed(op string, code wayfind.Code) answer {
	return answer{Op: op, Code: code, Kind: wayfind.ErrUnreachable}
}

func hello(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") }
