package client

import (
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net"
)

// guardedUnsafe puts a guard around the functions behind dangerous options:
// they run on goroutines of package fetch and of net/http.
func (o *Options) guardedUnsafe() {
	log := o.Logger
	if dial := o.UnsafeDial; dial != nil {
		o.UnsafeDial = func(ctx context.Context, network, hostport string) (net.Conn, error) {
			return guard(log, "dial", "Options.UnsafeDial", func() (net.Conn, error) { return dial(ctx, network, hostport) })
		}
	}
	if o.UnsafeTLS == nil {
		return
	}
	o.UnsafeTLS = o.UnsafeTLS.Clone() // the caller's stays as it is
	if choose := o.UnsafeTLS.GetClientCertificate; choose != nil {
		o.UnsafeTLS.GetClientCertificate = func(r *tls.CertificateRequestInfo) (*tls.Certificate, error) {
			return guard(log, "tls", "Options.UnsafeTLS.GetClientCertificate", func() (*tls.Certificate, error) { return choose(r) })
		}
	}
	if keys := o.UnsafeTLS.KeyLogWriter; keys != nil {
		o.UnsafeTLS.KeyLogWriter = &safeKeyLog{keys, log}
	}
}

// safeKeyLog guards UnsafeTLS.KeyLogWriter.
type safeKeyLog struct {
	io.Writer
	log *slog.Logger
}

// Write implements io.Writer.
func (w *safeKeyLog) Write(p []byte) (int, error) {
	return guard(w.log, "tls", "Options.UnsafeTLS.KeyLogWriter", func() (int, error) { return w.Writer.Write(p) })
}
