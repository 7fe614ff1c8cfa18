package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net/url"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/site/live"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/web/fetch"
)

// settings returns the options in the form of the engine, with its memory of responses.
func (o *Options) settings(responses cache.Store) discover.Options {
	policy := o.Policy // a timer of a connection may outlive the Client, and must not hold it
	s := discover.Options{
		Formats: o.Formats, Policy: o.Policy, Memory: responses, Store: o.Store, View: o.view(rand.Text), Logger: o.Logger, Observe: o.Observe.inward(),
		Timeout: o.Timeout, FirstMatch: o.Mode == FirstMatch, Strict: o.Strict, Offline: o.Offline, Clock: o.clock,
		Robots: discover.Robots{Ignore: o.Robots.Mode == RobotsIgnore, Enforce: o.Robots.Mode == RobotsEnforce, Token: o.Robots.Token},
		Trust:  discover.Trust{Pins: o.Trust.Pins, Refuse: o.Trust.PinPolicy.refuse, Keys: o.Trust.Keys, FetchKeys: o.Trust.FetchKeys},
		Network: fetch.Options{
			Policy: &policy, Resolver: o.Network.Resolver, Dial: o.Network.Dial, Local: o.Network.Local, RootCAs: o.Network.RootCAs,
			UserAgent: o.Network.UserAgent, KeepAlive: o.Network.KeepAlive, Concurrency: o.Limits.Concurrency,
			UnsafeDial: o.Network.UnsafeDial, UnsafeTLS: o.Network.UnsafeTLS, BeforeHost: o.Network.BeforeHost,
			Signing: o.signing(),
		},
		DevCredentials: o.Network.DevCredentials,
		Tunnelled:      o.Policy.UnsafeProxy != nil || o.Network.UnsafeDial != nil,
		Approve:        o.Approve, Credentials: o.Credentials, IdentityFields: o.IdentityFields,
		Limits: discover.Limits{
			Sites: o.Limits.Memory, MaxBytes: o.Limits.MaxBytes, Budget: o.Limits.Budget, Follow: o.Limits.Follow, Foreign: o.Limits.Foreign,
		}.Shared(o.Limits.Parsers, o.Limits.Bytes),
		Lab: discover.Lab{Fixed: o.Lab.Now != nil, Now: o.Lab.Now, StrictFloor: o.Lab.StrictFloor},
	}
	s.Typed, s.Listed = o.Targets == TargetsTyped, o.Targets == TargetsListed
	for _, p := range o.Live {
		s.Live = append(s.Live, inwardProber{p})
	}
	for _, w := range o.unsafe() {
		s.Unsafe = append(s.Unsafe, w.Diagnostic)
	}
	if record := o.Lab.Record; record != nil {
		s.Lab.Record = func(u *url.URL, e *cache.Entry, err error, secrets secret.Veil) {
			if x := exchangeOf(u, e, err, o.clock.Now(), secrets); x != nil {
				record(x)
			}
		}
		s.Lab.Talk = func(t *discover.Talk) {
			if x := callExchange(t, o.clock.Now()); x != nil {
				record(x)
			}
		}
	}
	return s
}

// inwardProber adapts a LiveProber to the engine.
type inwardProber struct{ LiveProber }

// Probe implements live.Prober.
func (p inwardProber) Probe(ctx context.Context, req *live.Request) (*live.Answer, error) {
	answer, err := p.LiveProber.Probe(ctx, (*LiveRequest)(req))
	if answer == nil {
		return nil, err
	}
	own := live.Answer(*answer)
	own.Lifetime = cmp.Or(own.Lifetime, DefaultLiveLifetime)
	return &own, err
}

// Listen implements live.Prober.
func (p inwardProber) Listen(ctx context.Context, req *live.Request, changed func()) error {
	listener, ok := p.LiveProber.(interface {
		Listen(ctx context.Context, req *LiveRequest, changed func()) error
	})
	if !ok {
		return errors.ErrUnsupported
	}
	return listener.Listen(ctx, (*LiveRequest)(req), changed)
}

// inward adapts the function to the engine; nil stays nil.
func (o Observe) inward() discover.Observer {
	if o == nil {
		return nil
	}
	return func(ctx context.Context, begin discover.Event) (context.Context, func(discover.Event)) {
		within, end := o(ctx, outward(begin))
		if end == nil {
			return within, nil
		}
		return within, func(e discover.Event) { end(outward(e)) }
	}
}

// outward returns an event of the engine in the form of Options.Observe.
func outward(e discover.Event) Event {
	return Event{
		Kind: e.Kind, Target: e.Target, Method: e.Method, Attempt: e.Attempt, RedirectedFrom: e.RedirectedFrom, Places: e.Places,
		Error: e.Error, Verdict: e.Verdict, Status: e.Status, From: e.From, Bytes: e.Bytes, Stages: Stages(e.Stages),
		Joined: e.Joined, Leader: e.Leader,
	}
}
