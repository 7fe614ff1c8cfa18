package cache

import (
	"net/http"
	"time"
)

// maxHeuristic caps a guessed lifetime.
const maxHeuristic = 24 * time.Hour

// Values of Lifetime.Source that the engine gives.
const (
	sourceMaxAge    = "max-age"   // Cache-Control: max-age; in a shared cache s-maxage
	sourceExpires   = "expires"   // Expires − Date
	sourceHeuristic = "heuristic" // a tenth of the time since Last-Modified
	sourceNoCache   = "no-cache"  // usable after validation only
	sourceNoStore   = "no-store"  // not to be kept
	sourceNone      = "none"      // the response gives none
)

// lifetimeOf computes the freshness lifetime (RFC 9111 §4.2.1). In a private
// cache s-maxage does not count; to a shared one it is the max-age. A zero or
// invalid value is explicit and leaves no room for a heuristic.
func lifetimeOf(e *Entry) Lifetime {
	c := &e.control
	switch {
	case c.forbidsStoring(e.Status):
		return Lifetime{Source: sourceNoStore, Explicit: true}
	case c.noCache:
		return Lifetime{Source: sourceNoCache, Explicit: true}
	case c.hasMaxAge: // Expires is ignored then, also when max-age is 0 (§5.3)
		return Lifetime{For: c.maxAge, Source: sourceMaxAge, Explicit: true}
	}
	date := dateOf(e.Header, e.ResponseTime)
	if lines, ok := e.Header["Expires"]; ok {
		return Lifetime{For: expiresIn(lines, date, e.ResponseTime), Source: sourceExpires, Explicit: true}
	}
	if d := heuristic(e, date); d > 0 {
		return Lifetime{For: d, Source: sourceHeuristic}
	}
	return Lifetime{Source: sourceNone}
}

// forbidsStoring reads no-store, which must-understand takes back for a status
// that is understood (RFC 9111 §5.2.2.3).
func (c *control) forbidsStoring(status int) bool {
	if c.mustUnderstand {
		return !understood(status)
	}
	return c.noStore
}

// expiresIn reads Expires. Invalid values, "0" and several lines mean "already
// expired" (RFC 9111 §5.3).
func expiresIn(lines []string, date, now time.Time) time.Duration {
	if len(lines) != 1 {
		return 0
	}
	at, ok := parseDate(lines[0], now)
	if !ok {
		return 0
	}
	return min(max(at.Sub(date), 0), maxAge)
}

// heuristic is 10 % of the time since the last change (RFC 9111 §4.2.2).
func heuristic(e *Entry, date time.Time) time.Duration {
	lines := e.Header["Last-Modified"]
	if len(lines) == 0 || !heuristicallyCacheable(e.Status) && !e.control.public {
		return 0
	}
	changed, ok := parseDate(lines[0], e.ResponseTime)
	if !ok {
		return 0
	}
	return min(max(date.Sub(changed)/10, 0), maxHeuristic)
}

// heuristicallyCacheable is the list of RFC 9110 §15.1, without 206, which is
// never stored here.
func heuristicallyCacheable(status int) bool {
	switch status {
	case http.StatusOK, http.StatusNonAuthoritativeInfo, http.StatusNoContent,
		http.StatusMultipleChoices, http.StatusMovedPermanently, http.StatusPermanentRedirect,
		http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone,
		http.StatusRequestURITooLong, http.StatusNotImplemented:
		return true
	}
	return false
}

// understood reports whether we know what a status means for caching.
func understood(status int) bool {
	return status != http.StatusPartialContent && http.StatusText(status) != ""
}

// Storable reports whether the entry may be stored (RFC 9111 §3). The entry of
// a response that may not is for the caller that asked.
func (e *Entry) Storable() bool {
	switch {
	case e.Status < 200, e.Status == http.StatusPartialContent, e.Status == http.StatusNotModified, e.streams, e.below:
		return false
	case e.Shared && (e.control.private || e.SetsCookie || e.forOne()):
		return false // §5.2.2.7, §3.5, and stricter than §7.3
	case e.control.forbidsStoring(e.Status), e.varyAny:
		return false
	case refuses(e.Status) && e.Lifetime.For == 0:
		return false // of no use later, and no reason to lose the entry it would replace
	}
	return e.Lifetime.For > 0 || e.control.hasMaxAge || e.Header["Expires"] != nil ||
		e.control.public || e.control.private || heuristicallyCacheable(e.Status)
}

// refuses reports whether a status is no answer about the resource.
func refuses(status int) bool {
	return status == http.StatusTooManyRequests || status >= 500 && !heuristicallyCacheable(status)
}

// retain is how long a store should keep the entry: past its freshness for the
// sake of its validator and of the windows for stale use.
func (e *Entry) retain(age time.Duration) time.Duration {
	return max(e.Lifetime.For-age, 0) + max(Retention, e.control.staleIfError, e.control.whileRevalidate)
}
