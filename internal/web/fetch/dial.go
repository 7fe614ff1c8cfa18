package fetch

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/pausable"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/security"
)

// dialer opens connections to the addresses of a name that the policy allows.
type dialer struct {
	policy   *security.Guard
	resolver Resolver
	connect  func(context.Context, netip.AddrPort) (net.Conn, error)
	local    map[string]func(context.Context) (net.Conn, error)
	tunnel   *tunnel // nil: this process makes the connections
	mixed    mixedHosts
	before   func(context.Context, string) error // nil: all hosts pass
}

func newDialer(o *Options) *dialer {
	d := &dialer{policy: o.policy(), resolver: o.resolver(), connect: o.Dial, local: o.Local, tunnel: tunnelOf(o), before: o.BeforeHost}
	if d.connect == nil {
		d.connect = d.open
	}
	return d
}

// dial connects to an origin. It dials the address that was checked: there is no second look-up.
// ConnectTo takes precedence over a tunnel.
func (d *dialer) dial(ctx context.Context, o origin) (*socket, error) {
	host, port := o.host, o.port
	if open := d.local[host]; open != nil && o.plain {
		conn, err := open(ctx)
		if err != nil {
			return nil, fail(opDial, wayfind.CodeNetwork, err)
		}
		s := &socket{Conn: conn, addr: conn.RemoteAddr()}
		s.allow(allowance)
		return s, nil
	}
	if list := d.policy.DevAddresses(o.dev); list != nil {
		for _, to := range list {
			if err := d.policy.CheckAddrPort(to); err != nil {
				return nil, err
			}
		}
		return d.race(ctx, list)
	}
	if err := d.allow(ctx, host); err != nil {
		return nil, err
	}
	if _, direct := d.policy.Target(host, port); d.tunnel != nil && !direct {
		return d.through(ctx, host, port)
	}
	began := time.Now()
	addrs, err := d.addresses(ctx, host, port)
	if err != nil {
		return nil, err
	}
	looked := time.Since(began)
	s, err := d.race(ctx, addrs)
	if err == nil {
		s.looked = looked
	}
	return s, err
}

// allow returns an error if a host must not be looked up.
func (d *dialer) allow(ctx context.Context, host string) error {
	if len(secret.Find("", host)) > 0 { // the owner of its domain learns each name that is looked up
		return fail(opDNS, wayfind.CodeSecret, errors.New("a secret stands in the name of the host"))
	}
	if d.before != nil {
		switch err := d.before(ctx, host); {
		case err == nil:
		case errors.Is(err, wayfind.ErrInternal):
			return err // a broken function is no fact about the host
		default:
			return fail(opDNS, wayfind.CodeHostRefused, err)
		}
	}
	return nil
}

// HasAddress looks a host up, and reports whether it has an address that may be dialled. Behind a proxy,
// which looks names up itself, it reports false.
func (c *Conns) HasAddress(ctx context.Context, host string) bool {
	if c.dialer.tunnel != nil || c.dialer.allow(ctx, host) != nil {
		return false
	}
	list, err := c.dialer.addresses(ctx, host, 443)
	return err == nil && len(list) > 0
}

// systemResolver is the default resolver, Go's own, which does not block a thread. It returns IPv4
// addresses of the hosts file in IPv6 form, and the policy needs them in IPv4 form.
type systemResolver struct{ net.Resolver }

func (r *systemResolver) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	addrs, err := r.Resolver.LookupNetIP(ctx, network, host)
	for i, a := range addrs {
		addrs[i] = a.Unmap()
	}
	return addrs, err
}

// addresses returns the addresses that may be dialled for host, at most
// maxAddresses, in the order of the attempts.
func (d *dialer) addresses(ctx context.Context, host string, port uint16) ([]netip.AddrPort, error) {
	if target, ok := d.policy.Target(host, port); ok {
		if _, err := d.policy.CheckAnswer(host, []netip.Addr{target.Addr()}); err != nil {
			return nil, err
		}
		return []netip.AddrPort{target}, nil
	}
	// The rooted name, so that no search list of the system changes it.
	answer, err := d.lookup(ctx, host+".")
	if err != nil {
		return nil, err
	}
	allowed, err := d.policy.CheckAnswer(host, answer)
	if err != nil {
		return nil, err
	}
	d.mixed.note(host, len(allowed) < len(answer))
	return firstFew(allowed, port), nil
}

// firstFew returns the addresses to try, in the order of the attempts.
func firstFew(addrs []netip.Addr, port uint16) []netip.AddrPort {
	var list []netip.AddrPort
	for _, a := range interleave(addrs) {
		list = append(list, netip.AddrPortFrom(a, port))
	}
	return list[:min(len(list), maxAddresses)]
}

// lookup returns all addresses of a name. It returns in time even if the resolver does not.
func (d *dialer) lookup(ctx context.Context, name string) ([]netip.Addr, error) {
	ctx, cancel := pausable.WithTimeoutCause(ctx, lookupTimeout, errLookupTimeout)
	defer cancel()
	type answer struct {
		addrs []netip.Addr
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		addrs, err := d.resolver.LookupNetIP(ctx, "ip", name)
		answers <- answer{addrs, err}
	}()
	select {
	case a := <-answers:
		if a.err != nil {
			return nil, lookupError(ctx, a.err)
		}
		if len(a.addrs) == 0 {
			return nil, fail(opDNS, wayfind.CodeDNSNotFound, errors.New("no address"))
		}
		return a.addrs, nil
	case <-ctx.Done():
		return nil, lookupError(ctx, ctx.Err())
	}
}

// lookupError distinguishes "there is no such name" from all other failures, which prove nothing.
func lookupError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return stageError(ctx, opDNS)
	}
	if e, ok := errors.AsType[*wayfind.Error](err); ok && errors.Is(e.Kind, wayfind.ErrInternal) {
		return e // a broken resolver is no fact about the name
	}
	if e, ok := errors.AsType[*net.DNSError](err); ok && e.IsNotFound {
		return fail(opDNS, wayfind.CodeDNSNotFound, err)
	}
	if isTimeout(err) {
		return fail(opDNS, wayfind.CodeTimeout, err)
	}
	return fail(opDNS, wayfind.CodeDNS, err)
}

// stageError returns the error for a context that ended because of a time limit of this package, or
// because no caller waits any more.
func stageError(ctx context.Context, op string) error {
	cause := pausable.Cause(ctx)
	if errors.Is(cause, context.Canceled) {
		return failAs(op, nil, wayfind.CodeCanceled, cause)
	}
	return fail(op, wayfind.CodeTimeout, cause)
}

// interleave alternates the address families, beginning with the resolver's
// first choice (RFC 8305 §4), and drops duplicates.
func interleave(addrs []netip.Addr) []netip.Addr {
	var first, second []netip.Addr
	seen := make(map[netip.Addr]bool)
	for _, a := range addrs {
		switch {
		case seen[a]:
			continue
		case a.Is4() == addrs[0].Is4():
			first = append(first, a)
		default:
			second = append(second, a)
		}
		seen[a] = true
	}
	var mixed []netip.Addr
	for i := range max(len(first), len(second)) {
		if i < len(first) {
			mixed = append(mixed, first[i])
		}
		if i < len(second) {
			mixed = append(mixed, second[i])
		}
	}
	return mixed
}

type attempt struct {
	conn *socket
	err  error
}

// race tries the addresses in order, and returns the first connection. It tries the next address
// when the last one has failed or has not answered for fallbackDelay.
func (d *dialer) race(ctx context.Context, addrs []netip.AddrPort) (*socket, error) {
	ctx, cancel := pausable.WithTimeoutCause(ctx, dialTimeout, errDialTimeout)
	defer cancel()
	results, over := make(chan attempt), make(chan struct{})
	defer close(over)
	timer := time.NewTimer(0)
	defer timer.Stop()
	var failures []error
	for next, pending := 0, 0; ; {
		var tick <-chan time.Time
		if next < len(addrs) {
			tick = timer.C
		}
		select {
		case <-tick:
			addr := addrs[next]
			go try(results, over, func() (net.Conn, error) { return d.connect(ctx, addr) }, net.TCPAddrFromAddrPort(addr))
			next, pending = next+1, pending+1
			timer.Reset(fallbackDelay)
		case r := <-results:
			if r.err == nil {
				return r.conn, nil
			}
			failures, pending = append(failures, r.err), pending-1
			if next == len(addrs) && pending == 0 {
				return nil, dialError(failures)
			}
			timer.Reset(0)
		case <-ctx.Done():
			return nil, stageError(ctx, opDial)
		}
	}
}

// try makes one connection to addr. A connection that comes too late is closed.
func try(results chan<- attempt, over <-chan struct{}, open func() (net.Conn, error), addr net.Addr) {
	conn, err := open()
	if err == nil && conn == nil {
		err = errors.New("the dialer returned no connection")
	}
	a := attempt{err: err}
	if err == nil {
		a.conn = &socket{Conn: conn, addr: addr}
		a.conn.allow(allowance)
	}
	select {
	case results <- a:
	case <-over:
		if conn != nil {
			_ = conn.Close()
		}
	}
}

// dialError returns a refusal of the guard before any other failure. If there are several refusals,
// it returns the first.
func dialError(failures []error) error {
	for _, err := range failures {
		if e, ok := errors.AsType[*wayfind.Error](err); ok {
			return e
		}
	}
	code := wayfind.CodeNetwork
	if isTimeout(failures[0]) {
		code = wayfind.CodeTimeout
	}
	return fail(opDial, code, failures[0])
}

// open is the default Dial. The guard checks the address once more, when the kernel is about to
// connect to it.
func (d *dialer) open(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
	nd := net.Dialer{ControlContext: d.policy.Control}
	return nd.DialContext(ctx, "tcp", addr.String())
}

// socket is a connection that records the address that was allowed for it, if it is known, the
// reason why it was lost, and the number of bytes that may still be read from it.
type socket struct {
	net.Conn
	addr   net.Addr
	looked time.Duration // for the addresses of the name
	// plain is true if there is no TLS above, so that the end of the connection is a valid end.
	plain bool
	lost  atomic.Pointer[error] // the error of a read, unless either side ended the connection
	left  atomic.Int64          // bytes to read before it is a flood
}

// allow permits the reading of n more bytes.
func (s *socket) allow(n int64) { s.left.Add(n) }

// Read returns an error at the end of the connection. TLS has an end of its own (RFC 8446 §6.1). If
// crypto/tls took the end of the connection for it, a body without a length would seem complete
// wherever an attacker cuts the connection.
//
// Read also returns an error if the peer sends much more than answers: HTTP/2 has frames that cost
// work, without a limit and for as long as the request waits (RFC 9113 §10.5).
func (s *socket) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	switch {
	case s.left.Add(-int64(n)) < 0:
		return 0, errFlood
	case err == io.EOF && s.plain:
	case err == io.EOF:
		err = errNoCloseNotify
	case err != nil && !isTimeout(err) && !errors.Is(err, net.ErrClosed):
		s.lost.Store(&err)
	}
	return n, err
}

// loss returns the reason why the connection was lost, such as a reset by the peer, or nil if it
// was not lost.
func (s *socket) loss() error {
	if err := s.lost.Load(); err != nil {
		return *err
	}
	return nil
}

// RemoteAddr returns the address that the guard checked.
func (s *socket) RemoteAddr() net.Addr { return s.addr }

// addrPort returns RemoteAddr in the form of package netip; the zero value if no address was
// checked.
func (s *socket) addrPort() netip.AddrPort {
	tcp, ok := s.addr.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	at := tcp.AddrPort()
	return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
}
