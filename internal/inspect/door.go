package inspect

import (
	"crypto/subtle"
	"net/http"
	"net/netip"
	"path"
	"strconv"
	"strings"
	"sync/atomic"
)

// policy is the Content-Security-Policy of every answer. Trusted types without a policy
// leave a script no way to make markup of a string.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// check is a condition that each request must fulfil.
type check struct {
	name string
	pass func(*http.Request) bool
}

// checks are those of a launch. Each stands for itself: a page of a stranger fails all
// but one of them at most, also when it has learned the token.
func checks(token string) []check {
	return []check{
		{"token", func(r *http.Request) bool { _, ok := tokenOf(r.URL.Path, token); return ok }},
		{"host", func(r *http.Request) bool { return isLocal(r.Host) }},
		{"origin", hasOwnOrigin},
		{"site", isOfOwnSite},
		{"path", func(r *http.Request) bool { return isClean(r.URL.Path) }},
	}
}

// door lets requests in that pass all checks. All others get an empty answer, which does
// not tell what the server is, or which check they failed.
func door(token string, inner http.Handler, all []check) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Embedder-Policy", "require-corp")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), usb=()")
		h.Set("Cache-Control", "no-store")
		for _, c := range all {
			if !c.pass(r) {
				w.WriteHeader(http.StatusForbidden)
				return
			}
		}
		rest, _ := tokenOf(r.URL.Path, token)
		inside := r.Clone(r.Context())
		inside.URL.Path, inside.URL.RawPath = rest, ""
		inner.ServeHTTP(w, inside)
	})
}

// withTicket adds a second way in, for a browser that this program starts. Other users
// of the machine may read the address on its command line, for as long as it runs, so
// that has a ticket in place of the token, which leads to the page once. The one who comes
// second may be the browser: again is called then, once.
func withTicket(ticket, token string, inner http.Handler, again func()) http.Handler {
	var used atomic.Int64
	lead := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		uses := int64(0)
		if r.Method == http.MethodGet && r.URL.Path == "/" {
			uses = used.Add(1)
		}
		if uses == 2 && again != nil {
			again()
		}
		if uses != 1 {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.Header().Set("Location", "/"+token+"/")
		w.WriteHeader(http.StatusSeeOther)
	})
	once, always := door(ticket, lead, checks(ticket)), door(token, inner, checks(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := tokenOf(r.URL.Path, ticket); ok {
			once.ServeHTTP(w, r)
			return
		}
		always.ServeHTTP(w, r)
	})
}

// tokenOf cuts the token from a path; the comparison takes the same time for each.
func tokenOf(path, token string) (rest string, ok bool) {
	given, rest, found := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	same := subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1
	return "/" + rest, same && found
}

// isClean reports whether a path is as the page writes it: for others the routes would
// answer with a redirect.
func isClean(p string) bool {
	clean := path.Clean(p)
	return p == clean || p == clean+"/"
}

// isLocal reports whether a Host header names this machine. The name of a rebound
// domain is that of its page, whatever address it leads to.
func isLocal(host string) bool {
	name := host
	if at := strings.LastIndexByte(host, ':'); at >= 0 && !strings.HasSuffix(host, "]") {
		if _, err := strconv.ParseUint(host[at+1:], 10, 16); err != nil {
			return false
		}
		name = host[:at]
	}
	switch name {
	case "localhost", "[::1]":
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && addr.Is4() && addr.IsLoopback()
}

// hasOwnOrigin reports whether an Origin, where there is one, is that of the page. A
// program that is no browser sends none, and needs the token all the same.
func hasOwnOrigin(r *http.Request) bool {
	origins, given := r.Header["Origin"]
	return !given || len(origins) == 1 && origins[0] == "http://"+r.Host
}

// isOfOwnSite reports whether a browser that tells where a request comes from says: from
// the page itself, or from its user. It covers the requests without an Origin.
func isOfOwnSite(r *http.Request) bool {
	sites, given := r.Header["Sec-Fetch-Site"]
	return !given || len(sites) == 1 && (sites[0] == "same-origin" || sites[0] == "none")
}
