package fetch

import (
	"context"
	"errors"
	"net"
	"strconv"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/pausable"
)

// tunnel is a way to a host whose address this process does not know. The caller sets it with
// Policy.UnsafeProxy or Options.Network.UnsafeDial. The policy checks the name and the port, and
// TLS proves the identity of the other end. The rest of the guard has no effect.
type tunnel struct {
	op   string // the stage in its errors
	open func(ctx context.Context, host string, port uint16) (net.Conn, error)
}

// tunnelOf returns the tunnel that the options name, or nil if this process makes the connections.
// A proxy takes precedence over a function; client.New refuses both together.
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

// through makes a connection by the tunnel. Like race it returns in time, even if the function does
// not.
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

// tunnelAddr is the address of a peer whose address is not known. It is no real address, so that an
// answer is not stored with the address of the proxy.
type tunnelAddr struct{}

func (tunnelAddr) Network() string { return "tunnel" }
func (tunnelAddr) String() string  { return "tunnel" }
