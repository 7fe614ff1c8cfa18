package live

import (
	"errors"
	"net/url"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/run/clock"
	"github.com/wayfindhq/wayfind/internal/site/verdict"
	"github.com/wayfindhq/wayfind/internal/web/gate"
	"github.com/wayfindhq/wayfind/security"
)

const (
	// memorySize is the size of the memory of replies, in bytes.
	memorySize = 16 << 20
	// replyCost is the assumed size of one reply, without its capabilities.
	replyCost = 4 << 10
)

// Recall returns the reply of an endpoint, or nil if it has expired or does not exist. It does
// not return a reply with a refused redirect if more redirects are allowed now.
func (e *Endpoints) Recall(p Prober, u *url.URL, redirects int) *Reply {
	r, ok := e.replies.Get(key(p, u.String()))
	if !ok || r.url != u.String() || r.epoch != e.epochs.At(security.Origin(u)) || !r.Fresh(e.Clock) {
		return nil
	}
	if failure, _ := errors.AsType[*wayfind.Error](r.Err); failure != nil && failure.Code == wayfind.CodeRedirectLocation && r.most < redirects {
		return nil
	}
	return r
}

// Remember keeps a reply to a request without a credential.
func (e *Endpoints) Remember(p Prober, u *url.URL, r *Reply) {
	now := e.Clock.Now()
	if r.Err != nil {
		v, _ := verdict.OfError(r.Err)
		if v == wayfind.VerdictSkipped {
			return
		}
		r.Until = e.failedUntil(u, r.Err, v, now)
	}
	r.Expiry = clock.ExpiryAt(e.Clock, r.Until)
	cost := int64(replyCost)
	if r.Reading != nil {
		cost += replyCost * int64(r.Reading.Capabilities())
	}
	e.replies.Set(key(p, r.url), r, cost, r.Until.Sub(now))
}

// failedUntil returns how long a failure is remembered, which is as long as other verdicts of
// its kind.
func (e *Endpoints) failedUntil(u *url.URL, err error, v wayfind.Verdict, now time.Time) time.Time {
	if !verdict.Held(v) {
		return now.Add(max(verdict.Keep(v, verdict.Freshness{}, 0, 0), verdict.KeepUnknown))
	}
	until := e.Gate.HeldUntil(u, gate.Own, now)
	if failure, ok := errors.AsType[*wayfind.Error](err); ok && !failure.NotBefore.IsZero() {
		until = failure.NotBefore
	}
	least := now.Add(verdict.FailureFirst)
	if until.After(least) || v == wayfind.VerdictThrottled && until.After(now) { // the endpoint set the time
		return until
	}
	return least
}

// Forget removes the replies of the endpoints at an origin, and prevents that the reply to a
// current request is remembered.
func (e *Endpoints) Forget(origin string) { e.epochs.Next(origin) }

// ForgetAll is Forget for all origins.
func (e *Endpoints) ForgetAll() { e.epochs.NextOfAll() }

// Close closes the memory of replies.
func (e *Endpoints) Close() { e.replies.Close() }

// key returns the key of an endpoint in the memory.
func key(p Prober, u string) string { return p.Protocol() + " " + u }
