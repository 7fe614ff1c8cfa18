package cache

import (
	"context"
	"errors"
	"hash/maphash"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind/internal/run/flight"
)

// flightKey identifies a flight. Callers with the same key join it.
type flightKey struct {
	key        string
	generation uint64 // the generation of the key; a request from before an unsafe one is not joined after it
	variant    string // the request's values for the fields that the stored responses vary on
	alone      uint64 // not 0 for a flight of one caller that others do not join
}

// ownFlight returns a flight that this call shares with no other.
func (t *Engine) ownFlight(c *call) flightKey {
	return flightKey{key: c.queue, generation: c.generation, alone: t.lonely.Add(1)}
}

// nextFlight returns the next flight for a call whose last flight brought an answer that is not for
// it: a flight for the same variant, a flight for callers that also want a newer answer, or its own
// flight.
func (t *Engine) nextFlight(c *call, out *outcome, was flightKey) flightKey {
	e := out.entry
	switch {
	case e == nil || !e.shareable():
		return t.ownFlight(c)
	case e.matches(&c.header):
		return was
	}
	return flightKey{key: c.queue, generation: c.generation, variant: c.variantOf(e)}
}

// serves reports whether the outcome of another's flight answers a call: a
// cache must be allowed to serve it (RFC 9111 §4). Callers with Rules have the
// same rules within a partition, and share answers that came while they waited.
func (t *Engine) serves(c *call, out *outcome) bool {
	e := out.entry
	switch {
	case !e.matches(&c.header):
		return false
	case out.reason == StaleFloor:
		return true
	case out.reason == StaleError, out.reason == StaleHeld:
		return t.mayStandIn(c, e)
	case c.ask.Rules != nil && out.fetched():
		return !t.opts.Strict || !e.control.forbidsStoring(e.Status)
	case !e.storable():
		return false
	}
	wall, mono := t.clock.Read()
	return e.decide(&c.demands, e.age(wall, mono), t.opts.Strict) != useNot || t.renewed(c, e)
}

// atHead waits for the header of the answer that a flight brings. begun is false if the flight ends
// without passing on a header before the body.
func atHead(ctx context.Context, ticket *flight.Ticket[outcome, outcome]) (head outcome, begun bool) {
	for head := range ticket.All(ctx) {
		return head, true
	}
	if found := ticket.Findings(); len(found) > 0 {
		return found[0], true // it came as ctx ended: the rest of its body is nothing without it
	}
	return outcome{}, false
}

// endPatience is the time that callers wait for the end of another caller's answer after its
// header, if the header has no length. Such an answer may have no end.
const endPatience = 5 * time.Second

// errNoEnd is the error of an answer that has not ended after endPatience.
var errNoEnd = errors.New("cache: the answer that was waited for has no end in sight")

// atEnd waits for the end of the answer that a flight brings. head contains its header, if that has
// come.
func (t *Engine) atEnd(ctx context.Context, ticket *flight.Ticket[outcome, outcome], head *outcome) (outcome, error) {
	if head.stream == nil || !head.stream.open {
		return ticket.Wait(ctx)
	}
	within, cancel := context.WithTimeout(ctx, endPatience)
	defer cancel()
	out, err := ticket.Wait(within)
	if errors.Is(err, context.DeadlineExceeded) && within.Err() != nil && ctx.Err() == nil {
		err = errNoEnd
	}
	return out, err
}

// renewed reports whether an entry is as good as an answer to a request of the call itself: it is
// fresh, and its request was sent after the call began. For a caller with Rules, any answer that
// came after the call began is.
func (t *Engine) renewed(c *call, e *Entry) bool {
	if c.ask.Rules != nil {
		return e.hasMono && e.mono > c.began
	}
	return e.hasMono && e.sent() > c.began &&
		e.storable() && e.Lifetime.For > e.age(t.clock.Read())
}

// excused reports whether a joined flight failed because of the caller that began it and not
// because of the origin: by a cancellation in its Ask, or by the time-out of a request in the
// background.
func excused(ctx context.Context, out *outcome, err error) bool {
	return ctx.Err() == nil && (out.late || errors.Is(err, context.Canceled))
}

// apartFor is the time for which the engine remembers that the responses of a key cannot be shared.
const apartFor = 2 * time.Minute

// queues remembers some queues for a time. A queue may replace another one with the same slot.
type queues [1024]atomic.Pointer[queueUntil]

type queueUntil struct {
	hash  uint64
	until time.Duration // monotonic
}

func (q *queues) add(hash uint64, until time.Duration) {
	q[hash%uint64(len(q))].Store(&queueUntil{hash, until})
}

func (q *queues) has(hash uint64, now time.Duration) bool {
	known := q[hash%uint64(len(q))].Load()
	return known != nil && known.hash == hash && now < known.until
}

func (q *queues) drop(hash uint64) {
	slot := &q[hash%uint64(len(q))]
	if known := slot.Load(); known != nil && known.hash == hash {
		slot.CompareAndSwap(known, nil)
	}
}

// learn records whether the answer of a flight can be shared, according to its header or, if it
// turns out to be too large, at its end. Refusals and failures are ignored, because they are not
// about the resource. Stored entries are ignored, because they are not new.
func (t *Engine) learn(c *call, out *outcome) {
	switch {
	case c.ask.Rules != nil, out.stream == nil && !out.fetched(), !replaces(out.status) && !out.validated:
	case out.entry == nil || !out.entry.shareable():
		t.setApart(c)
	case out.stream == nil && t.clock.Mono()-out.entry.mono < endPatience: // it has ended soon enough
		t.apart.drop(maphash.String(t.seed, c.queue))
	}
}

// setApart records that the callers of a key should not wait for each other.
func (t *Engine) setApart(c *call) {
	t.apart.add(maphash.String(t.seed, c.queue), t.clock.Mono()+apartFor)
}

// isApart reports whether the responses of a key are known not to be shareable.
func (t *Engine) isApart(key string) bool {
	return t.apart.has(maphash.String(t.seed, key), t.clock.Mono())
}
