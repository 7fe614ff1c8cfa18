package discover

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/pace"
	"github.com/wayfindhq/wayfind/parse/formats/robots"
)

// UnknownPause stands for a pause that the site would have named.
const UnknownPause = -1

// Listener hears of the flight that a call of a batch begins. A flight that the call joins
// tells it nothing.
type Listener struct {
	Options *Options
	Learn   func(most time.Duration) // nil: there is no one to tell
	Sent    atomic.Int64             // requests on connections

	mu    sync.Mutex
	ruled bool          // robots.txt was answered
	each  time.Duration // the pause that the site wants for each request
}

// outcome hears of an outcome.
func (l *Listener) outcome(o *Outcome) {
	each := o.declaredPause(l.Options.Robots.Token, 1)
	l.mu.Lock()
	l.ruled = l.ruled || o.Candidate.Robots && o.Probe.Status != 0
	l.each = max(l.each, each)
	l.mu.Unlock()
	if l.Learn != nil && each > 0 {
		l.Learn(o.declaredPause(l.Options.Robots.Token, l.Options.Limits.Budget))
	}
}

// KnowsRules reports whether the pause that robots.txt names is known.
func (l *Listener) KnowsRules() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ruled || l.Options.Robots.Ignore
}

// PauseFor is the pause that the site wants for a number of requests.
func (l *Listener) PauseFor(requests int) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Duration(min(float64(l.each)*float64(requests), float64(pace.Max)))
}

// declaredPause is that of one document.
func (o *Outcome) declaredPause(token string, requests int) time.Duration {
	var policies []wayfind.Policy
	for _, r := range o.Readings {
		policies = append(policies, r.Policies...)
	}
	if o.rules != nil {
		policies = append(policies, robots.PoliciesFor(o.Doc.Input().Body, token)...)
	}
	return pace.Declared(policies, token, requests)
}
