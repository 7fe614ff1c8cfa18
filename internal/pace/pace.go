// Package pace leaves sites alone between two requests, as long as they ask for.
package pace

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

// Pace lets the domains of one registrable domain be asked one after another,
// with pauses between them. A site takes room here as long as a caller waits
// for it or its pause lasts.
type Pace struct {
	sites    *security.SuffixList
	maxPause time.Duration

	mu    sync.Mutex
	lanes map[string]*lane
	sweep int // how many lanes there may be before old ones are looked for
}

// lane is the queue before one registrable domain.
type lane struct {
	turn  chan struct{} // holds the right to ask
	users int           // callers in the queue, and the one that asks; guarded by pace.mu
	next  time.Time     // when the pause ends; belongs to the caller that has the turn
}

const (
	// sweepFrom is the number of lanes from which old ones are looked for.
	sweepFrom = 1024
	// maxLanes bounds the unused lanes: pauses of a day must not add up. The
	// next to end are given up first.
	maxLanes = 1 << 16
)

// New makes a pace for the sites of a list. Longer pauses than maxPause are not
// waited for.
func New(sites *security.SuffixList, maxPause time.Duration) *Pace {
	return &Pace{sites: sites, maxPause: maxPause, lanes: map[string]*lane{}, sweep: sweepFrom}
}

// Enter waits for the turn of a host. The error is that of ctx, or of kind
// wayfind.ErrThrottled when the pause is too long to be waited for. After a nil
// error, leave has to be called.
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
	if !sleep(ctx, wait) {
		p.give(l)
		return nil, ctx.Err()
	}
	return l, nil
}

// SiteOf names the site that a pause spares: the registrable domain, also below a
// suffix that no list has, else the host.
func (p *Pace) SiteOf(host string) string {
	site, _ := p.sites.RegistrableDomain(host)
	return cmp.Or(site, host)
}

// sleep reports whether it slept to the end.
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

// Leave ends a turn and begins a pause.
func (p *Pace) Leave(l *lane, pause time.Duration) {
	l.next = time.Now().Add(pause)
	p.give(l)
}

// give hands the turn on.
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

// forget removes the unused lanes whose pause is over, when there are many, and
// of the others those that are too many.
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
	if over := len(p.lanes) - maxLanes*3/4; over > 0 { // the rest is for those to come
		slices.SortFunc(pauses, func(a, b pause) int { return a.ends.Compare(b.ends) })
		for _, first := range pauses[:min(over, len(pauses))] {
			delete(p.lanes, first.site)
		}
	}
	p.sweep = min(max(sweepFrom, 2*len(p.lanes)), max(maxLanes, len(p.lanes)+sweepFrom))
}

// unused reports whether a lane has no caller in it, and then when its pause ends.
func (l *lane) unused() (ends time.Time, unused bool) {
	if l.users > 0 {
		return ends, false
	}
	select {
	case <-l.turn: // else its last user is about to give it back
	default:
		return ends, false
	}
	defer func() { l.turn <- struct{}{} }()
	return l.next, true
}

// Declared is how long a site with some policies wants to be left alone after a
// number of requests: its robots.txt and its agents.md state the rate.
func Declared(policies []wayfind.Policy, token string, requests int) time.Duration {
	named := slices.ContainsFunc(policies, func(p wayfind.Policy) bool { return names(p, token) })
	var pause time.Duration
	for _, p := range policies {
		// RFC 9309 §2.2.1: the group for us, where there is one, replaces that
		// for all agents.
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

// timeFor is how long a limit wants a number of requests to take; zero when it
// is no rate.
func timeFor(l wayfind.Limit, requests int) time.Duration {
	if l.N <= 0 || l.Per <= 0 {
		return 0
	}
	perRequest := float64(l.Per) / float64(l.N)
	return time.Duration(min(perRequest*float64(requests), float64(Max)))
}

// Max caps the pause that a site can ask for, as Retry-After is
// capped.
const Max = 24 * time.Hour
