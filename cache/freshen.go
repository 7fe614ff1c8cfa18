package cache

import (
	"net/http"
	"strings"
)

// validates reports whether a 304 is about this entry. A strong validator
// that names another representation must not update it (RFC 9111 §4.3.4).
// Tags are compared without W/: servers that compress on the way out send the
// weak form with the content and the strong one with the 304.
func (e *Entry) validates(h http.Header) bool {
	tag := h.Get("Etag")
	if tag == "" || strings.HasPrefix(tag, "W/") {
		return true
	}
	return strings.TrimPrefix(e.ETag(), "W/") == tag
}

// freshen returns a new entry: this one's content under the fields of a 304
// (RFC 9111 §3.2). The fields that describe the stored content stay, as §3.2
// allows a cache that has processed it. The stored Age was about the old
// response, and so was its Date.
func (e *Entry) freshen(req *http.Request, resp *http.Response, x exchange) *Entry {
	n := *e
	n.Header = e.Header.Clone()
	n.Header.Del("Age")
	n.Header.Del("Date")
	for name, values := range storedHeader(resp.Header) {
		switch name {
		case "Content-Length", "Content-Type", "Content-Encoding", "Content-Range":
		default:
			n.Header[name] = values
		}
	}
	n.RequestTime, n.ResponseTime = x.sent, x.received
	n.mono, n.hasMono = x.mono, true
	if x.remote.IsValid() {
		n.RemoteAddr = x.remote
	}
	n.Vary, n.varyAny = varyOf(n.Header, req.Header)
	n.derive()
	return &n
}

// condition adds the validators as they were received, both of them (RFC 9110
// §13.1.2, §13.1.3): servers prefer the entity tag.
func (e *Entry) condition(h http.Header) {
	if tag := e.ETag(); tag != "" {
		h.Set("If-None-Match", tag)
	}
	if date := e.LastModified(); date != "" {
		h.Set("If-Modified-Since", date)
	}
}
