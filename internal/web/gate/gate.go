// Package gate decides whether a request to an origin may be sent now. It keeps the cool-downs
// that follow answers and failures, and the pauses that formats demand, in its own tables and
// in a cache.ObligationStore that other processes share.
package gate

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/clock"
	"github.com/wayfindhq/wayfind/internal/run/warned"
	"github.com/wayfindhq/wayfind/internal/syntax/urlkey"
)

// The reasons of a cache.HeldError that the gate itself sets. The comment of cache.HeldError
// describes them.
const (
	reasonFloor = "floor"
	ReasonHeld  = "held"
)

// futureSlack is the time by which the clock of another host may be ahead of the local clock.
const futureSlack = 60 * time.Second

// Gate refuses requests that must not be sent yet. It is below a [cache.Engine] and above
// retries, so that first fetches, refreshes and revalidations all pass through it:
// [Gate.Enter] is called before a request, and [Pass.Done] after it. It is safe for concurrent
// use.
//
// A request is checked against the cool-down of its origin, then the cool-down of its URL, and
// then its floor, all in its [Lane]. Each is looked up in the gate's own exact table and in
// the Store. After an error of the Store, the key is treated as not held there: the gate may
// let a request through if the Store fails, but never if its own table forbids it.
//
// An attempt uses up the floor if its request was written. Otherwise the floor is given back.
type Gate struct {
	store    cache.ObligationStore
	opts     Options
	clock    *clock.Clock
	holds    *Holds
	mu       sync.Mutex
	backoffs *expiring[backoff]
	warned   *warned.Log
	spoke    *expiring[string] // paths that returned "not before" in the lane Own, by origin
}

// Options are the options of a Gate. Nil and the zero value add no obligations.
type Options struct {
	// Clock is the clock of the gate; nil for the system's clock.
	Clock *clock.Clock
	// View is a part of every key, as in cache.Options.
	View string
	// Judge returns the consequence of a request's outcome for later requests. The outcome is
	// an answer, or an error of the request or of reading the answer's body. Judge must not
	// read the body. It is not called if the request was cancelled or the time of its caller
	// was over.
	Judge func(*http.Response, error) Cooldown
	// Logger gets a warning for each call of the store that fails; nil for no warnings.
	Logger *slog.Logger
	// Reasons are the reasons of Hold that the store keeps separately, so that the processes
	// that share it get them.
	Reasons []string
	// MaxKeys is the maximum number of keys of each table; 0 for the default of NewHolds.
	MaxKeys int
	// Holds is the table of cool-downs and floors. Several gates of one process may share it.
	// If it is nil, the gate has a table of its own.
	Holds *Holds
}

// maxBackoffs is the maximum number of origins and URLs whose back-off is remembered.
const maxBackoffs = 1 << 13

// New returns a gate. opts may be nil. New copies them. Even without options the gate obeys
// the obligations in the store. Without a store it obeys only its own table.
func New(store cache.ObligationStore, opts *Options) *Gate {
	g := &Gate{store: store}
	if opts != nil {
		g.opts = *opts
	}
	g.warned = warned.To(g.opts.Logger)
	g.clock, g.holds = g.opts.Clock, g.opts.Holds
	if g.holds == nil {
		g.holds = NewHolds(g.opts.MaxKeys, g.opts.Clock)
	}
	most := cmp.Or(max(g.opts.MaxKeys, 0), maxBackoffs)
	g.backoffs, g.spoke = newExpiring[backoff](most), newExpiring[string](most)
	return g
}

// Evicted returns the number of cool-downs that the gate's own table has dropped because it
// was full.
func (g *Gate) Evicted() uint64 { return g.holds.Evicted() }

// Held returns the number of cool-downs and floors in the gate's own table at present.
func (g *Gate) Held() int { return g.holds.Len() }

// Pass is one request that a [Gate] lets through. Done must be called once.
type Pass struct {
	gate    *Gate
	ctx     context.Context // of the caller
	url     *url.URL
	lane    Lane
	started time.Duration // monotonic
	release func()        // gives the floor back; nil if there is none
	limit   Limit         // nil: the end of ctx is no fact about the site
	written bool
}

// Limit knows whether the time of a request was over that this module sets, and not one of its
// callers.
type Limit interface {
	// TimeUp returns the failure of the site if this time is over, else nil. err is the error with
	// which the request ended.
	TimeUp(err error) error
}

// Under sets the Limit of a request. A site that has not answered a written request by then has failed.
func (p *Pass) Under(l Limit) { p.limit = l }

// Enter reports whether a URL may be requested now, in a lane. floor is the name of the
// obligation that applies to the request, and every is the minimum time between two requests
// with that name; 0 for no floor. If by is not nil, it saves look-ups in the store. An error
// is a *cache.HeldError. If ctx ends, the outcome of the request has no consequence for the
// origin.
func (g *Gate) Enter(ctx context.Context, u *url.URL, lane Lane, floor string, every time.Duration, by *Glance) (Pass, error) {
	p := Pass{gate: g, ctx: ctx, url: u, lane: lane}
	if g.store != nil || g.mayHold(u, lane) {
		if err := g.lookAll(ctx, u, lane, by); err != nil {
			return p, err
		}
	}
	if every > 0 {
		release, err := g.take(ctx, g.floorKey(lane, floor), floor, every)
		if err != nil {
			return p, err
		}
		p.release = release
	}
	p.started = g.clock.Mono()
	return p, nil
}

// Done records the outcome of the request, and returns the error as it was judged. written is true if
// the request was written at least once. The end of the body of an answer is judged too: Done
// replaces resp.Body for that purpose.
func (p *Pass) Done(resp *http.Response, err error, written bool) error {
	if err != nil && !written && p.release != nil {
		p.release()
	}
	p.written = written
	if err != nil {
		return p.judgeError(err)
	}
	p.judgeAnswer(resp)
	return nil
}

// mayHold reports whether the gate's own table may have a cool-down of a URL or of its origin.
// It almost never has one, and this check allocates nothing.
func (g *Gate) mayHold(u *url.URL, lane Lane) bool {
	for _, prefix := range lane.obeys() {
		if g.mayHoldAt(prefix, u) {
			return true
		}
	}
	return false
}

func (g *Gate) mayHoldAt(prefix string, u *url.URL) bool {
	var scratch [512]byte
	key := append(append(append(scratch[:0], prefix...), g.opts.View...), '\n')
	key, origin := urlkey.Append(key, u)
	if g.holds.has(key[:origin]) || g.holds.has(key) {
		return true
	}
	end := append(key, '\n')
	for _, reason := range g.opts.Reasons {
		if g.holds.has(append(end, reason...)) {
			return true
		}
	}
	return false
}

// lookAll checks every cool-down of a URL that a lane obeys.
func (g *Gate) lookAll(ctx context.Context, u *url.URL, lane Lane, by *Glance) error {
	for _, prefix := range lane.obeys() {
		if err := g.lookAt(ctx, prefix, u, by); err != nil {
			return err
		}
	}
	return nil
}

func (g *Gate) lookAt(ctx context.Context, prefix string, u *url.URL, by *Glance) error {
	canonical := urlkey.Of(u)
	for _, name := range [...]string{urlkey.Origin(u), canonical} {
		if err := g.look(ctx, g.holdKey(prefix, name), name, by); err != nil {
			return err
		}
	}
	for _, reason := range g.opts.Reasons {
		if err := g.lookFor(ctx, prefix, canonical, reason, by); err != nil {
			return err
		}
	}
	return nil
}

// look checks one cool-down, first in the gate's own table and then in the store.
func (g *Gate) look(ctx context.Context, key, name string, by *Glance) error {
	if until, reason := g.holds.look(key); !until.IsZero() {
		return &cache.HeldError{Key: name, Reason: reason, Until: until}
	}
	if by.free(ctx, key) {
		return nil
	}
	// The zero time is in the past by every clock; now may be in the future by the store's clock.
	ok, held, _ := g.acquire(ctx, key, time.Time{}, cache.MaxHold)
	if ok {
		return nil
	}
	if until, reason := g.holds.look(key); !until.IsZero() {
		return &cache.HeldError{Key: name, Reason: reason, Until: until} // the gate's own table has it by now
	}
	g.holds.hold(key, held, ReasonHeld)
	return &cache.HeldError{Key: name, Reason: ReasonHeld, Until: held}
}

// lookFor is look for a hold that is stored with its reason, so that other processes get the
// reason too.
func (g *Gate) lookFor(ctx context.Context, prefix, name, reason string, by *Glance) error {
	own := reasonName(name, reason)
	err := g.look(ctx, g.holdKey(prefix, own), own, by)
	if held, ok := err.(*cache.HeldError); ok {
		return &cache.HeldError{Key: name, Reason: reason, Until: held.Until}
	}
	return err
}

// reasonName returns the name of a hold that is stored with its reason.
func reasonName(name, reason string) string { return name + "\n" + reason }

// take takes a floor in the gate's own table and in the store.
func (g *Gate) take(ctx context.Context, key, name string, every time.Duration) (release func(), err error) {
	until := g.clock.Now().Add(every)
	ok, held, here := g.holds.Acquire(key, until)
	if !ok {
		return nil, &cache.HeldError{Key: name, Reason: reasonFloor, Until: held}
	}
	ok, held, there := g.acquire(ctx, key, until, every)
	if !ok {
		here() // do not remember it: the holder may give it back
		return nil, &cache.HeldError{Key: name, Reason: reasonFloor, Until: held}
	}
	return func() { here(); there() }, nil
}

// acquire takes a key in the store. If the store returns an error, acquire succeeds. It also
// succeeds if the end of a hold has passed by the local clock, or is later than such an
// obligation can last, because then a clock was wrong.
func (g *Gate) acquire(ctx context.Context, key string, until time.Time, longest time.Duration) (ok bool, held time.Time, release func()) {
	if g.store == nil {
		return true, time.Time{}, func() {}
	}
	a, err := bounded(ctx, g.store, func(ctx context.Context) (acquired, error) { return acquire(ctx, g.store, key, until) })
	if err != nil {
		g.log(ctx, "acquire", err)
	}
	now := g.clock.Now()
	if err != nil || !a.ok && (!a.held.After(now) || a.held.After(now.Add(longest+futureSlack))) {
		return true, time.Time{}, a.release
	}
	return a.ok, a.held, a.release
}

func (g *Gate) holdKey(prefix, name string) string { return prefix + g.opts.View + "\n" + name }

func (g *Gate) floorKey(lane Lane, name string) string {
	prefix := floorPrefix
	if lane == Led {
		prefix = ledFloorPrefix
	}
	return prefix + g.opts.View + "\n" + name
}
