package cache

import (
	"net/http"
	"strings"
	"time"

	"github.com/wayfindhq/wayfind/internal/syntax/quotedstring"
)

// control contains the Cache-Control directives of a response (RFC 9111 §5.2.2).
type control struct {
	noStore, noCache, mustRevalidate bool
	public, private, immutable       bool
	mustUnderstand                   bool
	hasMaxAge, hasStaleIfError       bool
	hasWhileRevalidate               bool
	forEveryone                      bool // a shared cache may answer others with an answer to credentials (§3.5)
	proxyRevalidate, hasSharedMaxAge bool // for shared caches only: see forShared
	sharedMaxAge                     time.Duration
	maxAge, staleIfError             time.Duration // zero also when invalid
	whileRevalidate                  time.Duration
}

// demands contains the Cache-Control directives of a request (RFC 9111 §5.2.1).
type demands struct {
	noCache, noStore, onlyIfCached bool
	maxAge, minFresh, maxStale     time.Duration // negative if absent
	staleIfError                   time.Duration // negative if absent
	foreground                     bool          // Ask.Foreground
	refresh                        bool          // of a caller with Rules: no-cache is a reload
}

// directive is one member of the list. Its name is in lower case, its argument is without quotes.
type directive struct {
	name, arg string
	hasArg    bool
}

// maxDelta is the largest value of delta-seconds (RFC 9111 §1.2.2). Larger values are cut.
const maxDelta = 1 << 31

// parseResponse reads all Cache-Control lines of a response.
func parseResponse(lines []string) control {
	var c control
	for d := range members(lines) {
		c.apply(d)
	}
	c.forEveryone = (c.public || c.mustRevalidate || c.hasSharedMaxAge) && !c.private
	return c
}

// apply adds one directive. If a directive occurs twice, the most restrictive meaning is used: two
// different max-age make the response stale (RFC 9111 §4.2.1).
func (c *control) apply(d directive) {
	switch d.name {
	case "no-store":
		c.noStore = true
	case "no-cache": // field names are ignored (§5.2.2.4)
		c.noCache = true
	case "must-revalidate":
		c.mustRevalidate = true
	case "must-understand":
		c.mustUnderstand = true
	case "public":
		c.public = true
	case "private":
		c.private = true
	case "immutable": // RFC 8246
		c.immutable = true
	case "max-age":
		c.maxAge = d.merge(c.hasMaxAge, c.maxAge)
		c.hasMaxAge = true
	case "s-maxage":
		c.sharedMaxAge = d.merge(c.hasSharedMaxAge, c.sharedMaxAge)
		c.hasSharedMaxAge = true
	case "proxy-revalidate":
		c.proxyRevalidate = true
	case "stale-if-error": // RFC 5861 §4
		c.staleIfError = d.merge(c.hasStaleIfError, c.staleIfError)
		c.hasStaleIfError = true
	case "stale-while-revalidate": // RFC 5861 §3
		c.whileRevalidate = d.merge(c.hasWhileRevalidate, c.whileRevalidate)
		c.hasWhileRevalidate = true
	}
}

// forShared returns the directives as a shared cache reads them. s-maxage has precedence over
// max-age and Expires, and forbids stale use, as proxy-revalidate does (RFC 9111 §5.2.2.8,
// §5.2.2.10).
func (c control) forShared() control {
	if c.hasSharedMaxAge {
		c.hasMaxAge, c.maxAge = true, c.sharedMaxAge
	}
	c.mustRevalidate = c.mustRevalidate || c.proxyRevalidate || c.hasSharedMaxAge
	return c
}

// forbidsStoring reports whether no-store forbids storing. must-understand overrides no-store if
// the status is understood (RFC 9111 §5.2.2.3).
func (c *control) forbidsStoring(status int) bool {
	if c.mustUnderstand {
		return !understood(status)
	}
	return c.noStore
}

// merge returns the seconds of d. It returns zero if d is invalid, or if it differs from an earlier
// value.
func (d directive) merge(seen bool, before time.Duration) time.Duration {
	value, ok := d.seconds()
	if !ok || seen && value != before {
		return 0
	}
	return value
}

// parseRequest reads the Cache-Control lines of a request. It uses Pragma only if there are none
// (RFC 9111 §5.4).
func parseRequest(cacheControl, pragma []string) demands {
	r := demands{maxAge: -1, minFresh: -1, maxStale: -1, staleIfError: -1}
	if len(cacheControl) == 0 {
		for d := range members(pragma) {
			r.noCache = r.noCache || d.name == "no-cache"
		}
		return r
	}
	for d := range members(cacheControl) {
		r.apply(d)
	}
	return r
}

func (r *demands) apply(d directive) {
	switch d.name {
	case "no-cache":
		r.noCache = true
	case "no-store":
		r.noStore = true
	case "only-if-cached":
		r.onlyIfCached = true
	case "max-age": // the shortest is used, and an invalid value is zero
		value, _ := d.seconds()
		if r.maxAge < 0 || value < r.maxAge {
			r.maxAge = value
		}
	case "min-fresh":
		if value, ok := d.seconds(); ok {
			r.minFresh = max(r.minFresh, value)
		}
	case "max-stale": // without an argument, any staleness is accepted
		value, ok := d.seconds()
		if !d.hasArg {
			value, ok = maxDelta*time.Second, true
		}
		if ok && (r.maxStale < 0 || value < r.maxStale) {
			r.maxStale = value
		}
	case "stale-if-error": // RFC 5861 §4, for this request only
		value, _ := d.seconds()
		if r.staleIfError < 0 || value < r.staleIfError {
			r.staleIfError = value
		}
	}
}

// seconds reads the argument as delta-seconds (RFC 9111 §1.2.2), at most maxDelta. Both forms of
// the argument are accepted (§5.2).
func (d directive) seconds() (time.Duration, bool) {
	return deltaSeconds(d.arg)
}

func deltaSeconds(s string) (time.Duration, bool) {
	if s == "" {
		return 0, false
	}
	n := int64(0)
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = min(n*10+int64(s[i]-'0'), maxDelta)
	}
	return time.Duration(n) * time.Second, true
}

// members yields the directives of all lines. An argument may be a token or a
// quoted string, in which commas do not separate.
func members(lines []string) func(yield func(directive) bool) {
	return func(yield func(directive) bool) {
		for _, line := range lines {
			for line != "" {
				var d directive
				d, line = nextMember(line)
				if d.name != "" && !yield(d) {
					return
				}
			}
		}
	}
}

// nextMember returns the first member of a line, and the rest of the line.
func nextMember(line string) (d directive, rest string) {
	end := strings.IndexAny(line, ",=")
	if end < 0 {
		return directive{name: directiveName(line)}, ""
	}
	d.name = directiveName(line[:end])
	if line[end] == ',' {
		return d, line[end+1:]
	}
	d.hasArg = true
	d.arg, rest = argument(line[end+1:])
	if end > 0 && (line[end-1] == ' ' || line[end-1] == '\t') {
		d.arg = noArgument // blanks are not allowed there (§5.2)
	}
	return d, rest
}

// noArgument replaces an invalid argument. No directive accepts it.
const noArgument = `"`

// argument returns a token or quoted-string up to the next comma, and the rest after the comma.
func argument(s string) (arg, rest string) {
	if strings.HasPrefix(s, `"`) {
		if arg, after, ok := quotedstring.Cut(s[1:]); ok {
			tail, after, _ := strings.Cut(after, ",")
			if strings.Trim(tail, " \t") != "" {
				return noArgument, after // there is text after the closing quote
			}
			return arg, after
		}
		// Without a closing quote, commas separate members, so that a no-store after it is not
		// lost.
	}
	arg, rest, _ = strings.Cut(s, ",")
	return strings.TrimRight(arg, " \t"), rest
}

func directiveName(s string) string { return strings.ToLower(strings.Trim(s, " \t")) }

// setsCookie reports whether a response sets a cookie, so that it is meant for one user.
func setsCookie(h http.Header) bool { return h["Set-Cookie"] != nil || h["Set-Cookie2"] != nil }
