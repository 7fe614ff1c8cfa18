package urlref

import "strings"

// Host returns the host of an origin or URL in canonical spelling, without its port: "a.example"
// for "https://a.example:8443/x", "::1" for "http://[::1]:80". It judges nothing. For a text
// that is not a URL the result means nothing.
func Host(u string) string {
	_, host, found := strings.Cut(u, "://")
	if !found {
		return ""
	}
	if end := strings.IndexAny(host, "/?#"); end >= 0 {
		host = host[:end]
	}
	host = host[strings.LastIndexByte(host, '@')+1:]
	if port := strings.LastIndexByte(host, ':'); port > strings.LastIndexByte(host, ']') {
		host = host[:port]
	}
	return strings.Trim(host, "[]")
}
