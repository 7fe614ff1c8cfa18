package clienttest

import (
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"time"
)

// Request is one request that reached a host. Requests on connections given to a raw handler are
// not recorded.
type Request struct {
	// Time is the time at which the header had arrived.
	Time time.Time
	// Host is the host that the request was sent to, canonical, without port.
	Host string
	// Method is the method, for example "GET".
	Method string
	// Path is the request target as sent, with its query.
	Path string
	// Proto is "HTTP/2.0" or "HTTP/1.1".
	Proto string
	// Header contains the received header fields, without Host.
	Header http.Header
	// Conn is the number of the connection, from 1.
	Conn int
	// Resumed is true if the TLS session of the connection was resumed.
	Resumed bool
}

// Requests returns all requests so far, in the order of their arrival.
func (n *Internet) Requests() []Request {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.requests)
}

// Requests returns the requests to this host so far.
func (h *Host) Requests() []Request {
	return slices.DeleteFunc(h.net.Requests(), func(r Request) bool { return r.Host != h.name })
}

// Paths returns the request targets of Requests, in the order of their arrival; after
// [Internet.Strict], sorted.
func (h *Host) Paths() []string {
	var paths []string
	for _, r := range h.Requests() {
		paths = append(paths, r.Path)
	}
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	if h.net.expected.strict {
		slices.Sort(paths)
	}
	return paths
}

// ResetLog forgets the requests and look-ups so far, for tests whose number of requests would fill the
// memory, or that count those of one step.
func (n *Internet) ResetLog() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.requests, n.lookups = nil, nil
}

// serve serves a new connection for its host.
func (n *Internet) serve(c *serverConn) {
	n.mu.Lock()
	raw, overTLS := c.host.raw, c.host.rawTLS
	n.mu.Unlock()
	switch {
	case c.fault.kind == connAccept:
		c.finish(c.fault.ending)
	case raw != nil && !overTLS:
		defer c.Close()
		raw(c)
	case c.fault.kind == connPlainHTTP:
		n.feed.put(c)
	case raw != nil:
		conn := tls.Server(c, n.tls)
		defer conn.Close()
		if conn.Handshake() == nil {
			raw(conn)
		}
	default:
		n.feed.put(tls.Server(c, n.tls))
	}
}

// configFor returns the configuration of one handshake. The certificate is for the host that the
// client names if that host is at this address, else for the host that the address belongs to.
func (n *Internet) configFor(hello *tls.ClientHelloInfo) (*tls.Config, error) {
	c := lower(hello.Conn)
	if c == nil {
		return nil, net.ErrClosed
	}
	n.mu.Lock()
	h := c.host
	if named := n.hosts[canonical(hello.ServerName)]; named != nil && slices.Contains(named.addrs, c.addr) {
		h = named
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: slices.Clone(h.alpn)}
	hook := h.tlsHook
	n.mu.Unlock()
	if c.fault.kind == connOldTLS {
		config.MinVersion, config.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
	}
	cert, err := leafFor(h.name, c.fault.cert)
	if err != nil {
		n.report("certificate for %q: %w", h.name, err)
		return nil, err
	}
	config.Certificates = []tls.Certificate{*cert}
	if hook != nil {
		hook(config)
	}
	return config, nil
}

// handle answers every HTTP request. A request for a host that is not at the address of the
// connection is misdirected (RFC 9110 §15.5.20).
func (n *Internet) handle(w http.ResponseWriter, r *http.Request) {
	c := connOf(r.Context())
	name := canonical(hostname(r.Host))
	n.mu.Lock()
	if c == nil || n.stopped {
		n.mu.Unlock()
		panic(http.ErrAbortHandler)
	}
	n.work.Add(1)
	defer n.work.Done()
	n.requests = append(n.requests, Request{
		Time: time.Now(), Host: name, Method: r.Method, Path: r.RequestURI, Proto: r.Proto,
		Header: r.Header.Clone(), Conn: c.id, Resumed: r.TLS != nil && r.TLS.DidResume,
	})
	reading := n.reading
	var page http.Handler = Page{Status: http.StatusMisdirectedRequest}
	var faults []Fault
	h := n.hosts[name]
	if h != nil && slices.Contains(h.addrs, c.addr) {
		page, faults = h.find(r.URL.Path)
	}
	known := n.expects(h, name, r)
	n.mu.Unlock()
	if !known {
		n.unexpected(r.Method + " https://" + name + r.RequestURI)
	}
	if reading {
		if err := CheckDiscovery(r.Method, r.Header); err != nil {
			n.report("%s https://%s%s: %w", r.Method, name, r.RequestURI, err)
		}
	}
	for _, fault := range slices.Backward(faults) {
		page = fault(page)
	}
	page.ServeHTTP(w, r)
}

// find returns the handler of a path. The caller holds net.mu.
func (h *Host) find(path string) (http.Handler, []Fault) {
	page, ok := h.pages[path]
	if !ok {
		page = h.site
	}
	faults, ok := h.faults[path]
	if !ok {
		faults = h.faults[""]
	}
	return page, faults
}

func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return hostport
}
