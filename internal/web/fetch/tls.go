package fetch

import (
	"bytes"
	"context"
	"crypto/rsa"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/pausable"
	"github.com/wayfindhq/wayfind/security"
)

// sessions is the number of TLS sessions that are remembered for resumption.
const sessions = 256

const (
	// minRSABits is the minimum that public authorities must demand (CA/Browser Forum Baseline
	// Requirements §6.1.5). Go itself refuses less than 1024.
	minRSABits = 2048

	// maxCertificates bounds the certificates of a server. Four are usual.
	maxCertificates = 16
)

// ErrNotAsked is the error if the site does not request Options.Certificate, so that it was not
// sent.
var ErrNotAsked = errors.New("the site does not ask for the client certificate")

var (
	errWeakKey   = fmt.Errorf("RSA key of less than %d bits", minRSABits)
	errLongChain = fmt.Errorf("more than %d certificates", maxCertificates)
)

func tlsConfig(o *Options) *tls.Config {
	config := &tls.Config{
		RootCAs:            o.RootCAs,
		VerifyConnection:   verifyStrength,
		MinVersion:         tls.VersionTLS12,
		NextProtos:         []string{"h2", "http/1.1"},
		ClientSessionCache: tls.NewLRUClientSessionCache(sessions),
	}
	setTLS(config, o.UnsafeTLS)
	return config
}

// verifyStrength refuses chains that crypto/tls accepts: verified but weak chains, and chains of
// implausible length. The anchor itself is the choice of the caller that trusts it.
func verifyStrength(state tls.ConnectionState) error {
	if len(state.PeerCertificates) > maxCertificates {
		return errLongChain
	}
	for _, chain := range state.VerifiedChains {
		if !slices.ContainsFunc(chain[:max(1, len(chain)-1)], isWeak) {
			return nil
		}
	}
	return errWeakKey
}

func isWeak(cert *x509.Certificate) bool {
	key, ok := cert.PublicKey.(*rsa.PublicKey)
	return ok && key.N.BitLen() < minRSABits
}

// dial makes the connection and negotiates its protocol. It sets a deadline, because the preface of
// HTTP/2 is written without regard to ctx (golang/go#79253). The caller clears the deadline.
func (s *setup) dial(ctx context.Context, o origin) error {
	conn, err := s.conns.dialer.dial(ctx, o)
	if err != nil {
		return err
	}
	s.dialled = time.Now()
	if err := conn.SetDeadline(s.dialled.Add(handshakeTimeout)); err != nil {
		_ = conn.Close()
		return fail(opDial, wayfind.CodeNetwork, err)
	}
	if o.plain {
		conn.plain, s.conn, s.socket = true, conn, conn
		return nil
	}
	config := s.conns.tls.Clone()
	config.ServerName = o.host
	shown := s.conns.show(config)
	secure := tls.Client(conn, config)
	if err := handshake(ctx, secure); err != nil {
		return err
	}
	state := secure.ConnectionState()
	if !shown() && !state.DidResume {
		_ = conn.Close()
		return fail(opDial, wayfind.CodeTLS, ErrNotAsked)
	}
	s.conn, s.socket, s.state = secure, conn, &state
	if state.NegotiatedProtocol == "h2" {
		s.frames = newFramed(secure)
	}
	return nil
}

// show adds the certificate of the options to a configuration. shown reports whether the site
// requested it: without a request, it is not sent.
func (c *Conns) show(config *tls.Config) (shown func() bool) {
	cert := c.options.Certificate
	if cert == nil {
		return func() bool { return true }
	}
	asked := false
	config.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		asked = true
		return cert, nil
	}
	return func() bool { return asked }
}

// made returns the connection that net/http gets.
func (s *setup) made() net.Conn {
	if s.frames != nil {
		return s.frames
	}
	return s.conn
}

// handshake makes the TLS handshake, and closes the connection if it fails.
func handshake(ctx context.Context, conn *tls.Conn) error {
	ctx, cancel := pausable.WithTimeoutCause(ctx, handshakeTimeout, errTLSTimeout)
	defer cancel()
	err := conn.HandshakeContext(ctx)
	if err == nil {
		return nil
	}
	_ = conn.NetConn().Close()
	if ctx.Err() != nil {
		return stageError(ctx, opTLS)
	}
	if reason := certificateReason(err); reason != "" && !isExpired(err) && isInside(conn.NetConn()) {
		return fail(opTLS, wayfind.CodeTLS, errors.New(reason)) // a certificate has names of the private network
	}
	return tlsError(err)
}

// isExpired reports whether a certificate is not valid now. The error has its times, and no name.
func isExpired(err error) bool {
	e, ok := errors.AsType[x509.CertificateInvalidError](err)
	return ok && e.Reason == x509.Expired
}

// isInside reports whether a connection leads to an address that is not public.
func isInside(conn net.Conn) bool {
	s, ok := conn.(*socket)
	if !ok {
		return false
	}
	to, err := netip.ParseAddrPort(s.addr.String())
	return err != nil || (*security.Guard)(nil).CheckAddr(to.Addr()) != nil
}

// tlsError distinguishes the loss of the connection from a handshake or a certificate that fails.
// Only the loss may be temporary.
func tlsError(err error) error {
	if e, ok := errors.AsType[*wayfind.Error](err); ok && errors.Is(e.Kind, wayfind.ErrInternal) {
		return e // a broken function of UnsafeTLS is no fact about the site
	}
	if isTimeout(err) {
		return fail(opTLS, wayfind.CodeTimeout, errTLSTimeout)
	}
	if reason := certificateReason(err); reason != "" {
		return fail(opTLS, wayfind.CodeTLS, fmt.Errorf("%s: %w", reason, err))
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok {
		return fail(opTLS, wayfind.CodeTLS, fmt.Errorf("no TLS: %w", err))
	}
	if _, ok := errors.AsType[tls.AlertError](err); ok || isRemoteAlert(err) {
		return fail(opTLS, wayfind.CodeTLS, fmt.Errorf("handshake: %w", err))
	}
	_, isNet := errors.AsType[*net.OpError](err)
	if isNet || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) {
		return fail(opTLS, wayfind.CodeNetwork, err)
	}
	return fail(opTLS, wayfind.CodeTLS, fmt.Errorf("handshake: %w", err))
}

// isRemoteAlert recognises alerts of the peer, which crypto/tls wraps in a *net.OpError.
func isRemoteAlert(err error) bool {
	e, ok := errors.AsType[*net.OpError](err)
	return ok && (e.Op == "remote error" || e.Op == "local error")
}

// certificateReason returns the class of a certificate error, or "" for other errors.
func certificateReason(err error) string {
	switch {
	case errors.Is(err, errWeakKey):
		return "weak certificate"
	case errors.Is(err, errLongChain):
		return "invalid certificate"
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok {
		return invalidReason(e)
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "certificate for another host"
	}
	if e, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		if e.Cert != nil && bytes.Equal(e.Cert.RawSubject, e.Cert.RawIssuer) {
			return "self-signed certificate"
		}
		return "certificate of an unknown authority"
	}
	if _, ok := errors.AsType[x509.SystemRootsError](err); ok {
		return "no certificate authorities on this system"
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "invalid certificate"
	}
	return ""
}

func invalidReason(e x509.CertificateInvalidError) string {
	switch {
	case e.Reason != x509.Expired:
		return "invalid certificate"
	case e.Cert != nil && time.Now().Before(e.Cert.NotBefore):
		return "certificate not yet valid"
	}
	return "certificate expired"
}
