package verdict

import (
	"fmt"
	"time"

	"github.com/wayfindhq/wayfind"
)

// How long answers are remembered.
const (
	// MinNegative and MaxNegative bound how long a "no" counts.
	MinNegative = 10 * time.Minute
	MaxNegative = 24 * time.Hour
	// KeepUnknown is how long a refusal of the site counts, and a redirect that
	// policy refuses.
	KeepUnknown = 10 * time.Minute
	// KeepAside is how long the things beside documents count at a place that is
	// asked for that alone, and RefreshAside how old it must be for Refresh to ask
	// again: a start page changes with every visit, its links do not.
	KeepAside    = 24 * time.Hour
	RefreshAside = time.Hour
	// KeepEndpoint is for places that want another method.
	KeepEndpoint = time.Hour
	// ThrottleFirst doubles with each 429 without Retry-After, up to
	// ThrottleMax, which also caps Retry-After.
	ThrottleFirst = 60 * time.Second
	ThrottleMax   = 24 * time.Hour
	// FailureFirst doubles with each failure to reach, up to FailureMax.
	FailureFirst = 30 * time.Second
	FailureMax   = 10 * time.Minute
	// KeepNXDomain is for names that do not exist.
	KeepNXDomain = 5 * time.Minute
)

// Freshness is a freshness lifetime and whether the response gave it.
type Freshness struct {
	For      time.Duration
	Explicit bool
}

// Keep returns how long an answer counts. response is the lifetime of the
// response by RFC 9111, format the default of the format and negative its
// lifetime for absence (both 0 without one).
func Keep(v wayfind.Verdict, response Freshness, format, negative time.Duration) time.Duration {
	return rowOf(v).kept.keep(response, format, negative)
}

// kept is how long a verdict counts, in words and for programs.
type kept struct {
	text string
	keep func(response Freshness, format, negative time.Duration) time.Duration
}

// asHTTP is the lifetime by HTTP, else the format's.
func asHTTP() kept {
	return kept{"as HTTP says, else the format's default", func(response Freshness, format, _ time.Duration) time.Duration {
		if !response.Explicit && format > 0 {
			return format
		}
		return response.For
	}}
}

// asResponse is the response's lifetime, within bounds.
func asResponse() kept {
	text := fmt.Sprintf("as the response says, between %s and %s", inWords(MinNegative), inWords(MaxNegative))
	return kept{text, func(response Freshness, _, _ time.Duration) time.Duration { return bounded(response.For) }}
}

// absence is the format's lifetime, else the response's within bounds.
func absence() kept {
	text := fmt.Sprintf("as the response says, at least %s and at most %s; %s where it does not say; longer where the format says so",
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

// always is the same time for every response.
func always(d time.Duration, more string) kept {
	return kept{inWords(d) + more, func(Freshness, time.Duration, time.Duration) time.Duration { return d }}
}

// The gate counts throttling and failing: no answer is kept for them.
func throttling() kept {
	return gates(fmt.Sprintf("until Retry-After; without one %s, doubling; at most %s", inWords(ThrottleFirst), inWords(ThrottleMax)))
}

func failing() kept {
	return gates(fmt.Sprintf("%s, doubling to %s; %s for a name that does not exist", inWords(FailureFirst), inWords(FailureMax), inWords(KeepNXDomain)))
}

func never() kept { return gates("not remembered") }

func gates(text string) kept {
	return kept{text, func(Freshness, time.Duration, time.Duration) time.Duration { return 0 }}
}

// inWords is a duration as a person writes it.
func inWords(d time.Duration) string {
	switch {
	case d == time.Hour:
		return "1 hour"
	case d%time.Hour == 0:
		return fmt.Sprintf("%d hours", d/time.Hour)
	case d >= 2*time.Minute && d%time.Minute == 0:
		return fmt.Sprintf("%d minutes", d/time.Minute)
	}
	return fmt.Sprintf("%d seconds", d/time.Second)
}
