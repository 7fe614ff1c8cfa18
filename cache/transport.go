package cache

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Transport is a caching [http.RoundTripper]: an [Engine] for users of
// net/http, by the rules of RFC 9111 alone. It is safe for concurrent use.
//
// The request to the RoundTripper below keeps the context values of the caller
// that began it, and no caller's cancellation. Hooks of net/http/httptrace
// among the values are called until that caller's RoundTrip ends. Requests with
// credentials have a partition of their own (see [Options.IdentityFields] and
// [Options.OneUser]). A fresh entry also answers a HEAD, and with 304 the
// If-None-Match and If-Modified-Since of a caller (§4.3.2). Without one they pass
// through uncached, and so do ranges, other conditions, upgrades, GETs with a body
// and other methods. Those that are unsafe invalidate the entries stored for their
// URL, in every partition, when they succeed (§4.4). only-if-cached gets a 504
// instead of a request.
//
// A response from the origin is given to the caller that began the request as
// it comes, and is stored at its end. A stream (text/event-stream,
// multipart/x-mixed-replace) is not stored, even if its header allows it, and a
// request that accepts text/event-stream waits for no other.
//
// Every response says in Cache-Status how the cache answered (RFC 9211).
// "stored" in one from the origin means that it will be, if its body ends well.
type Transport struct {
	engine  *Engine
	next    http.RoundTripper
	oneUser bool
	asked   sync.Pool // of *roundTrip, which no hit keeps
}

// NewTransport returns a Transport over store and next; nil is
// [http.DefaultTransport], as for an [http.Client]. Nil options are the defaults;
// they are copied. The caller closes the store, after the Transport.
func NewTransport(store Store, next http.RoundTripper, opts *Options) *Transport {
	if next == nil {
		next = http.DefaultTransport
	}
	t := &Transport{engine: NewEngine(store, opts), next: next}
	t.oneUser = t.engine.opts.OneUser && !t.engine.shared
	return t
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL == nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, errNoURL
	}
	resp, err := t.roundTrip(req)
	if answered := t.engine.opts.Answered; answered != nil {
		answered(req, resp, err)
	}
	return resp, err
}

func (t *Transport) roundTrip(req *http.Request) (*http.Response, error) {
	header := t.engine.identity.read(req.Header)
	switch {
	case !cacheable(req, &header):
		return t.pass(req)
	case req.Method == http.MethodHead || header.has("If-None-Match") || header.has("If-Modified-Since"):
		return t.fromStore(req, header)
	}
	return t.serve(req, t.ask(req, header))
}

// errNoURL is the error of requests that name no resource.
var errNoURL = errors.New("cache: a request without a URL")

// serve makes the response to a request from the answer to its Ask.
func (t *Transport) serve(req *http.Request, ask *Ask) (*http.Response, error) {
	if o, ok := ask.Origin.(*roundTrip); ok && o.ended != nil {
		defer o.ended.Store(true)
	}
	a, err := t.engine.Do(req.Context(), ask)
	switch {
	case err != nil:
		return nil, err
	case a.Response != nil:
		return a.passOn(req), nil
	case a.Entry == nil:
		return gatewayTimeout(req), nil
	}
	if a.out.plain() && a.out.from == FromMemory {
		t.forget(ask)
	}
	return a.respond(req), nil
}

// Close cancels the requests that are running: see [Engine.Close].
func (t *Transport) Close() error { return t.engine.Close() }

// CloseIdleConnections closes those of the RoundTripper below, if it has such a
// method: [http.Client.CloseIdleConnections] calls it.
func (t *Transport) CloseIdleConnections() {
	if below, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		below.CloseIdleConnections()
	}
}

// Stats returns the counts so far.
func (t *Transport) Stats() Stats { return t.engine.Stats() }

// Purge ends stored answers: see [Engine.Purge].
func (t *Transport) Purge(ctx context.Context, s Scope) error { return t.engine.Purge(ctx, s) }

// cacheable reports whether the cache has a part in a request.
func cacheable(req *http.Request, h *requestHeader) bool {
	switch req.Method {
	case "", http.MethodGet, http.MethodHead:
	default:
		return false
	}
	if req.Body != nil && req.Body != http.NoBody {
		return false
	}
	return len(h.fields) == 0 || !h.has("Upgrade") && !h.has("Range") && !h.has("If-Range") && !h.has("If-Match") && !h.has("If-Unmodified-Since")
}

// pass hands a request through, and invalidates after an unsafe one.
func (t *Transport) pass(req *http.Request) (*http.Response, error) {
	t.engine.counters.passed.Add(1)
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	out := outcome{forward: forwardMethod}
	switch req.Method {
	case "", http.MethodGet:
		out.forward = forwardBypass
	default:
		if !safe(req.Method) && resp.StatusCode >= 200 && resp.StatusCode < 400 {
			// The request has been answered: a store that fails here leaves a
			// copy that its own lifetime bounds. The resource has changed,
			// whether the caller still waits or not.
			ctx := context.WithoutCancel(req.Context())
			for _, s := range invalidates(req, resp.Header) {
				t.engine.report(ctx, "purge", t.engine.Purge(ctx, s))
			}
		}
	}
	if resp.Header == nil {
		resp.Header = http.Header{}
	}
	out.addStatus(resp.Header, 0)
	return resp, nil
}

// safe lists the safe methods of IANA's registry of HTTP methods, which change
// nothing (RFC 9110 §9.2.1).
func safe(method string) bool {
	switch method {
	case http.MethodHead, http.MethodOptions, http.MethodTrace, "PRI", "PROPFIND", "QUERY", "REPORT", "SEARCH":
		return true
	}
	return false
}

// ask makes an Ask of a request. Its parts are the caller's until it is kept.
func (t *Transport) ask(req *http.Request, header requestHeader) *Ask {
	o, ok := t.asked.Get().(*roundTrip)
	if !ok {
		o = &roundTrip{next: t.next}
	}
	o.req = req
	if httptrace.ContextClientTrace(req.Context()) != nil {
		o.ended = new(atomic.Bool)
	}
	o.ask = Ask{URL: req.URL, host: req.Host, Header: req.Header, header: header, Partition: t.partition(&header), Origin: o, keep: keepRequest, room: &o.room}
	o.ask.cancel = req.Cancel //lint:ignore SA1019 http.Client sets it
	return &o.ask
}

// maxRoom bounds the room for a key that a call leaves to the next one.
const maxRoom = 4 << 10

// forget prepares the Ask of a call that has ended for another call. No other
// code may hold it.
func (t *Transport) forget(ask *Ask) {
	if o, ok := ask.Origin.(*roundTrip); ok && o.ended == nil && cap(o.room) <= maxRoom {
		o.req, o.ask = nil, Ask{}
		t.asked.Put(o)
	}
}

// partition is that of a request. There is none if callers share the answers that say
// they are for everyone: no others are kept.
func (t *Transport) partition(header *requestHeader) string {
	switch {
	case t.engine.identity.open:
		return ""
	case t.oneUser:
		return header.partition("Cookie")
	}
	return header.partition()
}

// keepRequest is Ask.keep for the Asks of a Transport: callers may change a
// request once RoundTrip has failed.
func keepRequest(a *Ask) *Ask {
	o := a.Origin.(*roundTrip)
	own := &roundTrip{next: o.next, req: o.req.Clone(context.WithoutCancel(o.req.Context())), ask: *a, ended: o.ended}
	own.ask.URL, own.ask.Header, own.ask.Origin, own.ask.keep, own.ask.room, own.ask.cancel = own.req.URL, own.req.Header, own, nil, nil, nil
	own.ask.header = a.header.identity.read(own.req.Header)
	return &own.ask
}

// passOn makes the response of an Answer that is not kept the caller's.
func (a *Answer) passOn(req *http.Request) *http.Response {
	resp := a.Response
	resp.Request = requestOf(req, resp, resp.Body.(*streamBody))
	h := resp.Header
	var ttl time.Duration
	if e := a.out.entry; e != nil {
		ttl = e.Lifetime.For - a.Facts.Age
		if h["Date"] == nil { // RFC 9110 §6.6.1
			h["Date"] = []string{e.ResponseTime.UTC().Format(http.TimeFormat)}
		}
	}
	a.out.addStatus(h, ttl)
	return resp
}

// respond makes a response of an entry.
func (a *Answer) respond(req *http.Request) *http.Response {
	return serveEntry(req, a.Entry, a.Facts, a.header())
}

// header is that of the response to an Answer with an entry. That of a hit
// changes once a second, and is remembered for the next one.
func (a *Answer) header() *servedHeader {
	e := a.Entry
	if e.hit == nil || !a.out.plain() || a.Facts.Collapsed {
		return a.newHeader()
	}
	age, ttl := int64(a.Facts.Age/time.Second), wholeSeconds(e.Lifetime.For-a.Facts.Age)
	if h := e.hit.Load(); h != nil && h.age == age && h.ttl == ttl {
		return h
	}
	h := a.newHeader()
	h.age, h.ttl = age, ttl
	e.hit.Store(h)
	return h
}

// newHeader makes the header. Age is set when the origin was not asked for this
// caller (RFC 9111 §4).
func (a *Answer) newHeader() *servedHeader {
	e, age := a.Entry, a.Facts.Age
	h := copyOf(e.Header)
	if e.Header["Date"] == nil { // RFC 9110 §6.6.1
		h.add("Date", e.ResponseTime.UTC().Format(http.TimeFormat))
	}
	if a.out.from != FromNetwork || a.Facts.Collapsed {
		h.add("Age", strconv.FormatInt(int64(age/time.Second), 10))
	} else if before, ok := e.Header["Age"]; ok {
		h.add("Age", before...)
	}
	if a.out.cookies != nil && !a.Facts.Collapsed {
		h.add("Set-Cookie", a.out.cookies...)
	}
	h.add("Cache-Status", append(slices.Clone(e.Header["Cache-Status"]), a.out.cacheStatus(e.Lifetime.For-age, a.Facts.Collapsed))...)
	return h
}
