package clienttest

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Host is a web site: a name, its addresses and its answers on port 443. The methods that change a
// Host return it. A change takes effect with the next connection or request.
type Host struct {
	net  *Internet
	name string

	// Guarded by net.mu.
	site       http.Handler
	pages      map[string]http.Handler
	faults     map[string][]Fault
	addrs      []netip.Addr
	alpn       []string
	tlsHook    func(*tls.Config)
	raw        func(net.Conn)
	rawTLS     bool
	connFaults *script[ConnFault]
	addrFaults map[netip.Addr]*script[ConnFault]
	dials      int
	conns      int
	open       int
}

// Host adds a host with one new IPv4 address. The name is an ASCII host name. site answers every
// path; it may be [Pages], [Files] or any http.Handler. If it is nil, every path is 404.
func (n *Internet) Host(name string, site http.Handler) *Host {
	if site == nil {
		site = http.NotFoundHandler()
	}
	n.checkName(name)
	if pages, ok := site.(Pages); ok {
		for path := range pages {
			n.checkPath(name, path)
		}
	}
	return n.addHost(name, site)
}

func (n *Internet) addHost(name string, site http.Handler) *Host {
	name = canonical(name)
	addr := n.NewAddr()
	h := &Host{
		net: n, name: name, site: site,
		pages: map[string]http.Handler{}, faults: map[string][]Fault{},
		alpn: []string{"h2", "http/1.1"}, addrFaults: map[netip.Addr]*script[ConnFault]{},
	}
	n.mu.Lock()
	_, twice := n.hosts[name]
	n.hosts[name] = h
	n.mu.Unlock()
	if twice {
		n.report("host %q was added twice", name)
	}
	return h.At(addr)
}

func canonical(name string) string {
	return strings.ToLower(strings.TrimSuffix(name, "."))
}

// NewAddr returns an IPv4 address that no host has, from 93.184.216.1 upward.
func (n *Internet) NewAddr() netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last4 = n.last4.Next()
	return n.last4
}

// NewAddr6 returns an IPv6 address that no host has, from 2606:2800:220:1::1 upward.
func (n *Internet) NewAddr6() netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last6 = n.last6.Next()
	return n.last6
}

// Name returns the canonical name of the host.
func (h *Host) Name() string { return h.name }

// Addrs returns the addresses of the host.
func (h *Host) Addrs() []netip.Addr {
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	return slices.Clone(h.addrs)
}

// At replaces the addresses, in the order in which DNS returns them. They need not be public: a
// host at 127.0.0.1 is a trap that a guarded client never reaches. Hosts may share an address; then
// the connection faults and the raw handler of the first host apply.
func (h *Host) At(addrs ...netip.Addr) *Host {
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	h.addrs = nil
	for _, a := range addrs {
		h.addrs = append(h.addrs, a.Unmap())
	}
	for a, owners := range h.net.routes {
		h.net.routes[a] = slices.DeleteFunc(owners, func(o *Host) bool { return o == h })
	}
	for _, a := range h.addrs {
		h.net.routes[a] = append(h.net.routes[a], h)
	}
	return h
}

// Handle answers one path, without its query, instead of the site.
func (h *Host) Handle(path string, page http.Handler) *Host {
	h.net.checkPath(h.name, path)
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	h.pages[path] = page
	return h
}

// Fail applies the faults to requests for the path, the first outermost. An empty path means every
// path without faults of its own. If there are no faults, the path works again.
func (h *Host) Fail(path string, faults ...Fault) *Host {
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	h.faults[path] = slices.Clone(faults)
	if len(faults) == 0 {
		delete(h.faults, path)
	}
	return h
}

// FailConn applies faults to connections: the nth connection from now on gets the nth fault, and
// all further connections get the last one. The zero [ConnFault] is no fault. If there are no
// faults, connections work again.
func (h *Host) FailConn(faults ...ConnFault) *Host {
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	h.connFaults = &script[ConnFault]{items: slices.Clone(faults)}
	return h
}

// FailAddr is [Host.FailConn] for connections to one of its addresses. FailConn then does not apply
// to these connections.
func (h *Host) FailAddr(addr netip.Addr, faults ...ConnFault) *Host {
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	h.addrFaults[addr.Unmap()] = &script[ConnFault]{items: slices.Clone(faults)}
	if len(faults) == 0 {
		delete(h.addrFaults, addr.Unmap())
	}
	return h
}

// Protocols sets the protocols that the host offers by ALPN (RFC 7301), in its order of preference;
// default "h2", "http/1.1". Without protocols the host does not support ALPN, which means HTTP/1.1.
func (h *Host) Protocols(alpn ...string) *Host {
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	h.alpn = slices.Clone(alpn)
	return h
}

// TLS sets a function that changes the configuration of every handshake, after the certificate and
// the protocols were set.
func (h *Host) TLS(f func(*tls.Config)) *Host {
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	h.tlsHook = f
	return h
}

// Raw passes every connection to f after the TLS handshake, instead of to an HTTP server. The
// connection is a *tls.Conn, which is closed when f returns. Its reads fail when the Internet
// stops. [End] ends it in other ways. If f is nil, the host serves HTTP again.
func (h *Host) Raw(f func(net.Conn)) *Host { return h.setRaw(f, true) }

// RawTCP is Raw before the TLS handshake.
func (h *Host) RawTCP(f func(net.Conn)) *Host { return h.setRaw(f, false) }

func (h *Host) setRaw(f func(net.Conn), overTLS bool) *Host {
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	h.raw, h.rawTLS = f, overTLS
	return h
}

// Hangup ends all connections of the host in their current state. A client that keeps an idle
// connection notices the end with its next request.
func (h *Host) Hangup(e Ending) {
	h.net.mu.Lock()
	var conns []*serverConn
	for c := range h.net.conns {
		if c.host == h {
			conns = append(conns, c)
		}
	}
	h.net.mu.Unlock()
	for _, c := range conns {
		c.finish(e)
	}
}
