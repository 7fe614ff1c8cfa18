package ui

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/url"
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
	case *tls.CertificateVerificationError:
		return certificateFault(e)
	}
	told := err.Error()
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) && told == io.ErrUnexpectedEOF.Error(), err == io.EOF: //nolint:errorlint // the cause itself
		return closedEarly
	case strings.HasPrefix(told, "stream error: stream ID "): // of HTTP/2, whose error has no exported type
		return "the site broke off its answer"
	}
	if inner := errors.Unwrap(err); inner != nil && strings.Contains(told, inner.Error()) {
		return strings.TrimSuffix(strings.Replace(told, inner.Error(), plainCause(inner), 1), ": ") // the text around it is kept
	}
	return told
}

// certificateFault returns the detail of a certificate that was refused. The caller writes the
// class of the fault before it. An unknown authority has no detail.
func certificateFault(err *tls.CertificateVerificationError) string {
	if name, ok := errors.AsType[x509.HostnameError](err); ok && len(name.Certificate.DNSNames) > 0 {
		return "it is for " + strings.Join(name.Certificate.DNSNames[:min(len(name.Certificate.DNSNames), 3)], ", ")
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return "it is valid from " + ClockText(invalid.Cert.NotBefore) + " to " + ClockText(invalid.Cert.NotAfter)
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		return ""
	}
	return strings.TrimPrefix(err.Err.Error(), "x509: ")
}

// closedEarly is the cause if an answer is cut off. endsEarly is the cause if a file or a document is.
const (
	closedEarly = "the site closed the connection before its answer was complete"
	endsEarly   = "it ends too early"
)

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
	cause := rootCause(e.Err, HostOf(e.URL))
	if errors.Is(e.Kind, wayfind.ErrInvalid) {
		cause = strings.ReplaceAll(cause, closedEarly, endsEarly)
	}
	return own.Error() + ": " + cause
}

// rootCause returns the text of an error without the stages around its cause. The person who asked
// a domain knows its name, and has no use for the address of a resolver.
func rootCause(err error, host string) string {
	e, ok := err.(*wayfind.Error) //nolint:errorlint // a text around it is kept
	if ok && e.Err != nil && (e.URL == "" || HostOf(e.URL) == host) {
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

// HostOf returns the host of a URL, or the text if it is none.
func HostOf(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return s
	}
	return u.Hostname()
}
