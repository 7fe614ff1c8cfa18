// Package discover asks the places of a domain, reads the answers, follows their links and
// keeps the results. Package client hands its options down as plain values, and calls it.
package discover

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/cache/memory"
	"github.com/wayfindhq/wayfind/internal/fairshare"
	"github.com/wayfindhq/wayfind/internal/fetch"
	"github.com/wayfindhq/wayfind/internal/gate"
	"github.com/wayfindhq/wayfind/internal/lease"
	"github.com/wayfindhq/wayfind/internal/places"
	"github.com/wayfindhq/wayfind/internal/reading"
	"github.com/wayfindhq/wayfind/parse"
)

// Engine asks the places of domains for all calls of a Client. It knows what the calls
// share and nothing of one call.
type Engine struct {
	Opts   Options
	ByName map[string]*parse.Format
	agent  []string // the User-Agent field

	Cache    *cache.Engine
	Layers   *cache.Layered // nil without Options.Store
	Memory   *memory.Store
	leases   *lease.Table
	Gate     *gate.Gate
	Sites    *siteCache
	failures *failureTable
	live     *memory.Cache[*liveResult] // answers of live endpoints
	spoken   eras                       // of their origins

	steps     fetch.Step // below the gate, for discovery: body, retry, conns
	Conns     *fetch.Conns
	liveCalls *fetch.Conns    // for requests of Client.HTTP
	certified fetch.Certified // for those with a certificate

	Reader  *reading.Reader
	Parsers *fairshare.Quota // those that may read at a time
	Bytes   *fairshare.Quota // the bytes that documents on their way may occupy
	Worked  atomic.Uint64    // the steps of work on documents

	Base    context.Context // of all work; ends with Close
	Closed  atomic.Bool
	closers []func() error
}

// New makes the Engine of a Client. After an error nothing is left open.
func New(o Options) (*Engine, error) {
	eng := &Engine{Opts: o, ByName: map[string]*parse.Format{}}
	if err := eng.remember(); err != nil {
		return nil, errors.Join(err, eng.Close())
	}
	eng.Reader = newReader(&eng.Opts)
	eng.Parsers, eng.Bytes = fairshare.New(int64(o.Limits.Parsers)), fairshare.New(o.Limits.Bytes)
	for _, f := range o.Formats {
		eng.ByName[f.Name] = f
	}
	eng.Build(o.View, eng.layered(eng.Memory))
	return eng, nil
}

// remember makes the memories.
func (eng *Engine) remember() (err error) {
	o := &eng.Opts
	if eng.Memory, err = memory.New(o.Limits.Memory); err != nil {
		return err
	}
	eng.closers = append(eng.closers, eng.Memory.Close)
	if eng.Sites, err = NewSiteCache(o.Clock, o.Limits.Memory); err != nil {
		return err
	}
	eng.closers = append(eng.closers, eng.Sites.Close)
	if eng.failures, err = newFailureTable(o.Clock); err != nil {
		return err
	}
	eng.closers = append(eng.closers, eng.failures.Close)
	if eng.live, err = newLiveResults(); err != nil {
		return err
	}
	eng.closers = append(eng.closers, func() error { eng.live.Close(); return nil })
	return nil
}

// Close closes the parts in the opposite order of their making.
func (eng *Engine) Close() error {
	var errs []error
	for _, f := range slices.Backward(eng.closers) {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

// Build composes the way of a request: cache, gate, body, retry, conns.
func (eng *Engine) Build(view string, store cache.Store) {
	o := eng.Opts.Network
	eng.Conns = fetch.NewConns(o)
	eng.steps = fetch.NewBody(fetch.NewRetry(eng.observing(eng.Conns)))
	o.Interactive = true
	eng.liveCalls, eng.certified.Options = fetch.NewConns(o), o
	eng.agent = []string{o.UserAgent}
	var others cache.Store // asked about obligations too; the memory store has none that the gate has not
	if eng.Layers != nil {
		others = store
	}
	eng.Gate = gate.New(others, &gate.Options{
		Clock: eng.Opts.Clock, View: view, Judge: eng.Opts.cooldown, Logger: eng.Opts.Logger, Reasons: []string{ReasonAbsent},
	})
	eng.Cache = cache.NewEngine(store, &cache.Options{
		Now: eng.Opts.Lab.Now, View: view, Allow: eng.Opts.allowed, Failed: wayfind.ErrUnreachable,
		StaleIfError: cache.Retention, StrictFloor: eng.Opts.Lab.StrictFloor,
		MaxBody: max(cache.DefaultMaxBody, eng.maxBytes(places.Candidate{})), Logger: eng.Opts.Logger,
		IdentityFields: eng.Opts.IdentityFields,
	})
	eng.leases = lease.New(eng.Layers, eng.Opts.Clock, eng.Opts.Timeout, view)
	if eng.Layers != nil {
		eng.closers = append(eng.closers, eng.Layers.Close)
	}
	eng.closers = append(eng.closers, eng.certified.Close, eng.liveCalls.Close, eng.Conns.Close, eng.leases.Close, eng.Cache.Close)
}

// layered puts the Client's own memory before the caller's store, if there is
// one.
func (eng *Engine) layered(own *memory.Store) cache.Store {
	if eng.Opts.Store == nil {
		return own
	}
	eng.Layers = cache.NewLayered(own, eng.Opts.Store, eng.Opts.Logger)
	return eng.Layers
}

// ErrClosed is the error of calls after Close.
func ErrClosed(op string) error {
	return wayfind.NewError(op, "", "", nil).WithKind(wayfind.ErrClosed)
}
