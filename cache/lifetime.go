package cache

import (
	"net/http"
	"time"
)

// maxHeuristic is the longest heuristic lifetime.
const maxHeuristic = 24 * time.Hour

// Values of Lifetime.Source that the engine sets.
const (
	sourceMaxAge    = "max-age"   // Cache-Control: max-age; in a shared cache s-maxage
	sourceExpires   = "expires"   // Expires − Date
	sourceHeuristic = "heuristic" // a tenth of the time since Last-Modified
	sourceNoCache   = "no-cache"  // usable after validation only
	sourceNoStore   = "no-store"  // not to be kept
	sourceNone      = "none"      // the response gives none
)

// lifetimeOf returns the freshness lifetime (RFC 9111 §4.2.1). s-maxage is ignored in a private
// cache, and replaces max-age in a shared one. A zero or invalid value is explicit, so no heuristic
// is used.
func lifetimeOf(e *Entry) Lifetime {
	c := &e.control
	switch {
	case c.forbidsStoring(e.Status):
		return Lifetime{Source: sourceNoStore, Explicit: true}
	case c.noCache:
		return Lifetime{Source: sourceNoCache, Explicit: true}
	case c.hasMaxAge: // Expires is then ignored, even if max-age is 0 (§5.3)
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

// expiresIn returns the lifetime by Expires. Invalid values, "0" and several lines mean "already
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

// heuristic returns 10 % of the time since the last change (RFC 9111 §4.2.2), or 0 if no heuristic
// is allowed.
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

// heuristicallyCacheable reports whether a status is in the list of RFC 9110 §15.1. 206 is left
// out, because it is never stored here.
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

// understood reports whether the meaning of a status for caching is known.
func understood(status int) bool {
	return status != http.StatusPartialContent && http.StatusText(status) != ""
}

// refuses reports whether a status is a refusal or failure, which is no answer about the resource.
func refuses(status int) bool {
	return status == http.StatusTooManyRequests || status >= 500 && !heuristicallyCacheable(status)
}
