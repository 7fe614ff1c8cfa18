package client

import (
	"context"
	"crypto/tls"
	"iter"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/describe"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/syntax/secret"
	"github.com/wayfindhq/wayfind/internal/syntax/urlref"
)

// Door is for other packages of this module, which use it through internal/act/access. Importers cannot use
// the result, which is nil if New did not make the Client.
func (c *Client) Door() any {
	if c.unmade() {
		return nil
	}
	return friend{c}
}

// friend is the access.Access of a Client.
type friend struct{ client *Client }

// EnterCall implements access.Access.
func (f friend) EnterCall(ctx context.Context, origin string) (leave func(), err error) {
	end, err := f.client.enter("call")
	if err != nil {
		return nil, err
	}
	free, err := f.client.calls.Enter(ctx, origin, f.Domain(urlref.Host(origin)))
	if err != nil {
		end()
		return nil, err
	}
	return func() { free(); end() }, nil
}

// Logger implements access.Access.
func (f friend) Logger() *slog.Logger { return f.client.opts.Logger }

// HTTPForCalls implements access.Access.
func (f friend) HTTPForCalls(origin string, led bool) *http.Client {
	return f.HTTPWithCertificate(origin, led, nil)
}

// HTTPWithCertificate implements access.Access.
func (f friend) HTTPWithCertificate(origin string, led bool, cert *tls.Certificate) *http.Client {
	h := f.client.HTTP(origin)
	to := h.Transport.(*discover.OneOrigin)
	to.Agreed, to.Led, to.Cert = true, led, cert
	return h
}

// Statuses implements access.Access.
func (f friend) Statuses(ctx context.Context, origin string, services []*wayfind.Service) ([]*wayfind.Status, time.Time) {
	return describe.Statuses(ctx, f.client.engine, origin, services)
}

// Reask implements access.Access.
func (f friend) Reask(asker discover.Asker) { f.client.engine.Reask(asker) }

// AllowsDev implements access.Access.
func (f friend) AllowsDev(origin string) bool {
	return slices.Contains(f.client.opts.Policy.AllowDev, origin)
}

// AsksTargets implements access.Access.
func (f friend) AsksTargets() bool {
	return len(f.client.opts.Live) > 0 && f.client.opts.Targets != TargetsListed
}

// Closed implements access.Access.
func (f friend) Closed() <-chan struct{} { return f.client.base.Done() }

// Observe implements access.Access.
func (f friend) Observe(ctx context.Context, e Event) (within context.Context, part discover.Part[Event]) {
	return discover.Observing(ctx, f.client.opts.Observe, e)
}

// Secrets implements access.Access.
func (f friend) Secrets() secret.Veil { return f.client.engine.DevSecrets }

// EnforcesRobots implements access.Access.
func (f friend) EnforcesRobots() bool { return f.client.engine.Opts.Robots.Enforce }

// SameSite implements access.Access.
func (f friend) SameSite(hostA, hostB string) bool { return f.client.engine.SameSite(hostA, hostB) }

// Domain implements access.Access.
func (f friend) Domain(host string) string { return f.client.engine.Domain(host) }

// Listen implements access.Access.
func (f friend) Listen(ctx context.Context, site *wayfind.Site, key string, changed func()) error {
	return describe.Listen(ctx, f.client.engine, site, key, changed)
}

// Requests implements access.Access.
func (f friend) Requests(ctx context.Context, site *wayfind.Site, keys ...string) iter.Seq2[*describe.Contract, error] {
	return describe.Requests(ctx, f.client.engine, site, keys, traced(ctx))
}
