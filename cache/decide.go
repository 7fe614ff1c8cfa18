package cache

import "time"

// use is the permitted use of a stored entry.
type use int

const (
	useNot          use = iota // ask the origin first
	useFresh                   // answer with it
	useStale                   // answer with it, because the caller accepts its staleness
	useRevalidating            // answer with it, and ask the origin meanwhile
)

// decide returns the use that a request may make of the entry at the given age (RFC 9111 §4 and
// §5.2.1).
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

// revalidatesLate reports whether the response allows its use for a while after its freshness,
// while the origin is asked (RFC 5861 §3).
func (e *Entry) revalidatesLate(age time.Duration, strict bool) bool {
	window := lateUse(e.control.whileRevalidate, strict)
	return window > 0 && age-e.Lifetime.For <= window
}

// skipsReload reports whether the entry answers a request with no-cache because it is fresh and
// immutable (RFC 8246 §2). A caller can force a request by max-age=0.
func (e *Entry) skipsReload(fresh, strict bool) bool {
	return fresh && e.control.immutable && !strict
}

// mustValidate reports whether the response forbids its stale use (RFC 9111
// §4.2.4).
func (e *Entry) mustValidate() bool { return e.control.mustRevalidate || e.control.noCache }

// mayStandIn reports whether the entry may answer for an origin that cannot be asked. The window
// begins at expiry (RFC 5861 §4). The window of the request has precedence over the window of the
// response. fallback is used if neither gives one. A request with no-cache accepts no stored answer
// (RFC 9111 §5.2.1.4).
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

// lateUse returns the window in which an entry may be used after its freshness. Without strict, it
// is at most maxStale. RFC 5861 allows a cache to shorten it.
func lateUse(window time.Duration, strict bool) time.Duration {
	if strict {
		return window
	}
	return min(window, maxStale)
}
