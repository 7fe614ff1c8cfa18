package cache

import (
	"net/url"
	"strings"
)

// keyOf returns the primary key of a GET: view, partition, method and URL, and
// the canonical URL as a part of it. Nothing in it comes from a response. A Host
// of its own is part of it, since it decides who answers.
func (t *Engine) keyOf(a *Ask) (key, canonical string) {
	var room [512]byte
	b := append(room[:0], t.opts.View...)
	b = append(append(b, '\n'), a.Partition...)
	b = append(b, "\nGET\n"...)
	from := len(b)
	b, _ = appendURL(b, a.URL)
	to := len(b)
	if a.Host != "" && !strings.EqualFold(a.Host, a.URL.Host) {
		b = append(append(b, "\nhost="...), strings.ToLower(a.Host)...)
	}
	key = string(b)
	return key, key[from:to]
}

// credentialFields are the request fields that say who asks.
func credentialFields() [3]string {
	return [...]string{"Authorization", "Cookie", "Proxy-Authorization"}
}

// canonicalURL writes a URL so that spellings of one resource are one key.
func canonicalURL(u *url.URL) string {
	var room [256]byte
	b, _ := appendURL(room[:0], u)
	return string(b)
}

// originOf is scheme and host with the port, unless it is the scheme's.
func originOf(u *url.URL) string {
	scheme, host := authorityOf(u)
	return scheme + "://" + host
}

// appendURL appends the canonical form of a URL (RFC 9110 §4.2.3): scheme and
// host in lower case, no default port, no empty path, no fragment, no user
// information. The origin ends at the given index. URLs that net/http asks for
// by different request lines have different forms: a request target that is no
// absolute path, as url.URL.Opaque can give it, stands behind a '#'.
func appendURL(b []byte, u *url.URL) (out []byte, origin int) {
	scheme, host := authorityOf(u)
	b = append(append(append(b, scheme...), "://"...), host...)
	origin = len(b)
	path := u.Opaque
	if path == "" {
		path = u.EscapedPath()
	}
	switch {
	case path == "":
		b = append(b, '/')
	case u.Opaque != "" && strings.HasPrefix(path, "//"): // as URL.RequestURI has it
		b = append(append(append(append(b, '#'), u.Scheme...), ':'), path...)
	case path[0] != '/':
		b = append(append(b, '#'), path...)
	default:
		b = append(b, path...)
	}
	if u.RawQuery != "" || u.ForceQuery {
		b = append(append(b, '?'), u.RawQuery...)
	}
	return b, origin
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
