package discover

import (
	"maps"
	"sync"
	"time"
)

const (
	// minDeclined and maxDeclined bound the time for which a caller is not asked again for the credential of an
	// origin. Within them, it is the lifetime of the public Site.
	minDeclined, maxDeclined = 5 * time.Minute, time.Hour
	// mostDeclined is the maximum number of refusals that are remembered.
	mostDeclined = 1 << 12
)

// declined remembers the origins for which a caller had no credential that opens them, so that a site
// does not make a person answer the same question with each Resolve.
type declined struct {
	mu    sync.Mutex
	until map[refusal]time.Time
}

// refusal is one caller's at one origin.
type refusal struct {
	asker  Asker
	origin string
}

// Decline remembers that a caller has no credential that opens an origin, as long as a public Site is
// fresh, within bounds. If fresh is zero, the lower bound applies.
func (eng *Engine) Decline(asker Asker, origin string, fresh time.Time) {
	now := eng.Opts.Clock.Now()
	d := &eng.declined
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.until) >= mostDeclined {
		for r, until := range d.until {
			if !until.After(now) {
				delete(d.until, r)
			}
		}
		if len(d.until) >= mostDeclined {
			clear(d.until)
		}
	}
	if d.until == nil {
		d.until = make(map[refusal]time.Time)
	}
	d.until[refusal{asker, origin}] = now.Add(min(max(fresh.Sub(now), minDeclined), maxDeclined))
}

// Declined reports whether a caller had no credential that opens an origin a short time ago.
func (eng *Engine) Declined(asker Asker, origin string) bool {
	d := &eng.declined
	d.mu.Lock()
	defer d.mu.Unlock()
	until, ok := d.until[refusal{asker, origin}]
	return ok && until.After(eng.Opts.Clock.Now())
}

// Refreshes reports whether the flight is one of Refresh.
func (k FlightKey) Refreshes() bool { return k.refresh }

// Reask forgets that a caller had no credentials.
func (eng *Engine) Reask(asker Asker) {
	d := &eng.declined
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.until, func(r refusal, _ time.Time) bool { return r.asker == asker })
}
