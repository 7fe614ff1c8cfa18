package cache

import (
	"net/url"
	"time"
)

// HeldUntil returns until when the cool-down of a URL or of its origin lasts,
// by the gate's own table; zero when there is none. Nobody is asked.
func (g *Gate) HeldUntil(u *url.URL) time.Time {
	var latest time.Time
	for _, name := range [...]string{originOf(u), canonicalURL(u)} {
		if until, _ := g.holds.look(g.holdKey(name)); until.After(latest) {
			latest = until
		}
	}
	return latest
}
