// Package turns gives callers their turn at a site: it pauses between two requests for as long as the
// site requires, and bounds how many calls run at a time, as a whole and for each origin and domain.
package turns

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/security"
)

// Pace lets callers ask the domains of one registrable domain one after another, with pauses
// between the requests. It keeps a site in memory as long as a caller waits for it or its pause
// lasts.
type Pace struct {
	sites    *security.SuffixList
	pause    time.Duration // the least, between two domains
	maxPause time.Duration

	mu    sync.Mutex
	lanes map[string]*lane
	sweep int // the number of lanes at which old ones are removed
}

// lane is the queue for one registrable domain.
type lane struct {
	turn  chan struct{} // contains the right to ask
	users int           // callers in the queue, including the one that asks; guarded by pace.mu

	// What the site wants after its last domain was asked. It is owned by the caller that has the turn.
	next  time.Time     // the end of the pause for all requests that were sent
	soon  time.Time     // the end of the pause for one request
	every time.Duration // the time between two requests; 0: no rate is known
}

const (
	// sweepFrom is the lowest number of lanes at which old ones are removed.
	sweepFrom = 1024
	// maxLanes is the maximum number of unused lanes, because pauses of a day must not
	// accumulate. The lanes whose pause ends next are removed first.
	maxLanes = 1 << 16
)

// NewPace returns a Pace for the sites of a list. Two domains of a site are at least pause apart. It
// does not wait for pauses that are longer than maxPause.
func NewPace(sites *security.SuffixList, pause, maxPause time.Duration) *Pace {
	return &Pace{sites: sites, pause: pause, maxPause: maxPause, lanes: map[string]*lane{}, sweep: sweepFrom}
}

// Enter waits for the turn of a host. The error is the error of ctx, or has the kind
// wayfind.ErrThrottled if the pause is too long to wait. If the error is nil, the caller must
// call Leave.
//
// If the rate of the site is known, Enter waits for the pause of one request only. The caller then
// spreads its own requests: see Every.
func (p *Pace) Enter(ctx context.Context, host string) (*lane, error) {
	l := p.join(p.SiteOf(host))
	select {
	case <-l.turn:
	case <-ctx.Done():
		p.quit(l)
		return nil, ctx.Err()
	}
	wait := time.Until(l.next)
	if wait > p.maxPause {
		err := wayfind.NewError("batch", "https://"+host, wayfind.CodeNotBefore, nil)
		err.NotBefore = l.next
		p.give(l)
		return nil, err
	}
	if l.every > 0 {
		wait = time.Until(l.soon)
	}
	if !sleep(ctx, wait) {
		p.give(l)
		return nil, ctx.Err()
	}
	return l, nil
}

// SiteOf returns the site to which a pause applies: the registrable domain, also below a suffix
// that is not in the list, or else the host.
func (p *Pace) SiteOf(host string) string {
	site, _ := p.sites.RegistrableDomain(host)
	return cmp.Or(site, host)
}

// sleep reports whether the whole duration passed.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Every is the time between two requests that the caller who has the turn must keep: the slowest rate
// that Leave was told. Zero means that no rate is known.
func (l *lane) Every() time.Duration { return l.every }

// Leave ends a turn and begins a pause. every is the time between two requests that the site wants, or
// zero if the next caller is to wait for the whole pause instead of spreading its requests.
func (p *Pace) Leave(l *lane, pause, every time.Duration) {
	now := time.Now()
	l.every = max(l.every, every)
	l.next = latest(l.next, now.Add(pause))
	l.soon = latest(l.soon, now.Add(min(pause, max(l.every, p.pause))))
	p.give(l)
}

// latest returns the later time.
func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// give passes the turn on.
func (p *Pace) give(l *lane) {
	p.quit(l)
	l.turn <- struct{}{}
}

func (p *Pace) join(site string) *lane {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lanes[site]
	if l == nil {
		p.forget()
		l = &lane{turn: make(chan struct{}, 1)}
		l.turn <- struct{}{}
		p.lanes[site] = l
	}
	l.users++
	return l
}

func (p *Pace) quit(l *lane) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.users--
}

// forget removes unused lanes whose pause has ended, if there are many lanes. It removes others
// if there are still too many.
func (p *Pace) forget() {
	if len(p.lanes) < p.sweep {
		return
	}
	type pause struct {
		site string
		ends time.Time
	}
	var pauses []pause
	for site, l := range p.lanes {
		switch ends, unused := l.unused(); {
		case !unused:
		case time.Now().Before(ends):
			pauses = append(pauses, pause{site, ends})
		default:
			delete(p.lanes, site)
		}
	}
	if over := len(p.lanes) - maxLanes*3/4; over > 0 { // leave room for new lanes
		slices.SortFunc(pauses, func(a, b pause) int { return a.ends.Compare(b.ends) })
		for _, first := range pauses[:min(over, len(pauses))] {
			delete(p.lanes, first.site)
		}
	}
	p.sweep = min(max(sweepFrom, 2*len(p.lanes)), max(maxLanes, len(p.lanes)+sweepFrom))
}

// unused reports whether a lane has no callers, and returns the end of its pause.
func (l *lane) unused() (ends time.Time, unused bool) {
	if l.users > 0 {
		return ends, false
	}
	select {
	case <-l.turn: // else its last user is about to return it
	default:
		return ends, false
	}
	defer func() { l.turn <- struct{}{} }()
	return l.next, true
}

// Declared returns how long a site with these policies requires to pause after a number of
// requests. robots.txt and agents.md can contain the rate.
func Declared(policies []wayfind.Policy, token string, requests int) time.Duration {
	named := slices.ContainsFunc(policies, func(p wayfind.Policy) bool { return names(p, token) })
	var pause time.Duration
	for _, p := range policies {
		// RFC 9309 §2.2.1: if there is a group for our token, it replaces the group for all
		// agents.
		forUs := len(p.Agents) == 0 || names(p, token) || !named && names(p, "*")
		if p.Limit != nil && forUs {
			pause = max(pause, timeFor(*p.Limit, requests))
		}
	}
	return pause
}

func names(p wayfind.Policy, agent string) bool {
	return slices.ContainsFunc(p.Agents, func(a string) bool { return strings.EqualFold(a, agent) })
}

// timeFor returns the time that a number of requests must take by a limit, or zero if the limit
// is not a rate.
func timeFor(l wayfind.Limit, requests int) time.Duration {
	if l.N <= 0 || l.Per <= 0 {
		return 0
	}
	perRequest := float64(l.Per) / float64(l.N)
	return time.Duration(min(perRequest*float64(requests), float64(Max)))
}

// Max is the longest pause that a site can require. Retry-After is limited in the same way.
const Max = 24 * time.Hour
