package fetch

import (
	"context"
	"errors"
	"net"
	"strconv"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/pausable"
)

// tunnel is a way to a host on which this process does not see its address: the
// caller's own, by Policy.UnsafeProxy or Options.Network.UnsafeDial. The policy
// judges the name and the port, and TLS proves the identity of the other end;
// the rest of the guard has no effect.
type tunnel struct {
	op   string // the stage that its errors name
	open func(ctx context.Context, host string, port uint16) (net.Conn, error)
}

// tunnelOf returns the way that the options name, nil when connections are made
// from here. A proxy goes before a function: client.New refuses both.
func tunnelOf(o *Options) *tunnel {
	switch policy := o.policy(); {
	case policy.UnsafeProxy != nil:
		return &tunnel{opProxy, newProxy(o, policy.UnsafeProxy).open}
	case o.UnsafeDial != nil:
		return &tunnel{opDial, func(ctx context.Context, host string, port uint16) (net.Conn, error) {
			return o.UnsafeDial(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(int(port))))
		}}
	}
	return nil
}

// through makes a connection by the tunnel. Like race it returns in time, also
// when the function does not.
func (d *dialer) through(ctx context.Context, host string, port uint16) (*socket, error) {
	if err := d.policy.CheckTunnel(host, port); err != nil {
		return nil, err
	}
	ctx, cancel := pausable.WithTimeoutCause(ctx, tunnelTimeout, errTunnelTimeout)
	defer cancel()
	results, over := make(chan attempt), make(chan struct{})
	defer close(over)
	go try(results, over, func() (net.Conn, error) { return d.tunnel.open(ctx, host, port) }, tunnelAddr{})
	select {
	case r := <-results:
		if r.err != nil {
			return nil, d.tunnel.failure(ctx, r.err)
		}
		return r.conn, nil
	case <-ctx.Done():
		return nil, stageError(ctx, d.tunnel.op)
	}
}

// failure types an error of the tunnel.
func (t *tunnel) failure(ctx context.Context, err error) error {
	if _, ok := errors.AsType[*wayfind.Error](err); ok {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return stageError(ctx, t.op)
	case isTimeout(err):
		return fail(t.op, wayfind.CodeTimeout, err)
	}
	return fail(t.op, wayfind.CodeNetwork, err)
}

// tunnelAddr is the address of a peer that this process does not know: none, so
// that an answer is not kept as one of the proxy's address.
type tunnelAddr struct{}

func (tunnelAddr) Network() string { return "tunnel" }
func (tunnelAddr) String() string  { return "tunnel" }
