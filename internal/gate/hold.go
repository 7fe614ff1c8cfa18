package gate

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/urlkey"
)

// Hold keeps every caller from asking a URL until the given time, at most
// cache.MaxHold from now, for a reason of the caller's own that cache.HeldError
// repeats. It is for obligations that follow from the meaning of an answer.
func (g *Gate) Hold(ctx context.Context, u *url.URL, until time.Time, reason string) {
	if limit := g.clock.Now().Add(cache.MaxHold); until.After(limit) {
		until = limit
	}
	name := urlkey.Of(u)
	if slices.Contains(g.opts.Reasons, reason) {
		name = reasonName(name, reason)
	}
	g.hold(ctx, name, until, reason)
}

// HeldUntil returns the end of the cool-down of a URL or of its origin, by the
// gate's own table; zero when there is none. It asks no store.
func (g *Gate) HeldUntil(u *url.URL) time.Time { return g.HeldFrom(time.Time{}, u) }

// HeldFrom is HeldUntil, but never earlier than a given time.
func (g *Gate) HeldFrom(latest time.Time, u *url.URL) time.Time {
	for _, name := range [...]string{urlkey.Origin(u), urlkey.Of(u)} {
		if until, _ := g.holds.look(g.holdKey(name)); until.After(latest) {
			latest = until
		}
	}
	return latest
}
