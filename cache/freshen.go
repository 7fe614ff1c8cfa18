package cache

import (
	"net/http"
	"strings"
)

// validates reports whether a 304 is about this entry. A 304 with the validator of another
// representation must not update it (RFC 9111 §4.3.4). Tags are compared without W/, because
// servers that compress responses send the weak form with the content and the strong form with the
// 304.
func (e *Entry) validates(h http.Header) bool {
	tag, changed := h.Get("Etag"), h.Get("Last-Modified")
	switch {
	case tag != "" && (e.ETag() != "" || !strings.HasPrefix(tag, "W/")):
		return strings.TrimPrefix(e.ETag(), "W/") == strings.TrimPrefix(tag, "W/")
	case tag == "" && changed != "" && e.LastModified() != "":
		return changed == e.LastModified()
	}
	return true // nothing to compare: it answers the condition that was sent
}

// freshen returns a new entry with the content of this one and the fields of a 304 (RFC 9111 §3.2).
// The fields that describe the stored content are kept, as §3.2 allows if a cache has processed it.
// With strict, Content-Type is updated unless Rules have read the content. The stored Age and Date
// are dropped, because they were about the old response. shared is the value of Shared in the new
// entry.
func (e *Entry) freshen(asked *requestHeader, resp *http.Response, x *exchange, strict, shared bool) *Entry {
	n := e.copied()
	n.Header = e.Header.Clone()
	n.Header.Del("Age")
	n.Header.Del("Date")
	for name, values := range storedHeader(resp.Header) {
		switch {
		case name == "Content-Length", name == "Content-Encoding", name == "Content-Range":
		case name == "Content-Type" && (!strict || e.read):
		default:
			n.Header[name] = values
		}
	}
	n.RequestTime, n.ResponseTime = x.sent, x.received
	n.mono, n.hasMono, n.asked, n.came = x.mono, true, x.asked, x.came
	n.outer, n.below = e.outer.validated(x.outer), x.below
	n.Shared, n.SetsCookie = shared, e.SetsCookie || setsCookie(resp.Header)
	n.Credentialed = e.Credentialed || asked.identifies
	if x.remote.IsValid() {
		n.RemoteAddr = x.remote
	}
	n.Vary, n.varyAny = varyOf(n.Header, asked)
	n.derive()
	return n
}

// conditions returns the fields that condition sets.
func conditions() [2]string { return [...]string{"If-None-Match", "If-Modified-Since"} }

// condition adds both validators as they were received (RFC 9110 §13.1.2, §13.1.3). Servers prefer
// the entity tag.
func (e *Entry) condition(h http.Header) {
	if tag := e.ETag(); tag != "" {
		h.Set("If-None-Match", tag)
	}
	if date := e.LastModified(); date != "" {
		h.Set("If-Modified-Since", date)
	}
}
