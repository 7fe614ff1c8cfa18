package client

import (
	"context"
	"net/netip"
	"time"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/site/discover"
)

// Trace contains the origin of the answer of one call. Pass it to WithTrace, make one call, and
// read it after the call returned. Do not share it between calls.
type Trace struct {
	// FromMemory is true if the whole Site came from this Client's memory.
	FromMemory bool
	// Joined is true if the call shared the work of another call.
	Joined bool
	// Duration is the duration of the call.
	Duration time.Duration
	// Fetches are the places that were asked, in the order of arrival.
	Fetches []Fetch
}

// Fetch describes the origin of one answer.
type Fetch struct {
	URL     string
	Verdict wayfind.Verdict
	// From is "network", "validated" (a 304), "memory", the name of Options.Store ("disk"),
	// "stale", or empty if there was no answer.
	From string
	// Status is the HTTP status of the final answer.
	Status int
	// Age is the age of the answer (RFC 9111 §4.2.3).
	Age time.Duration
	// FreshUntil is the time until which the answer is fresh.
	FreshUntil time.Time
	// Stale is the reason why an answer past its freshness was used; else empty.
	Stale string
	// Duration is the duration of the request, including redirects and retries.
	Duration time.Duration
	// Repeats is the number of times that the request was sent again, after an answer or a failure that
	// may be temporary.
	Repeats int
	// Remote is the address that answered; empty if it is not known.
	Remote string
}

type traceKey struct{}

// WithTrace returns a context that makes the next call write the origin of its answer into t.
func WithTrace(ctx context.Context, t *Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

func traceOf(ctx context.Context) *Trace {
	t, _ := ctx.Value(traceKey{}).(*Trace)
	return t
}

// traced returns a function that adds answers to the Trace of a context.
func traced(ctx context.Context) func(discover.Fact) {
	t := traceOf(ctx)
	return func(f discover.Fact) {
		if t != nil {
			t.Fetches = append(t.Fetches, fetchOf(&f, remoteText(f.Remote)))
		}
	}
}

func fetchOf(f *discover.Fact, remote string) Fetch {
	return Fetch{URL: f.URL, Verdict: f.Verdict, From: f.From, Status: f.Status, Age: f.Age, FreshUntil: f.FreshUntil,
		Stale: f.Stale, Duration: f.Duration, Repeats: f.Repeats, Remote: remote}
}

func remoteText(remote netip.AddrPort) string {
	if !remote.IsValid() {
		return ""
	}
	return remote.String()
}

func traceFlight(ctx context.Context, outcomes []*discover.Outcome, joined bool, took time.Duration) {
	t := traceOf(ctx)
	if t == nil {
		return
	}
	*t = Trace{Joined: joined, Duration: took, Fetches: make([]Fetch, 0, len(outcomes))}
	var of netip.AddrPort
	var remote string // of it: the places of a site share one text
	for _, o := range outcomes {
		if o.Fact.Remote != of {
			of, remote = o.Fact.Remote, remoteText(o.Fact.Remote)
		}
		t.Fetches = append(t.Fetches, fetchOf(&o.Fact, remote))
	}
}
