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
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/pausable"
	"github.com/wayfindhq/wayfind/internal/syntax/fieldname"
	"github.com/wayfindhq/wayfind/security"

	"golang.org/x/net/http/httpguts"
)

// Conns is the last [Step]: it sends requests over connections of its own, with a pool for each
// origin. It is safe for concurrent use.
//
// The first connection to an origin determines the protocol. With HTTP/2 it carries all requests.
// With HTTP/1.1 up to six connections are opened, all at once the next time. Requests wait in the
// order of arrival. http.Transport does not fit, because its cold requests race for connections,
// with one dial each.
type Conns struct {
	options Options
	dialer  *dialer
	tls     *tls.Config
	agent   []string // User-Agent of each request
	coding  []string // Accept-Encoding

	ctx  context.Context // of the dials; ends with Close
	stop context.CancelFunc
	work sync.WaitGroup // the dials

	mu       sync.Mutex
	closed   bool
	pools    map[origin]*pool
	openings map[origin][]*Opening
	plain    plainOrigins
	trash    []*http.ClientConn // to be closed when mu is free
}

// NewConns returns a Conns without connections. Close it after use.
func NewConns(o Options) *Conns {
	c := &Conns{
		options:  o,
		dialer:   newDialer(&o),
		tls:      tlsConfig(&o),
		pools:    make(map[origin]*pool),
		openings: make(map[origin][]*Opening),
		plain:    make(plainOrigins),
		agent:    []string{o.userAgent()},
		coding:   []string{"gzip"},
	}
	if o.Interactive {
		c.coding = []string{"identity"}
	}
	c.ctx, c.stop = context.WithCancel(context.Background())
	return c
}

// Close ends all connections, even with requests in flight, and waits for dials to return. Later
// requests fail with wayfind.ErrClosed.
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

// Do sends a GET or HEAD on a connection to exactly the origin of its URL. With Options.Interactive
// it also sends other methods and bodies. A request that was never written because its connection
// had ended moves to a new one, once. With Options.Signing, a request is sent once more if its
// answer asks for another signature.
func (c *Conns) Do(ctx context.Context, a *Ask) (*http.Response, error) {
	if a.Body != nil && !c.options.Interactive {
		a.closeBody()
		a.Body = nil
	}
	resp, err := c.send(ctx, a)
	if err == nil && c.asksAgain(a, resp) {
		_ = resp.Body.Close()
		resp, err = c.send(ctx, a)
	}
	if err != nil {
		if a.URL != nil {
			err = withURL(err, a.URL)
		}
		return nil, err
	}
	resp.Request = nil // it holds the credential
	return resp, nil
}

// send makes one attempt, or two if the first did not reach the peer.
func (c *Conns) send(ctx context.Context, a *Ask) (*http.Response, error) {
	o, header, err := c.checked(a)
	if err != nil {
		a.closeBody()
		return nil, err
	}
	wish := a.wish
	a.wish = nil
	w := &waiter{entered: time.Now(), ready: make(chan struct{}, 1)}
	if a.Opening != nil && a.repeats == 0 {
		w.entered = a.Opening.began
	}
	for moved := false; ; moved = true {
		g, err := c.acquire(ctx, a, o, w, moved)
		if err != nil {
			a.closeBody()
			return nil, err
		}
		if a.Sent != nil {
			a.Sent.Add(1)
		}
		began := time.Now()
		a.Remote = g.conn.remote.addrPort()
		x := newExchange(ctx, c, a, c.signed(a, header, wish), g)
		resp, err := x.roundTrip()
		if a.Stages != nil {
			*a.Stages = attempted(g, began)
		}
		a.Written = a.Written || x.written.Load()
		if err == nil {
			resp.TLS = g.conn.tls // net/http does not see it below the frames of HTTP/2
			return resp, nil
		}
		a.Answered = x.answered.Load()
		a.Unprocessed = !a.Answered && isUnprocessed(err)
		if moved || !x.mayMove(err) || !a.rewind() {
			return nil, x.fault(opHeaders, err)
		}
		w.spent = c.options.requestTimeout() - g.budget + time.Since(began)
	}
}

// checked returns the origin of a request and the header that is sent.
func (c *Conns) checked(a *Ask) (origin, http.Header, error) {
	if a.URL == nil {
		return origin{}, nil, fail(opDial, wayfind.CodeHostSyntax, errors.New("no URL"))
	}
	o, err := originOf(a.URL, c.options.policy())
	if err != nil {
		return o, nil, err
	}
	if o.plain && !security.IsLoopback(o.host) && slices.ContainsFunc(a.Auth, func(p AuthPart) bool { return p.Fits(a.URL) }) {
		return o, nil, failAs(opHeaders, wayfind.ErrRefused, wayfind.CodeScheme, errors.New("a credential is sent over http to this machine only"))
	}
	header := c.header(a)
	return o, header, errors.Join(c.acceptable(a), wellFormed(a.URL, header))
}

// acceptable returns an error for requests that are never sent.
func (c *Conns) acceptable(a *Ask) error {
	switch a.Method {
	case "", http.MethodGet, http.MethodHead:
	case http.MethodConnect, http.MethodTrace:
		return failAs(opHeaders, wayfind.ErrRefused, wayfind.CodeProtocol, fmt.Errorf("method %q is never sent", a.Method))
	default:
		if !c.options.Interactive {
			return failAs(opHeaders, wayfind.ErrRefused, wayfind.CodeProtocol,
				fmt.Errorf("method %q is not used for discovery", a.Method))
		}
		if !fieldname.IsToken(a.Method) {
			return failAs(opHeaders, wayfind.ErrInvalid, wayfind.CodeProtocol, fmt.Errorf("method %q", a.Method))
		}
	}
	return nil
}

// wellFormed returns an error for a request that would be read differently by the server: a target
// with an authority of its own (RFC 9112 §3.2.2), control characters and blanks. HTTP/2 would send
// them, and the fault would be in this module, not in the site.
func wellFormed(u *url.URL, header http.Header) error {
	wrong := func(r rune) bool { return r <= ' ' || r == 0x7f }
	if path := u.EscapedPath(); u.Opaque != "" || path != "" && path[0] != '/' || strings.ContainsFunc(path, wrong) || strings.ContainsFunc(u.RawQuery, wrong) {
		return fail(opHeaders, wayfind.CodeOrigin, fmt.Errorf("request target %q is no path", u.RequestURI()))
	}
	for name, values := range header {
		if !fieldname.IsToken(name) {
			return failAs(opHeaders, wayfind.ErrInvalid, wayfind.CodeProtocol, fmt.Errorf("header name %q", name))
		}
		for _, v := range values {
			if !httpguts.ValidHeaderFieldValue(v) {
				return failAs(opHeaders, wayfind.ErrInvalid, wayfind.CodeProtocol, fmt.Errorf("value of header %s", name))
			}
		}
	}
	return nil
}

// header returns the header that is sent. It does not change the header of the Ask.
func (c *Conns) header(a *Ask) http.Header {
	h := make(http.Header, len(a.Header)+2)
	maps.Copy(h, a.Header) // the values are only read
	for _, name := range [...]string{"Authorization", "Cookie", "Proxy-Authorization", "Referer"} {
		delete(h, name)
	}
	a.authorize(h)
	h["User-Agent"], h["Accept-Encoding"] = c.agent, c.coding
	return h
}

// origin is a host in canonical form and a port. The scheme is https, except for plain servers
// under development.
type origin struct {
	host  string
	port  uint16
	plain bool
	dev   string // the whole of it, for servers under development
}

func (o origin) scheme() string {
	if o.plain {
		return "http"
	}
	return "https"
}

func (o origin) String() string {
	return net.JoinHostPort(o.host, strconv.Itoa(int(o.port)))
}

func originOf(u *url.URL, policy *security.Guard) (origin, error) {
	o := origin{host: u.Hostname(), port: 443}
	if policy != nil && len(policy.AllowDev)+len(policy.AllowNames) > 0 { // else no text is made
		if whole := security.Origin(u); policy.IsDev(whole) {
			o.dev = whole
			if o.plain = u.Scheme == "http"; o.plain {
				o.port = 80
			}
		}
	}
	if u.Scheme != "https" && !o.plain {
		return origin{}, failAs(opDial, wayfind.ErrRefused, wayfind.CodeScheme, fmt.Errorf("scheme %q", u.Scheme))
	}
	if u.User != nil {
		return origin{}, failAs(opDial, wayfind.ErrRefused, wayfind.CodeUserinfo, nil)
	}
	if o.host == "" {
		return origin{}, fail(opDial, wayfind.CodeHostSyntax, errors.New("no host"))
	}
	if text := u.Port(); text != "" {
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil || port == 0 {
			return origin{}, failAs(opDial, wayfind.ErrRefused, wayfind.CodePort, fmt.Errorf("port %q", text))
		}
		o.port = uint16(port)
	}
	return o, nil
}

// setup is a connection under construction. It collects facts that
// NewClientConn does not return.
type setup struct {
	conns  *Conns
	conn   net.Conn
	socket *socket              // conn, or the connection below it
	frames *framed              // above conn, with HTTP/2
	state  *tls.ConnectionState // nil without TLS

	dialled time.Time // when it was connected, before TLS
}

// connect makes a connection through the guard, ready for a first request.
func (c *Conns) connect(ctx context.Context, o origin) (*conn, error) {
	ctx, cancel := pausable.WithTimeoutCause(ctx, requestTimeout, errRequestTimeout)
	defer cancel()
	s := &setup{conns: c}
	k := &conn{origin: o, started: time.Now()}
	if err := s.dial(ctx, o); err != nil {
		return nil, setupError(ctx, s, err)
	}
	cc, err := s.transport().NewClientConn(ctx, o.scheme(), o.String())
	if err != nil {
		return nil, setupError(ctx, s, err)
	}
	// The reservation keeps the idle timers of net/http stopped until the first request, however
	// late it comes.
	if err := errors.Join(cc.Reserve(), s.conn.SetDeadline(time.Time{})); err != nil {
		_ = cc.Close()
		return nil, fail(opTLS, wayfind.CodeNetwork, err)
	}
	k.cc, k.remote, k.tls, k.ready = cc, s.socket, s.state, time.Now()
	k.frames, k.h2, k.dialled = s.frames, s.frames != nil, s.dialled
	return k, nil
}

// transport returns a transport for this one connection. Its pool is not used.
func (s *setup) transport() *http.Transport {
	o := &s.conns.options
	var protocols http.Protocols
	if s.frames != nil {
		// Frames are read above TLS, and counted there. net/http cannot see the TLS below, and
		// would not speak HTTP/2 otherwise.
		protocols.SetUnencryptedHTTP2(true)
	} else {
		protocols.SetHTTP1(true)
	}
	return &http.Transport{
		DialContext:            func(context.Context, string, string) (net.Conn, error) { return s.made(), nil },
		DialTLSContext:         func(context.Context, string, string) (net.Conn, error) { return s.made(), nil },
		Protocols:              &protocols,
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
}

// setupError types an error of NewClientConn; errors of setup.dial have a type.
func setupError(ctx context.Context, s *setup, err error) error {
	if s.conn != nil {
		_ = s.socket.Close()
	}
	if _, ok := errors.AsType[*wayfind.Error](err); ok {
		return err
	}
	if ctx.Err() != nil {
		return stageError(ctx, opTLS)
	}
	return tlsError(err)
}
