package discover

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind/internal/web/turns"
)

// UnknownPause is the value for a pause that is not known, because the call ended before robots.txt
// was answered.
const UnknownPause = -1

// PaceObserver sets the pace of the flight that a call of a batch begins, and gets its outcomes. If the
// call joins a flight, it does neither.
type PaceObserver struct {
	Options  *Options
	Every    time.Duration            // between two requests; 0: they need not be apart
	Patience time.Duration            // how long the requests may be spread
	Learn    func(most time.Duration) // nil: no report
	Sent     atomic.Int64             // requests on connections
	turned   turned                   // requests that were spread already

	mu    sync.Mutex
	ruled bool          // robots.txt was answered
	each  time.Duration // the pause that the site wants for each request
}

// outcome records an outcome.
func (p *PaceObserver) outcome(o *Outcome) {
	each := o.declaredPause(p.Options.Robots.Token, 1)
	p.mu.Lock()
	p.ruled = p.ruled || o.Candidate.Robots && o.Probe.Status != 0
	p.each = max(p.each, each)
	p.mu.Unlock()
	if p.Learn != nil && each > 0 {
		p.Learn(o.declaredPause(p.Options.Robots.Token, p.Options.Limits.Budget))
	}
}

// KnowsRules reports whether the pause in robots.txt is known.
func (p *PaceObserver) KnowsRules() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ruled || p.Options.Robots.Ignore
}

// Each returns the pause that the site wants for each request.
func (p *PaceObserver) Each() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.each
}

// PauseFor returns the pause that the site wants for a number of requests. declared is the one that its
// Site declares for them. The time by which the requests were spread already is no part of it.
func (p *PaceObserver) PauseFor(requests int, declared time.Duration) time.Duration {
	pause := time.Duration(min(float64(p.Each())*float64(requests), float64(turns.Max)))
	p.turned.mu.Lock()
	defer p.turned.mu.Unlock()
	return max(pause, declared) - p.turned.apart
}
