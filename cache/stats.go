package cache

import "sync/atomic"

// Stats contains counts of the work of an Engine since it was made.
type Stats struct {
	// Hits is the number of requests that were answered with a fresh stored response.
	Hits uint64
	// Misses is the number of requests for which nothing was stored that could answer or be
	// validated.
	Misses uint64
	// Revalidations is the number of requests that asked the origin whether a stored response is
	// still valid. Unchanged is the number of those that got a 304.
	Revalidations, Unchanged uint64
	// Stale contains the numbers of stale responses that were used, by reason.
	Stale StaleStats
	// Joined is the number of requests that shared the running request of another caller.
	Joined uint64
	// Passed is the number of requests that have no part in caching.
	Passed uint64
	// StoreErrors is the number of calls of the store that failed. Corrupt is the number of those
	// that found damaged entries. They do not fail requests.
	StoreErrors, Corrupt uint64
	// OneTime is the number of answers that were not kept because an unknown request field has a new
	// value, and its values do not come again: see Options.Harmless.
	OneTime uint64
	// Unread is the number of look-ups that got no answer of the store, Unwritten the number of
	// answers and deletions that the store did not take, by reason. Both are the sums of the layers
	// of a [Layered].
	Unread, Unwritten LostStats
	// Resting is true if the store, or a layer of a [Layered], did not answer in time and is not
	// called for a while.
	Resting bool
}

// StaleStats contains numbers of stale responses by the reason of their use: see Facts.StaleReason.
type StaleStats struct {
	Accepted, Revalidating, Error, Held, Floor, Slow uint64
}

// counters are the current counts of Stats.
type counters struct {
	hits, misses, revalidations, unchanged, joined, passed atomic.Uint64
	accepted, revalidating, failed, held, floor, slow      atomic.Uint64
	storeErrors, corrupt, oneTime                          atomic.Uint64
}

// Stats returns the counts so far.
func (t *Engine) Stats() Stats {
	if t.unmade() {
		return Stats{}
	}
	n := &t.counters
	unread, unwritten := lostIn(t.store)
	resting := isOpen(t.store)
	if t.layers != nil {
		unread, unwritten = t.layers.losses()
		resting = isOpen(t.layers.near) || t.layers.Stats().Resting
	}
	return Stats{
		Hits: n.hits.Load(), Misses: n.misses.Load(),
		Revalidations: n.revalidations.Load(), Unchanged: n.unchanged.Load(),
		Stale: StaleStats{
			Accepted: n.accepted.Load(), Revalidating: n.revalidating.Load(),
			Error: n.failed.Load(), Held: n.held.Load(), Floor: n.floor.Load(), Slow: n.slow.Load(),
		},
		Joined: n.joined.Load(), Passed: n.passed.Load(),
		StoreErrors: n.storeErrors.Load(), Corrupt: n.corrupt.Load(), OneTime: n.oneTime.Load(), Unread: unread, Unwritten: unwritten, Resting: resting,
	}
}

// count adds one answer. A shared answer that is not stale is counted only as joined.
func (n *counters) count(out *outcome, collapsed bool) {
	switch {
	case collapsed:
		n.joined.Add(1)
		if out.from != FromStale {
			return
		}
	case out.forward == "" && out.from != FromStale:
		n.hits.Add(1)
	case out.validated:
		n.revalidations.Add(1)
		if out.from == FromValidated {
			n.unchanged.Add(1)
		}
	case out.forward != "":
		n.misses.Add(1)
	}
	n.stale(out.reason)
}

// stale adds one stale answer.
func (n *counters) stale(reason string) {
	switch reason {
	case StaleAccepted:
		n.accepted.Add(1)
	case StaleRevalidating:
		n.revalidating.Add(1)
	case StaleError:
		n.failed.Add(1)
	case StaleHeld:
		n.held.Add(1)
	case StaleFloor:
		n.floor.Add(1)
	case StaleSlow:
		n.slow.Add(1)
	}
}
