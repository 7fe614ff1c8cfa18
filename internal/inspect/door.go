package inspect

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// policy is the Content-Security-Policy of every answer. Trusted types without a policy
// leave a script no way to make markup of a string.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

// door lets requests in that carry the token in their path, and are of no other page.
// All others get an empty answer, which does not tell what the server is.
func door(token string, inner http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Embedder-Policy", "require-corp")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), usb=()")
		h.Set("Cache-Control", "no-store")
		rest, ok := tokenOf(r.URL.Path, token)
		if !ok || !isLocal(r.Host) || !isOwn(r) {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		inside := r.Clone(r.Context())
		inside.URL.Path, inside.URL.RawPath = rest, ""
		inner.ServeHTTP(w, inside)
	})
}

// tokenOf cuts the token from a path; the comparison takes the same time for each.
func tokenOf(path, token string) (rest string, ok bool) {
	given, rest, found := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	same := subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1
	return "/" + rest, same && found
}

// isLocal reports whether a Host header names this machine. The name of a rebound
// domain is that of its page, whatever address it leads to.
func isLocal(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	addr, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return name == "localhost" || err == nil && addr.IsLoopback()
}

// isOwn reports whether a request is of our page, or of a program that is no page: an
// Origin and a Sec-Fetch-Site, where there is one, must say so.
func isOwn(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return false
	}
	origins, given := r.Header["Origin"]
	if !given {
		return true
	}
	if len(origins) != 1 {
		return false
	}
	u, err := url.Parse(origins[0])
	return err == nil && u.Scheme == "http" && u.Host == r.Host
}
