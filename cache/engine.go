package cache

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind/internal/run/clock"
	"github.com/wayfindhq/wayfind/internal/run/flight"
	"github.com/wayfindhq/wayfind/internal/run/nilness"
	"github.com/wayfindhq/wayfind/internal/run/warned"
)

// Engine answers GETs from a store, and asks their origins if it must (RFC 9111). It is safe for
// concurrent use. [Transport] offers the same to users of net/http.
//
// A request is answered from the store or by a request to its origin, which identical waiting
// requests share. The Ask that began the request decides how it is sent. The request is cancelled
// when the last caller has left. Its answer is shared if a cache may serve it to the waiting
// callers (RFC 9111 §4): it may be kept and is fresh on arrival. It is not shared with a caller
// that refuses answers requested earlier. No caller waits longer than five seconds for the end of a
// body of unknown length. A key whose answer cannot be shared, or has not ended by then, is
// remembered for two minutes, in which its callers do not wait for each other. Callers with [Rules]
// share answers in any case.
//
// The request directives no-cache, no-store, max-age, min-fresh, max-stale and only-if-cached are
// obeyed (§5.2.1), and so is stale-if-error (RFC 5861 §4). no-cache revalidates with the stored
// validators, except an entry with an obligation.
//
// Within stale-while-revalidate a stale entry is served, and one request in
// the background renews it (RFC 5861 §3); Close ends it.
//
// Errors of an Origin are returned as they are. So are errors while a body is
// read, unless the body of a Response reports them.
type Engine struct {
	store    Store
	local    bool
	shared   bool                       // the store is a SharedStore
	layers   *Layered                   // the store, if it is layered
	aside    *aside                     // for what must not leave the process; nil if the store keeps that, or nothing does
	recent   func(key []byte) *Variants // RecentOf of the store, if it has it
	opts     Options
	siblings []string // the views whose answers end with those of this one: see setPrincipal
	clock    *clock.Clock
	flights  flight.Group[flightKey, outcome, outcome]
	lonely   atomic.Uint64 // counts the flights that only one caller uses
	order    atomic.Uint64 // counts requests sent and answers received
	apart    queues        // whose responses cannot be shared, so that callers do not wait for each other in vain
	failing  queues        // whose renewal in the background has failed
	counters counters
	base     context.Context // the context of requests that no call shares; ends with Close
	stop     context.CancelFunc
	seed     maphash.Seed
	identity *identity
	guards   *guards
	bars     bars
	refusing atomic.Bool // the store did not take the last entry
	warned   *warned.Log
	oneTime  oneTime
	unread   quota    // of the bodies that flights read before their callers do
	slow     sync.Map // the queues with a request that goes on after StaleAfter
	down     down
}

// needStore panics if a store is nil, or is a Layered that NewLayered did not make.
func needStore(s Store) {
	if nilness.Of(s) {
		panic("cache: the store is nil: memory.New, disk.Open and redis.Open make one")
	}
	if l, ok := s.(*Layered); ok && l.near == nil {
		panic("cache: the Layered is zero: cache.NewLayered makes one")
	}
}

// needLogger panics if a logger is zero. A nil one logs nothing.
func needLogger(l *slog.Logger) {
	if l != nil && !nilness.Logs(l) {
		panic("cache: the Logger is zero: slog.New makes one")
	}
}

// errUnmade is the error of an Engine that NewEngine did not make.
var errUnmade = errors.New("cache: this Engine or Transport is nil or zero: cache.NewEngine, cache.NewTransport and cache.NewClient make one")

// unmade reports whether NewEngine did not make an Engine.
func (t *Engine) unmade() bool { return t == nil || t.store == nil }

// NewEngine returns an Engine over store, which must not be nil. Nil options mean the defaults.
// Options are copied. The caller must close the store after the Engine.
func NewEngine(store Store, opts *Options) *Engine {
	needStore(store)
	t := &Engine{store: guardedStore(store), seed: maphash.MakeSeed(), guards: guardsOf(store)}
	if opts != nil {
		t.opts = *opts
		needLogger(opts.Logger)
	}
	t.warned, t.oneTime.seed = warned.To(t.opts.Logger), t.seed
	t.local, t.shared = isLocal(store), isShared(store) && t.opts.Partition == ""
	keys := digestKeysOf(store)
	t.siblings = t.opts.setPrincipal(store, keys)
	t.clock, t.identity = clock.Of(t.opts.Now), identityOf(&t.opts, t.shared && t.opts.Strict, keys[0])
	t.layers, _ = store.(*Layered)
	t.aside = asideOf(store)
	if s, ok := store.(recentStore); ok {
		t.recent = s.RecentOf(store)
	}
	t.base, t.stop = context.WithCancel(context.Background())
	return t
}

// outcome is the result of a call: an entry or a stream. If a stream is being stored, the outcome
// has both, and the entry lacks its body.
type outcome struct {
	entry     *Entry
	stream    *stream
	from      string
	reason    string // the reason why a stale entry is used
	detail    string // the reason why an answer is not stored, if its header allows it
	forward   string // the reason why the origin was asked; empty if it was not
	status    int    // the status of the origin's answer
	validated bool   // the origin was asked with conditions
	stored    bool
	late      bool     // it failed because the time of a request in the background was up, or because the caller that sent it left
	cookies   []string // Set-Cookie, for the caller that sent the request
}

// serves reports whether a call may wait for the end of an answer: its header does not exclude that
// the answer is for the call.
func (out *outcome) serves(c *call) bool {
	return out.entry.shareable() && out.entry.matches(&c.header)
}

// fetched reports whether the origin has answered.
func (out *outcome) fetched() bool { return out.from == FromNetwork || out.from == FromValidated }

// addStatus appends this cache's member to the Cache-Status of the caches
// before it.
func (out *outcome) addStatus(h http.Header, ttl time.Duration) {
	h["Cache-Status"] = append(h["Cache-Status"], out.cacheStatus(ttl, false))
}

// cacheStatus returns this cache's member of Cache-Status (RFC 9211 §2). ttl is the remaining
// freshness lifetime, negative when it is over.
func (out *outcome) cacheStatus(ttl time.Duration, collapsed bool) string {
	line := make([]byte, 0, 64)
	line = append(line, cacheName...)
	switch {
	case out.forward != "":
		line = append(append(line, "; fwd="...), out.forward...)
		if out.status != 0 && out.entry != nil && out.status != out.entry.Status {
			line = strconv.AppendInt(append(line, "; fwd-status="...), int64(out.status), 10)
		}
	case out.entry != nil:
		line = append(line, "; hit"...)
	}
	if out.entry != nil && (out.stored || out.forward == "") {
		line = strconv.AppendInt(append(line, "; ttl="...), wholeSeconds(ttl), 10)
	}
	if out.stored {
		line = append(line, "; stored"...)
	}
	if collapsed {
		line = append(line, "; collapsed"...)
	}
	if detail := cmp.Or(out.reason, out.detail); detail != "" {
		line = append(append(line, "; detail="...), detail...)
	}
	return string(line)
}

// plain reports whether the outcome is a fresh entry, so that Cache-Status contains nothing but the
// hit and its ttl.
func (out *outcome) plain() bool {
	return out.entry != nil && out.forward == "" && out.reason == "" && !out.stored && out.cookies == nil
}

// maxJoins is the largest number of flights that a caller joins whose outcome is not for it. Then
// it begins its own flight.
const maxJoins = 3

// Do answers one Ask. When ctx ends, Do returns its error, and a request that other callers wait
// for goes on.
func (t *Engine) Do(ctx context.Context, a *Ask) (Answer, error) {
	if t.unmade() {
		return Answer{}, errUnmade
	}
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	select {
	case <-a.cancel:
		return Answer{}, context.Canceled
	default:
	}
	wall, mono := t.clock.Read()
	c := &call{began: mono}
	c.set(a, t.identity)
	c.demands = parseRequest(c.header.lines("Cache-Control"), c.header.lines("Pragma"))
	c.demands.foreground, c.demands.refresh = a.Foreground, a.Rules != nil
	if c.header.unknown && !c.header.many {
		c.oneTime = t.oneTime.note(c, mono)
	}
	if e := t.recentOf(c, wall, mono); e != nil {
		return t.answerAt(&outcome{entry: e, from: FromMemory}, false, wall, mono), nil
	}
	if a.cancel == nil {
		return t.do(ctx, c, wall, mono)
	}
	return t.doUntil(ctx, c, wall, mono)
}

// doUntil is do for a call with an end of its own.
func (t *Engine) doUntil(ctx context.Context, c *call, wall time.Time, mono time.Duration) (Answer, error) {
	ctx, end := cancelledBy(ctx, c.ask.cancel)
	answer, err := t.do(ctx, c, wall, mono)
	answer.after(end)
	return answer, err
}

// do answers a call for which recentOf found no entry.
func (t *Engine) do(ctx context.Context, c *call, wall time.Time, mono time.Duration) (Answer, error) {
	c.key, c.url = t.keyOf(c.ask)
	c.queue = c.key
	if c.header.getsPublic() {
		c.queue += "\n" + c.header.partition()
	}
	c.queue += c.header.implied()
	c.guard = t.guards.enter(ResourceOf(c.key))
	defer t.guards.leave(c.guard)
	c.flying = c.ask.freshOnly
	held := t.lookup(ctx, c)
	if held != nil && (c.ask.suits == nil || c.ask.suits(held)) {
		if out, ok := t.use(c, held, wall, mono); ok {
			return t.answerAt(&out, false, wall, mono), nil
		}
	}
	switch {
	case c.ask.freshOnly:
		return Answer{}, nil
	case c.demands.onlyIfCached:
		t.counters.misses.Add(1)
		return Answer{}, nil
	case c.demands.noStore:
		return t.alone(ctx, c, held)
	}
	return t.together(ctx, c, held)
}

// answer returns the Answer for an outcome with an entry.
func (t *Engine) answer(out *outcome, collapsed bool) Answer {
	wall, mono := t.clock.Read()
	return t.answerAt(out, collapsed, wall, mono)
}

// answerAt is answer for the time when the use of the entry was decided.
func (t *Engine) answerAt(out *outcome, collapsed bool, wall time.Time, mono time.Duration) Answer {
	t.counters.count(out, collapsed)
	e := out.entry
	return Answer{Entry: e, out: *out, Facts: Facts{
		From: out.from, Age: e.age(wall, mono), FreshUntil: e.freshUntil(), StaleReason: out.reason, Collapsed: collapsed,
	}}
}

// Close cancels the running requests, and waits for the end of shared requests and of requests in
// the background. Later requests that the store cannot answer get ErrClosed.
func (t *Engine) Close() error {
	if t.unmade() {
		return nil
	}
	t.stop()
	t.flights.Close()
	return nil
}

// use returns an outcome with a stored entry if the request allows its use.
func (t *Engine) use(c *call, e *Entry, wall time.Time, mono time.Duration) (outcome, bool) {
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
func (t *Engine) alone(ctx context.Context, c *call, held *Entry) (Answer, error) {
	if t.base.Err() != nil {
		return Answer{}, ErrClosed
	}
	own, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(t.base, cancel)
	end := func() { stop(); cancel() }
	out, err := t.fetch(own, c, held)
	if err == nil && out.stream != nil {
		return t.passOn(ctx, out, end), nil
	}
	end()
	if err != nil {
		return Answer{}, err
	}
	return t.answer(&out, false), nil
}

// passOn returns the Answer for an outcome with an open body. end is called when the response is
// over.
func (t *Engine) passOn(ctx context.Context, out outcome, end func()) Answer {
	t.counters.count(&out, false)
	facts := Facts{From: out.from}
	if b := out.stream.resp.Body.(*streamBody); b.tee != nil {
		b.tee.use(&t.unread)
		leave, once := end, new(sync.Once)
		end = func() {
			once.Do(func() { b.tee.leave(&t.unread) })
			leave()
		}
	}
	if head := out.stream.head; head != nil {
		facts.Age, facts.FreshUntil = head.age(t.clock.Read()), head.freshUntil()
	}
	return Answer{Response: out.stream.take(ctx, facts, end), Facts: facts, out: out}
}

// together joins the flight of the call, or begins it.
func (t *Engine) together(ctx context.Context, c *call, held *Entry) (Answer, error) {
	patience := t.slowAfter(c, held)
	if patience > 0 && t.isSlow(c.queue) {
		return t.slowAnswer(c, held), nil
	}
	own := *c
	own.set(c.ask.kept(), t.identity)
	own.flying = true
	name := c.flightOf()
	if c.header.asksForStream() || t.isApart(c.queue) {
		name = t.ownFlight(c)
	}
	for n := 1; ; n++ {
		if n > maxJoins {
			name = t.ownFlight(c)
		}
		ticket, joined := t.takeOff(ctx, name, &own)
		head, begun, slow := atHeadWithin(ctx, ticket, patience)
		if slow {
			t.goOn(ticket, c.queue)
			return t.slowAnswer(c, held), nil
		} else if begun && !joined {
			return t.passOn(ctx, head, ticket.Leave), nil
		} else if begun && !head.serves(c) {
			ticket.Leave()
			name = t.nextFlight(c, &head, name)
			continue
		}
		out, err := t.atEnd(ctx, ticket, &head)
		if !joined && err == nil && out.stream != nil {
			return t.passOn(ctx, out, ticket.Leave), nil
		}
		ticket.Leave()
		switch {
		case errors.Is(err, errNoEnd):
			t.setApart(c)
			name = t.ownFlight(c)
		case errors.Is(err, flight.ErrClosed):
			return Answer{}, ErrClosed
		case !joined && err != nil:
			return Answer{}, cmp.Or(ctx.Err(), err)
		case !joined:
			return t.answer(&out, false), nil
		case t.opts.Failed == nil && excused(ctx, &out, err):
		case err != nil:
			// The demands of the other caller may have prevented the use of a stale entry.
			stale, failed := t.rescue(ctx, c, held, outcome{forward: forwardStale}, err)
			if failed == nil {
				return t.answer(&stale, true), nil
			}
			if !excused(ctx, &out, err) {
				return Answer{}, failed
			}
		case out.stream == nil && t.serves(c, &out):
			return t.answer(&out, true), nil
		default:
			name = t.nextFlight(c, &out, name)
		}
	}
}
