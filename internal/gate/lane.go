package gate

import (
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/urlkey"
)

// Lane says who led a request to its origin. The zero value is the lane of strangers.
type Lane uint8

const (
	// Led: another site led here by a link or a redirect, at any hop of the way.
	Led Lane = iota
	// Own: the origin itself or its site led here, or the caller named the URL. One answer
	// holds its URL; "not before" at two paths holds the origin.
	Own
	// Place: the origin's robots.txt, a well-known place, or an approved call of its own
	// tool. One answer holds the origin.
	Place
)

// MaxLed bounds each cool-down that a led request causes.
const MaxLed = 10 * time.Minute

// The beginnings of a hold's key, by lane. Both lanes of the origin itself are one. A hold
// from before there were lanes says nothing of who led to it: it counts for neither.
const (
	ownPrefix = "hold own\n"
	ledPrefix = "hold led\n"
	oldPrefix = "hold\n"
)

// The beginnings of a floor's key.
const (
	floorPrefix    = "floor\n"
	ledFloorPrefix = "floor led\n"
)

// prefix is the beginning of the keys that a request in the lane may write.
func (l Lane) prefix() string {
	if l == Led {
		return ledPrefix
	}
	return ownPrefix
}

// obeys returns the beginnings of the keys that a request in the lane looks at. A stranger
// obeys the origin's own pauses, too; the origin obeys no pause of a stranger.
func (l Lane) obeys() []string {
	if l == Led {
		return bothPrefixes[:]
	}
	return bothPrefixes[:1]
}

var bothPrefixes = [...]string{ownPrefix, ledPrefix}

// consequence is the Cooldown in the lane of a request.
func (p *Pass) consequence(c Cooldown, answered bool) Cooldown {
	g := p.gate
	switch {
	case p.lane == Led:
		if !c.Until.IsZero() {
			c.First, c.Until = c.Until.Sub(g.clock.Now()), time.Time{}
		}
		c.First, c.Max = min(c.First, MaxLed), MaxLed
	case p.lane == Own && answered && !c.URL:
		c.URL = !g.another(p.url.EscapedPath(), urlkey.Origin(p.url))
	}
	return c
}

// another reports whether a second path of an origin says "not before".
func (g *Gate) another(path, origin string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if first, ok := g.spoke.get(origin); ok && first != path {
		return true
	}
	now := g.clock.Now()
	g.spoke.put(now, origin, path, now.Add(cache.MaxHold))
	return false
}
