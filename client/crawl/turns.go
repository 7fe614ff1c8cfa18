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

// turns ensure that the workers of a fleet ask one domain of a site at a time, and observe the
// pauses of the site. The shared store contains two obligations for a site: the turn and the
// pause. A worker holds the turn while it asks; the turn expires if the worker has died.
type turns struct {
	store cache.ObligationStore // nil if there is no other worker
	rest  time.Duration
	queue pileUp
}

// errBusy is the error for a site that cannot be asked now. It contains the time after which
// the target should be taken again.
type errBusy struct {
	site  string
	after time.Duration
}

func (e *errBusy) Error() string {
	return "the site " + e.site + " is asked by another worker or wants a pause"
}

// enter takes the turn of a site for one of its targets. It fails if the store fails, because
// without the store two workers could ask at the same time.
func (t *turns) enter(ctx context.Context, target resolve.Target, site string) (client.Turn, error) {
	if t.store == nil {
		return client.Turn{}, nil
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
	// The pause is read last: the previous worker set it before it gave the turn back.
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
	pause string // the key of the pause

	mu       sync.Mutex
	ends     time.Time // the site rests until then if this worker dies
	releases []func()
}

// learn ensures that a site rests for as long as it requires if this worker dies. It takes the
// pause, because other workers check it after the turn has expired.
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
		return // not known: the turn lasts until it expires
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	// The pause of the site must be stored even if the worker is stopping.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.ctx), storeTime)
	defer cancel()
	if wanted > 0 && v.turns.store.Hold(ctx, v.pause, time.Now().Add(wanted)) != nil {
		return // the turn lasts until it expires, instead of the pause
	}
	// The turn is released last, so no other worker sees the longer pause.
	for _, release := range slices.Backward(v.releases) {
		release()
	}
}

const (
	// busyFor is the delay of a domain while another worker asks its site.
	busyFor = 2 * time.Second
	// storeTime is the maximum time for writing a pause at the end. The command ends a worker within
	// 5 seconds after a signal.
	storeTime = 4 * time.Second
)

// pileUp spreads the deferred targets of one site over time. If all were deferred to the same
// time, all except one would be deferred again.
type pileUp struct {
	mu    sync.Mutex
	sites map[string]time.Time // the last time that was assigned
}

// maxPiles is the maximum number of sites that are remembered. Sites whose time has passed are
// removed first.
const maxPiles = 1 << 14

// place assigns a time to a target whose site is available from the time free. It returns the
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

// forget removes the times that have passed. If this is not enough, it removes all, and some
// targets are deferred once more.
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
