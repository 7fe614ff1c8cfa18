package client

import (
	"context"
	"errors"
	"net/url"

	"github.com/wayfindhq/wayfind/cache"
)

// Purge forgets what the Client knows of a domain, or of all for "": the Site,
// the documents that it was made of, and every other stored answer of its origin,
// in Options.Store too. The next Resolve asks for them without conditions. A call
// that is under way is neither kept nor joined by later ones. Obligations, such
// as a Retry-After, stay, and so do the answers of live endpoints unless all is
// forgotten: Refresh asks those.
//
// An error says that Options.Store may still have answers. This Client does not
// use them.
func (c *Client) Purge(ctx context.Context, domain string) error {
	if c.closed.Load() {
		return errClosed("purge")
	}
	if domain == "" {
		defer c.sites.forgetAll()
		return c.cache.Purge(ctx, cache.Everything())
	}
	target, _, err := c.target(domain)
	if err != nil {
		return err
	}
	origin, err := url.Parse(target.Origin)
	if err != nil {
		return err
	}
	key := target.Key()
	defer c.sites.forget(key) // after its documents: a Site is not made of them again
	errs := []error{c.cache.Purge(ctx, cache.OfOrigin(origin))}
	for page := range c.sites.pins(key) {
		if u, err := url.Parse(page); err == nil {
			errs = append(errs, c.cache.Purge(ctx, cache.OfURL(u)))
		}
	}
	return errors.Join(errs...)
}
