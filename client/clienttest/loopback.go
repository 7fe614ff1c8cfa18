package clienttest

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"
)

// errNotLoopback is the error for addresses beyond this machine.
var errNotLoopback = errors.New("the address is not loopback")

// loopback is the network of [FromServer]: it knows no names and connects only to this machine.
type loopback struct {
	t testing.TB
}

// LookupNetIP finds no name, because the names of the server need no DNS.
func (loopback) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

func (l loopback) dial(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	if !addr.Addr().Unmap().IsLoopback() {
		l.t.Helper()
		l.t.Errorf("clienttest: connection to %v: %v", addr, errNotLoopback)
		return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: net.TCPAddrFromAddrPort(addr), Err: errNotLoopback}
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", addr.String())
}
