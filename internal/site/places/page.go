package places

import (
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind/resolve"
)

// PageOf returns the URL in s if it names one document instead of a domain: it has a scheme, a
// host, and a path or a query. Its host is canonical if it is a public name. PageOf does not
// decide whether the URL may be requested.
func PageOf(s string) (page *url.URL, ok bool) {
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || len(u.EscapedPath()) < 2 && u.RawQuery == "" {
		return nil, false
	}
	port := u.Port()
	target, _, err := resolve.ParseTarget(u.Hostname())
	switch {
	case err != nil:
		u.Host = strings.ToLower(u.Host)
	case port == "":
		u.Host = target.Host()
	default:
		u.Host = target.Host() + ":" + port
	}
	return u, true
}
