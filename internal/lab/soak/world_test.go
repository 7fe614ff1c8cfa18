package soak

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	crand "crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"hash/fnv"
	"io"
	"log"
	"math/big"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wayfindhq/wayfind/client/clienttest"
)

// world is a hostile server on loopback with many sites. The seed, the name of the site, the path
// and the number of the request determine its reaction.
type world struct {
	t    testing.TB
	seed uint64
	srv  *httptest.Server
	junk []tls.Certificate // that no client should accept
	docs []site

	mu       sync.Mutex
	asked    map[string]int // requests by name and path, connections by name
	requests map[string]int // by protocol
	closing  chan struct{}
}

func newWorld(t testing.TB, seed uint64) *world {
	w := &world{t: t, seed: seed, docs: sites(t), asked: map[string]int{}, requests: map[string]int{}, closing: make(chan struct{})}
	for _, name := range []string{"example.net", "*.example.com"} {
		w.junk = append(w.junk, certificate(t, name))
	}
	w.srv = httptest.NewUnstartedServer(http.HandlerFunc(w.handle))
	w.srv.Listener = &faultyListener{w.srv.Listener}
	w.srv.EnableHTTP2 = true
	w.srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	w.srv.TLS = &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: w.greet}
	w.srv.StartTLS()
	t.Cleanup(func() {
		close(w.closing)
		w.srv.CloseClientConnections()
		w.srv.Close()
	})
	return w
}

// random returns the random source of the nth event at key.
func (w *world) random(key string) *rand.Rand {
	w.mu.Lock()
	w.asked[key]++
	n := w.asked[key]
	w.mu.Unlock()
	sum := fnv.New64a()
	_, _ = fmt.Fprintf(sum, "%s %d", key, n)
	return rand.New(rand.NewPCG(w.seed, sum.Sum64()))
}

// forget drops the counters, so that the test itself does not grow.
func (w *world) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	clear(w.asked)
}

// handle answers a request, or does what else it likes.
func (w *world) handle(rw http.ResponseWriter, r *http.Request) {
	check, kind := clienttest.CheckDiscovery(r.Method, r.Header), r.Proto
	if strings.HasPrefix(r.URL.Path, mcpPath) {
		check, kind = clienttest.CheckAnonymous(r.Header), "MCP"
	}
	if check != nil {
		w.t.Errorf("%s %s%s: %v", r.Method, r.Host, r.URL.Path, check)
	}
	w.mu.Lock()
	w.requests[kind]++
	w.mu.Unlock()
	rnd := w.random(r.Host + " " + r.URL.Path)
	if strings.HasPrefix(r.URL.Path, mcpPath) {
		w.speak(rw, r, rnd)
		return
	}
	// The character of a site: some are sound, some answer anything alike.
	character := rand.New(rand.NewPCG(w.seed, hash(r.Host)))
	switch character.IntN(8) {
	case 0, 1, 2:
		w.document(rw, r, rnd)
	case 3:
		w.behaviours()[character.IntN(len(w.behaviours()))](rw, r, rnd)
	default:
		w.behaviours()[rnd.IntN(len(w.behaviours()))](rw, r, rnd)
	}
}

func hash(s string) uint64 {
	sum := fnv.New64a()
	_, _ = io.WriteString(sum, s)
	return sum.Sum64()
}

// greet decides about a connection when its name is known, before a byte was
// sent on it.
func (w *world) greet(hello *tls.ClientHelloInfo) (*tls.Config, error) {
	conn, ok := hello.Conn.(*faultyConn)
	if !ok {
		return nil, net.ErrClosed
	}
	rnd := w.random(hello.ServerName)
	switch rnd.IntN(16) {
	case 0:
		conn.cut(rnd.IntN(5000), ending(rnd.IntN(3)))
	case 1:
		conn.cut(rnd.IntN(60_000), ending(rnd.IntN(3)))
	case 2:
		conn.cut(0, ending(rnd.IntN(3)))
	case 3:
		return &tls.Config{Certificates: []tls.Certificate{w.junk[rnd.IntN(len(w.junk))]}}, nil
	case 4:
		return nil, net.ErrClosed // an alert
	case 5, 6, 7, 8:
		own := w.srv.TLS.Clone()
		own.GetConfigForClient, own.NextProtos = nil, []string{"http/1.1"}
		return own, nil
	}
	return nil, nil
}

// certificate signs itself.
func certificate(t testing.TB, name string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), crand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	from := time.Now().Add(-time.Hour)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: from, NotAfter: from.Add(1000 * time.Hour), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	der, err := x509.CreateCertificate(crand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// ending is the way in which a connection ends.
type ending int

const (
	finish ending = iota
	reset
	stall
)

type faultyListener struct{ net.Listener }

func (l *faultyListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &faultyConn{Conn: c, left: -1}, nil
}

// faultyConn stops after some bytes, below TLS.
type faultyConn struct {
	net.Conn
	mu   sync.Mutex
	left int // bytes that are still sent; -1: all
	end  ending
}

func (c *faultyConn) cut(after int, e ending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left, c.end = after, e
}

// Write sends as much as the fault allows. It reports that all was sent, so that the server goes
// on.
func (c *faultyConn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left < 0 {
		return c.Conn.Write(p)
	}
	if c.left >= len(p) {
		c.left -= len(p)
		return c.Conn.Write(p)
	}
	if c.left > 0 {
		_, _ = c.Conn.Write(p[:c.left])
		c.left = 0
	}
	switch c.end {
	case reset:
		if tcp, ok := c.Conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
		_ = c.Conn.Close()
	case finish:
		_ = c.Conn.Close()
	}
	return len(p), nil
}
