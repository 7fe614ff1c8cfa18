package crawl

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/internal/act/access"
	"github.com/wayfindhq/wayfind/internal/run/nilness"
	"github.com/wayfindhq/wayfind/resolve"
)

// Defaults of Options.
const (
	// DefaultAttempts is the number of attempts for a target that does not answer.
	DefaultAttempts = 3
	// DefaultBackoff is the time between the first attempt and the second.
	DefaultBackoff = time.Minute
	// DefaultRest is the pause of a site after a worker has died.
	DefaultRest = 10 * time.Minute
	// DefaultMaxPause is the longest pause that a worker waits for. If a site requires a longer
	// pause, its target is given back for that time.
	DefaultMaxPause = 2 * time.Second
)

// Options are the options of a worker. Nil and every zero field use the defaults.
type Options struct {
	// InFlight is the number of domains that are asked at a time. The default is
	// client.DefaultInFlight.
	InFlight int
	// Pause is the minimum time between two domains of one site. The default is
	// client.DefaultPause; a negative value means no pause.
	Pause time.Duration
	// MaxPause is the longest pause of a site that this worker waits for. The default is
	// DefaultMaxPause.
	MaxPause time.Duration
	// Store is shared by the workers, so that they ask one domain of a site at a time. It is
	// usually the Store of the Client's options. Nil means that there is no other worker.
	Store cache.ObligationStore
	// Rest is the pause of a site after a worker died while it asked the site, unless the site
	// has declared a longer one. The default is DefaultRest. It must be longer than
	// Options.Timeout of the Client, because the turns of living workers expire after it too.
	Rest time.Duration
	// Attempts is the number of attempts for a target that cannot be reached or asks to retry
	// later. The default is DefaultAttempts. A site that specifies a time is asked again at
	// that time.
	Attempts int
	// Backoff is the time between the first attempt and the second. It doubles with each
	// attempt, up to an hour. The default is DefaultBackoff.
	Backoff time.Duration
	// Once makes the first outcome of a target its result, even if the outcome is a pause
	// longer than MaxPause. No target is asked again or deferred.
	Once bool
	// Encode converts the Site and the error of Resolve into the cause and the data of a
	// result. If it is nil, the cause is the code of the error, or the words of its kind, and
	// the data is an object with the members target, cause, error and site.
	Encode func(target string, site *wayfind.Site, err error) (cause string, data []byte, failure error)
	// Told, if not nil, is called with each result that this worker has stored.
	Told func(r Result, site *wayfind.Site, err error)
	// Stay makes the worker wait for new targets if the queue is empty, until its context ends.
	Stay bool
}

func (o *Options) withDefaults() Options {
	var own Options
	if o != nil {
		own = *o
	}
	own.MaxPause = cmp.Or(own.MaxPause, DefaultMaxPause)
	own.Rest = cmp.Or(own.Rest, DefaultRest)
	own.Attempts = cmp.Or(own.Attempts, DefaultAttempts)
	own.Backoff = cmp.Or(own.Backoff, DefaultBackoff)
	if own.Encode == nil {
		own.Encode = encode
	}
	return own
}

// encode is the default of Options.Encode.
func encode(target string, site *wayfind.Site, err error) (cause string, data []byte, failure error) {
	cause = Found
	var said string
	if err != nil {
		cause, said = "failed", err.Error()
	}
	if e, ok := errors.AsType[*wayfind.Error](err); ok {
		cause = cmp.Or(string(e.Code), strings.ReplaceAll(e.Kind.Error(), " ", "_"))
	}
	if site != nil && site.Incomplete != nil {
		cause = Incomplete
	}
	data, failure = json.Marshal(struct {
		Target string        `json:"target"` // the first member: see readHead
		Cause  string        `json:"cause"`
		Error  string        `json:"error,omitempty"`
		Site   *wayfind.Site `json:"site,omitempty"` // the last one: see headOf
	}{target, cause, said, site})
	return cause, data, failure
}

// Report contains the statistics of one worker.
type Report struct {
	// Results is the number of results that this worker stored, by cause.
	Results map[string]int
	// Repeated is the number of targets that were given back to be asked again.
	Repeated int
	// Deferred is the number of targets that were given back without a request, because their
	// site was busy or paused.
	Deferred int
	// Lost is the number of leases that expired before their result was available.
	Lost int
}

// Work runs one worker: it takes targets from a queue, asks them with c and stores the results,
// until the queue is empty or ctx ends. It then gives back the targets that it holds. The error
// is the error of ctx or of a queue that failed. A domain that could not be asked is a result.
//
// The worker renews the lease of each target while it has the target, and once more before the
// first request. So a worker that was suspended for longer than its lease sends no requests.
//
// The targets of a queue are a list of strangers. Work returns an error for a Client with
// client.Options.Live whose Options.Targets is not client.TargetsListed.
func Work(ctx context.Context, c *client.Client, q Queue, o *Options) (Report, error) {
	if err := access.Check(c); err != nil {
		return Report{}, fmt.Errorf("crawl: %w", err)
	}
	own := o.withDefaults()
	switch {
	case nilness.Of(q):
		return Report{}, errors.New("crawl: the Queue is nil: OpenFile, NewStream and package nats make one")
	case own.Store != nil && nilness.Of(own.Store):
		return Report{}, fmt.Errorf("crawl: Options.Store is a nil %T", own.Store)
	case access.Of(c).AsksTargets():
		return Report{}, errors.New("crawl: no target of a queue is asked as a server: set Options.Targets of the Client to client.TargetsListed, or leave Options.Live empty")
	}
	w := &worker{
		queue: q, opts: own, held: map[string]Lease{}, report: Report{Results: map[string]int{}},
		turns: turns{store: own.Store, rest: own.Rest},
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w.stop = cancel
	// Leases are also ended properly if ctx has ended.
	grace, over := context.WithCancel(context.WithoutCancel(ctx))
	defer over()
	context.AfterFunc(ctx, func() { time.AfterFunc(storeTime, over) })
	tally := newTally(c, q)
	var background sync.WaitGroup
	background.Go(func() { w.renewAll(ctx) })
	background.Go(func() { tally.keep(ctx) })
	batch := &client.BatchOptions{InFlight: own.InFlight, Pause: own.Pause, MaxPause: own.MaxPause, Admit: w.admit}
	for site, err := range c.ResolveAll(ctx, w.targets(ctx), batch) {
		w.settle(ctx, grace, site, err)
	}
	err := context.Cause(ctx)
	cancel(nil)
	background.Wait()
	w.giveBack(grace)
	tally.tell(grace)
	return w.report, err
}

// worker is the state of one Work.
type worker struct {
	queue Queue
	opts  Options
	turns turns
	stop  context.CancelCauseFunc

	mu   sync.Mutex
	held map[string]Lease // by target

	report Report // used by the goroutine of Work only
}

// idle is the pause of a worker that waits at an empty queue.
const idle = time.Second

// targets takes targets from the queue until it is empty.
func (w *worker) targets(ctx context.Context) iter.Seq[string] {
	return func(yield func(string) bool) {
		for ctx.Err() == nil {
			lease, err := w.queue.Take(ctx)
			switch {
			case errors.Is(err, ErrEmpty) && w.opts.Stay:
				wait(ctx, idle)
				continue
			case errors.Is(err, ErrEmpty) || ctx.Err() != nil:
				return
			case err != nil:
				w.stop(err)
				return
			}
			target := lease.Task().Target
			w.hold(spelled(target), lease)
			if !yield(target) {
				return
			}
		}
	}
}

func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

func (w *worker) hold(target string, l Lease) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held[target] = l
}

// lease returns the lease of a target, or nil if it was lost.
func (w *worker) lease(target string) Lease {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.held[target]
}

// drop removes the lease of the target of a Site, and returns it. The URL of the target may have been found
// to be a directory, which the Site then is about.
func (w *worker) drop(site *wayfind.Site) Lease {
	w.mu.Lock()
	defer w.mu.Unlock()
	of := resolve.Of(site)
	key := of.Key()
	if p := site.Probes; len(p) > 0 && w.held[strings.TrimPrefix(p[0].URL, "https://")] != nil { // the URL of a target comes first
		return w.take(strings.TrimPrefix(p[0].URL, "https://"))
	}
	if w.held[key] == nil {
		for held := range w.held {
			if t, _, err := resolve.ParseTarget(held); err == nil && t.Directory() == of.Directory() {
				key = held
			}
		}
	}
	return w.take(key)
}

// take removes the lease of a key, while mu is held, and returns it.
func (w *worker) take(key string) Lease {
	l := w.held[key]
	delete(w.held, key)
	return l
}

// leases returns the leases of this worker.
func (w *worker) leases() []Lease {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := make([]Lease, 0, len(w.held))
	for _, l := range w.held {
		all = append(all, l)
	}
	return all
}

// beat is the interval between checks of the leases. The shortest leases last a second.
const beat = time.Second / 4

// renewAll renews the leases with less than two thirds of their time left, at each beat.
func (w *worker) renewAll(ctx context.Context) {
	began := map[Lease]time.Duration{}
	for ctx.Err() == nil {
		wait(ctx, beat)
		all := w.leases()
		for l := range began {
			if !slices.Contains(all, l) {
				delete(began, l)
			}
		}
		for _, l := range all {
			left := time.Until(l.Until())
			began[l] = max(began[l], left)
			if left < began[l]*2/3 {
				_ = l.Renew(ctx) // the next beat tries again, and so does admit before the first request
			}
		}
	}
}

// admit implements BatchOptions.Admit: the lease must not have expired, and the turn of the
// site must be free.
func (w *worker) admit(ctx context.Context, target resolve.Target, site string) (client.Turn, error) {
	l := w.lease(target.Key())
	if l == nil {
		return client.Turn{}, ErrLost
	}
	switch err := l.Renew(ctx); {
	case err != nil && ctx.Err() != nil:
		return client.Turn{}, ctx.Err() // the target is given back
	case err != nil:
		return client.Turn{}, fmt.Errorf("%w: %w", ErrLost, err) // whatever failed: without a lease no request is sent
	}
	return w.turns.enter(ctx, target, site)
}

// settle ends the lease of a target, whether it was asked or not. grace outlives ctx.
func (w *worker) settle(ctx, grace context.Context, site *wayfind.Site, err error) {
	switch {
	case site == nil && ctx.Err() != nil:
		return
	case site == nil && errors.Is(err, wayfind.ErrClosed):
		w.stop(err)
		return
	case site == nil:
		w.refuse(ctx, grace)
		return
	}
	l := w.drop(site)
	if l == nil {
		return
	}
	switch after, counted := w.again(ctx, l.Task(), site, err); {
	case errors.Is(err, ErrLost):
		w.report.Lost++
	case after > 0 && counted:
		w.report.Repeated++
		w.end(ctx, l.Fail(grace, after, true))
	case after > 0:
		w.report.Deferred++
		w.end(ctx, l.Fail(grace, after, false))
	default:
		w.end(ctx, w.finish(grace, l, site, err))
	}
}

// refuse stores the results of the targets that contain no domain. Another program may have
// added them to the queue.
func (w *worker) refuse(ctx, grace context.Context) {
	for _, l := range w.leases() {
		target := l.Task().Target
		if _, err := Key(target); err != nil {
			w.mu.Lock()
			w.take(target)
			w.mu.Unlock()
			w.end(ctx, w.finish(grace, l, nil, err))
		}
	}
}

// finish stores a result.
func (w *worker) finish(ctx context.Context, l Lease, site *wayfind.Site, err error) error {
	t := l.Task()
	r := Result{Target: t.Target, Attempt: t.Attempt}
	var failure error
	if r.Cause, r.Data, failure = w.opts.Encode(t.Target, site, err); failure == nil {
		failure = l.Done(ctx, r)
	}
	if failure == nil {
		w.report.Results[r.Cause]++
		if w.opts.Told != nil {
			w.opts.Told(r, site, err)
		}
	}
	return failure
}

// end handles the error of a lease that ended. A lost lease belongs to another worker. If the
// queue fails, the worker ends, because it could store no result.
func (w *worker) end(ctx context.Context, err error) {
	switch {
	case err == nil:
	case errors.Is(err, ErrLost):
		w.report.Lost++
	case ctx.Err() == nil:
		w.stop(err)
	}
}

// giveBack gives back the targets that were not asked.
func (w *worker) giveBack(ctx context.Context) {
	for _, l := range w.leases() {
		_ = l.Fail(ctx, 0, false) // the lease expires by itself
	}
}
