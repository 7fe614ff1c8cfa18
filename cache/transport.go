package cache

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"

	"github.com/wayfindhq/wayfind/internal/run/nilness"
)

// Transport is a caching [http.RoundTripper]: an [Engine] for users of
// net/http, by the rules of RFC 9111 alone. It is safe for concurrent use.
//
// The request to the RoundTripper below has the context values of the caller that began it, but no
// caller's cancellation. Hooks of net/http/httptrace among the values are called until that
// caller's RoundTrip ends. Requests with credentials have their own partition (see
// [Options.IdentityFields] and [Options.OneUser]). A fresh entry also answers a HEAD, and with 304
// the If-None-Match and If-Modified-Since of a caller (§4.3.2), and with 206 a single range of bytes (RFC
// 9110 §14.2). Without one they pass through uncached, and so do other ranges, other conditions, upgrades, GETs with a body and other methods. If an
// unsafe request succeeds, it invalidates the stored entries of its URL in every partition (§4.4).
// If only-if-cached finds no stored answer, it gets a 504.
//
// A response from the origin is passed on to the caller that began the request while it comes, and
// is stored when it ends. A stream (text/event-stream, multipart/x-mixed-replace) is not stored,
// even if its header allows it, and a request that accepts text/event-stream does not wait for
// other requests.
//
// Every response has a Cache-Status with the way in which the cache answered (RFC 9211). In a
// response from the origin, "stored" means that it will be stored if its body ends without an
// error.
type Transport struct {
	engine *Engine
	next   http.RoundTripper
	asked  sync.Pool // *roundTrip values, which hits do not keep
}

// NewTransport returns a Transport over store and next. If next is nil, [http.DefaultTransport] is
// used, as for an [http.Client]. Nil options mean the defaults. Options are copied. The caller must
// close the store after the Transport.
func NewTransport(store Store, next http.RoundTripper, opts *Options) *Transport {
	if next == nil {
		next = http.DefaultTransport
	}
	if nilness.Of(next) {
		panic(fmt.Sprintf("cache: the RoundTripper is a nil %T: nil without a type means http.DefaultTransport", next))
	}
	return &Transport{engine: NewEngine(store, opts), next: next}
}

// below returns the Engine; nil if NewTransport did not make the Transport.
func (t *Transport) below() *Engine {
	if t == nil {
		return nil
	}
	return t.engine
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	var refused error
	switch {
	case t.below() == nil:
		refused = errUnmade
	case req.URL == nil:
		refused = errNoURL
	}
	if refused != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, refused
	}
	resp, err := t.roundTrip(req)
	if mark := t.engine.opts.MarkAs; mark != "" && err == nil {
		markAs(resp, mark)
	}
	if answered := t.engine.opts.Answered; answered != nil {
		answered(req, resp, err)
	}
	return resp, err
}

// markAs sets a field in a response for which the origin was not asked, and deletes it from others.
func markAs(resp *http.Response, name string) {
	_, facts, ok := Of(resp)
	if !ok || facts.From == FromNetwork || facts.From == FromValidated {
		resp.Header.Del(name)
		return
	}
	resp.Header.Set(name, "1")
}

func (t *Transport) roundTrip(req *http.Request) (*http.Response, error) {
	header := t.engine.identity.read(req.Header)
	switch {
	case !cacheable(req, &header):
		return t.pass(req, header)
	case header.has("Range") || header.has("If-Range"):
		if req.Method == http.MethodHead || header.conditional() {
			return t.pass(req, header)
		}
		return t.ranged(req, header)
	case req.Method == http.MethodHead || header.conditional():
		return t.fromStore(req, header, nil)
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

// Close cancels the running requests: see [Engine.Close].
func (t *Transport) Close() error { return t.below().Close() }

// CloseIdleConnections closes the idle connections of the RoundTripper below, if it has such a
// method. [http.Client.CloseIdleConnections] calls it.
func (t *Transport) CloseIdleConnections() {
	if t.below() == nil {
		return
	}
	if below, ok := t.next.(interface{ CloseIdleConnections() }); ok {
		below.CloseIdleConnections()
	}
}

// Stats returns the counts so far.
func (t *Transport) Stats() Stats { return t.below().Stats() }

// Purge ends stored answers: see [Engine.Purge].
func (t *Transport) Purge(ctx context.Context, s Scope) error { return t.below().Purge(ctx, s) }

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
	return len(h.fields) == 0 || !h.has("Upgrade") && !h.has("If-Match") && !h.has("If-Unmodified-Since")
}

// pass passes a request on, and invalidates stored answers after an unsafe one, or one that a GET or
// HEAD shows to be old.
func (t *Transport) pass(req *http.Request, header requestHeader) (*http.Response, error) {
	t.engine.counters.passed.Add(1)
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	out := outcome{forward: forwardMethod}
	switch req.Method {
	case "", http.MethodGet:
		out.forward = forwardBypass
		t.learn(req, header, resp)
	case http.MethodHead:
		t.learn(req, header, resp)
	default:
		if !safe(req.Method) && resp.StatusCode >= 200 && resp.StatusCode < 400 {
			// The request has been answered. If the store fails here, it keeps a copy until the
			// lifetime of that copy ends. The resource has changed even if the caller does not wait
			// any more.
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

// learn lets the Engine see the answer to a GET or HEAD that passes.
func (t *Transport) learn(req *http.Request, header requestHeader, resp *http.Response) {
	if req.URL == nil || req.Body != nil && req.Body != http.NoBody {
		return // such an answer depends on the content
	}
	t.engine.passed(req.Context(), t.ask(req, header), resp.StatusCode, resp.Header)
}

// safe reports whether a method is safe by IANA's registry of HTTP methods, so that it changes
// nothing (RFC 9110 §9.2.1).
func safe(method string) bool {
	switch method {
	case http.MethodHead, http.MethodOptions, http.MethodTrace, "PRI", "PROPFIND", "QUERY", "REPORT", "SEARCH":
		return true
	}
	return false
}

// ask returns an Ask for a request. Its parts belong to the caller until it is kept.
func (t *Transport) ask(req *http.Request, header requestHeader) *Ask {
	o, ok := t.asked.Get().(*roundTrip)
	if !ok {
		o = &roundTrip{next: t.next}
	}
	o.req = req
	if httptrace.ContextClientTrace(req.Context()) != nil {
		o.ended = new(atomic.Bool)
	}
	o.ask = Ask{URL: req.URL, host: req.Host, Header: req.Header, header: header, Partition: t.partition(&header), Origin: o, keep: keepRequest, scratch: &o.scratch}
	o.ask.cancel = req.Cancel //lint:ignore SA1019 http.Client sets it
	return &o.ask
}

// maxScratch is the largest capacity of the buffer for a key that is reused, in bytes.
const maxScratch = 4 << 10

// forget makes the Ask of a call that has ended available to another call. No other code may still
// use it.
func (t *Transport) forget(ask *Ask) {
	if o, ok := ask.Origin.(*roundTrip); ok && o.ended == nil && cap(o.scratch) <= maxScratch {
		o.req, o.ask = nil, Ask{}
		t.asked.Put(o)
	}
}

// partition returns the partition of a request. There is none if callers share answers whose header
// makes them public, because no others are kept.
func (t *Transport) partition(header *requestHeader) string {
	if t.engine.identity.open {
		return ""
	}
	return header.partition()
}

// fromStore answers a HEAD, or a GET with conditions of the caller or of a range, from a fresh entry (RFC
// 9110 §9.3.2, §14.2, RFC 9111 §4.3.2). If there is none, or none that suits, the origin is asked and its
// answer is passed on. Every entry suits if suits is nil.
func (t *Transport) fromStore(req *http.Request, header requestHeader, suits func(*Entry) bool) (*http.Response, error) {
	ask := t.ask(req, header)
	ask.freshOnly, ask.suits = true, suits
	a, err := t.engine.Do(req.Context(), ask)
	switch {
	case err != nil:
		return nil, err
	case a.Entry != nil && suits != nil:
		r, _ := a.Entry.rangeOf(&header)
		return a.partial(req, r), nil
	case a.Entry != nil && a.Entry.unchanged(&header):
		return a.notModified(req), nil
	case a.Entry != nil:
		return a.respond(req), nil
	case parseRequest(header.lines("Cache-Control"), nil).onlyIfCached:
		return gatewayTimeout(req), nil
	}
	return t.pass(req, header)
}

// keepRequest is Ask.keep for the Asks of a Transport. It is needed because callers may change a
// request after RoundTrip has failed.
func keepRequest(a *Ask) *Ask {
	o := a.Origin.(*roundTrip)
	own := &roundTrip{next: o.next, req: o.req.Clone(context.WithoutCancel(o.req.Context())), ask: *a, ended: o.ended}
	own.ask.URL, own.ask.Header, own.ask.Origin, own.ask.keep, own.ask.scratch, own.ask.cancel = own.req.URL, own.req.Header, own, nil, nil, nil
	own.ask.header = a.header.identity.read(own.req.Header)
	return &own.ask
}
