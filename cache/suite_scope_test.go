package cache_test

import (
	"net/http"
	"slices"
	"strings"
)

// suiteCounted is the scope of the tests that bind a private cache in a client. All others run too,
// and their results are compared, but they are not part of the figures.
const suiteCounted = "counted"

// suiteScope returns the scope of a test, with the reason if it is not part of the figures. The
// table of docs/CACHING.md has the reasons.
func suiteScope(test *suiteTest) (scope, reason string) {
	switch name := strings.ToLower(test.Name); {
	case test.Suite == "surrogate-control":
		return "cdn", "`Surrogate-Control` binds CDNs"
	case test.BrowserSkip && strings.Contains(name, "shared"),
		test.ID == "stale-close-proxy-revalidate", test.ID == "stale-close-s-maxage=2":
		return "shared", "they bind shared caches only"
	case slices.ContainsFunc(test.Requests, func(s *suiteStep) bool { return s.FetchCache != "" }):
		return "browser", "they set the cache mode of `fetch()`, which is not HTTP"
	}
	if reason := contrary()[test.ID]; reason != "" {
		return "contrary", reason
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
		return "private", "they bind private caches only"
	case "other-set-cookie":
		return "decided", "a shared cache does not keep an answer with `Set-Cookie`: it may be meant for one user (RFC 9111 §7.3)"
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

// contrary are tests that want the opposite of RFC 9111. Most are older than it, and
// the suite has turned them around since, or made them questions. Issue 204 of the
// suite reports the one about Date.
func contrary() map[string]string {
	age, date := "RFC 9111 §5.1: the first member of `Age` counts, and an invalid one is ignored", "RFC 9110 §5.6.7: a date without a comma is invalid"
	list := map[string]string{
		"304-etag-update-response-Content-MD5": "RFC 9111 §3.2: a 304 replaces `Content-MD5` like most fields",
		"304-etag-update-response-ETag":        "RFC 9111 §4.3.4: a 304 with another strong validator selects no stored answer, so the cache asks again",
		"freshness-expires-32bit":              date,
		"freshness-expires-far-future":         date,
		"conditional-lm-fresh-no-lm":           "RFC 9111 §4.3.2: without `Last-Modified` the `Date` counts, and it is later than the date of the condition",
		"vary-normalise-lang-select":           "RFC 9111 §4.1: a request for other languages does not match, whatever the `Content-Language` of the stored answer",
	}
	for _, id := range []string{
		"nonnumeric", "negative", "float", "prefix-twoline", "dup-0", "dup-0-twoline", "dup-old", "parameter", "numeric-parameter",
	} {
		list["age-parse-"+id] = age
	}
	return list
}

// notOffered returns the feature of a test that this cache does not have: it keeps complete answers
// to GET only (RFC 9111 §3 and §2 leave a cache that choice).
func notOffered(test *suiteTest) string {
	if test.ID == "conditional-lm-stale" {
		return "a condition of the caller goes to the origin unless a fresh answer is stored"
	}
	for i, step := range test.Requests {
		switch {
		case step.Method == http.MethodHead:
			return "HEAD updates no stored answer"
		case i == 0 && step.Method == http.MethodPost:
			return "answers to POST are not stored"
		case i == 0 && step.Status != nil && step.Status.Code == http.StatusPartialContent:
			return "a 206 is never stored"
		}
	}
	return ""
}

// decided are tests that fail for the sake of something that we promise.
func decided() map[string]string {
	cookie := "`Set-Cookie` is handed on once and never kept: it is meant for one caller"
	return map[string]string{
		"headers-store-Set-Cookie":             cookie,
		"headers-store-Set-Cookie2":            cookie,
		"304-etag-update-response-Set-Cookie":  cookie,
		"304-etag-update-response-Set-Cookie2": cookie,
		"other-cookie":                         "requests with another `Cookie` have a partition of their own, except with `OneUser`",
	}
}
