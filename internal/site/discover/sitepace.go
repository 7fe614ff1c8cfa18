package discover

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/internal/web/turns"
	"github.com/wayfindhq/wayfind/resolve"
	"github.com/wayfindhq/wayfind/security"
)

const (
	// PaceTime is how long one Resolve spreads its requests. The places whose turn comes later are
	// left to the next one.
	PaceTime = 20 * time.Second
	// maxPaced is the maximum number of hosts whose last turn is remembered.
	maxPaced = 1 << 12
	// reasonPace is the reason of a cache.HeldError for such a place.
	reasonPace = "pace"
)

// errPace is the cause of an error about a place whose turn comes later.
var errPace = errors.New("the site states a pace, and its turn comes later")

// turnsOf are the times of the next requests to sites that state a pace.
type turnsOf struct {
	mu   sync.Mutex
	next map[string]time.Time // by the host of a target: a sibling host may belong to another party
}

// take reserves the next turn at a site, unless it comes after a time.
func (t *turnsOf) take(site string, now time.Time, every time.Duration, latest time.Time) (turn time.Time, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if turn = t.next[site]; turn.Before(now) {
		turn = now
	}
	if turn.After(latest) {
		return turn, false
	}
	t.keep(site, turn.Add(every), now)
	return turn, true
}

// after makes the next turn at a site come no earlier than a time.
func (t *turnsOf) after(site string, next, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.next[site].Before(next) {
		t.keep(site, next, now)
	}
}

// keep remembers the next turn. If there are too many, the sites whose turn has come are forgotten,
// and all if that is not enough: then a site gets one request early.
func (t *turnsOf) keep(site string, next, now time.Time) {
	if t.next == nil {
		t.next = make(map[string]time.Time)
	}
	if _, known := t.next[site]; !known && len(t.next) >= maxPaced {
		for s, at := range t.next {
			if !at.After(now) {
				delete(t.next, s)
			}
		}
		if len(t.next) >= maxPaced {
			clear(t.next)
		}
	}
	t.next[site] = next
}

// sitePace is the pace of the requests of one call to its own site.
type sitePace struct {
	host   string // whose turns are taken
	every  time.Duration
	latest time.Time // of a turn
	taken  *turned   // nil: not counted
}

// turned is the time by which requests in turn were apart.
type turned struct {
	mu    sync.Mutex
	apart time.Duration
	some  bool
}

// add counts one request.
func (t *turned) add(every time.Duration) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.some {
		t.apart += every
	}
	t.some = true
}

// KeepPace makes the requests of a session keep the pace that the last Resolve of an origin found. A
// request whose turn does not come within a time is not sent.
func (s *Session) KeepPace(origin string, patience time.Duration) {
	target := resolve.Target{Origin: origin}
	s.pace = s.Engine.pace(target, s.Engine.KnownPace(target), patience)
}

// KnownPace returns the time between two requests that the documents of the last Resolve of a target
// stated for all agents; 0 if there is none, or if nothing of that Resolve is kept any more: then all is
// asked as at the first time, because a call with a slow pace alone would find nothing. The Crawl-delay
// of robots.txt governs crawling, so ResolveAll obeys it.
func (eng *Engine) KnownPace(target resolve.Target) time.Duration {
	e, ok := eng.Sites.Table.Get(target.Key())
	if !ok || e.key != target.Key() || e.Site == nil {
		return 0
	}
	return statedPace(e.Site)
}

// pace returns the pace of a call to a target; nil if requests need not be apart.
func (eng *Engine) pace(target resolve.Target, every, patience time.Duration) *sitePace {
	if every == 0 {
		return nil
	}
	return &sitePace{host: target.Host(), every: every, latest: eng.Opts.Clock.Now().Add(patience)}
}

// statedPace returns the time between two requests that a Site states for all agents on all paths, in
// a document of its own origin.
func statedPace(site *wayfind.Site) (every time.Duration) {
	for i := range site.Policies {
		if p := &site.Policies[i]; len(p.Agents) == 0 && len(p.Paths) == 0 && statesItself(site, p) {
			every = max(every, turns.Declared(site.Policies[i:i+1], "", 1))
		}
	}
	return every
}

// statesItself reports whether a policy is in a document of the Site's own origin.
func statesItself(site *wayfind.Site, p *wayfind.Policy) bool {
	return slices.ContainsFunc(p.Sources, func(r wayfind.Ref) bool {
		u, err := url.Parse(r.Source)
		return err == nil && (security.Origin(u) == site.Origin || security.Origin(u) == site.Asked())
	})
}

// keepPace remembers that a site which states a pace was asked just now.
func (eng *Engine) keepPace(target resolve.Target, site *wayfind.Site) {
	if every := statedPace(site); every > 0 {
		now := eng.Opts.Clock.Now()
		eng.turns.after(target.Host(), now.Add(every), now)
	}
}

// inTurn waits for the turn of a request to the session's own site. The time-outs of the call stand
// still meanwhile.
func (s *Session) inTurn(ctx context.Context, u *url.URL) error {
	if s.pace == nil || !s.own(u) {
		return nil
	}
	now := s.Engine.Opts.Clock.Now()
	turn, ok := s.Engine.turns.take(s.pace.host, now, s.pace.every, s.pace.latest)
	if !ok {
		return &cache.HeldError{Key: s.pace.host, Reason: reasonPace, Until: turn}
	}
	s.pace.taken.add(s.pace.every)
	if !turn.After(now) {
		return nil
	}
	defer s.Work.Pause()()
	timer := time.NewTimer(turn.Sub(now))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
