package cache

import (
	"net/http"
	"strings"
	"time"
)

// maxAge is the largest age. An entry of this age is always stale.
const maxAge = maxDelta * time.Second

// futureSlack is the tolerated lead of another host's clock. Entries that are further in the future
// are stale.
const futureSlack = 60 * time.Second

// initialAge returns corrected_initial_age of RFC 9111 §4.2.3, which is never negative. If there is
// no valid Date, the time of arrival is used (RFC 9110 §6.6.1).
func initialAge(h http.Header, sent, received time.Time) time.Duration {
	apparent := received.Sub(dateOf(h, received))
	delay := max(received.Sub(sent), 0)
	return min(max(apparent, min(ageValue(h), maxAge)+delay, 0), maxAge)
}

// dateOf returns the Date of a response, or its time of arrival if there is no valid Date.
func dateOf(h http.Header, received time.Time) time.Time {
	if lines := h["Date"]; len(lines) > 0 {
		if date, ok := parseDate(lines[0], received); ok {
			return date
		}
	}
	return received
}

// ageValue reads Age. It uses the first member, and ignores an invalid value (RFC 9111 §5.1).
func ageValue(h http.Header) time.Duration {
	lines := h["Age"]
	if len(lines) == 0 {
		return 0
	}
	first, _, _ := strings.Cut(lines[0], ",")
	value, _ := deltaSeconds(strings.Trim(first, " \t"))
	return value
}
