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
// only-if-cached are obeyed (§5.2.1): no-cache revalidates with the stored
// validators, except an entry under an obligation; only-if-cached gets a 504
// instead of a request.
//
// Errors of the RoundTripper below are returned as they are, errors while
// reading a body too: a response from Transport is complete.
type Transport struct {
	store   Store
	local   bool
	next    http.RoundTripper
	opts    Options
	flights flight.Group[string, struct{}, outcome]
	seed    maphash.Seed
	writing [32]sync.Mutex // read-modify-write of one key's variants
}

// NewTransport returns a Transport over store and next. Nil options are the
// defaults; they are copied. The caller closes the store, after the Transport.
func NewTransport(store Store, next http.RoundTripper, opts *Options) *Transport {
	t := &Transport{store: store, next: next, seed: maphash.MakeSeed()}
	if opts != nil {
		t.opts = *opts
	}
	if l, ok := store.(LocalStore); ok {
		t.local = l.Local()
	}
	return t
}

// call is one request on its way through the cache.
type call struct {
	req     *http.Request
	key     string
	demands demands
	began   time.Duration // monotonic
	from    string        // where lookup found the entry
}

// outcome is what a call came to. Exactly one of entry and stream is set.
type outcome struct {
	entry  *Entry
	stream *stream
	from   string
	reason string // why it is stale
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
	c := &call{req: req, key: t.keyOf(req), began: mono}
	c.demands = parseRequest(req.Header["Cache-Control"], req.Header["Pragma"])
	entry := t.lookup(req.Context(), c)
	if entry != nil {
		if out, ok := t.use(c, entry, wall, mono); ok {
			return t.respond(req, out, false), nil
		}
	}
	switch {
	case c.demands.onlyIfCached:
		return gatewayTimeout(req), nil
	case c.demands.noStore:
		return t.alone(c, entry)
	}
	return t.together(c)
}

// Close cancels the requests that are running, and waits for their end. Later
// requests that the store cannot answer get ErrClosed.
func (t *Transport) Close() error {
	t.flights.Close()
	return nil
}

// Invalidate forgets what is stored for the request's URL, in the partition of
// the request.
func (t *Transport) Invalidate(ctx context.Context, req *http.Request) error {
	key := t.keyOf(req)
	_, err := bounded(ctx, t.store, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, t.store.Delete(ctx, key)
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
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	switch req.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace:
	default:
		if resp.StatusCode >= 200 && resp.StatusCode < 400 {
			// The request has been answered: a store that fails here leaves a
			// copy that its own lifetime bounds.
			_ = t.Invalidate(req.Context(), req)
		}
	}
	return resp, nil
}

// lookup returns the stored entry that matches the request and may be used
// under the present policy. Whatever goes wrong is a miss.
func (t *Transport) lookup(ctx context.Context, c *call) *Entry {
	v := t.load(ctx, c.key)
	if v == nil {
		return nil
	}
	e := v.choose(c.req.Header)
	if e == nil || e.Key != c.key || t.opts.Allow != nil && !t.opts.Allow(e) {
		return nil
	}
	if t.opts.Attach != nil && !e.attached {
		read := *e
		read.Attached, read.attached = t.opts.Attach(&read), true
		e = &read
	}
	c.from = v.From
	if c.from == "" {
		c.from = FromMemory
	}
	return e
}

// load asks the store; an error is a miss.
func (t *Transport) load(ctx context.Context, key string) *Variants {
	if !t.local {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, StoreBudget)
		defer cancel()
	}
	v, err := t.store.Load(ctx, key)
	if err != nil {
		return nil
	}
	return v
}

// use answers from a stored entry, if the request allows it.
func (t *Transport) use(c *call, e *Entry, wall time.Time, mono time.Duration) (outcome, bool) {
	switch e.decide(&c.demands, e.age(wall, mono), t.opts.Strict) {
	case useFresh:
		return outcome{entry: e, from: c.from}, true
	case useStale:
		return outcome{entry: e, from: FromStale, reason: StaleAccepted}, true
	}
	return outcome{}, false
}

// alone asks without sharing and without storing.
func (t *Transport) alone(c *call, held *Entry) (*http.Response, error) {
	out, err := t.fetch(c.req.Context(), c, held)
	if err != nil {
		return nil, err
	}
	if out.stream != nil {
		resp := out.stream.take(nil)
		resp.Request = c.req
		return resp, nil
	}
	return t.respond(c.req, out, false), nil
}

// together joins the flight of the key, or is its first.
func (t *Transport) together(c *call) (*http.Response, error) {
	ctx := c.req.Context()
	detached := *c
	detached.req = c.req.Clone(context.WithoutCancel(ctx))
	for range maxJoins {
		ticket, joined := t.flights.Join(c.key, func(ctx context.Context, _ func(struct{})) (outcome, error) {
			return t.fly(ctx, &detached)
		})
		out, err := ticket.Wait(ctx)
		if err == nil && out.stream != nil {
			if !joined || out.stream.fits.matches(c.req.Header) {
				if resp := out.stream.take(ticket.Leave); resp != nil {
					resp.Request = c.req
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
	if out.from == FromNetwork || out.from == FromValidated || out.from == FromStale && out.reason != StaleAccepted {
		return false
	}
	wall, mono := t.opts.Clock.Read()
	return e.decide(&c.demands, e.age(wall, mono), t.opts.Strict) == useNot && !c.renewed(e)
}

// renewed reports whether an entry was fetched or validated after the call
// began, which is all that a request with no-cache asks for.
func (c *call) renewed(e *Entry) bool { return e.hasMono && e.mono > c.began }

// fly is the run of a flight.
func (t *Transport) fly(flight context.Context, c *call) (outcome, error) {
	ctx, cancel := context.WithCancel(c.req.Context())
	stop := context.AfterFunc(flight, cancel)
	// Another flight may have ended between this caller's look and its start.
	held := t.lookup(ctx, c)
	if held != nil {
		wall, mono := t.opts.Clock.Read()
		out, ok := t.use(c, held, wall, mono)
		if !ok && c.renewed(held) {
			out, ok = outcome{entry: held, from: c.from}, true
		}
		if ok {
			stop()
			cancel()
			return out, nil
		}
	}
	out, err := t.fetch(ctx, c, held)
	if out.stream == nil { // a stream needs its context until it is closed
		stop()
		cancel()
	}
	return out, err
}
