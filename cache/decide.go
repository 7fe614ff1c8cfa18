package cache

import "time"

// use is what may be done with a stored entry.
type use int

const (
	useNot   use = iota // ask the origin first
	useFresh            // answer with it
	useStale            // answer with it: the caller accepts its staleness
)

// decide says what a request may do with the entry at the given age (RFC 9111
// §4 and §5.2.1).
func (e *Entry) decide(d *demands, age time.Duration, strict bool) use {
	fresh := e.Lifetime.For > age
	switch {
	case fresh && e.Lifetime.Obligation:
		return useFresh
	case d.noCache && !e.skipsReload(d, fresh, strict):
		return useNot // §5.2.1.4
	case d.maxAge >= 0 && (age > d.maxAge || d.maxAge == 0):
		return useNot // §5.2.1.1
	case fresh && e.Lifetime.For-age >= d.minFresh:
		return useFresh // §5.2.1.3
	case !fresh && age-e.Lifetime.For <= d.maxStale && !e.mustValidate():
		return useStale // §5.2.1.2
	}
	return useNot
}

// skipsReload: a fresh immutable entry is not worth a request, unless the
// caller insists by saying max-age=0 as well (RFC 8246 §2).
func (e *Entry) skipsReload(d *demands, fresh, strict bool) bool {
	return fresh && e.control.immutable && !strict && d.maxAge != 0
}

// mustValidate reports whether the response forbids its stale use (RFC 9111
// §4.2.4).
func (e *Entry) mustValidate() bool { return e.control.mustRevalidate || e.control.noCache }

// mayStandIn reports whether the entry may answer for an origin that cannot be
// asked. The window begins at expiry (RFC 5861 §4); fallback is the window of
// responses that give none.
func (e *Entry) mayStandIn(age, fallback time.Duration) bool {
	window := fallback
	if e.control.hasStaleIfError {
		window = e.control.staleIfError
	}
	return !e.mustValidate() && window > 0 && age-e.Lifetime.For <= window
}
