package gate

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/syntax/urlkey"
)

// Hold prevents requests to a URL in a lane until the given time, at most cache.MaxHold from
// now. reason is returned in the cache.HeldError. It is for obligations that follow from the
// meaning of an answer.
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

// HeldUntil returns the end of the cool-down of a URL or of its origin in a lane, according to
// the gate's own table, or until if that is later. It does not use the store.
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
