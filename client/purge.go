package client

import (
	"cmp"
	"context"
	"net/url"
	"slices"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/site/discover"
	"github.com/wayfindhq/wayfind/internal/site/places"
	"github.com/wayfindhq/wayfind/security"
)

// Purge forgets the stored answers of a domain or of one URL, or all answers if domain is "",
// including the answers in Options.Store. For a domain it forgets the Site, the documents that the
// Site was made of, and every other stored answer of its origin and, if stored answers lead to the
// site's own host (see wayfind.Site.Host), of that host's origin. For a URL with a scheme, and with
// a path or a query, it forgets the answers of that URL, including answers to credentials. Every
// Site that was made of a forgotten answer is forgotten, and so are the answers of live endpoints
// at the origin. Obligations, such as a Retry-After or the pause of a format, stay: until its pause
// ends, a place is not asked, and its Probe has the verdict "throttled" or, after an absence that
// binds, "absent". "wayfind cache rm" forgets obligations too.
//
// The next Resolve asks again, without conditions. A call that is under way is neither kept nor
// joined by later ones.
//
// If Options.Store may still have answers, the error is of kind wayfind.ErrUnreachable. This Client
// does not use these answers.
func (c *Client) Purge(ctx context.Context, domain string) error {
	leave, err := c.enter("purge")
	if err != nil {
		return err
	}
	defer leave()
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
	origins := c.engine.Origins(ctx, target)
	for _, origin := range origins {
		defer c.engine.Live.Forget(origin)
	}
	return c.purge(ctx, target.String(), scopesOf(origins, c.engine.Sites.Pins(target.Key()))...)
}

// purge forgets the answers of scopes first and the Sites afterwards, so that no Site is made of
// them again.
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

// scopesOf returns the scopes of origins, and the documents of a Site on other origins.
func scopesOf(origins []string, pins discover.EntryPins) (scopes []cache.Scope) {
	for _, origin := range origins {
		if own, err := url.Parse(origin); err == nil {
			scopes = append(scopes, cache.OfOrigin(own))
		}
	}
	own := len(scopes)
	for page := range pins.URLs() {
		if u, err := url.Parse(page); err == nil && !slices.Contains(scopes[:own], cache.OfOrigin(u)) {
			scopes = append(scopes, cache.OfURL(u))
		}
	}
	return scopes
}
