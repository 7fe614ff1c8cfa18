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

// policy is the Content-Security-Policy of every answer. Because trusted types have no policy,
// a script cannot turn a string into markup.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// check is a condition that each request must fulfil.
type check struct {
	name string
	pass func(*http.Request) bool
}

// checks returns the checks of a launch. They are independent: a page of a stranger passes at
// most one of them, even if it has learned the token.
func checks(token string) []check {
	return []check{
		{"token", func(r *http.Request) bool { _, ok := tokenOf(r.URL.Path, token); return ok }},
		{"host", func(r *http.Request) bool { return isLocal(r.Host) }},
		{"origin", hasOwnOrigin},
		{"site", isOfOwnSite},
		{"path", func(r *http.Request) bool { return isClean(r.URL.Path) }},
	}
}

// checked accepts the requests that pass all checks. All others get an empty answer, which does
// not reveal what the server is, or which check failed.
func checked(token string, inner http.Handler, all []check) http.Handler {
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

// withTicket adds a second way in, for a browser that this program starts. Other users of the
// machine may read the address on its command line while it runs, so this address contains a
// ticket instead of the token. The ticket leads to the page once. The second request may be
// from the browser, so again is then called, once.
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
	once, always := checked(ticket, lead, checks(ticket)), checked(token, inner, checks(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, ok := tokenOf(r.URL.Path, ticket); ok {
			once.ServeHTTP(w, r)
			return
		}
		always.ServeHTTP(w, r)
	})
}

// tokenOf cuts the token from a path. The comparison takes constant time.
func tokenOf(path, token string) (rest string, ok bool) {
	given, rest, found := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	same := subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1
	return "/" + rest, same && found
}

// isClean reports whether a path is in the form that the page uses. For other paths the routes
// would answer with a redirect.
func isClean(p string) bool {
	clean := path.Clean(p)
	return p == clean || p == clean+"/"
}

// isLocal reports whether a Host header names this machine. With DNS rebinding, the Host header
// contains the domain of the attacker's page, even if the domain leads to this machine.
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

// hasOwnOrigin reports whether an Origin, if there is one, is the origin of the page. A program
// that is not a browser sends none, but still needs the token.
func hasOwnOrigin(r *http.Request) bool {
	origins, given := r.Header["Origin"]
	return !given || len(origins) == 1 && origins[0] == "http://"+r.Host
}

// isOfOwnSite reports whether a request is from the page itself or from its user, if the
// browser sends this information. It covers the requests without an Origin.
func isOfOwnSite(r *http.Request) bool {
	sites, given := r.Header["Sec-Fetch-Site"]
	return !given || len(sites) == 1 && (sites[0] == "same-origin" || sites[0] == "none")
}
