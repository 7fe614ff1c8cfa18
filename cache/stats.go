package cache

import "sync/atomic"

// Stats count the work of an Engine since it was made.
type Stats struct {
	// Hits were answered with a fresh stored response.
	Hits uint64
	// Misses had nothing stored that could answer or be validated.
	Misses uint64
	// Revalidations asked the origin whether a stored response still counts;
	// Unchanged of them got a 304.
	Revalidations, Unchanged uint64
	// Stale responses that were used, by reason.
	Stale StaleStats
	// Joined requests shared the running request of another caller.
	Joined uint64
	// Passed requests have no part in caching.
	Passed uint64
	// StoreErrors are Loads, Saves and Deletes that failed; Corrupt of them
	// found something damaged. None failed a request.
	StoreErrors, Corrupt uint64
}

// StaleStats count stale responses by why they were used; the reasons are
// those of Facts.StaleReason.
type StaleStats struct {
	Accepted, Revalidating, Error, Held, Floor uint64
}

// counters are Stats while they grow.
type counters struct {
	hits, misses, revalidations, unchanged, joined, passed atomic.Uint64
	accepted, revalidating, failed, held, floor            atomic.Uint64
	storeErrors, corrupt                                   atomic.Uint64
}

// Stats returns the counts so far.
func (t *Engine) Stats() Stats {
	n := &t.counters
	return Stats{
		Hits: n.hits.Load(), Misses: n.misses.Load(),
		Revalidations: n.revalidations.Load(), Unchanged: n.unchanged.Load(),
		Stale: StaleStats{
			Accepted: n.accepted.Load(), Revalidating: n.revalidating.Load(),
			Error: n.failed.Load(), Held: n.held.Load(), Floor: n.floor.Load(),
		},
		Joined: n.joined.Load(), Passed: n.passed.Load(),
		StoreErrors: n.storeErrors.Load(), Corrupt: n.corrupt.Load(),
	}
}

// count adds one answer. A shared answer counts as joined only.
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
	}
}
