package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
)

// Conns sends requests over connections of its own making, a pool for each
// origin. It is an http.RoundTripper, safe for concurrent use.
//
// The first connection to an origin tells the protocol. With HTTP/2 it carries
// all requests; with HTTP/1.1 up to six are opened, at once the next time.
// Requests wait in the order
// in which they came. http.Transport is no help here: cold requests race for
// connections there, one dial each.
type Conns struct {
	options   Options
	dialer    *dialer
	tls       *tls.Config
	transport *http.Transport // makes connections; its pool is not used
	agent     []string        // User-Agent of each request
	coding    []string        // Accept-Encoding

	ctx  context.Context // of the dials; ends with Close
	stop context.CancelFunc
	work sync.WaitGroup // the dials

	mu     sync.Mutex
	closed bool
	pools  map[origin]*pool
	plain  plainOrigins
	trash  []*http.ClientConn // to be closed when mu is free
}

// NewConns returns a Conns without connections. Close it after use.
func NewConns(o Options) *Conns {
	c := &Conns{
		options: o,
		dialer:  newDialer(&o),
		tls:     tlsConfig(&o),
		pools:   make(map[origin]*pool),
		plain:   make(plainOrigins),
		agent:   []string{o.userAgent()},
		coding:  []string{"gzip"},
	}
	if o.Interactive {
		c.coding = []string{"identity"}
	}
	c.ctx, c.stop = context.WithCancel(context.Background())
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	c.transport = &http.Transport{
		DialTLSContext:         c.dialTLS,
		Protocols:              &protocols,
		ForceAttemptHTTP2:      true, // a dial function of our own turns it off
		DisableCompression:     true, // NewBody decodes, with checks
		ResponseHeaderTimeout:  o.headerTimeout(),
		MaxResponseHeaderBytes: maxHeaderBytes,
		IdleConnTimeout:        max(o.keepAlive(), time.Second),
		HTTP2: &http.HTTP2Config{
			MaxReceiveBufferPerConnection: connWindow,
			MaxReceiveBufferPerStream:     streamWindow,
			WriteByteTimeout:              headerTimeout,
		},
	}
	return c
}

// Close ends all connections, also under requests, and waits for dials to
// return. Later requests fail with wayfind.ErrClosed.
func (c *Conns) Close() error {
	c.mu.Lock()
	c.closed = true
	c.stop()
	for _, p := range c.pools {
		c.shut(p)
	}
	clear(c.pools)
	c.unlock()
	c.work.Wait()
	return nil
}

// RoundTrip sends a GET or HEAD on a connection to exactly the origin of its
// URL, and with Options.Interactive other methods and bodies too. The caller
// must close the body of the answer.
//
// Beside what an http.RoundTripper must not do, it does not send credentials,
// cookies and a Referer that the request holds. A request that was never
// written because its connection had ended moves to a new one, once.
func (c *Conns) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil && !c.options.Interactive {
		_ = req.Body.Close()
	}
	o, out, err := c.checked(req)
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, withURL(err, req.URL)
	}
	resp, err := c.send(out, o)
	if err != nil {
		return nil, withURL(err, req.URL)
	}
	resp.Request = req
	return resp, nil
}

// checked returns where a request goes and what is sent.
func (c *Conns) checked(req *http.Request) (origin, *http.Request, error) {
	if req.URL == nil {
		return origin{}, nil, fail(opDial, wayfind.ErrInvalid, wayfind.CodeHostSyntax, errors.New("no URL"))
	}
	o, err := originOf(req.URL)
	if err != nil {
		return o, nil, err
	}
	out := c.prepare(req)
	return o, out, errors.Join(c.acceptable(req, o), wellFormed(out))
}

// send makes one attempt, or two when the first did not reach the peer.
func (c *Conns) send(req *http.Request, o origin) (*http.Response, error) {
	w := &waiter{entered: time.Now(), ready: make(chan grant, 1)}
	for moved := false; ; moved = true {
		g, err := c.acquire(req.Context(), o, w, moved)
		if err != nil {
			if req.Body != nil {
				_ = req.Body.Close()
			}
			return nil, err
		}
		began := time.Now()
		x := newExchange(c, req, g)
		resp, err := x.roundTrip()
		if err == nil {
			return resp, nil
		}
		if moved || !x.mayMove(err) || !rewind(req) {
			return nil, x.fault(opHeaders, err)
		}
		w.spent = c.options.requestTimeout() - g.budget + time.Since(began)
	}
}

// rewind makes the body of a request that has to be sent again; it reports
// false where that cannot be.
func rewind(req *http.Request) bool {
	if req.Body == nil || req.Body == http.NoBody {
		return true
	}
	if req.GetBody == nil {
		return false
	}
	body, err := req.GetBody()
	req.Body = body
	return err == nil
}

// acceptable refuses what is never sent.
func (c *Conns) acceptable(req *http.Request, o origin) error {
	switch req.Method {
	case "", http.MethodGet, http.MethodHead:
	case http.MethodPost, http.MethodDelete:
		if c.options.Interactive {
			break
		}
		fallthrough
	default:
		return fail(opHeaders, wayfind.ErrRefused, wayfind.CodeProtocol,
			fmt.Errorf("method %q is not used for discovery", req.Method))
	}
	if req.Host != "" && req.Host != req.URL.Host && req.Host != o.host {
		return fail(opHeaders, wayfind.ErrRefused, wayfind.CodeOrigin,
			fmt.Errorf("host %q on a connection to %q", req.Host, req.URL.Host))
	}
	return nil
}

// wellFormed refuses what would be another request on the wire than here: a
// target that names an authority of its own (RFC 9112 §3.2.2), controls and
// blanks. HTTP/2 would hand them on, and it is our fault and not the site's.
func wellFormed(out *http.Request) error {
	target := out.URL.RequestURI()
	if !strings.HasPrefix(target, "/") || strings.ContainsFunc(target, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return fail(opHeaders, wayfind.ErrRefused, wayfind.CodeOrigin, fmt.Errorf("request target %q is no path", target))
	}
	for name, values := range out.Header {
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) }) {
			return fail(opHeaders, wayfind.ErrInvalid, wayfind.CodeProtocol, fmt.Errorf("header name %q", name))
		}
		for _, v := range values {
			if strings.ContainsFunc(v, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
				return fail(opHeaders, wayfind.ErrInvalid, wayfind.CodeProtocol, fmt.Errorf("value of header %s", name))
			}
		}
	}
	return nil
}

// prepare returns the request as it is sent; the original is not changed.
func (c *Conns) prepare(req *http.Request) *http.Request {
	out := req.WithContext(req.Context())
	out.Header = make(http.Header, len(req.Header)+2)
	maps.Copy(out.Header, req.Header) // the values are only read
	for _, name := range []string{"Authorization", "Cookie", "Proxy-Authorization", "Referer"} {
		out.Header.Del(name)
	}
	if cred := credentialOf(req.Context()); cred.fits(req.URL) {
		out.Header.Set(cred.Field, cred.Value)
	}
	out.Header["User-Agent"], out.Header["Accept-Encoding"] = c.agent, c.coding
	out.Host = ""
	if !c.options.Interactive {
		out.Body, out.ContentLength = nil, 0
	}
	out.Trailer, out.TransferEncoding, out.Close = nil, nil, false
	return out
}

// origin is a host in canonical form and a port; the scheme is always https.
type origin struct {
	host string
	port uint16
}

func (o origin) String() string {
	return net.JoinHostPort(o.host, strconv.Itoa(int(o.port)))
}

func originOf(u *url.URL) (origin, error) {
	if u.Scheme != "https" {
		return origin{}, fail(opDial, wayfind.ErrRefused, wayfind.CodeScheme, fmt.Errorf("scheme %q", u.Scheme))
	}
	if u.User != nil {
		return origin{}, fail(opDial, wayfind.ErrRefused, wayfind.CodeUserinfo, nil)
	}
	o := origin{host: u.Hostname(), port: 443}
	if o.host == "" {
		return origin{}, fail(opDial, wayfind.ErrInvalid, wayfind.CodeHostSyntax, errors.New("no host"))
	}
	if text := u.Port(); text != "" {
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil || port == 0 {
			return origin{}, fail(opDial, wayfind.ErrRefused, wayfind.CodePort, fmt.Errorf("port %q", text))
		}
		o.port = uint16(port)
	}
	return o, nil
}

// setup collects what NewClientConn does not return.
type setup struct {
	conn   *tls.Conn
	socket *socket // below it
}

// connect makes a connection through the guard, ready for a first request.
func (c *Conns) connect(ctx context.Context, o origin) (*conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, requestTimeout, errRequestTimeout)
	defer cancel()
	s := &setup{}
	k := &conn{origin: o, started: time.Now()}
	cc, err := c.transport.NewClientConn(context.WithValue(ctx, setupKey, s), "https", o.String())
	if err != nil {
		return nil, setupError(ctx, s, err)
	}
	// The reservation keeps the idle timers of net/http off until the first
	// request, however late it comes.
	if err := errors.Join(cc.Reserve(), s.conn.SetDeadline(time.Time{})); err != nil {
		_ = cc.Close()
		return nil, unreachable(opTLS, wayfind.CodeNetwork, err)
	}
	k.cc, k.remote, k.ready = cc, s.socket, time.Now()
	k.h2 = s.conn.ConnectionState().NegotiatedProtocol == "h2"
	return k, nil
}

// setupError types an error of NewClientConn; those of dialTLS have a type.
func setupError(ctx context.Context, s *setup, err error) error {
	if s.conn != nil {
		_ = s.conn.NetConn().Close()
	}
	if _, ok := errors.AsType[*wayfind.Error](err); ok {
		return err
	}
	if ctx.Err() != nil {
		return stageError(ctx, opTLS)
	}
	return tlsError(err)
}
