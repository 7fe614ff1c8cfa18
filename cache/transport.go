package cache

import (
	"context"
	"errors"
	"hash/maphash"
	"net/http"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/internal/flight"
)

// Transport is a caching [http.RoundTripper] (RFC 9111). It is safe for
// concurrent use.
//
// GET requests are answered from the store or, together with every identical
// request that is waiting, by one request to the RoundTripper below. That
// request keeps the context values of the caller that began it and the
// cancellation of none: it is cancelled when the last caller has left. Ranges,
// conditions of the caller's own and GETs with a body pass through uncached,
// and so do other methods; those that are unsafe invalidate what is stored for
// their URL when they succeed (§4.4).
//
// Request directives no-cache, no-store, max-age, min-fresh, max-stale and
// only-if-cached are obeyed (§5.2.1), and stale-if-error (RFC 5861 §4):
// no-cache revalidates with the stored validators, except an entry under an
// obligation; only-if-cached gets a 504 instead of a request.
//
// Within stale-while-revalidate a stale entry is served, and one request in
// the background renews it (RFC 5861 §3); Close ends it. Every response says
// in Cache-Status what the cache did (RFC 9211).
//
// Errors of the RoundTripper below are returned as they are, errors while
// reading a body too: a response from Transport is complete.
type Transport struct {
	store    Store
	local    bool
	shared   bool     // the store is, and no other stands before it
	layers   *Layered // the store, if it is layered
	next     http.RoundTripper
	opts     Options
	flights  flight.Group[string, struct{}, outcome]
	counters counters
	base     context.Context // of requests that are shared with nobody; ends with Close
	stop     context.CancelFunc
	seed     maphash.Seed
	writing  [32]sync.Mutex // read-modify-write of one key's variants
}

// NewTransport returns a Transport over store and next. Nil options are the
// defaults; they are copied. The caller closes the store, after the Transport.
func NewTransport(store Store, next http.RoundTripper, opts *Options) *Transport {
	t := &Transport{store: store, next: next, seed: maphash.MakeSeed()}
	if opts != nil {
		t.opts = *opts
	}
	t.local, t.shared = isLocal(store), isShared(store)
	t.layers, _ = store.(*Layered)
	t.base, t.stop = context.WithCancel(context.Background())
	return t
}

// call is one request on its way through the cache.
type call struct {
	req       *http.Request
	url       string // canonical
	key       string
	partition string
	shared    bool // as of the Transport
	demands   demands
	began     time.Duration   // monotonic
	from      string          // where lookup found the entry
	variants  bool            // lookup found entries, matching or not
	behind    bool            // the far store has been asked
	flying    bool            // about to ask: only what is fresh spares it that
	caller    context.Context // of a flight: it has the values; nil in the background
}

// outcome is what a call came to. Exactly one of entry and stream is set.
type outcome struct {
	entry     *Entry
	stream    *stream
	from      string
	reason    string // why it is stale
	forward   string // why the origin was asked; empty when it was not
	status    int    // that the origin answered with
	validated bool   // the origin was asked with conditions
	stored    bool
	cookies   []string // Set-Cookie, for the caller whose request it was
}

// maxJoins bounds how often a caller joins flights whose outcome is not for
// it, before it asks by itself.
const maxJoins = 3

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !cacheable(req) {
		return t.pass(req)
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	wall, mono := t.opts.Clock.Read()
	c := &call{req: req, partition: t.partition(req), shared: t.shared, began: mono}
	c.url = canonicalURL(req.URL)
	c.key = t.keyOf(req, c.url, c.partition)
	c.demands = parseRequest(req.Header["Cache-Control"], req.Header["Pragma"])
	entry := t.lookup(req.Context(), c)
	if entry != nil {
		if out, ok := t.use(c, entry, wall, mono); ok {
			return t.respond(req, out, false), nil
		}
	}
	switch {
	case c.demands.onlyIfCached:
		t.counters.misses.Add(1)
		return gatewayTimeout(req), nil
	case c.demands.noStore:
		return t.alone(c, entry)
	}
	return t.together(c, entry)
}

// Close cancels the requests that are running, and waits for the end of those
// that are shared or in the background. Later requests that the store cannot
// answer get ErrClosed.
func (t *Transport) Close() error {
	t.stop()
	t.flights.Close()
	return nil
}

// Invalidate forgets what is stored for the request's URL: in the partition of
// the request, and what anonymous callers got.
func (t *Transport) Invalidate(ctx context.Context, req *http.Request) error {
	partition := t.partition(req)
	err := t.forget(ctx, req, partition)
	if partition != "" {
		err = errors.Join(err, t.forget(ctx, req, ""))
	}
	return err
}

// forget deletes what one partition has of a URL.
func (t *Transport) forget(ctx context.Context, req *http.Request, partition string) error {
	store := t.storeOf(partition)
	_, err := bounded(ctx, store, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, store.Delete(ctx, t.keyOf(req, canonicalURL(req.URL), partition))
	})
	return err
}

// cacheable reports whether the cache has a part in a request.
func cacheable(req *http.Request) bool {
	if req.Method != "" && req.Method != http.MethodGet || req.Body != nil && req.Body != http.NoBody {
		return false
	}
	for _, name := range [...]string{"Range", "If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "If-Range"} {
		if _, ok := req.Header[name]; ok {
			return false
		}
	}
	return true
}

// pass hands a request through, and invalidates after an unsafe one.
func (t *Transport) pass(req *http.Request) (*http.Response, error) {
	t.counters.passed.Add(1)
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	out := outcome{forward: forwardMethod}
	switch req.Method {
	case "", http.MethodGet:
		out.forward = forwardBypass
	case http.MethodHead, http.MethodOptions, http.MethodTrace:
	default:
		if resp.StatusCode >= 200 && resp.StatusCode < 400 {
			// The request has been answered: a store that fails here leaves a
			// copy that its own lifetime bounds.
			t.report(req.Context(), "delete", t.Invalidate(req.Context(), req))
		}
	}
	if resp.Header == nil {
		resp.Header = http.Header{}
	}
	out.addStatus(resp.Header, 0, false)
	return resp, nil
}

// use answers from a stored entry, if the request allows it.
func (t *Transport) use(c *call, e *Entry, wall time.Time, mono time.Duration) (outcome, bool) {
	switch e.decide(&c.demands, e.age(wall, mono), t.opts.Strict) {
	case useFresh:
		return outcome{entry: e, from: c.from}, true
	case useStale:
		return outcome{entry: e, from: FromStale, reason: StaleAccepted}, !c.flying
	case useRevalidating:
		if c.flying {
			return outcome{}, false
		}
		if !c.demands.onlyIfCached {
			t.renew(c)
		}
		return outcome{entry: e, from: FromStale, reason: StaleRevalidating}, true
	}
	return outcome{}, false
}

// alone asks without sharing and without storing.
func (t *Transport) alone(c *call, held *Entry) (*http.Response, error) {
	if t.base.Err() != nil {
		return nil, ErrClosed
	}
	ctx, cancel := context.WithCancel(c.req.Context())
	stop := context.AfterFunc(t.base, cancel)
	end := func() { stop(); cancel() }
	out, err := t.fetch(ctx, c, held)
	if err == nil && out.stream != nil {
		resp := out.stream.take(end)
		resp.Request = c.req
		if out.cookies != nil {
			resp.Header["Set-Cookie"] = out.cookies
		}
		out.addStatus(resp.Header, 0, false)
		t.counters.count(&out, false)
		return resp, nil
	}
	end()
	if err != nil {
		return nil, err
	}
	return t.respond(c.req, out, false), nil
}

// together joins the flight of the key, or is its first.
func (t *Transport) together(c *call, held *Entry) (*http.Response, error) {
	ctx := c.req.Context()
	detached := *c
	detached.req, detached.caller, detached.flying = c.req.Clone(context.WithoutCancel(ctx)), ctx, true
	for range maxJoins {
		ticket, joined := t.flights.Join(c.key, func(ctx context.Context, _ func(struct{})) (outcome, error) {
			return t.fly(ctx, &detached)
		})
		out, err := ticket.Wait(ctx)
		if joined && err != nil && !errors.Is(err, flight.ErrClosed) {
			// The other caller's demands may have kept it from standing in.
			out, err = t.rescue(ctx, c, held, outcome{forward: forwardStale}, err)
		}
		if err == nil && out.stream != nil {
			if !joined || out.stream.fits.matches(c.req.Header) {
				if resp := out.stream.take(ticket.Leave); resp != nil {
					resp.Request = c.req
					if out.cookies != nil && !joined {
						resp.Header["Set-Cookie"] = out.cookies
					}
					out.addStatus(resp.Header, 0, joined)
					t.counters.count(&out, joined)
					return resp, nil
				}
			}
			ticket.Leave()
			continue // another caller reads that one, or it is another variant
		}
		ticket.Leave()
		switch {
		case errors.Is(err, flight.ErrClosed):
			return nil, ErrClosed
		case joined && t.misses(c, out, err):
			continue
		case err != nil:
			return nil, err
		}
		return t.respond(c.req, out, joined), nil
	}
	return t.alone(c, nil)
}

// misses reports whether the outcome of a flight that was joined is not for
// this caller: another variant, less than it demands, or the first caller's
// own cancellation, which its context values may carry.
func (t *Transport) misses(c *call, out outcome, err error) bool {
	if err != nil {
		return errors.Is(err, context.Canceled) && c.req.Context().Err() == nil
	}
	e := out.entry
	if !e.matches(c.req.Header) || t.opts.Strict && e.control.forbidsStoring(e.Status) {
		return true
	}
	switch {
	case out.from == FromNetwork, out.from == FromValidated:
		return false
	case out.from == FromStale && out.reason != StaleAccepted:
		return c.demands.noCache && out.reason == StaleError
	}
	wall, mono := t.opts.Clock.Read()
	return e.decide(&c.demands, e.age(wall, mono), t.opts.Strict) == useNot && !c.renewed(e)
}

// renewed reports whether an entry was fetched or validated after the call
// began, which is all that a request with no-cache asks for.
func (c *call) renewed(e *Entry) bool { return e.hasMono && e.mono > c.began }
