package cache

import (
	"time"
)

// Reasons why a request was forwarded: the values of fwd in Cache-Status (RFC 9211 §2.2).
const (
	forwardBypass  = "bypass"    // the cache has no part in such a request
	forwardMethod  = "method"    // the cache has no part in this method
	forwardMiss    = "uri-miss"  // nothing is stored for the URL
	forwardVary    = "vary-miss" // something is stored, but for other request fields
	forwardRequest = "request"   // the caller refused the stored entry
	forwardStale   = "stale"     // the stored entry was not fresh
)

// cacheName is the name of this cache in Cache-Status.
const cacheName = "wayfind"

// wholeSeconds returns seconds, rounded down, so that the ttl of an entry that is stale by part of
// a second is negative.
func wholeSeconds(d time.Duration) int64 {
	s := int64(d / time.Second)
	if d < 0 && d%time.Second != 0 {
		s--
	}
	return s
}
