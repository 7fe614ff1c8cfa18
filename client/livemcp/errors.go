package livemcp

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/client"
)

// ChallengeError is the cause of an error of kind wayfind.ErrBlocked: the server demands
// authentication.
type ChallengeError struct {
	// Status is 401, 402, 403 or 407.
	Status int
	// Auth describes the authentication according to the WWW-Authenticate fields of the
	// answer. ResourceMetadata is the URL of a document with more details (RFC 9728 §5.1): see
	// oauth.Challenge. Texts are unchanged texts of the server.
	Auth             *wayfind.Auth
	ResourceMetadata string

	diagnostics []wayfind.Diagnostic
}

// Error returns a text with the status.
func (e *ChallengeError) Error() string { return statusText(e.Status) }

// HTTPStatus returns the status.
func (e *ChallengeError) HTTPStatus() int { return e.Status }

// statusText returns a description of a status.
func statusText(status int) string { return (&client.StatusError{Status: status}).Error() }

// protocolError means that an endpoint does not support one way to begin a session, so that
// the next way may be tried.
type protocolError struct{ err error }

// Error returns the text of the cause.
func (e *protocolError) Error() string { return e.err.Error() }

// Unwrap returns the cause.
func (e *protocolError) Unwrap() error { return e.err }

// fault returns the error of an endpoint.
func (m *meter) fault(code wayfind.Code, format string, args ...any) *wayfind.Error {
	return wayfind.NewError("live", m.endpoint, code, fmt.Errorf(format, args...))
}

// refusal returns the error of an endpoint that refuses a request with a status.
func (m *meter) refusal(code wayfind.Code, status int) *wayfind.Error {
	return wayfind.NewError("live", m.endpoint, code, &client.StatusError{Status: status})
}

// invalid returns the error of a server that violates the protocol or exceeds a limit.
func (m *meter) invalid(code wayfind.Code, format string, args ...any) *wayfind.Error {
	return m.fault(code, format, args...).WithKind(wayfind.ErrInvalid)
}

// over returns the reason why the probe must end: its context has ended, or the meter has seen
// a fatal error. Nil if the probe may continue.
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

// explain turns the error of a transport for a method into an error of this module. Errors
// that the meter has recorded take precedence over the transport's error. If the server itself
// refuses the method, the error stays a *jsonrpc.Error.
func (m *meter) explain(ctx context.Context, method string, err error) error {
	if e := m.over(ctx, method); e != nil {
		return e
	}
	if why := m.wronged(); why != nil {
		code := codeOf(why)
		if code == wayfind.CodeJSONSyntax {
			code = wayfind.CodeProtocol // the server uses another protocol
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
