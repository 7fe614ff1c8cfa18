package main

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// plainCause returns the text of a network error for a person.
func plainCause(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer before the time was up"
	}
	switch e := err.(type) { //nolint:errorlint // an error that wraps one of these has its own text
	case *net.DNSError:
		if e.IsNotFound {
			return "no such host"
		}
		return "the name could not be looked up: " + lastPart(e.Err)
	case *net.OpError:
		if e.Op == "dial" && e.Addr != nil {
			return "cannot connect to " + e.Addr.String() + ": " + plainCause(e.Err)
		}
		return plainCause(e.Err)
	case *os.SyscallError:
		return e.Err.Error()
	}
	told := err.Error()
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) && told == io.ErrUnexpectedEOF.Error(), err == io.EOF: //nolint:errorlint // the cause itself
		return "the site closed the connection before its answer was complete"
	case strings.HasPrefix(told, "stream error: stream ID "): // of HTTP/2, whose error has no exported type
		return "the site broke off its answer"
	}
	if inner := errors.Unwrap(err); inner != nil && strings.Contains(told, inner.Error()) {
		return strings.Replace(told, inner.Error(), plainCause(inner), 1) // the text around it is kept
	}
	return strings.Replace(told, "tls: failed to verify certificate: x509: ", "", 1)
}

// lastPart returns the text after the last colon, which is the cause.
func lastPart(s string) string {
	if i := strings.LastIndex(s, ": "); i >= 0 {
		return s[i+len(": "):]
	}
	return s
}

// failureText returns an error as one line: the target, the class and the cause. The stages between
// are left out if they are about the same host.
func failureText(e *wayfind.Error) string {
	own := *e
	own.Err = nil
	if e.Err == nil {
		return own.Error()
	}
	return own.Error() + ": " + rootCause(e.Err, hostOf(e.URL))
}

// rootCause returns the text of an error without the stages around its cause. The person who asked
// a domain knows its name, and has no use for the address of a resolver.
func rootCause(err error, host string) string {
	e, ok := err.(*wayfind.Error) //nolint:errorlint // a text around it is kept
	if ok && e.Err != nil && (e.URL == "" || hostOf(e.URL) == host) {
		return rootCause(e.Err, host)
	}
	return plainCause(err)
}

// failureOf returns the text of an error that contains a failure. It is the text of the failure
// alone if err is the failure itself.
func failureOf(err error, e *wayfind.Error) string {
	if err == error(e) { //nolint:errorlint // the error itself, with nothing around it
		return failureText(e)
	}
	return strings.Replace(err.Error(), e.Error(), failureText(e), 1)
}
