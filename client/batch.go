package client

import (
	"context"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/site/describe"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/site/merge"
	"github.com/wayfindhq/wayfind/internal/web/turns"
	"github.com/wayfindhq/wayfind/resolve"
)

// Defaults of BatchOptions.
const (
	// DefaultInFlight is the number of domains asked at a time.
	DefaultInFlight = 64
	// DefaultPause is the time between two domains of one registrable domain.
	DefaultPause = time.Second
	// DefaultMaxPause is the longest pause that a batch waits for.
	DefaultMaxPause = time.Minute
)

// lookahead is the number of domains that are taken from the list for each domain in flight, so
// that a site that has to wait does not hold up the others.
const lookahead = 4

// BatchOptions configures one ResolveAll. If it is nil or a field is zero, the default applies.
type BatchOptions struct {
	// InFlight is the number of domains asked at a time; default DefaultInFlight. Each domain takes
	// one connection. A domain whose requests are spread by the pace of its site does not count. The
	// documents that the domains read and hold at a time are bounded by Options.Limits, as for all calls.
	InFlight int
	// Pause is the least time between two domains of one registrable domain; default DefaultPause,
	// negative for no pause. One of them is asked at a time. If the site itself wants a longer one (a
	// Crawl-delay for all agents or for Options.Robots.Token, a rate in its agents.md), it applies
	// instead, for each request. As soon as a domain of the site has stated it, the requests to the next
	// ones are spread by it, for up to MaxPause, while other sites are asked.
	Pause time.Duration
	// MaxPause is the longest time that ResolveAll waits for the pace of a site, for all requests to a
	// domain; default DefaultMaxPause. If the requests that were sent to the last domain of the site need
	// a longer one, the next is not asked: the error is of kind wayfind.ErrThrottled and contains the time
	// from which the domain may be asked.
	MaxPause time.Duration
	// Admit, if it is set, is called before each domain, when the turn of the domain has come in
	// this process. Processes that share a list take turns in it. It must not wait for the turn of
	// another process. site identifies the domains that share a turn: the registrable domain
	// according to the policy of the Client, or the host. If Admit returns an error, it is the
	// result of the domain, and the domain is not asked.
	Admit func(ctx context.Context, target resolve.Target, site string) (Turn, error)
}

// Turn is the right to ask a domain, as BatchOptions.Admit returns it.
type Turn struct {
	// Learn, if it is set, is called when the site declares a rate while the domain is asked. most
	// is the longest pause that the site may want afterwards. Under RobotsEnforce, the pause in
	// robots.txt is known before any other request. Learn may be called from several goroutines.
	Learn func(most time.Duration)
	// Leave, if it is set, is called once, after the domain was asked. Other processes then learn of a
	// time and not of a rate, so all domains of the site wait for that time: the requests to the next
	// one are not spread. pause is the time for which the site is to be left alone from then on. It is
	// negative if it is not known, because the context ended before the robots.txt of the site was answered.
	Leave func(pause time.Duration)
}

func (o *BatchOptions) withDefaults() BatchOptions {
	var b BatchOptions
	if o != nil {
		b = *o
	}
	if b.InFlight <= 0 {
		b.InFlight = DefaultInFlight
	}
	setDefault(&b.Pause, DefaultPause)
	setDefault(&b.MaxPause, DefaultMaxPause)
	return b
}

// ResolveAll asks many domains and yields the result of Resolve for each, in the order of
// completion. Origin and Base of the Site name the domain, the document
// or the directory that a target is: see resolve.Of. The Site is non-nil also with an error,
// unless the domain does not parse: then the error names it. Each connection is closed when its
// domain is done, and the list is read only as fast as domains are asked, so memory does not grow
// with the length of the list. A list that is sorted by site waits for the pauses of each site; a
// shuffled list does not.
//
// When ctx ends, the domains in flight give their findings so far, and the last result is an error
// with a nil Site. Breaking the loop ends all work and waits for it. domains is called once, on
// another goroutine. It must end soon after ctx ends or its yield returned false. A panic in it
// reaches the caller.
//
// For sweeps, make the Client with a KeepAlive of one second and with little Memory.
func (c *Client) ResolveAll(ctx context.Context, domains iter.Seq[string], opts *BatchOptions) iter.Seq2[*wayfind.Site, error] {
	return func(yield func(*wayfind.Site, error) bool) {
		if err := c.open("batch"); err != nil {
			yield(nil, err)
			return
		}
		b := newBatch(ctx, c, opts)
		go b.feed(domains)
		defer b.end()
		for r := range b.results {
			if !yield(r.site, r.err) {
				return
			}
		}
		if err := b.cutShort(ctx); err != nil {
			yield(nil, err)
		}
	}
}

// batch is the state of one ResolveAll.
type batch struct {
	client  *Client
	opts    BatchOptions
	pace    *turns.Pace
	ctx     context.Context // ends with the caller's context, or when the loop is left
	cancel  context.CancelFunc
	unhook  func() bool   // detaches from the Client's Close
	taken   chan struct{} // a place for each domain taken from the list
	flying  chan struct{} // a place for each domain that is asked
	results chan answer   // closed when all is done
	work    sync.WaitGroup
	closed  error // the list has more domains, and the Client is closed
	crash   any   // the panics of domains
}

// answer is the result of a domain.
type answer struct {
	site *wayfind.Site
	err  error
}

func newBatch(ctx context.Context, c *Client, opts *BatchOptions) *batch {
	b := &batch{client: c, opts: opts.withDefaults(), results: make(chan answer)}
	b.pace = turns.NewPace(c.engine.Opts.Policy.SuffixList, b.opts.Pause, b.opts.MaxPause)
	b.taken = make(chan struct{}, lookahead*b.opts.InFlight)
	b.flying = make(chan struct{}, b.opts.InFlight)
	b.ctx, b.cancel = context.WithCancel(ctx)
	b.unhook = context.AfterFunc(c.base, b.cancel)
	return b
}

// feed starts work on each domain as soon as there is a place for it.
func (b *batch) feed(domains iter.Seq[string]) {
	defer close(b.results)
	defer b.work.Wait()
	defer func() {
		if b.crash = recover(); b.crash != nil {
			b.cancel()
		}
	}()
	for domain := range domains {
		// Close cancels on another goroutine, which may come late.
		if !enter(b.ctx, b.taken) {
			return
		}
		if b.closed = b.client.open("batch"); b.closed != nil {
			return
		}
		b.work.Go(func() {
			defer func() { <-b.taken }()
			if r, ok := b.resolve(domain); ok {
				b.results <- r
			}
		})
	}
}

// enter takes a place, unless ctx ends first.
func enter(ctx context.Context, places chan struct{}) bool {
	select {
	case places <- struct{}{}:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// end stops running work and waits for it.
func (b *batch) end() {
	b.unhook()
	b.cancel()
	for range b.results { // a goroutine with an answer must be able to hand it over
	}
	if b.crash != nil {
		panic(b.crash)
	}
}

// cutShort is the error of a batch that did not reach its end, or nil.
func (b *batch) cutShort(ctx context.Context) error {
	switch {
	case b.closed != nil:
		return b.closed
	case b.client.engine.Closed.Load():
		return discover.ErrClosed("batch")
	case ctx.Err() != nil && b.crash == nil:
		return discover.CutShort(resolve.Target{}, ctx.Err())
	}
	return nil
}

// resolve asks one domain when its turn has come. ok is false if the batch ended before.
func (b *batch) resolve(domain string) (answer, bool) {
	target, diags, err := b.client.target(domain)
	if err != nil {
		return answer{nil, err}, true
	}
	if hit, ok := b.client.fresh(target); ok && !describe.MayOpen(b.ctx, b.client.engine, hit.Site, false) {
		site, err := b.client.answer(b.ctx, hit, diags)
		return answer{site, err}, true
	}
	lane, err := b.pace.Enter(b.ctx, target.Host())
	if err != nil {
		if b.ctx.Err() != nil {
			return answer{}, false
		}
		return answer{b.unasked(target, diags, resolve.ReasonPace), err}, true
	}
	to := discover.PaceObserver{Options: &b.client.engine.Opts, Patience: b.opts.MaxPause}
	to.Every = max(lane.Every(), b.client.engine.KnownPace(target))
	if to.Every == 0 { // a domain whose requests are spread takes no place from the others
		if !enter(b.ctx, b.flying) {
			b.pace.Leave(lane, 0, 0)
			return answer{}, false
		}
		defer func() { <-b.flying }()
	}
	turn := Turn{Leave: func(pause time.Duration) { b.pace.Leave(lane, pause, to.Each()) }}
	if b.opts.Admit != nil {
		others, err := b.opts.Admit(b.ctx, target, b.pace.SiteOf(target.Host()))
		if err != nil {
			turn.Leave(0)
			return answer{b.unasked(target, diags, resolve.ReasonPace), err}, true
		}
		turn.Learn = others.Learn
		if others.Leave != nil {
			turn.Leave = func(pause time.Duration) {
				others.Leave(pause)
				b.pace.Leave(lane, pause, 0)
			}
		}
	}
	return b.ask(domain, turn, &to), true
}

// ask resolves a domain and passes the pause that its site wants to the turn.
func (b *batch) ask(domain string, turn Turn, to *discover.PaceObserver) answer {
	var t Trace
	to.Learn = turn.Learn
	site, err := b.client.resolve(WithTrace(b.ctx, &t), domain, to)
	b.leaveAlone(site)
	turn.Leave(b.pause(site, &t, to))
	return answer{site, err}
}

// pause is the time for which the site of a domain is to be left alone.
func (b *batch) pause(site *wayfind.Site, t *Trace, to *discover.PaceObserver) time.Duration {
	requests := 0
	for _, f := range t.Fetches {
		if f.From == cache.FromNetwork || f.From == cache.FromValidated || f.From == "" && f.Verdict != wayfind.VerdictSkipped {
			requests++
		}
	}
	// Redirects, retries and requests without an answer have no Fetches of their own.
	requests = max(requests, int(to.Sent.Load()))
	switch {
	case requests == 0:
		return 0
	case b.ctx.Err() != nil && !to.KnowsRules():
		return discover.UnknownPause
	}
	var declared time.Duration
	if site != nil {
		declared = turns.Declared(site.Policies, b.client.engine.Opts.Robots.Token, requests)
	}
	return max(b.opts.Pause, to.PauseFor(requests, declared))
}

// unasked returns the Site of a target to which no request was sent.
func (b *batch) unasked(target resolve.Target, diags []wayfind.Diagnostic, reason string) *wayfind.Site {
	plan := b.client.engine.Plan(target)
	outcomes := make([]*merge.Outcome, len(plan))
	for i := range plan {
		outcomes[i] = &discover.Skipped(&plan[i], reason).Outcome
	}
	return merge.Site(merge.Input{Target: target, Diagnostics: diags, Plan: plan, Outcomes: outcomes, Now: b.client.engine.Opts.Clock.Now(), CutShort: true})
}

// leaveAlone closes the connections to the hosts of a Site.
func (b *batch) leaveAlone(site *wayfind.Site) {
	if site == nil {
		return
	}
	for _, host := range hostsOf(site) {
		b.client.engine.Conns.CloseIdle(host)
	}
}

// hostsOf returns the hosts that were asked for a Site, including the hosts of redirects.
func hostsOf(site *wayfind.Site) []string {
	var hosts []string
	add := func(u string) {
		if t, _, err := resolve.ParseTarget(u); err == nil && !slices.Contains(hosts, t.Host()) {
			hosts = append(hosts, t.Host())
		}
	}
	add(site.Origin)
	for _, p := range site.Probes {
		for _, u := range p.Redirects {
			add(u)
		}
	}
	return hosts
}
