// Package urlkey writes URLs so that spellings of one resource are one key.
package urlkey

import (
	"bytes"
	"net/url"
	"strconv"
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

// Append appends the canonical form of a URL (RFC 9110 §4.2.3, RFC 3986 §6.2.2):
// scheme and host in lower case, no default port, no empty path, no fragment, no
// user information, no dot segments, and a percent-encoding only where it is needed,
// in capitals. The origin ends at the given index. A request target that is no
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
		b = appendSpelled(b, path)
		b = withoutDots(b, origin)
	}
	if u.RawQuery != "" || u.ForceQuery {
		b = appendSpelled(append(b, '?'), u.RawQuery)
	}
	return b, origin
}

// appendSpelled appends a path or a query. An encoding of an unreserved character is decoded, others
// are in capitals (RFC 3986 §6.2.2.1, §6.2.2.2).
func appendSpelled(b []byte, text string) []byte {
	for {
		at := strings.IndexByte(text, '%')
		if at < 0 {
			return append(b, text...)
		}
		b, text = append(b, text[:at]...), text[at:]
		code := text[:min(len(text), len("%00"))]
		if c, ok := decoded(code); ok && isUnreserved(c) {
			b = append(b, c)
		} else if ok {
			b = append(b, '%', hex[c>>4], hex[c&15])
		} else {
			code = text[:1]
			b = append(b, code...)
		}
		text = text[len(code):]
	}
}

const hex = "0123456789ABCDEF"

// decoded returns the byte of a percent-encoding.
func decoded(code string) (c byte, ok bool) {
	n, err := strconv.ParseUint(strings.TrimPrefix(code, "%"), 16, 8)
	return byte(n), err == nil && len(code) == len("%00")
}

func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

// withoutDots removes the dot segments of the path that begins at an index (RFC 3986 §6.2.2.3,
// §5.2.4).
func withoutDots(b []byte, from int) []byte {
	path := b[from:]
	if !bytes.Contains(path, []byte("/.")) {
		return b
	}
	out := b[:from]
	for len(path) > 0 {
		segment := path
		if end := bytes.IndexByte(path[1:], '/'); end >= 0 {
			segment = path[:end+1]
		}
		path = path[len(segment):]
		dots := string(segment)
		if dots != "/." && dots != "/.." {
			out = append(out, segment...)
			continue
		}
		if dots == "/.." {
			out = out[:from+max(bytes.LastIndexByte(out[from:], '/'), 0)]
		}
		if len(path) == 0 {
			out = append(out, '/')
		}
	}
	return out
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
