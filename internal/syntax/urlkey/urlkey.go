// Package urlkey writes URLs so that spellings of one resource are one key.
package urlkey

import (
	"net/url"
	"strings"
)

// Of is the key of a URL.
func Of(u *url.URL) string {
	var scratch [256]byte
	b, _ := Append(scratch[:0], u)
	return string(b)
}

// Origin is scheme and host with the port, unless it is the scheme's.
func Origin(u *url.URL) string {
	scheme, host := authorityOf(u)
	return scheme + "://" + host
}

// Append appends the canonical form of a URL (RFC 9110 §4.2.3): scheme and
// host in lower case, no default port, no empty path, no fragment, no user
// information. The origin ends at the given index. URLs that net/http asks for
// by different request lines have different forms: a request target that is no
// absolute path, as url.URL.Opaque can give it, stands behind a '#'.
func Append(b []byte, u *url.URL) (out []byte, origin int) {
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
