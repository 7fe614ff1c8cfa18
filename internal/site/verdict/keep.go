package verdict

import (
	"fmt"
	"net/http"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/cache"
)

// These constants limit how long answers are remembered.
const (
	// MinNegative and MaxNegative limit how long a "no" is remembered.
	MinNegative = 10 * time.Minute
	MaxNegative = 24 * time.Hour
	// KeepUnknown is how long a refusal by the site, and a redirect that policy refuses, are
	// remembered.
	KeepUnknown = 10 * time.Minute
	// KeepAside is how long a place is remembered that is requested only for links and fields
	// outside documents. Refresh requests it again if it is older than RefreshAside. A start
	// page changes with each visit, but its links do not.
	KeepAside    = 24 * time.Hour
	RefreshAside = time.Hour
	// KeepEndpoint is how long a place that requires another method is remembered.
	KeepEndpoint = time.Hour
	// ThrottleFirst is the first pause after a 429 without Retry-After. It doubles with each
	// further 429, up to ThrottleMax. A Retry-After is kept as sent, up to cache.MaxHold.
	ThrottleFirst = 60 * time.Second
	ThrottleMax   = 24 * time.Hour
	// FailureFirst is the first pause after a failure to reach the site. It doubles with each
	// further failure, up to FailureMax.
	FailureFirst = 30 * time.Second
	FailureMax   = 10 * time.Minute
	// KeepNXDomain is how long a name that does not exist is remembered.
	KeepNXDomain = 5 * time.Minute
)

// Freshness is a freshness lifetime and whether the response gave it.
type Freshness struct {
	For      time.Duration
	Explicit bool
}

// Keep returns how long an answer is remembered. response is the lifetime of the response by
// RFC 9111, format is the default of the format, and negative is its lifetime for absence. The
// latter two are 0 without a format.
func Keep(v wayfind.Verdict, response Freshness, format, negative time.Duration) time.Duration {
	return rowOf(v).kept.keep(response, format, negative)
}

// KeepRedirect returns how long a redirect of a place to another host of the same site is remembered,
// path kept. It is a fact about the name. A permanent one (301, 308) is remembered as an absence is.
func KeepRedirect(status int, response Freshness) time.Duration {
	switch {
	case status != http.StatusMovedPermanently && status != http.StatusPermanentRedirect:
		return MinNegative
	case response.Explicit:
		return bounded(response.For)
	}
	return MaxNegative
}

// kept is how long a verdict is remembered, as a text and for programs.
type kept struct {
	text string
	keep func(response Freshness, format, negative time.Duration) time.Duration
}

// asHTTP returns the lifetime by HTTP, or else the lifetime of the format.
func asHTTP() kept {
	return kept{"by HTTP, or else the format's default", func(response Freshness, format, _ time.Duration) time.Duration {
		if !response.Explicit && format > 0 {
			return format
		}
		return response.For
	}}
}

// asResponse returns the lifetime of the response, within limits.
func asResponse() kept {
	text := fmt.Sprintf("by the response, between %s and %s", inWords(MinNegative), inWords(MaxNegative))
	return kept{text, func(response Freshness, _, _ time.Duration) time.Duration { return bounded(response.For) }}
}

// absence returns the lifetime of the format, or else the lifetime of the response within
// limits.
func absence() kept {
	text := fmt.Sprintf("by the response, at least %s and at most %s; %s if it has no lifetime; longer if the format requires it",
		inWords(MinNegative), inWords(MaxNegative), inWords(MaxNegative))
	return kept{text, func(response Freshness, _, negative time.Duration) time.Duration {
		switch {
		case negative > 0:
			return negative
		case response.Explicit:
			return bounded(response.For)
		}
		return MaxNegative
	}}
}

func bounded(d time.Duration) time.Duration { return min(max(d, MinNegative), MaxNegative) }

// always returns the same time for all responses.
func always(d time.Duration, more string) kept {
	return kept{inWords(d) + more, func(Freshness, time.Duration, time.Duration) time.Duration { return d }}
}

// The gate stores the time for throttled and failed requests, because no answer is kept for
// them.
func throttling() kept {
	return gates(fmt.Sprintf("until Retry-After, at most %s; without it %s, doubling to %s", inWords(cache.MaxHold), inWords(ThrottleFirst), inWords(ThrottleMax)))
}

func failing() kept {
	return gates(fmt.Sprintf("%s, doubling to %s; %s for a name that does not exist", inWords(FailureFirst), inWords(FailureMax), inWords(KeepNXDomain)))
}

func never() kept { return gates("not remembered") }

func gates(text string) kept {
	return kept{text, func(Freshness, time.Duration, time.Duration) time.Duration { return 0 }}
}

// day is the longest unit of a duration in words.
const day = 24 * time.Hour

// inWords returns a duration as people write it.
func inWords(d time.Duration) string {
	switch {
	case d == time.Hour:
		return "1 hour"
	case d >= 2*day && d%day == 0:
		return fmt.Sprintf("%d days", d/day)
	case d%time.Hour == 0:
		return fmt.Sprintf("%d hours", d/time.Hour)
	case d >= 2*time.Minute && d%time.Minute == 0:
		return fmt.Sprintf("%d minutes", d/time.Minute)
	}
	return fmt.Sprintf("%d seconds", d/time.Second)
}
