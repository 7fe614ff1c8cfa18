package cache

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// byteRange is a range of the bytes of a body, from first to before end.
type byteRange struct{ first, end int64 }

// rangeOf returns the range that a request asks of an entry, if the cache may answer it (RFC 9110 §14.2).
// It must be one range of bytes of a complete 200 whose stored bytes are those that the origin sends.
// If-Range must name them, and a weak tag does not. The origin judges everything else: several ranges, a range beyond the end, or a representation
// of which the request has another version.
func (e *Entry) rangeOf(h *requestHeader) (r byteRange, ok bool) {
	if e.Status != http.StatusOK || !e.asSent() || strings.HasPrefix(e.ETag(), "W/") || !e.isVersion(h.lines("If-Range")) {
		return r, false
	}
	lines := h.lines("Range")
	if len(lines) != 1 {
		return r, false
	}
	unit, set, _ := strings.Cut(lines[0], "=")
	from, to, one := strings.Cut(strings.TrimSpace(set), "-")
	if unit != "bytes" || !one {
		return r, false
	}
	size := int64(len(e.Body))
	first, hasFirst := position(from)
	last, hasLast := position(to)
	switch {
	case from == "" && hasLast && last > 0:
		r = byteRange{max(size-last, 0), size}
	case hasFirst && to == "":
		r = byteRange{first, size}
	case hasFirst && hasLast && first <= last:
		r = byteRange{first, min(last, size-1) + 1}
	default:
		return r, false
	}
	return r, r.first < r.end
}

// position returns a number of digits alone.
func position(s string) (n int64, ok bool) {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// asSent reports whether Body has the bytes of the representation that the origin sends, and not those
// that net/http has decoded. A store may have lost that fact; then the length tells.
func (e *Entry) asSent() bool {
	if e.outer != nil {
		return !e.outer.uncompressed
	}
	return e.Header.Get("Content-Length") == strconv.Itoa(len(e.Body))
}

// isVersion reports whether the If-Range of a request, if there is one, names the version of an entry: by
// a strong tag, or by a date of the last change that is strong because it is earlier than Date (RFC 9110
// §13.1.5, §8.8.2.2).
func (e *Entry) isVersion(lines []string) bool {
	switch {
	case lines == nil:
		return true
	case len(lines) != 1:
		return false
	case strings.HasPrefix(lines[0], `"`):
		return lines[0] == e.ETag()
	}
	changed, ok := parseDate(e.LastModified(), e.ResponseTime)
	date, dated := parseDate(e.Header.Get("Date"), e.ResponseTime)
	return ok && dated && date.Sub(changed) >= time.Second && lines[0] == e.LastModified()
}

// ranged answers a GET of a range from a fresh complete entry. If there is none that may, the origin is
// asked and its answer is passed on.
func (t *Transport) ranged(req *http.Request, header requestHeader) (*http.Response, error) {
	return t.fromStore(req, header, func(e *Entry) bool {
		_, ok := e.rangeOf(&header)
		return ok
	})
}

// partial returns a 206 for an Answer with an entry that has the range.
func (a *Answer) partial(req *http.Request, r byteRange) *http.Response {
	resp, e := a.respond(req), a.Entry
	resp.StatusCode, resp.Status = http.StatusPartialContent, statusText(http.StatusPartialContent)
	resp.ContentLength, resp.Trailer = r.end-r.first, nil
	resp.Body.(*body).Reset(e.Body[r.first:r.end])
	h := resp.Header
	h["Content-Range"] = []string{"bytes " + strconv.FormatInt(r.first, 10) + "-" + strconv.FormatInt(r.end-1, 10) + "/" + strconv.Itoa(len(e.Body))}
	h["Content-Length"] = []string{strconv.FormatInt(resp.ContentLength, 10)}
	delete(h, "Content-Md5") // of the whole content
	delete(h, "Content-Digest")
	return resp
}
