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

// lateUse returns the window in which an entry may be used after its freshness. Without strict, it
// is at most maxStale. RFC 5861 allows a cache to shorten it.
func lateUse(window time.Duration, strict bool) time.Duration {
	if strict {
		return window
	}
	return min(window, maxStale)
}
