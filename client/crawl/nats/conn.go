package nats

import (
	"context"
	"errors"
	"net"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// dialer connects to a server. If a connection is closed, it drops the bytes that have not
// arrived. The kernel would otherwise continue to deliver them.
type dialer struct{}

const dialTime = 2 * time.Second

// Dial implements nats.CustomDialer.
func (dialer) Dial(network, address string) (net.Conn, error) {
	conn, err := net.DialTimeout(network, address, dialTime)
	if err != nil {
		return nil, err
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		return conn, tcp.SetLinger(0)
	}
	return conn, nil
}

// arrived waits until the server has all bytes that were sent. If this takes too long, arrived
// closes the connection, so that the server never receives them.
func (q *Queue) arrived(ctx context.Context) error {
	err := q.conn.FlushWithContext(ctx)
	if err != nil && !q.conn.IsClosed() {
		return errors.Join(err, q.conn.ForceReconnect())
	}
	return err
}

// patiently repeats an operation while no server answers, until it succeeds, ctx ends or
// Patience expires.
func (q *Queue) patiently(ctx context.Context, do func(ctx context.Context) error) error {
	ends := time.Now().Add(q.opts.Patience)
	for {
		one, cancel := context.WithTimeout(ctx, requestTime)
		err := do(one)
		cancel()
		if err == nil || !q.away(err) || ctx.Err() != nil || time.Now().After(ends) {
			if ctx.Err() != nil && q.away(err) {
				return ctx.Err()
			}
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(reconnectWait):
		}
	}
}

// requestTime bounds one request to the server.
const requestTime = 5 * time.Second

// away reports whether err means that no server answered.
func (q *Queue) away(err error) bool {
	if errors.Is(err, nats.ErrConnectionClosed) { // also for requests in progress when the connection was lost
		return !q.conn.IsClosed()
	}
	for _, one := range []error{
		nats.ErrNoResponders, nats.ErrTimeout, nats.ErrDisconnected, nats.ErrConnectionReconnecting, nats.ErrNoServers,
		nats.ErrReconnectBufExceeded, nats.ErrStaleConnection, context.DeadlineExceeded,
		jetstream.ErrNoStreamResponse, jetstream.ErrNoHeartbeat, jetstream.ErrServerShutdown, jetstream.ErrConsumerLeadershipChanged,
	} {
		if errors.Is(err, one) {
			return true
		}
	}
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && api.Code == 503 && api.ErrorCode != storeFailed && api.ErrorCode != noResources
}

// These codes of the server's errors have no name in the client library.
const (
	storeFailed   jetstream.ErrorCode = 10077 // the text of the error contains the reason
	noResources   jetstream.ErrorCode = 10023
	noMoreStorage jetstream.ErrorCode = 10047
)
