package cache

import (
	"net/http"
	"strconv"
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

// addStatus appends this cache's member to the Cache-Status of the caches
// before it.
func (out *outcome) addStatus(h http.Header, ttl time.Duration) {
	h["Cache-Status"] = append(h["Cache-Status"], out.cacheStatus(ttl, false))
}

// cacheStatus returns this cache's member of Cache-Status (RFC 9211 §2). ttl is the remaining
// freshness lifetime, negative when it is over.
func (out *outcome) cacheStatus(ttl time.Duration, collapsed bool) string {
	line := make([]byte, 0, 64)
	line = append(line, cacheName...)
	switch {
	case out.forward != "":
		line = append(append(line, "; fwd="...), out.forward...)
		if out.status != 0 && out.entry != nil && out.status != out.entry.Status {
			line = strconv.AppendInt(append(line, "; fwd-status="...), int64(out.status), 10)
		}
	case out.entry != nil:
		line = append(line, "; hit"...)
	}
	if out.entry != nil && (out.stored || out.forward == "") {
		line = strconv.AppendInt(append(line, "; ttl="...), wholeSeconds(ttl), 10)
	}
	if out.stored {
		line = append(line, "; stored"...)
	}
	if collapsed {
		line = append(line, "; collapsed"...)
	}
	if out.reason != "" {
		line = append(append(line, "; detail="...), out.reason...)
	}
	return string(line)
}

// plain reports whether the outcome is a fresh entry, so that Cache-Status contains nothing but the
// hit and its ttl.
func (out *outcome) plain() bool {
	return out.entry != nil && out.forward == "" && out.reason == "" && !out.stored && out.cookies == nil
}

// wholeSeconds returns seconds, rounded down, so that the ttl of an entry that is stale by part of
// a second is negative.
func wholeSeconds(d time.Duration) int64 {
	s := int64(d / time.Second)
	if d < 0 && d%time.Second != 0 {
		s--
	}
	return s
}
