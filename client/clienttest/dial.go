package clienttest

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/wayfindhq/wayfind/internal/lab/memconn"
)

// synTimeout is the time after which Linux gives up connecting: 6 retries, doubling from 1 s.
const synTimeout = 127 * time.Second

// firstPort is the first port in the range of the client's ports (RFC 6335 §6).
const firstPort = 49152

// httpsPort is the only port on which hosts listen.
const httpsPort = 443

// errOutside is the error for addresses without a host here.
var errOutside = errors.New("the address is outside of this Internet")

// Dial connects to a host, for client.Options.Network.Dial. If no host has the address, the test
// fails, because the client was about to leave this Internet. Ports other than 443 refuse the
// connection. Errors are of type *net.OpError.
func (n *Internet) Dial(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	if isVirtual() && !n.virtual { // it would end the process: groups of goroutines belong to one bubble
		return nil, errBubble
	}
	addr = netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port())
	h, fault, rtt, err := n.route(addr)
	if err == nil {
		err = n.connect(ctx, addr, fault, rtt)
	}
	if err != nil {
		if err == errOutside {
			n.report("connection to %v: %w", addr, err)
		}
		return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: net.TCPAddrFromAddrPort(addr), Err: err}
	}
	return n.pipe(h, addr, fault, rtt)
}

// route finds the host of an address and the fault of its next connection.
func (n *Internet) route(addr netip.AddrPort) (*Host, ConnFault, time.Duration, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	owners := n.routes[addr.Addr()]
	switch {
	case n.stopped:
		return nil, ConnFault{}, 0, net.ErrClosed
	case len(owners) == 0:
		return nil, ConnFault{}, 0, errOutside
	}
	h := owners[0]
	h.dials++
	if addr.Port() != httpsPort {
		return h, Refuse(), n.rtt, nil
	}
	faults, special := h.addrFaults[addr.Addr()]
	if !special {
		faults = h.connFaults
	}
	return h, faults.take(), n.rtt, nil
}

// connect simulates the TCP handshake.
func (n *Internet) connect(ctx context.Context, addr netip.AddrPort, fault ConnFault, rtt time.Duration) error {
	if fault.kind == connBlackHole {
		if err := n.sleep(ctx, synTimeout); err != nil {
			return err
		}
		return os.NewSyscallError("connect", syscall.ETIMEDOUT)
	}
	if err := n.sleep(ctx, rtt); err != nil {
		return err
	}
	if fault.kind == connRefuse {
		return os.NewSyscallError("connect", syscall.ECONNREFUSED)
	}
	return nil
}

// pipe makes the connection and lets the host serve it.
func (n *Internet) pipe(h *Host, addr netip.AddrPort, fault ConnFault, rtt time.Duration) (net.Conn, error) {
	remote := net.TCPAddrFromAddrPort(addr)
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stopped {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: remote, Err: net.ErrClosed}
	}
	n.dials++
	local := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: firstPort + n.dials%(1<<16-firstPort)}
	a, b := memconn.Pipe(local, remote)
	client, server := a.(*memconn.Conn), b.(*memconn.Conn)
	client.SetLatency(rtt / 2)
	server.SetLatency(rtt - rtt/2)
	c := &serverConn{Conn: server, net: n, host: h, addr: addr.Addr(), id: n.dials, fault: fault, left: fault.bytes}
	n.conns[c] = true
	h.conns++
	h.open++
	n.work.Go(func() { n.serve(c) })
	return &clientConn{Conn: client, host: h}, nil
}

// clientConn counts the connection out at the host when the client closes it.
type clientConn struct {
	*memconn.Conn
	host *Host
	once sync.Once
}

// Close closes the connection.
func (c *clientConn) Close() error {
	c.once.Do(func() {
		c.host.net.mu.Lock()
		defer c.host.net.mu.Unlock()
		c.host.open--
	})
	return c.Conn.Close()
}

// Dials returns the number of attempted connections to the host.
func (h *Host) Dials() int { return h.count(&h.dials) }

// Conns returns the number of connections to the host that completed the TCP handshake.
func (h *Host) Conns() int { return h.count(&h.conns) }

// Open returns the number of connections to the host that the client has open.
func (h *Host) Open() int { return h.count(&h.open) }

func (h *Host) count(n *int) int {
	h.net.mu.Lock()
	defer h.net.mu.Unlock()
	return *n
}

// Transport returns a plain transport into this Internet, without guard, cache and retries, for
// requests that are not under test. Its idle connections are closed when the Internet stops.
func (n *Internet) Transport() *http.Transport {
	tr := &http.Transport{
		DialContext:       n.dialName,
		TLSClientConfig:   &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: n.RootCAs()},
		ForceAttemptHTTP2: true,
	}
	n.atStop(func() error { tr.CloseIdleConnections(); return nil })
	return tr
}

// dialName tries the addresses of a name in order.
func (n *Internet) dialName(ctx context.Context, _, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	at, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, err
	}
	addrs, err := n.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	for _, addr := range addrs {
		var c net.Conn
		if c, err = n.Dial(ctx, netip.AddrPortFrom(addr, uint16(at))); err == nil {
			return c, nil
		}
	}
	return nil, err
}
