package gate

import (
	"time"

	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/syntax/urlkey"
)

// Lane identifies the party that led a request to its origin. The zero value is the lane of
// other sites.
type Lane uint8

const (
	// Led: another site led to the origin by a link or a redirect, at any hop.
	Led Lane = iota
	// Own: the origin itself or its site led to the URL, or the caller named the URL. One
	// answer holds its URL. If answers at two paths contain "not before", the origin is held.
	Own
	// Place: the URL is the origin's robots.txt or a well-known place, or the request is an
	// approved call of the origin's own tool. One answer holds the origin.
	Place
)

// MaxLed is the maximum duration of a cool-down that a led request causes.
const MaxLed = 10 * time.Minute

// The prefixes of the keys of holds, by lane. Own and Place have the same prefix. A key with
// oldPrefix was written by a version without lanes. It contains no lane, so no lane obeys it.
const (
	ownPrefix = "hold own\n"
	ledPrefix = "hold led\n"
	oldPrefix = "hold\n"
)

// The prefixes of the keys of floors.
const (
	floorPrefix    = "floor\n"
	ledFloorPrefix = "floor led\n"
)

// prefix returns the prefix of the keys that a request in the lane may write.
func (l Lane) prefix() string {
	if l == Led {
		return ledPrefix
	}
	return ownPrefix
}

// obeys returns the prefixes of the keys that a request in the lane obeys. A led request also
// obeys the origin's own pauses. The other lanes do not obey the pauses of led requests.
func (l Lane) obeys() []string {
	if l == Led {
		return bothPrefixes[:]
	}
	return bothPrefixes[:1]
}

var bothPrefixes = [...]string{ownPrefix, ledPrefix}

// consequence returns the Cooldown, adapted to the lane of the request.
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

// another reports whether an earlier answer at another path of the origin contained "not
// before".
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
