package redis

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/budget"
)

// Limits of a connection.
const (
	// connectTimeout is the longest time for dialling, TLS and the greeting together. No caller
	// waits for it longer than its own context.
	connectTimeout = 5 * time.Second
	// silence is the interval at which an idle connection is checked, and the
	// time limit for the answer.
	silence = time.Second
	// maxCalls is the largest number of calls at a time. The library's ring has twice as many
	// places, because a full ring would make callers wait past the end of their contexts.
	maxCalls  = 128
	ringScale = 8
	// bufferSize is the size of each of the two buffers of the connection, in bytes. Larger values
	// bypass them.
	bufferSize = 16 << 10
	// firstPause and maxPause are the shortest and the longest time for which an unreachable server
	// is not tried again.
	firstPause = 100 * time.Millisecond
	maxPause   = 5 * time.Second
)

// errLost is the error that a client of the library gets in place of a second connection. The
// library would dial with the context of the first caller, and all other callers would wait for
// that without limit.
var errLost = errors.New("the connection was lost")

// link keeps one connection to the server, which is made when a caller needs it. A broken
// connection is replaced by a new one, in the background.
type link struct {
	at    place
	limit int64 // the largest size of a value in a reply
	calls *budget.Places
	made  atomic.Uint64

	ctx  context.Context // the context of all connections; ends with close
	stop context.CancelFunc
	work sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	client  rueidis.Client // nil if there is no connection
	attempt chan struct{}  // closed when the present attempt ends
	failed  error          // the error of the last attempt
	retryAt time.Time
	pause   time.Duration
}

func newLink(at place, limit int64) *link {
	l := &link{at: at, limit: limit, calls: budget.NewPlaces(maxCalls)}
	l.ctx, l.stop = context.WithCancel(context.Background())
	return l
}

// do runs one command on the connection.
func (l *link) do(ctx context.Context, call func(context.Context, rueidis.Client) rueidis.RedisResult) rueidis.RedisResult {
	results, err := l.all(ctx, func(ctx context.Context, c rueidis.Client) []rueidis.RedisResult {
		return []rueidis.RedisResult{call(ctx, c)}
	})
	if err != nil {
		return rueidis.NewErrorResult(err)
	}
	return results[0]
}

// all runs commands in one round trip, and returns a result for each. Only errors of the server are
// in the results. The place of a call is given back with the reply, even if its caller has left:
// until then the call uses a place in the library's ring.
func (l *link) all(ctx context.Context, call func(context.Context, rueidis.Client) []rueidis.RedisResult) ([]rueidis.RedisResult, error) {
	client, err := l.reached(ctx)
	if err == nil {
		err = l.calls.Take(ctx, nil, nil)
	}
	if err != nil {
		return nil, err
	}
	results, err := budget.Run(ctx, l.calls, func(done func([]rueidis.RedisResult)) {
		done(call(context.WithoutCancel(ctx), client))
	})
	if err != nil {
		return nil, err
	}
	for _, result := range results {
		err := result.NonRedisError()
		if err == nil || rueidis.IsRedisNil(err) {
			continue
		}
		l.lose(client)
		return nil, cmp.Or(l.err(), err)
	}
	return results, nil
}

// reached is connected within the time for a sign of the server.
func (l *link) reached(ctx context.Context) (rueidis.Client, error) {
	ctx, cancel := budget.Untimed(ctx)
	defer cancel()
	return l.connected(ctx)
}

// connected returns the client of the connection. It waits for a connection that is being made,
// unless the previous attempt has failed.
func (l *link) connected(ctx context.Context) (rueidis.Client, error) {
	if err := cmp.Or(ctx.Err(), l.err()); err != nil {
		return nil, err
	}
	l.mu.Lock()
	switch {
	case l.closed:
		l.mu.Unlock()
		return nil, cache.ErrClosed
	case l.client != nil:
		defer l.mu.Unlock()
		return l.client, nil
	case l.attempt == nil && !time.Now().Before(l.retryAt):
		l.attempt = make(chan struct{})
		l.work.Go(l.connect)
	}
	attempt, failed := l.attempt, l.failed
	l.mu.Unlock()
	if failed != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, failed)
	}
	select {
	case <-attempt:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return nil, cache.ErrClosed
	case l.client == nil:
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, firstError(l.failed, errLost))
	}
	return l.client, nil
}

func firstError(list ...error) error {
	for _, err := range list {
		if err != nil {
			return err
		}
	}
	return nil
}

// connect makes one attempt.
func (l *link) connect() {
	client, err := rueidis.NewClient(l.options())
	if err != nil && client != nil {
		client.Close()
		client = nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.attempt)
	l.attempt, l.failed = nil, err
	switch {
	case err != nil:
		l.pause = min(max(2*l.pause, firstPause), maxPause)
		l.retryAt = time.Now().Add(l.pause)
	case l.closed:
		client.Close()
	default:
		l.client, l.pause = client, 0
		l.made.Add(1)
	}
}

// options returns the options of a client with one connection, without a cache, without retries,
// and with smaller buffers than the default of half a megabyte.
func (l *link) options() rueidis.ClientOption {
	var dialled atomic.Bool
	return rueidis.ClientOption{
		InitAddress: []string{l.at.addr},
		DialCtxFn: func(ctx context.Context, _ string, _ *net.Dialer, _ *tls.Config) (net.Conn, error) {
			if dialled.Swap(true) {
				return nil, errLost
			}
			return l.dial(ctx)
		},
		Username: l.at.user, Password: l.at.password, SelectDB: l.at.db,
		Dialer:             net.Dialer{Timeout: connectTimeout, KeepAlive: silence},
		ConnWriteTimeout:   silence,
		RingScaleEachConn:  ringScale,
		ReadBufferEachConn: bufferSize, WriteBufferEachConn: bufferSize,
		PipelineMultiplex: -1, // one connection
		ClientSetInfo:     rueidis.DisableClientSetInfo,
		ForceSingleClient: true, DisableCache: true, DisableRetry: true, AlwaysPipelining: true,
	}
}

// dial opens the connection. close ends it, even while it is being opened.
func (l *link) dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	defer context.AfterFunc(l.ctx, cancel)()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, l.at.network, l.at.addr)
	if err != nil {
		return nil, err
	}
	if l.at.tls != nil {
		secure := tls.Client(conn, l.at.tls)
		if err := secure.HandshakeContext(ctx); err != nil {
			_ = conn.Close()
			return nil, err
		}
		conn = secure
	}
	guarded := &guardedConn{Conn: conn, sign: l.calls.Sign, in: scanner{limit: l.limit}, out: scanner{limit: math.MaxInt64}}
	guarded.unhook = context.AfterFunc(l.ctx, func() { _ = conn.Close() })
	return guarded, nil
}

// lose forgets a connection that has broken.
func (l *link) lose(client rueidis.Client) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.client != client {
		return // another caller has done so
	}
	l.client = nil
	l.work.Go(client.Close)
}

// background begins work that ends with ctx of the link, and reports whether it did, which it does
// unless the link is closed.
func (l *link) background(work func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.work.Go(work)
	}
	return !l.closed
}

// err returns cache.ErrClosed if the link is closed.
func (l *link) err() error {
	if l == nil {
		return errUnmade
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return cache.ErrClosed
	}
	return nil
}

// close ends the connection and all work, and waits for their end.
func (l *link) close() {
	if l == nil {
		return
	}
	l.mu.Lock()
	client := l.client
	l.client, l.closed = nil, true
	l.mu.Unlock()
	l.stop()
	if client != nil {
		client.Close()
	}
	l.work.Wait()
}
