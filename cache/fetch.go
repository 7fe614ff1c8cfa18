package cache

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"time"
)

// exchange is the time and the peer of one exchange.
type exchange struct {
	sent, received time.Time
	mono           time.Duration // monotonic time of received
	asked, came    uint64        // places in the Engine's order of requests and answers
	remote         netip.AddrPort
	outer          *outer
	below          bool   // see Wire
	leash          *leash // of a request whose answer may be discarded because a held entry stands in; otherwise nil
}

// fetch asks the origin, validating the held entry. After a failure the held
// entry may stand in for the answer.
func (t *Engine) fetch(ctx context.Context, c *call, held *Entry) (outcome, error) {
	out := outcome{forward: t.forward(c, held), validated: held != nil && held.hasValidator()}
	if t.standsIn(c, held) {
		return outcome{entry: held, from: FromStale, reason: StaleError}, nil
	}
	var x exchange
	resp, err := t.ask(ctx, c, held, out.validated, &x)
	t.noteConnection(ctx, c, err)
	if err != nil {
		return t.rescue(ctx, c, held, out, err)
	}
	if resp.StatusCode == http.StatusNotModified && out.validated {
		t.discard(resp, x.leash)
		if held.validates(resp.Header) {
			return t.validated(ctx, c, held, out, resp, &x), nil
		}
		// The 304 is about something else. Ask once without conditions.
		out.validated = false
		if resp, err = t.ask(ctx, c, held, false, &x); err != nil {
			return t.rescue(ctx, c, held, out, err)
		}
	}
	out.status = resp.StatusCode
	// A 429 is an answer (RFC 9111 §4.2.4, §4.3.3). With Rules, whose result is no HTTP response, a
	// stored answer may still be used.
	failed := isServerError(resp.StatusCode) || resp.StatusCode == http.StatusTooManyRequests && c.ask.Rules != nil && !t.opts.Strict
	if failed && held != nil && t.mayStandIn(c, held) {
		t.discard(resp, x.leash)
		out.entry, out.from, out.reason = held, FromStale, StaleError
		return out, nil
	}
	return t.receive(ctx, c, held, out, resp, &x)
}

// forward returns the reason why the origin is asked (RFC 9211 §2.2).
func (t *Engine) forward(c *call, held *Entry) string {
	switch {
	case held != nil && held.Lifetime.For > held.age(t.clock.Read()):
		return forwardRequest
	case held != nil:
		return forwardStale
	case c.variants != nil:
		return forwardVary
	}
	return forwardMiss
}

// isServerError reports whether a status is one of the errors of RFC 5861 §4.
func isServerError(status int) bool {
	switch status {
	case http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// ask sends the request to its origin, conditionally or not, and records times and address in x.
func (t *Engine) ask(ctx context.Context, c *call, held *Entry, validating bool, x *exchange) (*http.Response, error) {
	header := c.header.fields
	if header == nil {
		header = http.Header{}
	}
	if validating {
		header = header.Clone()
		held.condition(header)
	}
	wall, mono := t.clock.Read()
	*x = exchange{sent: wall, asked: t.order.Add(1)}
	if held != nil {
		ctx, x.leash = leashed(ctx)
	}
	resp, wire, err := c.ask.Origin.Fetch(ctx, header)
	x.came = t.order.Add(1)
	x.received, x.mono = t.clock.Read()
	// The earlier of the times by the two clocks is used.
	if sent := x.received.Add(mono - x.mono); sent.Before(wall) {
		x.sent = sent
	}
	x.remote, x.outer, x.below = wire.Remote, wire.outer, wire.below
	if err == nil && resp.Body == nil {
		resp.Body = http.NoBody
	}
	if err == nil && resp.Header == nil {
		resp.Header = http.Header{}
	}
	return resp, err
}

// receive reads a response and stores it if it may be stored. A body that breaks off is an error,
// and nothing is stored. A stream, or a response that must not be stored, is not read. The header
// alone decides that.
func (t *Engine) receive(ctx context.Context, c *call, held *Entry, out outcome, resp *http.Response, x *exchange) (outcome, error) {
	out.cookies = resp.Header["Set-Cookie"]
	e := newEntry(c, resp, nil, x, t.sharesWith(c))
	out.detail = t.judgeUnknown(ctx, c, e)
	if c.ask.Rules == nil {
		t.finish(nil, e)
		if c.demands.noStore || !e.Storable() {
			t.keep(ctx, c, e) // removes the entry that it replaces
			if c.demands.noStore {
				t.seenAs(ctx, c, e)
			}
			out.stream, out.from = newStream(ctx, resp, e, nil), FromNetwork
			return out, nil
		}
	}
	limit := t.opts.maxBody()
	if c.ask.Rules == nil && resp.ContentLength > limit {
		t.replacedBy(ctx, c, e)
		out.stream = newStream(ctx, resp, nil, nil)
		return out, nil
	}
	if c.early != nil {
		return t.tee(ctx, c, out, e, resp)
	}
	content, err := readBody(resp, limit+1)
	if err == nil && int64(len(content)) > limit {
		out.stream = newStream(ctx, resp, nil, content)
		return out, nil
	}
	_ = resp.Body.Close()
	if err == nil && isShort(resp, content) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return t.rescue(ctx, c, held, out, err)
	}
	return t.complete(ctx, c, out, e, resp, content), nil
}

// isShort reports whether a body ended before its Content-Length.
func isShort(resp *http.Response, content []byte) bool {
	return resp.ContentLength >= 0 && !resp.Uncompressed && int64(len(content)) != resp.ContentLength
}

// complete stores the entry of a response that has been read to its end.
func (t *Engine) complete(ctx context.Context, c *call, out outcome, e *Entry, resp *http.Response, content []byte) outcome {
	if cap(content)-len(content) > len(content)/8 {
		content = bytes.Clone(content) // it is kept, so it must not hold the spare room of the buffer
	}
	e.Body, e.outer = content, e.outer.ended(resp.Trailer)
	e.Digest = e.digestOf()
	t.finish(c.ask.Rules, e)
	out.entry, out.from = e, FromNetwork
	out.stored = t.keep(ctx, c, e)
	return out
}

// maxExact is the longest body for which Content-Length bytes are allocated in advance.
const maxExact = 64 << 10

// readBody is io.ReadAll of at most limit bytes. The slice fits the Content-Length or the content, so
// that a stored body has no spare room.
func readBody(resp *http.Response, limit int64) ([]byte, error) {
	said := resp.ContentLength
	if said < 0 || said >= min(maxExact, limit) {
		return io.ReadAll(io.LimitReader(resp.Body, limit))
	}
	content := make([]byte, 0, said+1) // one byte more, to notice the end
	return readOn(resp.Body, content, limit, nil, nil)
}

// readOn reads on until content has limit bytes. grew, if it is not nil, is called with the content so
// far after each part. room, if it is not nil, returns the capacity for more content than the present
// one, or 0 if there is no room. Then readOn returns errNoRoom.
func readOn(body io.Reader, content []byte, limit int64, grew func([]byte), room func(capacity int64) int64) ([]byte, error) {
	for int64(len(content)) < limit {
		n, err := body.Read(content[len(content):min(int64(cap(content)), limit)])
		content = content[:len(content)+n]
		if grew != nil && n > 0 && err == nil {
			grew(content)
		}
		switch {
		case err == io.EOF:
			return content, nil
		case err != nil:
			return content, err
		case len(content) < cap(content):
		case room == nil:
			content = append(content, 0)[:len(content)]
		default:
			next := room(int64(cap(content)))
			if next == 0 {
				return content, errNoRoom
			}
			content = append(make([]byte, 0, next), content...)
		}
	}
	return content, nil
}

// errNoRoom is the error of readOn if there is no room for more content.
var errNoRoom = errors.New("cache: no room for the body of an answer")

// validated publishes the new entry that a 304 makes of the held one.
func (t *Engine) validated(ctx context.Context, c *call, held *Entry, out outcome, resp *http.Response, x *exchange) outcome {
	e := held.freshen(&c.header, resp, x, t.opts.Strict, t.sharesWith(c))
	t.finish(c.ask.Rules, e)
	out.entry, out.from, out.status = e, FromValidated, resp.StatusCode
	out.cookies = resp.Header["Set-Cookie"]
	out.stored = t.keep(ctx, c, e)
	return out
}

// finish lets the rules read an entry, and sets its lifetime and whether it may leave the process.
// The entry is not published yet.
func (t *Engine) finish(rules Rules, e *Entry) {
	l := lifetimeOf(e)
	if rules != nil {
		if !e.read {
			e.Note, e.read = rules.Read(e), true
		}
		if rules.Confine(e) {
			e.memoryOnly = true
		}
		l = rules.Lifetime(e, l)
	}
	l.For = max(l.For, 0)
	if !t.opts.Strict {
		l.For = min(l.For, maxLifetime)
	}
	e.Lifetime = l
	if l.fromArrival() {
		e.initialAge = 0 // as in age, for freshUntil
	}
}

// rescue returns the held entry if it may stand in for a request that failed. Otherwise it returns
// the error unchanged.
func (t *Engine) rescue(ctx context.Context, c *call, held *Entry, out outcome, err error) (outcome, error) {
	if held == nil || ctx.Err() != nil {
		return outcome{}, err
	}
	out.entry, out.from, out.reason = held, FromStale, StaleError
	var hold *HeldError
	switch {
	case errors.As(err, &hold):
		out.forward, out.validated = "", false // the request was never sent
		if hold.Reason == reasonFloor {
			return t.reuse(c, held, out, err)
		}
		out.reason = StaleHeld
	case t.opts.Failed != nil:
		if !errors.Is(err, t.opts.Failed) {
			return outcome{}, err
		}
	case errors.Is(err, context.Canceled):
		return outcome{}, err
	}
	if !t.mayStandIn(c, held) {
		return outcome{}, err
	}
	return out, nil
}

// reuse returns the held entry again because a format's floor forbids a request. This prolongs its
// use, not its freshness.
func (t *Engine) reuse(c *call, held *Entry, out outcome, err error) (outcome, error) {
	if held.Lifetime.For > held.age(t.clock.Read()) {
		out.from, out.reason = c.from, ""
		return out, nil
	}
	if t.opts.StrictFloor && held.mustValidate() {
		return outcome{}, err
	}
	out.reason = StaleFloor
	return out, nil
}

// mayStandIn reports whether an entry may stand in within the window of stale-if-error.
func (t *Engine) mayStandIn(c *call, e *Entry) bool {
	return e.mayStandIn(&c.demands, e.age(t.clock.Read()), t.opts.staleIfError(), t.opts.Strict)
}
