package client

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/internal/fetch"
	"github.com/wayfindhq/wayfind/internal/gate"
	"github.com/wayfindhq/wayfind/internal/lease"
	"github.com/wayfindhq/wayfind/internal/places"
	"github.com/wayfindhq/wayfind/internal/quota"
	"github.com/wayfindhq/wayfind/internal/reading"
	"github.com/wayfindhq/wayfind/parse"
)

// engine asks the places of domains for all calls of a Client. It knows what the calls
// share and nothing of one call.
type engine struct {
	opts   Options
	byName map[string]*parse.Format
	agent  []string             // the User-Agent field
	unsafe []wayfind.Diagnostic // that each Site says of the caller's choices

	cache    *cache.Engine
	layers   *cache.Layered // nil without Options.Store
	memory   *memory.Store
	leases   *lease.Table
	gate     *gate.Gate
	sites    *siteCache
	failures *failureTable
	live     *memory.Cache[*liveResult] // answers of live endpoints

	steps     fetch.Step // below the gate, for discovery: body, retry, conns
	conns     *fetch.Conns
	liveCalls *fetch.Conns    // for requests of Client.HTTP
	certified fetch.Certified // for those with a certificate

	reader   *reading.Reader
	parsers  *quota.Quota // those that may read at a time
	bytes    *quota.Quota // the bytes that documents on their way may occupy
	counters counters

	base    context.Context // of all work; ends with Close
	closed  atomic.Bool
	closers []func() error
}

// newEngine makes the engine of a Client. After an error nothing is left open.
func newEngine(o Options) (eng *engine, err error) {
	eng = &engine{opts: o, byName: map[string]*parse.Format{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, eng.close())
		}
	}()
	if eng.memory, err = memory.New(o.Limits.Memory); err != nil {
		return nil, err
	}
	eng.closers = append(eng.closers, eng.memory.Close)
	if eng.sites, err = newSiteCache(o.clock, o.Limits.Memory); err != nil {
		return nil, err
	}
	eng.closers = append(eng.closers, eng.sites.Close)
	if eng.failures, err = newFailureTable(o.clock); err != nil {
		return nil, err
	}
	eng.closers = append(eng.closers, eng.failures.Close)
	if eng.live, err = newLiveResults(); err != nil {
		return nil, err
	}
	eng.closers = append(eng.closers, func() error { eng.live.Close(); return nil })
	eng.reader = newReader(&eng.opts)
	eng.parsers, eng.bytes = o.Limits.newQuotas()
	for _, f := range o.Formats {
		eng.byName[f.Name] = f
	}
	eng.build(o.view(randomView), eng.layered(eng.memory))
	return eng, nil
}

// close closes the parts in the opposite order of their making.
func (eng *engine) close() error {
	var errs []error
	for _, f := range slices.Backward(eng.closers) {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

// build composes the way of a request: cache, gate, body, retry, conns.
func (eng *engine) build(view string, store cache.Store) {
	policy := eng.opts.Policy // a timer of a connection may outlive the Client, and must not hold it
	o := fetch.Options{
		Policy: &policy, Resolver: eng.opts.Network.Resolver, Dial: eng.opts.Network.Dial, RootCAs: eng.opts.Network.RootCAs,
		UserAgent: eng.opts.Network.UserAgent, KeepAlive: eng.opts.Network.KeepAlive, Concurrency: eng.opts.Limits.Concurrency,
		UnsafeDial: eng.opts.Network.UnsafeDial, UnsafeTLS: eng.opts.Network.UnsafeTLS, BeforeHost: eng.opts.Network.BeforeHost,
	}
	eng.conns = fetch.NewConns(o)
	eng.steps = fetch.NewBody(fetch.NewRetry(eng.observing(eng.conns)))
	o.Interactive = true
	eng.liveCalls, eng.certified.Options = fetch.NewConns(o), o
	eng.agent = []string{eng.opts.Network.UserAgent}
	var others cache.Store // asked about obligations too; the memory store has none that the gate has not
	if eng.layers != nil {
		others = store
	}
	eng.gate = gate.New(others, &gate.Options{
		Clock: eng.opts.clock, View: view, Judge: eng.opts.cooldown, Logger: eng.opts.Logger, Reasons: []string{reasonAbsent},
	})
	eng.cache = cache.NewEngine(store, &cache.Options{
		Now: eng.opts.Lab.Now, View: view, Allow: eng.opts.allowed, Failed: wayfind.ErrUnreachable,
		StaleIfError: cache.Retention, StrictFloor: eng.opts.Lab.StrictFloor,
		MaxBody: max(cache.DefaultMaxBody, eng.maxBytes(places.Candidate{})), Logger: eng.opts.Logger,
	})
	eng.leases = lease.New(eng.layers, eng.opts.clock, eng.opts.Timeout, view)
	if eng.layers != nil {
		eng.closers = append(eng.closers, eng.layers.Close)
	}
	eng.closers = append(eng.closers, eng.certified.Close, eng.liveCalls.Close, eng.conns.Close, eng.leases.Close, eng.cache.Close)
}

// layered puts the Client's own memory before the caller's store, if there is
// one.
func (eng *engine) layered(own *memory.Store) cache.Store {
	if eng.opts.Store == nil {
		return own
	}
	eng.layers = cache.NewLayered(own, eng.opts.Store, eng.opts.Logger)
	return eng.layers
}

func randomView() string { return rand.Text() }
