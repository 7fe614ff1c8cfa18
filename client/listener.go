package client

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/pace"
	"github.com/wayfindhq/wayfind/parse/formats/robots"
)

// unknownPause stands for a pause that the site would have named.
const unknownPause = -1

// listener hears of the flight that a call of a batch begins. A flight that the call joins
// tells it nothing.
type listener struct {
	options *Options
	learn   func(most time.Duration) // nil: there is no one to tell
	sent    atomic.Int64             // requests on connections

	mu    sync.Mutex
	ruled bool          // robots.txt was answered
	each  time.Duration // the pause that the site wants for each request
}

// outcome hears of an outcome.
func (l *listener) outcome(o *outcome) {
	each := o.declaredPause(l.options.Robots.Token, 1)
	l.mu.Lock()
	l.ruled = l.ruled || o.Candidate.Robots && o.Probe.Status != 0
	l.each = max(l.each, each)
	l.mu.Unlock()
	if l.learn != nil && each > 0 {
		l.learn(o.declaredPause(l.options.Robots.Token, l.options.Limits.Budget))
	}
}

// knowsRules reports whether the pause that robots.txt names is known.
func (l *listener) knowsRules() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ruled || l.options.Robots.Mode == RobotsIgnore
}

// pauseFor is the pause that the site wants for a number of requests.
func (l *listener) pauseFor(requests int) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Duration(min(float64(l.each)*float64(requests), float64(pace.Max)))
}

// declaredPause is that of one document.
func (o *outcome) declaredPause(token string, requests int) time.Duration {
	var policies []wayfind.Policy
	for _, r := range o.Readings {
		policies = append(policies, r.Policies...)
	}
	if o.rules != nil {
		policies = append(policies, robots.PoliciesFor(o.doc.Input().Body, token)...)
	}
	return pace.Declared(policies, token, requests)
}
