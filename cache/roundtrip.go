package cache

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"sync/atomic"
)

// roundTrip is a request for net/http and the Origin of its Ask.
type roundTrip struct {
	next    http.RoundTripper
	req     *http.Request
	ask     Ask
	scratch []byte       // for the key of the Ask
	ended   *atomic.Bool // whether the caller's RoundTrip has ended, for its hooks; nil if it has none
}

// Fetch implements Origin.
func (o *roundTrip) Fetch(ctx context.Context, header http.Header) (*http.Response, Wire, error) {
	var remote atomic.Pointer[net.Addr]
	ctx = withHooks(ctx, o.req.Context(), o.ended, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if info.Conn == nil {
				return
			}
			if addr := info.Conn.RemoteAddr(); addr != nil {
				remote.Store(&addr)
			}
		},
	})
	req := o.req.WithContext(ctx)
	req.Header = o.spelled(header)
	req.Cancel = nil //lint:ignore SA1019 http.Client sets it: the time of one caller does not end the request
	resp, err := o.next.RoundTrip(req)
	var wire Wire
	if addr := remote.Load(); addr != nil {
		wire.Remote = addrPortOf(*addr)
	}
	if err == nil {
		wire.outer, wire.below = outerOf(resp), o.addedBelow(req, resp)
	}
	return resp, wire, err
}

// spelled returns a header with the spelling of names that the caller used.
func (o *roundTrip) spelled(header http.Header) http.Header {
	if !o.ask.header.respelled {
		return header
	}
	own := o.req.Header.Clone()
	for _, name := range conditions() {
		if lines := header[name]; lines != nil {
			own[name] = lines
		}
	}
	return own
}

// addedBelow reports whether a RoundTripper below has added fields that identify a caller or are not
// known, as far as the response contains its request.
func (o *roundTrip) addedBelow(req *http.Request, resp *http.Response) bool {
	if resp.Request == nil || resp.Request == req {
		return false
	}
	own := o.ask.header
	sent := own.identity.read(resp.Request.Header)
	return sent.differs(&own)
}

// Background implements Origin. The Ask has been kept, so it does not depend on a caller.
func (o *roundTrip) Background(context.Context) *Ask {
	own := &roundTrip{next: o.next, req: o.req, ask: o.ask}
	own.ask.Origin = own
	return &own.ask
}

// addrPortOf returns the address of a peer, or the zero value if it is not an IP address.
func addrPortOf(addr net.Addr) netip.AddrPort {
	if tcp, ok := addr.(*net.TCPAddr); ok {
		at := tcp.AddrPort()
		return netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
	}
	at, _ := netip.ParseAddrPort(addr.String())
	return at
}
