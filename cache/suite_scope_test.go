package cache_test

import (
	"net/http"
	"slices"
	"strings"
)

// suiteCounted is the scope of the tests that bind a private cache in a
// client. All others run too, and their results are held, but they do not
// count.
const suiteCounted = "counted"

// suiteScope says which tests count, and why the others do not.
func suiteScope(test *suiteTest) (scope, reason string) {
	switch name := strings.ToLower(test.Name); {
	case test.Suite == "surrogate-control":
		return "cdn", "Surrogate-Control is for CDNs"
	case test.BrowserSkip && strings.Contains(name, "shared"),
		test.ID == "stale-close-proxy-revalidate", test.ID == "stale-close-s-maxage=2":
		return "shared", "binds shared caches only"
	case slices.ContainsFunc(test.Requests, func(s *suiteStep) bool { return s.FetchCache != "" }):
		return "browser", "sets the cache mode of fetch(), which is no HTTP"
	}
	if reason := superseded()[test.ID]; reason != "" {
		return "superseded", reason
	}
	if reason := notOffered(test); reason != "" {
		return "not-offered", reason
	}
	if reason := decided()[test.ID]; reason != "" {
		return "decided", reason
	}
	return suiteCounted, ""
}

// sharedSuiteScope is suiteScope for a shared cache.
func sharedSuiteScope(test *suiteTest) (scope, reason string) {
	switch test.ID {
	case "freshness-max-age-s-maxage-private", "freshness-max-age-s-maxage-private-multiple", "cc-resp-private-private":
		return "private", "binds private caches only"
	}
	if scope, reason = suiteScope(test); scope == "shared" {
		return suiteCounted, ""
	}
	return scope, reason
}

// oneUserSuiteScope is suiteScope for the cache of one user, which keeps no
// Cookies apart.
func oneUserSuiteScope(test *suiteTest) (scope, reason string) {
	if test.ID == "other-cookie" {
		return suiteCounted, ""
	}
	return suiteScope(test)
}

// superseded are tests of version 0.4.5 that say the opposite of RFC 9111,
// which came later. The suite itself has turned them around since, or made
// them questions.
func superseded() map[string]string {
	age := "RFC 9111 §5.1: the first member of Age counts, an invalid one is ignored"
	list := map[string]string{
		"304-etag-update-response-Content-MD5": "RFC 9111 §3.2: Content-MD5 is not among the fields that stay",
		"304-etag-update-response-ETag":        "RFC 9111 §4.3.4: a 304 with another strong validator selects nothing; we ask again",
		"freshness-expires-32bit":              "the date has no comma, which makes it invalid (RFC 9110 §5.6.7)",
		"freshness-expires-far-future":         "the date has no comma, which makes it invalid (RFC 9110 §5.6.7)",
	}
	for _, id := range []string{
		"nonnumeric", "negative", "float", "prefix-twoline", "dup-0", "dup-0-twoline", "dup-old", "parameter", "numeric-parameter",
	} {
		list["age-parse-"+id] = age
	}
	return list
}

// notOffered says what of a test this cache takes no part in: it keeps
// complete answers to GET (RFC 9111 §3 and §2 leave a cache that choice).
func notOffered(test *suiteTest) string {
	if test.ID == "conditional-lm-stale" {
		return "without a fresh answer the origin judges the condition, as it does without a cache"
	}
	for i, step := range test.Requests {
		for _, f := range step.Headers {
			if http.CanonicalHeaderKey(f.Name) == "Range" {
				return "ranges pass through uncached"
			}
		}
		if step.Method == http.MethodHead {
			return "HEAD updates nothing"
		}
		if i == 0 && step.Method == http.MethodPost {
			return "answers to POST are not kept"
		}
		if i == 0 && step.Status != nil && step.Status.Code == http.StatusPartialContent {
			return "206 is never stored"
		}
	}
	return ""
}

// decided are tests that fail for the sake of something that we promise.
func decided() map[string]string {
	cookie := "Set-Cookie is handed on once and never kept: it is meant for one caller"
	return map[string]string{
		"headers-store-Set-Cookie":             cookie,
		"headers-store-Set-Cookie2":            cookie,
		"304-etag-update-response-Set-Cookie":  cookie,
		"304-etag-update-response-Set-Cookie2": cookie,
		"other-cookie":                         "requests with credentials have a partition of their own",
	}
}

// suboptimal are the tests for an optimal cache that we do not pass, and why.
func suboptimal() map[string]string {
	return map[string]string{
		"conditional-lm-fresh-no-lm": "RFC 9111 §4.3.2: without Last-Modified the Date counts, and it is later than the condition's",
		"vary-normalise-lang-order":  "languages in another order are another request: a preference may be meant (RFC 9111 §4.1)",
		"vary-normalise-lang-select": "the content's language is not chosen by us: only the origin knows what it has (RFC 9111 §4.1)",
	}
}

// sharedSuboptimal adds what a shared cache does not do for the sake of
// something that we promise.
func sharedSuboptimal() map[string]string {
	list := suboptimal()
	list["other-set-cookie"] = "what sets a cookie may be meant for one user (RFC 9111 §7.3 leaves it to us)"
	return list
}
