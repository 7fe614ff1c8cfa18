package adp

import (
	"net/netip"
	"net/url"
	"strings"
)

// maxURL is the longest URL that is read, in bytes: the bound of the reference
// validator for detail_url.
const maxURL = 2048

// syntax says why text is no URL or reference that everybody understands
// alike, "" when it is one. A reference that begins with two slashes, or with
// a slash and something that other readers drop or take for a slash, names a
// host to some and a path to others.
func syntax(text string) string {
	switch {
	case text == "" || text[0] == '#':
		return "it is empty"
	case len(text) > maxURL:
		return "it is longer than 2048 bytes"
	case strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '\\' }):
		return "it holds a blank, a control character or a backslash"
	case strings.HasPrefix(text, "//"):
		return "it begins with two slashes, which name a host"
	}
	return ""
}

// absolute reads a URL that names a host, or says why it is none. Schemes
// other than http and https lead nowhere that a capability is described.
func absolute(text string) (*url.URL, string) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, "it is not a URL"
	case u.Scheme == "":
		return nil, "it has no scheme"
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, "its scheme is neither https nor http"
	case u.Opaque != "" || u.Hostname() == "":
		return nil, "it names no host"
	case u.User != nil:
		return nil, "it holds a user name or a password"
	}
	return u, ""
}

// tidy removes dot segments (RFC 3986 §5.2.4) and the fragment.
func tidy(u *url.URL) string {
	t := new(url.URL).ResolveReference(u)
	t.Fragment, t.RawFragment = "", ""
	return t.String()
}

// climbs reports whether a reference has segments that lead upwards, plain or
// encoded.
func climbs(ref string) bool {
	path, _, _ := strings.Cut(ref, "?")
	for segment := range strings.SplitSeq(path, "/") {
		if decoded, err := url.PathUnescape(segment); err == nil && decoded == ".." {
			return true
		}
	}
	return false
}

// privateHost says why the host of a URL is not one of the public Internet, or
// the port not the one of https; "" when nothing is odd.
func privateHost(u *url.URL) string {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	switch {
	case isNumeric(last):
		return "its host is an IP address"
	case strings.Contains(host, ":"):
		if _, err := netip.ParseAddr(host); err == nil {
			return "its host is an IP address"
		}
		return "its host is not a name"
	case last == host:
		return "its host is no public name"
	}
	switch last {
	case "localhost", "local", "internal", "test", "invalid", "onion", "alt", "arpa":
		return "its host is under a name for special use"
	}
	if port := u.Port(); port != "" && port != "443" {
		return "its port is not 443"
	}
	return ""
}

// isNumeric reports labels that resolvers take for a part of an IPv4 address:
// digits, or 0x and hexadecimal digits.
func isNumeric(label string) bool {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return label != "" && strings.Trim(label, "0123456789") == ""
}
