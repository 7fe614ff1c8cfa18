package places

import (
	"net/url"
	"strings"

	"github.com/wayfindhq/wayfind/resolve"
)

// PageOf returns the URL that s names, if it names one document and not a domain: it
// has a scheme and a host, and a path or a query. Its host is canonical if it is a public
// name. Whether the URL may be asked is another question.
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
