package cache

import "time"

// use is the permitted use of a stored entry.
type use int

const (
	useNot          use = iota // ask the origin first
	useFresh                   // answer with it
	useStale                   // answer with it: the caller accepts its staleness
	useRevalidating            // answer with it, and ask the origin meanwhile
)

// decide says what a request may do with the entry at the given age (RFC 9111
// §4 and §5.2.1).
func (e *Entry) decide(d *demands, age time.Duration, strict bool) use {
	fresh := e.Lifetime.For > age
	switch {
	case fresh && e.Lifetime.Obligation:
		return useFresh
	case d.noCache && !e.skipsReload(fresh, strict):
		return useNot // §5.2.1.4
	case d.maxAge >= 0 && (age > d.maxAge || d.maxAge == 0):
		return useNot // §5.2.1.1
	case fresh && e.Lifetime.For-age >= d.minFresh:
		return useFresh // §5.2.1.3
	case fresh || e.mustValidate():
		return useNot
	case d.minFresh > 0:
		return useNot // a stale entry is not fresh for longer
	case d.maxStale >= 0:
		if age-e.Lifetime.For <= d.maxStale {
			return useStale // §5.2.1.2
		}
	case d.maxAge < 0 && !d.noStore && !d.foreground && e.revalidatesLate(age, strict):
		return useRevalidating
	}
	return useNot
}

// revalidatesLate reports whether the response lets itself be used for a while
// after its freshness, as long as it is asked for meanwhile (RFC 5861 §3).
func (e *Entry) revalidatesLate(age time.Duration, strict bool) bool {
	window := lateUse(e.control.whileRevalidate, strict)
	return window > 0 && age-e.Lifetime.For <= window
}

// skipsReload: a fresh immutable entry is not worth a request (RFC 8246 §2). A
// caller insists by saying max-age=0 as well.
func (e *Entry) skipsReload(fresh, strict bool) bool {
	return fresh && e.control.immutable && !strict
}

// mustValidate reports whether the response forbids its stale use (RFC 9111
// §4.2.4).
func (e *Entry) mustValidate() bool { return e.control.mustRevalidate || e.control.noCache }

// mayStandIn reports whether the entry may answer for an origin that cannot be
// asked. The window begins at expiry (RFC 5861 §4); that of the request goes
// before that of the response, and fallback is for when neither gives one. A
// request with no-cache accepts no stored answer (RFC 9111 §5.2.1.4).
func (e *Entry) mayStandIn(d *demands, age, fallback time.Duration, strict bool) bool {
	window := lateUse(fallback, strict)
	switch {
	case d.staleIfError >= 0:
		window = d.staleIfError
	case e.control.hasStaleIfError:
		window = lateUse(e.control.staleIfError, strict)
	}
	return !e.mustValidate() && !d.noCache && window > 0 && age-e.Lifetime.For <= window
}

// lateUse is the window in which an entry may be used after its freshness: the
// origin's word, or ours, counts for maxStale only. RFC 5861 lets a cache shorten
// it.
func lateUse(window time.Duration, strict bool) time.Duration {
	if strict {
		return window
	}
	return min(window, maxStale)
}
