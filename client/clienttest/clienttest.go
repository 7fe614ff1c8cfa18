// Package clienttest is an Internet for tests: names, addresses,
// certificates and web sites, all in memory.
//
// In a test, also inside a testing/synctest bubble:
//
//	internet := clienttest.New(t)
//	internet.Host("shop.example", clienttest.Pages{
//		"/.well-known/agent": `{…}`,
//	})
//	c := internet.Client()
//	site, err := c.Resolve(t.Context(), "shop.example")
//
// [New] stops the Internet when the test ends. Without a test, for example in an Example, [Start]
// returns the function that stops it. [FromServer] is for a server that listens on loopback.
//
// # Promises
//
// The client under test is the real one: it resolves names, its guard checks the addresses, and it
// speaks TLS, HTTP/2 and HTTP/1.1. Only the bytes go through memory instead of a network. No
// connection leaves the process: a connection to an address without a [Host] fails the test. Hosts
// get ordinary public addresses, because the guard refuses the ranges for documentation and
// benchmarks.
//
// Inside a bubble time is virtual: delays and time-outs cost no time, and results do not depend on
// the machine. With [Internet.Latency] a test counts round trips exactly. Certificates are valid
// from 1970 to 2100.
//
// Failures are of two kinds. A [ConnFault] affects a connection: refused, black hole, reset, a bad
// certificate, cut after the nth byte. A [Fault] affects one exchange of a path: delayed, stalled,
// truncated.
package clienttest

import (
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"
)

// Internet is a set of hosts, and the network between them and a client. Make one with [New] or
// [Start]. It is safe for concurrent use. Hosts may be changed while they serve.
type Internet struct {
	t      testing.TB // nil after Start
	view   string
	tls    *tls.Config
	server *http.Server
	feed   *feed
	done   chan struct{}
	work   sync.WaitGroup // connections and handlers

	mu       sync.Mutex
	stopped  bool
	reading  bool // see OnlyDiscovery
	rtt      time.Duration
	hosts    map[string]*Host
	routes   map[netip.Addr][]*Host // the hosts of an address; the first is in charge
	last4    netip.Addr
	last6    netip.Addr
	zone     map[string]*script[Answer]
	conns    map[*serverConn]bool
	dials    int
	requests []Request
	lookups  []Lookup
	watched  []watched
	closers  []func() error
	problems []error
	expected expected // see Strict
	virtual  bool     // it was made in a bubble of testing/synctest
}

// New makes an empty Internet that is stopped at the end of the test. Its errors fail the test.
func New(t testing.TB) *Internet {
	t.Helper()
	n := newInternet(t)
	t.Cleanup(n.stop)
	return n
}

// Start makes an empty Internet without a test. The returned function stops it. [Internet.Err]
// returns its errors.
func Start() (*Internet, func()) {
	n := newInternet(nil)
	return n, n.stop
}

// Err returns the error with which [New] would have failed the test; nil after New. It is complete
// once the Internet has stopped.
func (n *Internet) Err() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return errors.Join(n.problems...)
}

func newInternet(t testing.TB) *Internet {
	n := &Internet{
		t: t, view: "clienttest " + rand.Text(), done: make(chan struct{}),
		hosts: map[string]*Host{}, routes: map[netip.Addr][]*Host{},
		last4: netip.AddrFrom4([4]byte{93, 184, 216, 0}),
		last6: netip.MustParseAddr("2606:2800:220:1::"),
		zone:  map[string]*script[Answer]{}, conns: map[*serverConn]bool{}, virtual: isVirtual(),
	}
	n.tls = &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: n.configFor}
	n.feed = newFeed()
	n.server = &http.Server{
		Handler:     http.HandlerFunc(n.handle),
		TLSConfig:   &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}},
		ConnContext: withConn,
		ErrorLog:    log.New(io.Discard, "", 0),
	}
	n.work.Go(func() { _ = n.server.Serve(n.feed) })
	return n
}

// isVirtual reports whether the time is that of a synctest bubble, which begins with the year 2000.
func isVirtual() bool { return time.Now().Year() < 2020 }

// stop ends everything, in an order that lets clients end first.
func (n *Internet) stop() {
	n.mu.Lock()
	if n.stopped {
		n.mu.Unlock()
		return
	}
	closers := n.closers
	n.closers = nil
	n.mu.Unlock()
	for i := len(closers) - 1; i >= 0; i-- {
		if err := closers[i](); err != nil {
			n.report("close: %w", err)
		}
	}
	n.checkWatched()
	n.checkExpected()
	n.mu.Lock()
	n.stopped = true
	close(n.done)
	for c := range n.conns {
		_ = c.Reset() // may have ended by itself
	}
	n.mu.Unlock()
	_ = n.server.Close() // the connections are gone already
	n.work.Wait()
}

// atStop registers functions to call before the Internet stops.
func (n *Internet) atStop(f func() error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closers = append(n.closers, f)
}

// report fails the test, because the test is wrong or the client broke a rule.
func (n *Internet) report(format string, args ...any) {
	err := fmt.Errorf("clienttest: "+format, args...)
	if n.t != nil {
		n.t.Helper()
		n.t.Error(err)
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.problems = append(n.problems, err)
}

// RootCAs returns a pool that trusts only the certificates of the hosts.
func (n *Internet) RootCAs() *x509.CertPool {
	ca, err := processAuthority()
	if err != nil {
		n.report("certificate authority: %w", err)
		return x509.NewCertPool()
	}
	return ca.pool.Clone()
}

// View identifies this Internet for client.Options.Network.View. Clients of one Internet may share
// a store; clients of different ones may not.
func (n *Internet) View() string { return n.view }

// Latency sets the time of one round trip on connections made from now on; default 0. Opening a
// connection takes one round trip and the TLS 1.3 handshake another, so a first answer arrives
// after three. Inside a synctest bubble the elapsed time divided by rtt is the exact number of
// round trips. DNS answers are not delayed; see [Answer.After].
func (n *Internet) Latency(rtt time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.rtt = rtt
}

// script returns its items one after the other, then the last one again and again.
type script[T any] struct {
	items []T
	next  int
}

func (s *script[T]) take() T {
	var item T
	if s == nil || len(s.items) == 0 {
		return item
	}
	item = s.items[min(s.next, len(s.items)-1)]
	s.next++
	return item
}
