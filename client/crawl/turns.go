package crawl

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
	"github.com/wayfindhq/wayfind/client"
	"github.com/wayfindhq/wayfind/resolve"
)

// turns make the workers of a fleet ask one domain of a site at a time, and keep
// the pauses of the site. The shared store holds two obligations for a site. A
// worker holds the turn while it asks, and the turn runs out when that worker has
// died. The other obligation is the pause.
type turns struct {
	store cache.Store // nil: there is no other worker
	rest  time.Duration
	queue pileUp
}

// errBusy says that a site cannot be asked now, and when its target should be
// taken again.
type errBusy struct {
	site  string
	after time.Duration
}

func (e *errBusy) Error() string {
	return "the site " + e.site + " is asked by another worker or wants a pause"
}

// enter takes the turn of a site for one of its targets. It fails when the store fails: without
// the store nothing keeps two workers apart.
func (t *turns) enter(ctx context.Context, target resolve.Target, site string) (client.Turn, error) {
	if t.store == nil {
		return client.Turn{Leave: func(time.Duration) {}}, nil
	}
	turn, pause := "crawl turn "+site, "crawl pause "+site
	now := time.Now()
	ok, _, release, err := t.store.Acquire(ctx, turn, now.Add(t.rest))
	if err != nil {
		return client.Turn{}, wayfind.NewError("crawl", target.String(), wayfind.CodeStored, err)
	}
	if !ok {
		return client.Turn{}, &errBusy{site, t.queue.place(site, now, now.Add(busyFor))}
	}
	// The pause is read last: the previous worker set it before it gave the turn
	// back.
	free, held, _, err := t.store.Acquire(ctx, pause, now)
	if err != nil || !free && held.After(now) {
		release()
		if err != nil {
			return client.Turn{}, wayfind.NewError("crawl", target.String(), wayfind.CodeStored, err)
		}
		return client.Turn{}, &errBusy{site, t.queue.place(site, now, held)}
	}
	v := &visit{turns: t, ctx: ctx, pause: pause, ends: now.Add(t.rest), releases: []func(){release}}
	return client.Turn{Learn: v.learn, Leave: v.leave}, nil
}

// visit is the turn of a site in use.
type visit struct {
	turns *turns
	ctx   context.Context
	pause string // the key of that obligation

	mu       sync.Mutex
	ends     time.Time // the site rests until then, should this worker die
	releases []func()
}

// learn makes a site rest for as long as it wants, should this worker die: it takes the
// pause, as other workers look at it when the turn has run out.
func (v *visit) learn(most time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	ends := time.Now().Add(most)
	if !ends.After(v.ends) {
		return
	}
	for len(v.releases) > 1 { // a shorter pause of this visit
		v.releases[1]()
		v.releases = v.releases[:1]
	}
	ok, _, release, err := v.turns.store.Acquire(v.ctx, v.pause, ends)
	if err == nil && ok {
		v.ends, v.releases = ends, append(v.releases, release)
	}
}

func (v *visit) leave(wanted time.Duration) {
	if wanted < 0 {
		return // not known: the turn lasts until its end
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	// The worker may be stopping; the pause of the site must be stored all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.ctx), storeTime)
	defer cancel()
	if wanted > 0 && v.turns.store.Hold(ctx, v.pause, time.Now().Add(wanted)) != nil {
		return // the turn lasts until its end, in place of the pause
	}
	// The turn comes last: then no other worker sees the longer pause.
	for _, release := range slices.Backward(v.releases) {
		release()
	}
}

const (
	// busyFor is the delay of a domain whose site another worker asks.
	busyFor = 2 * time.Second
	// storeTime bounds a pause that is written at the end.
	storeTime = 5 * time.Second
)

// pileUp spreads the targets of one site that have to wait: if all were put off to
// the same time, all but one would be put off again.
type pileUp struct {
	mu    sync.Mutex
	sites map[string]time.Time // the time that was given out last
}

// maxPiles bounds the sites that are remembered; those whose time has passed go first.
const maxPiles = 1 << 14

// place gives out a time for a target whose site is free from a time on, as the
// time from now until then.
func (p *pileUp) place(site string, now, free time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sites == nil || len(p.sites) >= maxPiles {
		p.forget(now)
	}
	at := free
	if last := p.sites[site]; !last.Before(free) {
		at = last.Add(busyFor)
	}
	p.sites[site] = at
	return at.Sub(now)
}

// forget drops the times that have passed. When that is not enough it drops all,
// and some targets are put off once more.
func (p *pileUp) forget(now time.Time) {
	for site, at := range p.sites {
		if at.Before(now) {
			delete(p.sites, site)
		}
	}
	if p.sites == nil || len(p.sites) >= maxPiles {
		p.sites = map[string]time.Time{}
	}
}
