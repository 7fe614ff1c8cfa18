// Package gate decides whether an origin may be asked now. It keeps the
// cool-downs that follow answers and failures, and the pauses that formats
// demand, in its own tables and in a cache.Store that other processes see.
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
	"github.com/wayfindhq/wayfind/internal/clock"
	"github.com/wayfindhq/wayfind/internal/urlkey"
)

// Reasons of a cache.HeldError that the gate itself gives: its comment has them.
const (
	reasonFloor = "floor"
	reasonHeld  = "held"
)

// futureSlack is how far another host's clock may be ahead of ours.
const futureSlack = 60 * time.Second

// Gate refuses requests that must not be sent yet. It stands below a
// [cache.Engine] and above retries, so that first fetches, refreshes and
// revalidations all pass it: [Gate.Enter] before a request, [Pass.Done] after
// it. It is safe for concurrent use.
//
// A request is checked against the cool-down of its origin, that of its URL,
// and then its floor, all in its [Lane]. Each is looked up in an exact table of the gate's own
// and in the Store, whose errors count as "not held": a gate may fail open to
// the origin, but never past its own table.
//
// An attempt counts once its request was written; otherwise the floor is given
// back.
type Gate struct {
	store    cache.Store
	opts     Options
	clock    *clock.Clock
	holds    *Holds
	mu       sync.Mutex
	backoffs *expiring[backoff]
	spoke    *expiring[string] // paths that said "not before" in the lane Own, by origin
}

// Options are the obligations of a Gate. Nil and the zero value have none.
type Options struct {
	// Clock is the clock; nil is the system's.
	Clock *clock.Clock
	// View is part of every key, as in cache.Options.
	View string
	// Judge returns the consequence of a request's outcome for later ones: an
	// answer, or an error, of the request or of reading the answer's body. It
	// must not read the body. It is not asked about a request that was
	// cancelled, or whose caller's time was up.
	Judge func(*http.Response, error) Cooldown
	// Logger gets a warning for each call of the store that fails; nil is
	// silence.
	Logger *slog.Logger
	// Reasons of Hold that the store keeps apart, so that processes that share
	// it learn them.
	Reasons []string
	// MaxKeys bounds each table; 0 means the defaults of NewHolds.
	MaxKeys int
	// Holds is the table of cool-downs and floors, for gates of one process
	// that have it in common; nil is one of the gate's own.
	Holds *Holds
}

// maxBackoffs bounds the origins and URLs whose doublings are remembered.
const maxBackoffs = 1 << 13

// New returns a gate. Nil options have no obligations of their own, but
// obey those that the store has; they are copied. Without a store the gate
// obeys its own table alone.
func New(store cache.Store, opts *Options) *Gate {
	g := &Gate{store: store}
	if opts != nil {
		g.opts = *opts
	}
	g.clock, g.holds = g.opts.Clock, g.opts.Holds
	if g.holds == nil {
		g.holds = NewHolds(g.opts.MaxKeys, g.opts.Clock)
	}
	most := cmp.Or(max(g.opts.MaxKeys, 0), maxBackoffs)
	g.backoffs, g.spoke = newExpiring[backoff](most), newExpiring[string](most)
	return g
}

// Evicted counts the cool-downs that the gate's own table has given up
// because it was full.
func (g *Gate) Evicted() uint64 { return g.holds.Evicted() }

// Held counts the cool-downs and floors that the gate's own table holds now.
func (g *Gate) Held() int { return g.holds.Len() }

// Pass is one request that a [Gate] lets through. Call Done once.
type Pass struct {
	gate    *Gate
	ctx     context.Context // of the caller
	url     *url.URL
	lane    Lane
	started time.Duration // monotonic
	release func()        // gives the floor back; nil without one
}

// Enter asks whether a URL may be asked for now, in a lane. floor names the obligation
// that the request falls under, and every is the shortest time between two
// requests of that name; 0 is none. by, where it is not nil, spares looks. An error is a *cache.HeldError. When ctx
// ends, the request ends without a statement about the origin.
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

// Done reports the outcome of the request. written reports whether it was written
// at least once. The body of an answer is judged too, when it ends: Done
// replaces resp.Body for that.
func (p *Pass) Done(resp *http.Response, err error, written bool) {
	if err != nil && !written && p.release != nil {
		p.release()
	}
	if err != nil {
		p.judgeError(err)
		return
	}
	p.judgeAnswer(resp)
}

// mayHold reports whether the gate's own table has a cool-down of a URL or of its
// origin. Nearly always it has none, and this look allocates nothing.
func (g *Gate) mayHold(u *url.URL, lane Lane) bool {
	for _, prefix := range lane.obeys() {
		if g.mayHoldAt(prefix, u) {
			return true
		}
	}
	return false
}

func (g *Gate) mayHoldAt(prefix string, u *url.URL) bool {
	var room [512]byte
	key := append(append(append(room[:0], prefix...), g.opts.View...), '\n')
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

// look checks one cool-down, first here and then in the store.
func (g *Gate) look(ctx context.Context, key, name string, by *Glance) error {
	if until, reason := g.holds.look(key); !until.IsZero() {
		return &cache.HeldError{Key: name, Reason: reason, Until: until}
	}
	if by.free(ctx, key) {
		return nil
	}
	// The zero time is a look by every clock; now may be later by the store's.
	ok, held, _ := g.acquire(ctx, key, time.Time{}, cache.MaxHold)
	if ok {
		return nil
	}
	if until, reason := g.holds.look(key); !until.IsZero() {
		return &cache.HeldError{Key: name, Reason: reason, Until: until} // ours, of this moment
	}
	g.holds.hold(key, held, reasonHeld)
	return &cache.HeldError{Key: name, Reason: reasonHeld, Until: held}
}

// lookFor is look for a reason of its own, which others then know as well.
func (g *Gate) lookFor(ctx context.Context, prefix, name, reason string, by *Glance) error {
	own := reasonName(name, reason)
	err := g.look(ctx, g.holdKey(prefix, own), own, by)
	if held, ok := err.(*cache.HeldError); ok {
		return &cache.HeldError{Key: name, Reason: reason, Until: held.Until}
	}
	return err
}

// reasonName is the name of a hold with a reason of its own.
func reasonName(name, reason string) string { return name + "\n" + reason }

// take takes a floor here and in the store.
func (g *Gate) take(ctx context.Context, key, name string, every time.Duration) (release func(), err error) {
	until := g.clock.Now().Add(every)
	ok, held, here := g.holds.Acquire(key, until)
	if !ok {
		return nil, &cache.HeldError{Key: name, Reason: reasonFloor, Until: held}
	}
	ok, held, there := g.acquire(ctx, key, until, every)
	if !ok {
		here() // not remembered here: the holder may give it back
		return nil, &cache.HeldError{Key: name, Reason: reasonFloor, Until: held}
	}
	return func() { here(); there() }, nil
}

// acquire asks the store; an error of it counts as taken, and so does an end
// that has passed by our clock, or that is further ahead than any such
// obligation lasts: a clock was wrong.
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
