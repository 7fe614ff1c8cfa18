package gate

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/urlkey"
)

// Hold keeps callers of a lane from asking a URL until the given time, at most
// cache.MaxHold from now, for a reason of the caller's own that cache.HeldError
// repeats. It is for obligations that follow from the meaning of an answer.
func (g *Gate) Hold(ctx context.Context, u *url.URL, lane Lane, until time.Time, reason string) {
	if limit := g.clock.Now().Add(cache.MaxHold); until.After(limit) {
		until = limit
	}
	name := urlkey.Of(u)
	if slices.Contains(g.opts.Reasons, reason) {
		name = reasonName(name, reason)
	}
	g.hold(ctx, g.holdKey(lane.prefix(), name), until, reason)
}

// HeldUntil returns the end of the cool-down of a URL or of its origin, by the
// gate's own table, in a lane, or a given time if that is later. It asks no store.
func (g *Gate) HeldUntil(u *url.URL, lane Lane, until time.Time) time.Time {
	for _, prefix := range lane.obeys() {
		for _, name := range [...]string{urlkey.Origin(u), urlkey.Of(u)} {
			if held, _ := g.holds.look(g.holdKey(prefix, name)); held.After(until) {
				until = held
			}
		}
	}
	return until
}
