package client

import (
	"context"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/discover"
)

// Trace says how one call got its answer. Give it to WithTrace, make one call
// and read it after the call returned; do not share it between calls.
type Trace struct {
	// FromMemory: the whole Site came from this Client's memory.
	FromMemory bool
	// Joined: another call was already asking, and this one shared its work.
	Joined bool
	// Duration of the call.
	Duration time.Duration
	// Fetches are the places that were asked, in the order of arrival.
	Fetches []Fetch
}

// Fetch says where one answer came from.
type Fetch struct {
	URL     string
	Verdict wayfind.Verdict
	// From is "network", "validated" (a 304), "memory", the name of
	// Options.Store ("disk"), "stale", or empty when there was no answer.
	From string
	// Status of the final answer.
	Status int
	// Age of the answer (RFC 9111 §4.2.3).
	Age time.Duration
	// FreshUntil is until when it counts.
	FreshUntil time.Time
	// Stale says why an answer past its freshness was used.
	Stale string
	// Duration of the request, redirects and retries included.
	Duration time.Duration
	// Remote is the address that answered, when known.
	Remote string
}

type traceKey struct{}

// WithTrace returns a context that makes the next call write into t how it
// got its answer.
func WithTrace(ctx context.Context, t *Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

func traceOf(ctx context.Context) *Trace {
	t, _ := ctx.Value(traceKey{}).(*Trace)
	return t
}

// traced tells the Trace of a context of answers.
func traced(ctx context.Context) func(discover.Fact) {
	t := traceOf(ctx)
	return func(f discover.Fact) {
		if t != nil {
			t.Fetches = append(t.Fetches, Fetch(f))
		}
	}
}

func traceFlight(ctx context.Context, outcomes []*discover.Outcome, joined bool, took time.Duration) {
	t := traceOf(ctx)
	if t == nil {
		return
	}
	*t = Trace{Joined: joined, Duration: took}
	for _, o := range outcomes {
		t.Fetches = append(t.Fetches, Fetch(o.Fact))
	}
}
