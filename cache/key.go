package cache

import (
	"net/url"
	"strings"
)

// keyOf returns the primary key of a GET of a canonical URL: view, partition,
// method and URL. Nothing in it comes from a response. A Host of its own is
// part of it, since it decides who answers.
func (t *Engine) keyOf(a *Ask, url string) string {
	key := t.opts.View + "\n" + a.Partition + "\nGET\n" + url
	if a.Host != "" && !strings.EqualFold(a.Host, a.URL.Host) {
		key += "\nhost=" + strings.ToLower(a.Host)
	}
	return key
}

// credentialFields are the request fields that say who asks.
func credentialFields() [3]string {
	return [...]string{"Authorization", "Cookie", "Proxy-Authorization"}
}

// canonicalURL writes a URL so that spellings of one resource are one key (RFC
// 9110 §4.2.3): scheme and host in lower case, no default port, no empty path,
// no fragment, no user information.
func canonicalURL(u *url.URL) string {
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	scheme, host := authorityOf(u)
	if u.RawQuery != "" || u.ForceQuery {
		return scheme + "://" + host + path + "?" + u.RawQuery
	}
	return scheme + "://" + host + path
}

// originOf is scheme and host with the port, unless it is the scheme's.
func originOf(u *url.URL) string {
	scheme, host := authorityOf(u)
	return scheme + "://" + host
}

func authorityOf(u *url.URL) (scheme, host string) {
	scheme, host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	switch scheme {
	case "https":
		host = strings.TrimSuffix(host, ":443")
	case "http":
		host = strings.TrimSuffix(host, ":80")
	}
	return scheme, strings.TrimSuffix(host, ":")
}
