package fetch

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/security"
)

// proxy makes tunnels by CONNECT (RFC 9110 §9.3.6).
type proxy struct {
	config *security.Proxy
	dialer *dialer // to the proxy itself, without the guard
	roots  *x509.CertPool
}

func newProxy(o *Options, config *security.Proxy) *proxy {
	d := &dialer{resolver: o.resolver(), connect: o.Dial}
	if d.connect == nil {
		d.connect = func(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "tcp", addr.String())
		}
	}
	return &proxy{config: config, dialer: d, roots: o.RootCAs}
}

// open requests a connection to a host from the proxy.
func (p *proxy) open(ctx context.Context, host string, port uint16) (net.Conn, error) {
	conn, err := p.reach(ctx)
	if err != nil {
		return nil, proxyFailure(ctx, err)
	}
	// The deadline applies to writes and reads. If ctx ends earlier, it sets a deadline in the
	// past.
	deadline, _ := ctx.Deadline()
	err = conn.SetDeadline(deadline)
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	if err == nil {
		err = p.connect(conn, net.JoinHostPort(host, strconv.Itoa(int(port))))
	}
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close()
		return nil, proxyFailure(ctx, err)
	}
	return conn, nil
}

// reach connects to the proxy at any address, because the caller has named it. A name is looked up
// in the form in which it is written, because private networks have names of their own.
func (p *proxy) reach(ctx context.Context) (net.Conn, error) {
	addrs := []netip.Addr{}
	if literal, err := netip.ParseAddr(p.config.Host()); err == nil {
		addrs = append(addrs, literal)
	} else if addrs, err = p.dialer.lookup(ctx, p.config.Host()); err != nil {
		return nil, err
	}
	below, err := p.dialer.race(ctx, firstFew(addrs, p.config.Port()))
	if err != nil {
		return nil, err
	}
	conn := below.Conn // the socket above the tunnel counts the bytes read
	if !p.config.Secure() {
		return conn, nil
	}
	secure := tls.Client(conn, &tls.Config{
		ServerName: strings.TrimSuffix(p.config.Host(), "."), RootCAs: p.roots,
		MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"},
	})
	return secure, handshake(ctx, secure)
}

// connect sends the request and reads exactly the header of the answer, because the site sends no
// byte before the ClientHello.
func (p *proxy) connect(conn net.Conn, target string) error {
	request := "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n"
	if authorization := p.config.Authorization(); authorization != "" {
		request += "Proxy-Authorization: " + authorization + "\r\n"
	}
	if _, err := io.WriteString(conn, request+"\r\n"); err != nil {
		return err
	}
	source := &errorKeeper{Reader: conn}
	limited := &io.LimitedReader{R: source, N: maxHeaderBytes}
	answer := bufio.NewReader(limited)
	status, err := connectStatus(answer)
	switch {
	case err != nil && source.err != nil:
		return source.err
	case err != nil && limited.N <= 0:
		return fail(opProxy, wayfind.CodeHeadersTooLarge, fmt.Errorf("the proxy's answer has more than %d bytes of header", maxHeaderBytes))
	case err != nil:
		return err
	case status/100 != 2:
		return connectRefused(status)
	case answer.Buffered() > 0:
		return fail(opProxy, wayfind.CodeProtocol, errors.New("the proxy's answer goes on after its header"))
	}
	return nil
}

// errorKeeper keeps the error of a read. The parser of a header returns half a line instead.
type errorKeeper struct {
	io.Reader
	err error
}

func (k *errorKeeper) Read(p []byte) (int, error) {
	n, err := k.Reader.Read(p)
	k.err = err
	return n, err
}

// connectStatus reads the status of the final answer.
func connectStatus(answer *bufio.Reader) (int, error) {
	for {
		resp, err := http.ReadResponse(answer, &http.Request{Method: http.MethodConnect})
		switch {
		case err != nil: // its text quotes the proxy, so it is dropped
			return 0, fail(opProxy, wayfind.CodeProtocol, errors.New("the proxy's answer is not HTTP"))
		case resp.ProtoMajor != 1:
			return 0, fail(opProxy, wayfind.CodeProtocol, fmt.Errorf("the proxy's answer is of HTTP/%d", resp.ProtoMajor))
		case resp.StatusCode >= 100 && resp.StatusCode <= 199 && resp.StatusCode != http.StatusSwitchingProtocols:
			continue
		}
		return resp.StatusCode, nil
	}
}

// connectRefused returns the error of an answer without a tunnel. A refusal (4xx) is the policy of
// the proxy, which will repeat it. A 5xx is about the proxy or the hosts behind it.
func connectRefused(status int) error {
	why := fmt.Errorf("the proxy answered CONNECT with status %03d", status)
	switch {
	case status == http.StatusProxyAuthRequired:
		return fail(opProxy, wayfind.CodeProxyAuth, why)
	case status >= 400 && status <= 499:
		return failAs(opProxy, wayfind.ErrRefused, wayfind.CodeProxy, why)
	case status >= 500 && status <= 599:
		return fail(opProxy, wayfind.CodeProxy, why)
	}
	return fail(opProxy, wayfind.CodeProtocol, why)
}

// proxyFailure types a failure on the way to the proxy. It is never a fact about the site, whose
// name was not even looked up.
func proxyFailure(ctx context.Context, err error) error {
	if e, ok := errors.AsType[*wayfind.Error](err); ok {
		if e.Op == opProxy {
			return e
		}
		if e.Code == wayfind.CodeTimeout || e.Code == wayfind.CodeCanceled {
			return failAs(opProxy, e.Kind, e.Code, e.Err)
		}
	}
	switch {
	case ctx.Err() != nil:
		return stageError(ctx, opProxy)
	case isTimeout(err):
		return fail(opProxy, wayfind.CodeTimeout, err)
	}
	return fail(opProxy, wayfind.CodeProxy, fmt.Errorf("the proxy failed: %w", err))
}
