// Package client asks a web domain for its offers to agents.
//
//	c, err := client.New(nil)
//	if err != nil {
//		return err
//	}
//	defer c.Close()
//	site, err := c.Resolve(ctx, "example.com")
//
// A Client asks every place where a format may be declared, over one guarded
// connection, recognises each document by its content, and merges the readings
// into one wayfind.Site. It keeps answers in memory as long as HTTP and the
// formats allow: a second Resolve costs nanoseconds. One Client serves a whole
// program; it is safe for concurrent use, and concurrent calls for one domain
// share one set of requests.
//
// # Promises
//
// Only https is spoken, only to addresses the public Internet routes, never
// through a proxy of an environment variable, and without credentials or
// cookies. Globals of the host program have no effect: no default client,
// transport, resolver or logger. Options that loosen this have names that say
// so (Allow…, Unsafe…), and are part of the view that answers are stored under.
// Redirects, sizes, header sizes and time are bounded. A Site reports the
// result at every place that was asked. "No" and "don't know" are different. A
// panic in a Format, a LiveProber, a Store, Approve or Credentials is an error
// of kind wayfind.ErrInternal; its stack is in a debug record of
// Options.Logger. A panic in any other function of the Options may end the
// program.
package client

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/internal/fetch"
	"github.com/wayfindhq/wayfind/internal/flight"
	"github.com/wayfindhq/wayfind/internal/gate"
	"github.com/wayfindhq/wayfind/internal/lease"
	"github.com/wayfindhq/wayfind/internal/places"
	"github.com/wayfindhq/wayfind/internal/quota"
	"github.com/wayfindhq/wayfind/internal/reading"
	"github.com/wayfindhq/wayfind/internal/slots"
	"github.com/wayfindhq/wayfind/parse"
)

// Client asks domains. Make one with New.
type Client struct {
	opts        Options
	byName      map[string]*parse.Format
	sites       *siteCache
	failures    *failureTable
	flights     flight.Group[flightKey, *outcome, *resolved]
	cache       *cache.Engine
	gate        *gate.Gate
	steps       fetch.Step // below the gate, for discovery: body, retry, conns
	conns       *fetch.Conns
	liveCalls   *fetch.Conns    // for requests of Client.HTTP
	certified   fetch.Certified // for those with a certificate
	agent       []string        // the User-Agent field
	memory      *memory.Store
	liveResults *memory.Cache[*liveResult]
	counters    counters
	reader      *reading.Reader
	layers      *cache.Layered // nil without Options.Store
	leases      *lease.Table
	calls       *slots.Slots    // for package client/call
	parsers     *quota.Quota    // those that may read at a time
	bytes       *quota.Quota    // the bytes that documents on their way may occupy
	base        context.Context // of all work; ends with Close
	stop        context.CancelFunc
	closed      atomic.Bool
	once        sync.Once
	closers     []func() error
	unsafe      []wayfind.Diagnostic // that each Site says of the caller's choices
}

// New makes a Client. opts may be nil. The error is of kind
// wayfind.ErrInvalid.
func New(opts *Options) (*Client, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	store, err := memory.New(o.Limits.Memory)
	if err != nil {
		return nil, wayfind.NewError("options", "", "", err).WithKind(wayfind.ErrInternal)
	}
	sites, err := newSiteCache(o.clock, o.Limits.Memory)
	if err != nil {
		return nil, wayfind.NewError("options", "", "", errors.Join(err, store.Close())).WithKind(wayfind.ErrInternal)
	}
	failures, err := newFailureTable(o.clock)
	if err != nil {
		return nil, wayfind.NewError("options", "", "", errors.Join(err, store.Close(), sites.Close())).WithKind(wayfind.ErrInternal)
	}
	results, err := newLiveResults()
	if err != nil {
		return nil, wayfind.NewError("options", "", "", errors.Join(err, store.Close(), sites.Close(), failures.Close())).WithKind(wayfind.ErrInternal)
	}
	c := &Client{opts: o, sites: sites, failures: failures, liveResults: results, calls: slots.New(CallsAtOnce, CallsPerOrigin), byName: map[string]*parse.Format{}}
	c.reader = newReader(&c.opts)
	c.parsers, c.bytes = o.Limits.newQuotas()
	for _, f := range o.Formats {
		c.byName[f.Name] = f
	}
	c.base, c.stop = context.WithCancel(context.Background())
	c.memory = store
	for _, w := range o.unsafe() {
		o.Logger.Warn(w.Message, "option", w.option, "with", w.with)
		c.unsafe = append(c.unsafe, w.Diagnostic)
	}
	c.build(o.view(randomView), c.layered(store))
	c.closers = append(c.closers, sites.Close, failures.Close, store.Close, func() error { results.Close(); return nil })
	return c, nil
}

// build composes the way of a request: cache, gate, body, retry, conns.
func (c *Client) build(view string, store cache.Store) {
	policy := c.opts.Policy // a timer of a connection may outlive the Client, and must not hold it
	o := fetch.Options{
		Policy: &policy, Resolver: c.opts.Network.Resolver, Dial: c.opts.Network.Dial, RootCAs: c.opts.Network.RootCAs,
		UserAgent: c.opts.Network.UserAgent, KeepAlive: c.opts.Network.KeepAlive, Concurrency: c.opts.Limits.Concurrency,
		UnsafeDial: c.opts.Network.UnsafeDial, UnsafeTLS: c.opts.Network.UnsafeTLS, BeforeHost: c.opts.Network.BeforeHost,
	}
	c.conns = fetch.NewConns(o)
	c.steps = fetch.NewBody(fetch.NewRetry(c.observing(c.conns)))
	o.Interactive = true
	c.liveCalls, c.certified.Options = fetch.NewConns(o), o
	c.agent = []string{c.opts.Network.UserAgent}
	var others cache.Store // asked about obligations too; the memory store has none that the gate has not
	if c.layers != nil {
		others = store
	}
	c.gate = gate.New(others, &gate.Options{
		Clock: c.opts.clock, View: view, Judge: c.opts.cooldown, Logger: c.opts.Logger, Reasons: []string{reasonAbsent},
	})
	c.cache = cache.NewEngine(store, &cache.Options{
		Now: c.opts.Lab.Now, View: view, Allow: c.opts.allowed, Failed: wayfind.ErrUnreachable,
		StaleIfError: cache.Retention, StrictFloor: c.opts.Lab.StrictFloor,
		MaxBody: max(cache.DefaultMaxBody, c.maxBytes(places.Candidate{})), Logger: c.opts.Logger,
	})
	c.leases = lease.New(c.layers, c.opts.clock, c.opts.Timeout, view)
	c.closers = append(c.closers, c.cache.Close, c.leases.Close, c.conns.Close, c.liveCalls.Close, c.certified.Close)
	if c.layers != nil {
		c.closers = append(c.closers, c.layers.Close)
	}
}

// layered puts the Client's own memory before the caller's store, if there is
// one.
func (c *Client) layered(own *memory.Store) cache.Store {
	if c.opts.Store == nil {
		return own
	}
	c.layers = cache.NewLayered(own, c.opts.Store, c.opts.Logger)
	return c.layers
}

// Close ends all work, waits for it and closes the resources that New made.
// Options.Store belongs to the caller and stays open. Later calls return
// wayfind.ErrClosed. Close may be called twice.
func (c *Client) Close() error {
	var errs []error
	c.once.Do(func() {
		c.closed.Store(true)
		c.stop()
		c.flights.Close()
		for _, f := range c.closers {
			errs = append(errs, f())
		}
	})
	return errors.Join(errs...)
}

// errClosed is the error of calls after Close.
func errClosed(op string) error {
	return wayfind.NewError(op, "", "", nil).WithKind(wayfind.ErrClosed)
}

func randomView() string { return rand.Text() }
