package clienttest

import (
	"net/http"
	"time"
)

// Ending is the way a host stops sending.
type Ending int

// The endings.
const (
	// Stall sends nothing more and keeps the connection open.
	Stall Ending = iota
	// Close closes the connection, without a TLS alert.
	Close
	// Reset resets the connection: the client reads the bytes already sent, then gets ECONNRESET.
	Reset
	// Abort ends one exchange. With HTTP/2 its stream is reset and the connection stays open (RFC
	// 9113 §6.4). Otherwise it is Close.
	Abort
)

// ConnFault is a failure of a connection; see [Host.FailConn]. The zero value is a connection
// without fault.
type ConnFault struct {
	kind   connFaultKind
	ending Ending
	bytes  int
	cert   certKind
}

type connFaultKind int

const (
	connSound connFaultKind = iota
	connRefuse
	connBlackHole
	connAccept
	connCut
	connPlainHTTP
	connOldTLS
)

// Refuse refuses the connection: the client gets ECONNREFUSED after one round trip.
func Refuse() ConnFault { return ConnFault{kind: connRefuse} }

// BlackHole never answers. The connection fails when the context of the dialer ends, or with
// ETIMEDOUT after 127 seconds, as on Linux.
func BlackHole() ConnFault { return ConnFault{kind: connBlackHole} }

// AtAccept ends the connection as soon as it is made.
func AtAccept(e Ending) ConnFault { return ConnFault{kind: connAccept, ending: e} }

// AtHandshake ends the connection after the first message of the client was read, before anything
// is sent.
func AtHandshake(e Ending) ConnFault { return AtByte(0, e) }

// AtByte ends the connection after the host has sent n bytes on it, counted below TLS: inside the
// handshake, a header or a body.
func AtByte(n int, e Ending) ConnFault {
	return ConnFault{kind: connCut, ending: e, bytes: max(n, 0)}
}

// PlainHTTP speaks HTTP/1.1 without TLS.
func PlainHTTP() ConnFault { return ConnFault{kind: connPlainHTTP} }

// OldTLS speaks only TLS 1.0 and 1.1 (both deprecated by RFC 8996).
func OldTLS() ConnFault { return ConnFault{kind: connOldTLS} }

// ExpiredCert presents a certificate that ended in 1999.
func ExpiredCert() ConnFault { return ConnFault{cert: certExpired} }

// FutureCert presents a certificate that begins in 2099.
func FutureCert() ConnFault { return ConnFault{cert: certFuture} }

// WrongNameCert presents a certificate for another name.
func WrongNameCert() ConnFault { return ConnFault{cert: certWrongName} }

// UnknownCACert presents a certificate of an authority that [Internet.RootCAs]
// does not have.
func UnknownCACert() ConnFault { return ConnFault{cert: certUnknownCA} }

// SelfSignedCert presents a certificate that signs itself.
func SelfSignedCert() ConnFault { return ConnFault{cert: certSelfSigned} }

// MissingIntermediate presents a certificate of an intermediate authority
// without the certificate of that authority.
func MissingIntermediate() ConnFault { return ConnFault{cert: certNoIntermediate} }

// Fault is a failure of one exchange: it wraps the handler. See [Host.Fail].
type Fault func(http.Handler) http.Handler

// Delay delays the answer by d.
func Delay(d time.Duration) Fault {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			timer := time.NewTimer(d)
			defer timer.Stop()
			select {
			case <-timer.C:
				next.ServeHTTP(w, r)
				return
			case <-r.Context().Done():
			case <-stopOf(r):
			}
			panic(http.ErrAbortHandler)
		})
	}
}

// AtHeaders ends the exchange before any byte of the answer is sent.
func AtHeaders(e Ending) Fault {
	return func(http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { end(r, e) })
	}
}

// AtBody ends the exchange after the header and n bytes of the body. If the body of an answer has
// no more than n bytes, the answer is complete.
func AtBody(n int, e Ending) Fault {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(&cutWriter{ResponseWriter: w, r: r, left: max(n, 0), ending: e}, r)
		})
	}
}

// cutWriter ends the exchange at the first byte of the body beyond left.
type cutWriter struct {
	http.ResponseWriter
	r      *http.Request
	left   int
	ending Ending
}

// Unwrap is for http.ResponseController.
func (w *cutWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write writes the rest of the body.
func (w *cutWriter) Write(p []byte) (int, error) {
	if len(p) <= w.left {
		w.left -= len(p)
		return w.ResponseWriter.Write(p)
	}
	if w.left > 0 {
		if _, err := w.ResponseWriter.Write(p[:w.left]); err != nil {
			return 0, err
		}
	}
	_ = http.NewResponseController(w.ResponseWriter).Flush() // fails if the client is gone
	end(w.r, w.ending)
	return 0, nil
}

// end ends the exchange of a request. It does not return.
func end(r *http.Request, e Ending) {
	c := connOf(r.Context())
	switch {
	case c == nil || e == Abort:
	case e == Stall:
		select {
		case <-r.Context().Done():
		case <-stopOf(r):
		}
	default:
		settle(c)
		c.finish(e)
	}
	panic(http.ErrAbortHandler)
}

// stopOf returns a channel that is closed when the Internet of a request
// stops.
func stopOf(r *http.Request) <-chan struct{} {
	if c := connOf(r.Context()); c != nil {
		return c.net.done
	}
	return nil
}

// settle waits until the connection has been silent for a millisecond, because an HTTP/2 server
// sends flushed bytes on another goroutine without a signal. Inside a bubble the wait ends as soon
// as every goroutine waits.
func settle(c *serverConn) {
	sent := int64(-1)
	for range 100 {
		if sent == c.Sent() {
			return
		}
		sent = c.Sent()
		time.Sleep(time.Millisecond)
	}
}
