package clienttest

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Host is a web site: a name, its addresses and its answers on port 443.
// Its methods that change something return the Host, and take effect with the
// next connection or request.
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

// Host adds a host with one new IPv4 address. The name is an ASCII host name.
// The site answers every path; nil answers 404 to all: [Pages], [Files] or any
// http.Handler.
func (n *Internet) Host(name string, site http.Handler) *Host {
	if site == nil {
		site = http.NotFoundHandler()
	}
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

// NewAddr returns an IPv4 address that no host has: 93.184.216.1 and upward.
func (n *Internet) NewAddr() netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last4 = n.last4.Next()
	return n.last4
}

// NewAddr6 returns an IPv6 address that no host has: 2606:2800:220:1::1 and
// upward.
func (n *Internet) NewAddr6() netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last6 = n.last6.Next()
	return n.last6
}

// Name is the canonical name of the host.
func (h *Host) Name() string { return h.name }

// Addrs are the addresses of the host.
func (h *Host) Addrs() []netip.Addr {
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	return slices.Clone(h.addrs)
}

// At replaces the addresses, in the order DNS gives them. They need not be
// public: a host at 127.0.0.1 is a trap that a guarded client never reaches.
// Hosts may share an address; the connection faults and the raw handler of the
// first are the ones that count then.
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
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	h.pages[path] = page
	return h
}

// Fail makes requests for the path meet the faults, the first outermost. An
// empty path means every path without faults of its own. No faults: the path
// is sound again.
func (h *Host) Fail(path string, faults ...Fault) *Host {
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	h.faults[path] = slices.Clone(faults)
	if len(faults) == 0 {
		delete(h.faults, path)
	}
	return h
}

// FailConn makes connections meet faults: the nth from now on the nth of
// them, all further ones the last. The zero [ConnFault] is none. No faults:
// connections are sound again.
func (h *Host) FailConn(faults ...ConnFault) *Host {
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	h.connFaults = &script[ConnFault]{items: slices.Clone(faults)}
	return h
}

// FailAddr is [Host.FailConn] for connections to one of its addresses, which
// do not count for FailConn then.
func (h *Host) FailAddr(addr netip.Addr, faults ...ConnFault) *Host {
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	h.addrFaults[addr.Unmap()] = &script[ConnFault]{items: slices.Clone(faults)}
	if len(faults) == 0 {
		delete(h.addrFaults, addr.Unmap())
	}
	return h
}

// Protocols are the protocols that the host offers by ALPN (RFC 7301), in its
// order of preference; default "h2", "http/1.1". None: it does not know ALPN,
// which means HTTP/1.1.
func (h *Host) Protocols(alpn ...string) *Host {
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	h.alpn = slices.Clone(alpn)
	return h
}

// TLS lets f change the configuration of every handshake, after the
// certificate and the protocols were set.
func (h *Host) TLS(f func(*tls.Config)) *Host {
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	h.tlsHook = f
	return h
}

// Raw gives every connection to f once the TLS handshake is done, instead of
// an HTTP server; the connection is a *tls.Conn, closed when f returns. Its
// reads fail when the Internet stops. [End] ends it in other ways. Nil: HTTP
// again.
func (h *Host) Raw(f func(net.Conn)) *Host { return h.setRaw(f, true) }

// RawTCP is Raw before the TLS handshake.
func (h *Host) RawTCP(f func(net.Conn)) *Host { return h.setRaw(f, false) }

func (h *Host) setRaw(f func(net.Conn), overTLS bool) *Host {
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	h.raw, h.rawTLS = f, overTLS
	return h
}

// Hangup ends all connections of the host as they are. A client that keeps an
// idle connection learns it with its next request.
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
