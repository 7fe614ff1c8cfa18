package fetch

import (
	"net/http"
	"strings"
	"time"
)

// maxRetryAfter is the longest wait that a site can ask for, because a mistake in a header must not
// end all requests for years.
const maxRetryAfter = 30 * 24 * time.Hour

// minRetryAfter is the wait for "now": a date in the past, or zero seconds.
const minRetryAfter = time.Second

// ParseRetryAfter parses the values of a Retry-After header (RFC 9110 §10.2.3): a number of
// seconds, or an HTTP date in one of its three forms (§5.6.7), relative to now. The result is
// between a second and 30 days. Values that are neither are ignored. If there are several, the
// longest applies. It returns false if there is no valid value.
func ParseRetryAfter(values []string, now time.Time) (time.Duration, bool) {
	longest, found := time.Duration(0), false
	for _, v := range values {
		if d, ok := retryAfter(strings.Trim(v, " \t"), now); ok {
			longest, found = max(longest, d), true
		}
	}
	return longest, found
}

// RetryAfter parses the Retry-After of an answer. A date is relative to the Date of the answer, so
// that the clocks of the site and of this machine may differ.
func RetryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	return ParseRetryAfter(h["Retry-After"], Sent(h, now))
}

// Sent returns the time at which an answer was sent, by the clock of its server, because the times
// in it are by that clock. If the answer has no valid Date, it returns now.
func Sent(h http.Header, now time.Time) time.Time {
	if said, ok := httpDate(h.Get("Date"), now); ok {
		return said
	}
	return now
}

func retryAfter(v string, now time.Time) (time.Duration, bool) {
	if d, ok := delaySeconds(v); ok {
		return bounded(d), true
	}
	if t, ok := httpDate(v, now); ok {
		return bounded(t.Sub(now)), true
	}
	return 0, false
}

func bounded(d time.Duration) time.Duration {
	return max(minRetryAfter, min(d, maxRetryAfter))
}

// delaySeconds accepts any number of digits, and stops counting at the maximum.
func delaySeconds(v string) (time.Duration, bool) {
	if v == "" {
		return 0, false
	}
	var d time.Duration
	for _, c := range []byte(v) {
		if c < '0' || c > '9' {
			return 0, false
		}
		d = min(10*d+time.Duration(c-'0')*time.Second, maxRetryAfter)
	}
	return d, true
}

// httpDate accepts only GMT, because package time would treat any other zone name as UTC.
func httpDate(v string, now time.Time) (time.Time, bool) {
	if t, err := time.Parse("Mon, 02 Jan 2006 15:04:05 GMT", v); err == nil {
		return t, true
	}
	if t, err := time.Parse("Mon Jan _2 15:04:05 2006", v); err == nil {
		return t, true
	}
	t, err := time.Parse("Monday, 02-Jan-06 15:04:05 GMT", v)
	if err != nil {
		return time.Time{}, false
	}
	return century(t, now), true
}

// century interprets a year of two digits as the one nearest to now, at most 50 years ahead (RFC
// 9110 §5.6.7).
func century(t, now time.Time) time.Time {
	for t.After(now.AddDate(50, 0, 0)) {
		t = t.AddDate(-100, 0, 0)
	}
	for !t.After(now.AddDate(-50, 0, 0)) {
		t = t.AddDate(100, 0, 0)
	}
	return t
}
