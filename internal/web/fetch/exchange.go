package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/pausable"
)

// exchange is one request on one connection, until the body of its answer has
// been read or closed.
type exchange struct {
	conns  *Conns
	grant  grant
	ask    *Ask
	req    *http.Request   // with ctx
	caller context.Context // the context of the call
	ctx    context.Context // also ends with the time limit
	cancel context.CancelCauseFunc
	limit  pausable.Timer // of the header, and then of the whole
	rest   time.Duration  // of the time limit, once the header has come in time
	headed atomic.Bool    // the header of the answer was read

	body     exchangeBody
	hooks    httptrace.ClientTrace
	turn     atomic.Bool // HTTP/2: holds the right to write
	written  atomic.Bool // the header was written
	answered atomic.Bool // a byte of an answer was read
	ending   sync.Once

	informed, informedBytes int // informational responses; one reader counts
}

func newExchange(ctx context.Context, c *Conns, a *Ask, header http.Header, g grant) *exchange {
	x := &exchange{conns: c, grant: g, ask: a, caller: ctx}
	x.turn.Store(g.conn.h2)
	x.ctx, x.cancel = context.WithCancelCause(x.caller)
	first := g.budget
	if !c.options.Interactive {
		first = min(first, headerTimeout)
	}
	x.rest = g.budget - first
	x.limit.Start(a.Call, first, x)
	if g.budget <= 0 {
		x.TimeOut()
	}
	x.req = (&http.Request{
		Method: a.method(),
		URL:    a.target(),
		Proto:  "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        header,
		Body:          a.Body,
		GetBody:       a.GetBody,
		ContentLength: a.ContentLength,
	}).WithContext(x.traced())
	return x
}

// TimeOut ends the exchange, or begins the rest of its time. One timer is enough for both limits of
// a request without a body, where that of net/http for the header would be another one.
func (x *exchange) TimeOut() {
	switch {
	case x.rest <= 0:
		x.cancel(errRequestTimeout)
	case !x.headed.Load():
		x.cancel(errHeaderTimeout)
	default:
		rest := x.rest
		x.rest = 0 // before the timer runs, which may end at once
		x.limit.Start(x.ask.Call, rest, x)
		if x.ctx.Err() != nil { // it ended meanwhile
			x.limit.Stop()
		}
	}
}

// traced returns the context with the hooks of the exchange; the caller's hooks are called as well.
func (x *exchange) traced() context.Context {
	x.hooks.WroteHeaders = x.wroteHeaders
	x.hooks.GotFirstResponseByte = x.gotByte
	x.hooks.Got1xxResponse = x.gotInformational
	return httptrace.WithClientTrace(x.ctx, &x.hooks)
}

func (x *exchange) gotByte() { x.answered.Store(true) }

// gotInformational bounds the number of informational responses. It also restores the bound on
// their size, which any hook removes.
func (x *exchange) gotInformational(_ int, header textproto.MIMEHeader) error {
	x.informed++
	x.informedBytes += len("HTTP/1.1 103 \r\n\r\n")
	for name, values := range header {
		for _, v := range values {
			x.informedBytes += len(name) + len(v) + len(": \r\n")
		}
	}
	if x.informedBytes <= maxHeaderBytes && x.informed <= maxInformational {
		return nil
	}
	x.cancel(errInformational)
	// The caller's hook decides on the error, and the cancellation takes effect some answers later.
	_ = x.grant.conn.remote.Close()
	return errInformational
}

func (x *exchange) wroteHeaders() {
	x.written.Store(true)
	if x.turn.CompareAndSwap(true, false) {
		x.conns.wrote(x.grant.conn)
	}
}

// roundTrip returns the errors of net/http unchanged.
func (x *exchange) roundTrip() (*http.Response, error) {
	k := x.grant.conn
	x.announce()
	if x.ask.Callers != nil {
		x.ask.Callers.watch(x)
		defer x.ask.Callers.unwatch(x)
	}
	resp, err := k.cc.RoundTrip(x.req)
	if err != nil {
		x.end(x.outlives(err))
		return nil, err
	}
	x.headed.Store(true)
	if want := protoMajor(k); resp.ProtoMajor != want {
		_ = resp.Body.Close()
		x.end(false)
		return nil, fail(opHeaders, wayfind.CodeProtocol,
			fmt.Errorf("status line of HTTP/%d in an answer of HTTP/%d", resp.ProtoMajor, want))
	}
	x.body = exchangeBody{
		ReadCloser: resp.Body, x: x, empty: resp.Body == http.NoBody,
		keep:  k.h2 || !resp.Close,
		toEnd: !k.h2 && resp.ContentLength < 0 && len(resp.TransferEncoding) == 0,
	}
	resp.Body = &x.body
	return resp, nil
}

// outlives reports whether the connection may carry other requests after err: only with HTTP/2, and
// not if the peer was silent for too long or takes no more requests.
func (x *exchange) outlives(err error) bool {
	if x.caller.Err() != nil || errors.Is(context.Cause(x.ctx), errLeft) {
		return x.grant.conn.h2
	}
	if isTimeLimit(context.Cause(x.ctx)) {
		return false
	}
	return x.grant.conn.h2 && !isTimeout(err) && !isConnLoss(err) && !isPeerClose(err)
}

func protoMajor(k *conn) int {
	if k.h2 {
		return 2
	}
	return 1
}

// announce reports the used connection to the caller's trace, because net/http does not do so for
// connections outside its pool.
func (x *exchange) announce() {
	if trace := httptrace.ContextClientTrace(x.caller); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{Conn: x.grant.conn.remote, Reused: x.grant.reused})
	}
}

// drop ends the request because the last caller has left, unless it was written.
func (x *exchange) drop() {
	if !x.written.Load() {
		x.cancel(errLeft)
	}
}

// end returns the connection, once.
func (x *exchange) end(keep bool) {
	x.ending.Do(func() {
		x.conns.release(x.grant.conn, keep, x.turn.CompareAndSwap(true, false))
		x.cancel(nil)
		x.limit.Stop()
	})
}

// mayMove reports whether the request may be sent again on a new connection: if it was never
// written, if the peer has declared that it did not process it, or if a used connection turned out
// to be closed (RFC 9110 §9.2.2). The last two are counted as retries, and so is a new connection
// that is dead at once.
func (x *exchange) mayMove(err error) bool {
	if x.stopped() != nil || isTimeout(err) {
		return false
	}
	if _, ok := errors.AsType[*wayfind.Error](err); ok {
		return false
	}
	lost := isConnLoss(err) || isPeerClose(err)
	switch {
	case !x.written.Load():
		return lost && (x.grant.reused || x.takeRepeat(maxConnRetries))
	case x.ask.Once, x.answered.Load():
		return false
	case x.grant.reused:
		return (lost || isUnprocessed(err)) && x.takeRepeat(maxRetries)
	}
	return isUnprocessed(err) && x.takeRepeat(maxConnRetries)
}

// takeRepeat counts one more repetition of the call, unless there were already most of them or the
// budget is used up.
func (x *exchange) takeRepeat(most int) bool {
	if !x.ask.mayRepeat(most) || !x.ask.Budget.take() {
		return false
	}
	x.ask.repeats++
	return true
}

// stopped returns the reason why this side ended the exchange, or nil if it did not.
func (x *exchange) stopped() error {
	if x.caller.Err() != nil {
		return x.caller.Err()
	}
	if cause := context.Cause(x.ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// fault types an error of the exchange.
func (x *exchange) fault(op string, err error) error {
	switch stopped := x.stopped(); {
	case x.conns.isClosed():
		return closedError(op)
	case x.caller.Err() != nil:
		return callerError(x.caller, op)
	case errors.Is(stopped, errLeft):
		return leftError(op)
	case isTimeLimit(stopped):
		if op == opHeaders && x.answered.Load() {
			stopped = answeredError{stopped}
		}
		return fail(op, wayfind.CodeTimeout, stopped)
	case errors.Is(stopped, errInformational):
		return fail(op, wayfind.CodeHeadersTooLarge, errInformational)
	}
	// In the middle of a line, net/http reports the partial line or its end instead of the loss of
	// the connection.
	code, loss := exchangeCode(err), x.grant.conn.remote.loss()
	if loss != nil && (code == wayfind.CodeProtocol || code == wayfind.CodeTruncated) {
		err = loss
	}
	if op == opHeaders && x.answered.Load() {
		err = answeredError{err}
	}
	return exchangeError(op, err)
}

func (c *Conns) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// exchangeBody returns the connection at its end.
type exchangeBody struct {
	io.ReadCloser
	x     *exchange
	empty bool
	keep  bool  // the peer has not announced that it closes the connection
	toEnd bool  // the body ends with the connection (RFC 9112 §6.3)
	err   error // sticky
}

// Read returns errors of type *wayfind.Error, and io.EOF.
func (b *exchangeBody) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.ReadCloser.Read(p)
	b.x.grant.conn.remote.allow(2 * int64(n))
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && (!b.toEnd || b.x.stopped() == nil):
		// A peer that notices the end of the exchange closes the connection too. That is no end of
		// a body.
		b.err = io.EOF
		b.x.end(b.keep)
	default:
		b.err = withURL(b.x.fault(opBody, err), b.x.req.URL)
		b.x.end(b.x.outlives(err))
	}
	return n, b.err
}

// Close may be called at any time. If the answer was not read to its end, an HTTP/1.1 connection is
// lost.
func (b *exchangeBody) Close() error {
	err := b.ReadCloser.Close()
	b.x.end(b.x.grant.conn.h2 || b.empty && b.keep)
	return err
}
