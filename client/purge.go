package client

import (
	"cmp"
	"context"
	"net/url"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/discover"
)

// Purge forgets what the Client knows of a domain, or of all for "": the Site,
// the documents that it was made of, and every other stored answer of its origin,
// in Options.Store too. The next Resolve asks for them without conditions. A call
// that is under way is neither kept nor joined by later ones. The answers of live
// endpoints at the origin are forgotten too; obligations, such as a Retry-After, stay.
//
// An error of kind wayfind.ErrUnreachable says that Options.Store may still have
// answers. This Client does not use them.
func (c *Client) Purge(ctx context.Context, domain string) error {
	if c.engine.Closed.Load() {
		return discover.ErrClosed("purge")
	}
	if domain == "" {
		defer c.engine.ForgetAll()
		return notPurged("", c.engine.Cache.Purge(ctx, cache.Everything()))
	}
	target, _, err := c.target(domain)
	if err != nil {
		return err
	}
	key := target.Key()
	defer c.engine.Sites.Forget(key) // after its documents: a Site is not made of them again
	defer c.engine.Live.Forget(target.Origin)
	var failure error
	for s := range scopesOf(target.Origin, c.engine.Sites.Pins(key)) {
		failure = cmp.Or(failure, c.engine.Cache.Purge(ctx, s))
	}
	return notPurged(target.String(), failure)
}

// scopesOf are an origin, and of other origins the documents of a Site.
func scopesOf(origin string, pins discover.EntryPins) map[cache.Scope]bool {
	scopes := map[cache.Scope]bool{}
	own, err := url.Parse(origin)
	if err != nil {
		return scopes
	}
	scopes[cache.OfOrigin(own)] = true
	for page := range pins {
		if u, err := url.Parse(page); err == nil && cache.OfOrigin(u) != cache.OfOrigin(own) {
			scopes[cache.OfURL(u)] = true
		}
	}
	return scopes
}

// notPurged is the error of a store that may still have answers, nil for none.
func notPurged(target string, err error) error {
	if err == nil {
		return nil
	}
	return wayfind.NewError("purge", target, "", err).WithKind(wayfind.ErrUnreachable)
}
