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

// age returns current_age of RFC 9111 §4.2.3. Resident time is the longer of wall time and
// monotonic time, so that neither a clock that was set back nor a machine that slept makes entries
// younger. A lifetime that the response did not give begins at its arrival: see fromArrival.
func (e *Entry) age(wall time.Time, mono time.Duration) time.Duration {
	resident := wall.Sub(e.ResponseTime)
	if e.hasMono {
		resident = max(resident, mono-e.mono)
	} else if resident < -futureSlack {
		return maxAge
	}
	initial := e.initialAge
	if e.Lifetime.fromArrival() {
		initial = 0
	}
	return min(initial+min(max(resident, 0), maxAge), maxAge)
}

// fromArrival reports whether the lifetime begins at the arrival of the response. This is so if the
// lifetime is not from the response, because it then overrules the headers Age and Date, too.
func (l Lifetime) fromArrival() bool {
	switch l.Source {
	case sourceMaxAge, sourceExpires, sourceHeuristic:
		return l.Obligation
	}
	return l.remembered()
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
