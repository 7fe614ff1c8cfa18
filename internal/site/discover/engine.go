// Package discover asks the places of a domain, reads the answers, follows their links and keeps
// the results. Package client passes its options as plain values, and calls this package.
package discover

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/run/panics"
	"github.com/wayfindhq/wayfind/internal/site/live"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/internal/site/reading"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
	"github.com/wayfindhq/wayfind/internal/web/gate"
	"github.com/wayfindhq/wayfind/parse"
)

// Engine asks the places of domains for all calls of a Client. It holds the state that the calls
// share and no state of a single call.
type Engine struct {
	Opts    Options
	ByName  map[string]*parse.Format
	headers headers

	dev        []fetch.AuthPart // of each request to their origins
	DevSecrets secret.Veil      // their values

	Cache    *cache.Engine
	Layers   *cache.Layered // nil without Options.Store
	leases   *gate.Leases
	layout   *places.Layout
	Gate     *gate.Gate
	Sites    *siteCache
	failures *failureTable
	Live     *live.Endpoints

	steps     fetch.Step // below the gate, for discovery: body, retry, conns
	Conns     *fetch.Conns
	liveCalls *fetch.Conns    // for requests of Client.HTTP
	certified fetch.Certified // for requests with a certificate

	Reader *reading.Reader
	Worked atomic.Uint64 // the steps of work on documents

	Crowded  atomic.Uint64 // the calls that ended early because others waited for memory
	answered atomic.Int64  // the time of the last answer, in nanoseconds of Unix; 0 if there was none

	base   context.Context
	Closed atomic.Bool
}

// New makes the Engine of a Client. Its work in the background ends with base. After an error,
// nothing is left open.
func New(base context.Context, o Options) (*Engine, error) {
	eng := &Engine{Opts: o, base: base, layout: places.NewLayout(o.Formats), ByName: map[string]*parse.Format{}}
	eng.headers.agent = []string{o.Network.UserAgent}
	eng.dev, eng.DevSecrets = devParts(o.DevCredentials)
	for _, f := range o.Formats {
		eng.ByName[f.Name] = f
	}
	eng.Reader = &reading.Reader{
		Formats: o.Formats, MaxBytes: o.Limits.MaxBytes, Strict: o.Strict, Digests: o.Trust.Pins != nil,
		Panicked: func(err error, stack []byte) { panics.Log(o.Logger, err, stack) },
	}
	var err error
	if eng.Sites, err = newSiteCache(o.Clock, o.Limits.Sites); err != nil {
		return nil, errors.Join(err, o.Memory.Close())
	}
	eng.failures = newFailureTable(o.Clock)
	eng.connect()
	eng.Live = live.New(live.Options{
		Probers: o.Live, Formats: eng.ByName, Reader: eng.Reader, Gate: eng.Gate, Clock: o.Clock, Logger: o.Logger,
	})
	return eng, nil
}

// heard remembers that a site has answered.
func (eng *Engine) heard(resp *http.Response) {
	if resp != nil {
		eng.answered.Store(eng.Opts.Clock.Now().UnixNano())
	}
}

// Answered returns the time of the last answer of a site; zero if there was none.
func (eng *Engine) Answered() time.Time {
	if n := eng.answered.Load(); n != 0 {
		return time.Unix(0, n).UTC()
	}
	return time.Time{}
}

// Close closes the parts in the reverse order of their creation.
func (eng *Engine) Close() error {
	eng.Live.Close()
	err := errors.Join(eng.Cache.Close(), eng.leases.Close(), eng.Conns.Close(), eng.liveCalls.Close(), eng.certified.Close())
	if eng.Layers != nil {
		err = errors.Join(err, eng.Layers.Close())
	}
	eng.failures.table.Close()
	eng.Sites.Close()
	return errors.Join(err, eng.Opts.Memory.Close())
}

// connect composes the steps of a request: cache, gate, body, retry, conns. The Client's own memory
// comes before the caller's store, if there is one.
func (eng *Engine) connect() {
	o := &eng.Opts
	store, others := o.Memory, cache.Store(nil) // memory has no obligations that the gate lacks
	if o.Store != nil {
		eng.Layers = cache.NewLayered(o.Memory, o.Store, o.Logger)
		store, others = eng.Layers, eng.Layers
	}
	eng.Conns = fetch.NewConns(o.Network)
	eng.steps = fetch.NewBody(fetch.NewRetry(eng.observing(eng.Conns)))
	interactive := o.Network
	interactive.Interactive = true
	eng.liveCalls, eng.certified.Options = fetch.NewConns(interactive), interactive
	eng.Gate = gate.New(others, &gate.Options{
		Clock: o.Clock, View: o.View, Judge: o.cooldown, Logger: o.Logger, Reasons: []string{ReasonAbsent},
	})
	eng.Cache = cache.NewEngine(store, &cache.Options{
		Now: o.Lab.Now, View: o.View, Allow: o.allowed, Failed: wayfind.ErrUnreachable,
		StaleIfError: cache.Retention, StrictFloor: o.Lab.StrictFloor,
		MaxBody: max(cache.DefaultMaxBody, eng.most(&places.Candidate{}).Limit), Logger: o.Logger,
		IdentityFields: o.IdentityFields,
	})
	eng.leases = gate.NewLeases(eng.Layers, o.Clock, o.Timeout, o.View)
}

// ErrClosed returns the error of calls after Close.
func ErrClosed(op string) error {
	return wayfind.NewError(op, "", "", nil).WithKind(wayfind.ErrClosed)
}

// most returns the limit on a body at the place: the largest that a format accepts there.
func (eng *Engine) most(candidate *places.Candidate) (most wayfind.TooLarge) {
	switch {
	case candidate.Canary:
		return eng.Reader.Most()
	case candidate.Keys:
		return wayfind.TooLarge{Of: "bytes", Limit: candidate.Limits.Bytes}
	}
	readers := candidate.Formats
	if len(readers) == 0 {
		readers = eng.Opts.Formats
	}
	for _, f := range readers {
		if limit := eng.Reader.Limit(f); limit.Limit > most.Limit {
			most = limit
		}
	}
	return most
}

// SameSite reports whether two hosts are one site for this Client.
func (eng *Engine) SameSite(hostA, hostB string) bool {
	return eng.Opts.Policy.SuffixList.SameSite(hostA, hostB)
}

// Domain returns the registrable domain of a host for this Client, or the host if it has no
// registrable domain.
func (eng *Engine) Domain(host string) string {
	domain, _ := eng.Opts.Policy.SuffixList.RegistrableDomain(host)
	return cmp.Or(domain, host)
}
