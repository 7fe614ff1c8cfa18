package client

import (
	"cmp"
	"context"
	"net/url"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/discover"
	"github.com/wayfindhq/wayfind/internal/places"
	"github.com/wayfindhq/wayfind/security"
)

// Purge forgets what the Client knows of a domain, of one URL, or of all for "", in
// Options.Store too. Of a domain it forgets the Site, the documents that it was made of, and
// every other stored answer of its origin. A URL with a scheme, and with a path or a query,
// stands for its own answers, those to credentials included. Every Site that was made of a
// forgotten answer is forgotten, and so are the answers of live endpoints at the origin.
// Obligations, such as a Retry-After, stay.
//
// The next Resolve asks again, without conditions. A call that is under way is neither kept
// nor joined by later ones.
//
// An error of kind wayfind.ErrUnreachable says that Options.Store may still have
// answers. This Client does not use them.
func (c *Client) Purge(ctx context.Context, domain string) error {
	if c.engine.Closed.Load() {
		return discover.ErrClosed("purge")
	}
	if domain == "" {
		defer c.engine.Live.ForgetAll()
		return c.purge(ctx, "", cache.Everything())
	}
	if _, one := places.PageOf(domain); one {
		u, err := c.targetURL(domain)
		if err != nil {
			return err
		}
		defer c.engine.Live.Forget(security.Origin(u))
		return c.purge(ctx, u.String(), cache.OfURL(u))
	}
	target, _, err := c.target(domain)
	if err != nil {
		return err
	}
	defer c.engine.Live.Forget(target.Origin)
	return c.purge(ctx, target.String(), scopesOf(target.Origin, c.engine.Sites.Pins(target.Key()))...)
}

// purge ends the answers of scopes, and then the Sites: those are not made of them again.
func (c *Client) purge(ctx context.Context, target string, scopes ...cache.Scope) (failure error) {
	defer c.engine.Sites.Forget(scopes...)
	for _, s := range scopes {
		failure = cmp.Or(failure, c.engine.Cache.Purge(ctx, s))
	}
	if failure == nil {
		return nil
	}
	return wayfind.NewError("purge", target, "", failure).WithKind(wayfind.ErrUnreachable)
}

// scopesOf are an origin, and of other origins the documents of a Site.
func scopesOf(origin string, pins discover.EntryPins) []cache.Scope {
	own, err := url.Parse(origin)
	if err != nil {
		return nil
	}
	scopes := []cache.Scope{cache.OfOrigin(own)}
	for page := range pins {
		if u, err := url.Parse(page); err == nil && cache.OfOrigin(u) != scopes[0] {
			scopes = append(scopes, cache.OfURL(u))
		}
	}
	return scopes
}
