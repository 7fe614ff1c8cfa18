package livemcp

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
)

// ChallengeError is the cause of an error of kind wayfind.ErrBlocked: the
// server wants authentication.
type ChallengeError struct {
	// Status is 401, 402, 403 or 407.
	Status int
	// Auth is how to authenticate by the WWW-Authenticate fields of the answer,
	// and ResourceMetadata the URL of the document that says more (RFC 9728
	// §5.1): see oauth.Challenge. Texts are as the server wrote them.
	Auth             *wayfind.Auth
	ResourceMetadata string

	diagnostics []wayfind.Diagnostic
}

// Error names the status.
func (e *ChallengeError) Error() string { return statusText(e.Status) }

// HTTPStatus is the status.
func (e *ChallengeError) HTTPStatus() int { return e.Status }

// statusText is a status as people read it.
func statusText(status int) string { return (&client.StatusError{Status: status}).Error() }

// protocolError says that one way to begin a session is not spoken at an
// endpoint, so that the next may be tried.
type protocolError struct{ err error }

// Error is that of the cause.
func (e *protocolError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *protocolError) Unwrap() error { return e.err }

// fault makes the error of an endpoint.
func (m *meter) fault(code wayfind.Code, format string, args ...any) *wayfind.Error {
	return wayfind.NewError("live", m.endpoint, code, fmt.Errorf(format, args...))
}

// refusal makes the error of an endpoint that refuses with a status.
func (m *meter) refusal(code wayfind.Code, status int) *wayfind.Error {
	return wayfind.NewError("live", m.endpoint, code, &client.StatusError{Status: status})
}

// invalid makes the error of a server that breaks the protocol or passes a
// limit.
func (m *meter) invalid(code wayfind.Code, format string, args ...any) *wayfind.Error {
	return m.fault(code, format, args...).WithKind(wayfind.ErrInvalid)
}

// over is why nothing more can be asked in this probe: its context has ended,
// or the meter saw something that ends it. Nil: go on.
func (m *meter) over(ctx context.Context, method string) error {
	cause := ctx.Err()
	if cause == nil {
		return m.trouble()
	}
	code := wayfind.CodeTimeout
	if errors.Is(cause, context.Canceled) {
		code = wayfind.CodeCanceled
	}
	return m.fault(code, "%q: %w", method, cause)
}

// explain turns what a transport reported about a method into an error of this
// module: the meter's findings count more than the transport's error. The
// server's own refusal is a *jsonrpc.Error and stays one.
func (m *meter) explain(ctx context.Context, method string, err error) error {
	if e := m.over(ctx, method); e != nil {
		return e
	}
	if why := m.wronged(); why != nil {
		code := codeOf(why)
		if code == wayfind.CodeJSONSyntax {
			code = wayfind.CodeProtocol // something else is spoken
		}
		return m.invalid(code, "%q: the answer is no message of JSON-RPC 2.0: %w", method, why)
	}
	if no, ok := saysNo(err); ok {
		return no
	}
	// The text may quote a whole answer.
	return m.invalid(wayfind.CodeProtocol, "%q: %.400s", method, err.Error())
}

// saysNo reports whether a server answered a method with an error.
func saysNo(err error) (*jsonrpc.Error, bool) { return errors.AsType[*jsonrpc.Error](err) }
