package client

import (
	"context"
	"slices"
	"sync"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/fetch"
	"github.com/wayfindhq/wayfind/resolve"
)

// flightKey names what concurrent callers share. What belongs to one caller
// (approvals, traces, spelling) is not in it and never enters a flight.
type flightKey struct {
	target  resolve.Target
	refresh bool
}

// retryBudget is the number of retries in one Resolve, over all its requests.
const retryBudget = 6

// fly returns the work of a flight: ask wave by wave, merge, remember. ctx of
// the work ends when the last caller left: then nothing new is written, but a
// request that was written may finish, so that its answer is kept.
func (c *Client) fly(key flightKey) func(context.Context, func(*outcome)) (*resolved, error) {
	return func(callers context.Context, emit func(*outcome)) (*resolved, error) {
		work, cancel := context.WithTimeout(c.base, c.opts.Timeout)
		defer cancel()
		work = fetch.WithLeave(work, callers.Done())
		work = fetch.WithBudget(work, fetch.NewBudget(retryBudget))
		r := &run{client: c, key: key, emit: emit, plan: resolve.Plan(key.target, c.opts.Formats)}
		r.waves(work)
		result := r.result()
		if callers.Err() == nil && work.Err() == nil {
			c.sites.store(key.target.Key(), result)
		}
		return result, nil
	}
}

// run is one Resolve at work.
type run struct {
	client *Client
	key    flightKey
	plan   []resolve.Candidate
	emit   func(*outcome)

	mu   sync.Mutex
	done []*outcome
}

// waves asks the primaries at once, then what their answers permit: fallbacks,
// links, the canary.
func (r *run) waves(ctx context.Context) {
	pending := slices.Clone(r.plan)
	for canaried := false; ; {
		ready, later := r.split(pending)
		if !canaried && len(r.done) > 0 && r.doubtful() {
			canaried = true
			ready = append(ready, r.canary())
		}
		if len(ready) == 0 {
			break
		}
		before := len(r.done)
		r.wave(ctx, ready)
		pending = append(later, r.follow(r.done[before:])...)
	}
	r.judgeSoft404()
}

// split separates the candidates that may be asked now from those that wait
// for another answer. Those that can no longer become ready are dropped: a
// fallback is not asked when its primary was there.
func (r *run) split(pending []resolve.Candidate) (ready, later []resolve.Candidate) {
	for _, candidate := range pending {
		if len(candidate.After) == 0 || slices.ContainsFunc(candidate.After, r.absent) {
			ready = append(ready, candidate)
		} else if slices.ContainsFunc(candidate.After, func(u string) bool { return r.outcome(u) == nil }) {
			later = append(later, candidate)
		}
	}
	if len(ready) == 0 {
		return nil, nil
	}
	return ready, later
}

func (r *run) outcome(u string) *outcome {
	for _, o := range r.done {
		if o.Candidate.URL == u {
			return o
		}
	}
	return nil
}

// absent reports a plain "no" at a URL: it is what permits a fallback.
func (r *run) absent(u string) bool {
	o := r.outcome(u)
	return o != nil && o.Probe.Verdict == wayfind.VerdictAbsent
}

// wave asks candidates at once and waits for all answers.
func (r *run) wave(ctx context.Context, candidates []resolve.Candidate) {
	var wg sync.WaitGroup
	left := r.client.opts.Budget - len(r.done)
	for i, candidate := range candidates {
		if i >= left {
			r.take(skipped(candidate, "budget"))
			continue
		}
		wg.Go(func() { r.take(r.client.ask(ctx, candidate, r.key.refresh)) })
	}
	wg.Wait()
}

// take records an outcome. Only what cannot change any more is told to those
// who watch: a doubtful page waits for the canary.
func (r *run) take(o *outcome) {
	r.mu.Lock()
	r.done = append(r.done, o)
	r.mu.Unlock()
	if !o.doubtful() {
		r.emit(o)
	}
}

// follow makes candidates of the links in new documents.
func (r *run) follow(outcomes []*outcome) []resolve.Candidate {
	var more []resolve.Candidate
	for _, o := range outcomes {
		if o.Candidate.Depth >= r.client.opts.Follow {
			continue
		}
		for _, reading := range o.Readings {
			for _, candidate := range resolve.Follow(o.Candidate.URL, o.Candidate.Depth+1, reading.Links, r.client.opts.Formats) {
				if r.mayFollow(o, candidate) && !slices.ContainsFunc(more, sameURL(candidate)) {
					more = append(more, candidate)
				}
			}
		}
	}
	return more
}

// mayFollow: discovery follows links within the site only, and each once.
func (r *run) mayFollow(o *outcome, candidate resolve.Candidate) bool {
	if r.outcome(candidate.URL) != nil || slices.ContainsFunc(r.plan, sameURL(candidate)) {
		return false
	}
	at := placeOf(o)
	trust := at.trust(candidate.URL)
	return trust == wayfind.TrustSameOrigin || trust == wayfind.TrustSameSite
}

func sameURL(a resolve.Candidate) func(resolve.Candidate) bool {
	return func(b resolve.Candidate) bool { return a.URL == b.URL }
}

// result merges what was found.
func (r *run) result() *resolved {
	now := r.client.opts.Clock.Now()
	site := resolve.Merge(r.key.target, nil, r.plan, inner(r.done), now)
	if slices.ContainsFunc(r.done, func(o *outcome) bool { return o.Probe.Reason == "deadline" }) {
		site.FreshUntil = now
	}
	return &resolved{site: site, err: resolve.Failure(site, inner(r.done)), outcomes: r.done}
}
