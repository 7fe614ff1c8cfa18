package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// The stages that errors name.
const (
	opDNS      = "dns"
	opDial     = "dial"
	opProxy    = "proxy"
	opTLS      = "tls"
	opHeaders  = "headers"
	opBody     = "body"
	opRedirect = "redirect"
)

var (
	errLeft           = errors.New("no caller waits for it any more")
	errRequestTimeout = fmt.Errorf("no complete answer within %v", requestTimeout)
	errHeaderTimeout  = fmt.Errorf("no header of an answer within %v", headerTimeout)
	errDialTimeout    = fmt.Errorf("no connection within %v", dialTimeout)
	errLookupTimeout  = fmt.Errorf("no address within %v", lookupTimeout)
	errTunnelTimeout  = fmt.Errorf("no tunnel within %v", tunnelTimeout)
	errTLSTimeout     = fmt.Errorf("no TLS connection within %v", handshakeTimeout)
	errNoCloseNotify  = fmt.Errorf("connection ended without close_notify: %w", io.ErrUnexpectedEOF)
	errFlood          = errors.New("the peer sends too much beside answers")
	errInformational  = errors.New("too many informational responses")
)

// StatusError is the cause of an error with code CodeStatus.
type StatusError struct {
	// Status is the number that was sent. RFC 9110 §15 may not define it.
	Status int
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("status %03d is no answer to a GET", e.Status)
}

// answeredError marks a failure after the first byte of an answer: the site has processed the
// request, so repeating it may do harm.
type answeredError struct{ error }

func (e answeredError) Unwrap() error { return e.error }

func wasAnswered(err error) bool {
	_, ok := errors.AsType[answeredError](err)
	return ok
}

func fail(op string, code wayfind.Code, err error) *wayfind.Error {
	return wayfind.NewError(op, "", code, err)
}

// failAs is fail with another kind than the kind of the code. A host that is invalid as a target is
// refused if a redirect leads to it, and the error of a caller that left is no fact about the site.
func failAs(op string, kind error, code wayfind.Code, err error) *wayfind.Error {
	return fail(op, code, err).WithKind(kind)
}

// callerError returns the error for a caller that left or ran out of time. It has no kind, because
// it is no fact about the site.
func callerError(ctx context.Context, op string) *wayfind.Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return failAs(op, nil, wayfind.CodeTimeout, ctx.Err())
	}
	return failAs(op, nil, wayfind.CodeCanceled, ctx.Err())
}

func leftError(op string) *wayfind.Error {
	return failAs(op, nil, wayfind.CodeCanceled, fmt.Errorf("%w: %w", errLeft, context.Canceled))
}

func closedError(op string) *wayfind.Error {
	return failAs(op, wayfind.ErrClosed, wayfind.CodeCanceled, nil)
}

// withURL adds the URL to an error that may be shared by several requests. It leaves out the query,
// because it may contain a token.
func withURL(err error, u *url.URL) error {
	e, ok := errors.AsType[*wayfind.Error](err)
	if !ok {
		return err
	}
	named := *e
	if named.URL == "" {
		named.URL = u.Scheme + "://" + u.Host + u.EscapedPath()
	}
	return &named
}

// exchangeError types the errors of net/http for a request and for its body. Most of these errors
// have no type of their own, so the text decides.
func exchangeError(op string, err error) *wayfind.Error {
	if e, ok := errors.AsType[*wayfind.Error](err); ok {
		return e
	}
	return fail(op, exchangeCode(err), err)
}

func exchangeCode(err error) wayfind.Code {
	text := err.Error()
	switch {
	case isTimeout(err):
		return wayfind.CodeTimeout
	case isHeaderLimit(text), errors.Is(err, errInformational):
		return wayfind.CodeHeadersTooLarge
	case isPeerClose(err):
		return wayfind.CodeTruncated
	case isConnLoss(err), strings.Contains(text, "received from peer"):
		return wayfind.CodeNetwork
	}
	return wayfind.CodeProtocol
}

// isTimeLimit reports whether an exchange ended because it took too long.
func isTimeLimit(cause error) bool {
	return errors.Is(cause, errRequestTimeout) || errors.Is(cause, errHeaderTimeout)
}

func isTimeout(err error) bool {
	e, ok := errors.AsType[net.Error](err)
	return ok && e.Timeout()
}

// isHeaderLimit recognises the texts for HTTP/1.1, for HTTP/2, for HTTP/2 with informational
// responses, and for fields after a chunked body.
func isHeaderLimit(text string) bool {
	return strings.Contains(text, "server response headers exceeded") ||
		strings.Contains(text, "response header list larger than") ||
		strings.Contains(text, "header list too large") ||
		strings.Contains(text, "suspiciously long trailer")
}

// isPeerClose reports an orderly end of the connection at the wrong time. The text is "server
// closed idle connection" if no byte of an answer was read.
func isPeerClose(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		strings.Contains(err.Error(), "server closed idle connection") ||
		strings.Contains(err.Error(), "unexpected EOF reading trailer")
}

// isConnLoss reports whether the connection is gone or no longer takes requests.
func isConnLoss(err error) bool {
	if _, ok := errors.AsType[*net.OpError](err); ok || errors.Is(err, net.ErrClosed) {
		return true
	}
	text := err.Error()
	for _, known := range []string{
		"http2: client conn", // not usable, not established, lost, force closed
		"http2: server sent GOAWAY",
		"http2: Transport received",
		"ClientConn closed",
		"readLoop exiting",
		"idle connection timeout",
		"http: putIdleConn",
		"use of closed connection",
	} {
		if strings.Contains(text, known) {
			return true
		}
	}
	return false
}

// isUnprocessed reports whether the peer has declared that it did not process the request (RFC 9113
// §8.7).
func isUnprocessed(err error) bool {
	text := err.Error()
	return strings.Contains(text, "graceful shutdown GOAWAY") ||
		strings.Contains(text, "REFUSED_STREAM")
}
