package cache

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// fromStore answers a HEAD, or a GET with conditions of the caller, from a fresh entry (RFC 9110
// §9.3.2, RFC 9111 §4.3.2). If there is none, the origin is asked and its answer is passed on.
func (t *Transport) fromStore(req *http.Request, header requestHeader) (*http.Response, error) {
	ask := t.ask(req, header)
	ask.freshOnly = true
	a, err := t.engine.Do(req.Context(), ask)
	switch {
	case err != nil:
		return nil, err
	case a.Entry != nil && a.Entry.unchanged(&header):
		return a.notModified(req), nil
	case a.Entry != nil:
		return a.respond(req), nil
	case parseRequest(header.lines("Cache-Control"), nil).onlyIfCached:
		return gatewayTimeout(req), nil
	}
	return t.pass(req)
}

// unchanged reports whether the conditions of a request are answered by 304 (RFC
// 9110 §13.2.2, RFC 9111 §4.3.2).
func (e *Entry) unchanged(h *requestHeader) bool {
	if e.Status != http.StatusOK {
		return false
	}
	if tags := h.lines("If-None-Match"); tags != nil {
		return hasTag(tags, e.ETag())
	}
	dates := h.lines("If-Modified-Since")
	if len(dates) != 1 {
		return false
	}
	since, ok := parseDate(dates[0], e.ResponseTime)
	return ok && !e.changed().After(since)
}

// changed returns the time of the last change of the content of an entry, or its Date if that time
// is not known.
func (e *Entry) changed() time.Time {
	if at, ok := parseDate(e.LastModified(), e.ResponseTime); ok {
		return at
	}
	return dateOf(e.Header, e.ResponseTime)
}

// hasTag reports whether an entity tag is in the lists of If-None-Match, by the
// weak comparison (RFC 9110 §13.1.2).
func hasTag(lines []string, tag string) bool {
	opaque := strings.TrimPrefix(tag, "W/")
	for _, line := range lines {
		for line != "" {
			line = strings.TrimLeft(line, " \t,")
			if strings.HasPrefix(line, "*") {
				return true
			}
			_, quoted, _ := strings.Cut(line, `"`)
			own, rest, closed := strings.Cut(quoted, `"`)
			if !closed {
				break
			}
			if tag != "" && `"`+own+`"` == opaque {
				return true
			}
			line = rest
		}
	}
	return false
}

// notModified returns a 304 for an Answer with an entry, with the fields that it must have (RFC
// 9110 §15.4.5).
func (a *Answer) notModified(req *http.Request) *http.Response {
	resp := a.respond(req)
	resp.StatusCode, resp.Status = http.StatusNotModified, statusText(http.StatusNotModified)
	resp.ContentLength, resp.Trailer, resp.Uncompressed = 0, nil, false
	resp.Body.(*body).Reset(nil)
	kept := []string{"Age", "Cache-Control", "Cache-Status", "Content-Location", "Date", "Etag", "Expires", "Last-Modified", "Vary"}
	for name := range resp.Header {
		if !slices.Contains(kept, name) {
			delete(resp.Header, name)
		}
	}
	return resp
}
