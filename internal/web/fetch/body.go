package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/wayfindhq/wayfind"
)

// maxErrorBody is the part of an answer outside 2xx that is read. Such an answer is not a document,
// so the rest is dropped.
const maxErrorBody = 64 << 10

// NewBody returns a Step that bounds and decodes the answers of next.
//
// If the status is one that no GET can have (outside 200 to 599, or 206), the error is CodeStatus
// with a [StatusError]. A 2xx body is decoded if its Content-Encoding is exactly "gzip". Any other
// coding, and gzip that is not one valid member, is CodeEncoding. A decoded body of more bytes than
// [Ask.MaxBytes] is CodeTooLarge: before reading if its Content-Length exceeds the limit, else when
// the byte beyond is read. Bytes read before an error are not a document. A Content-Type is not
// changed, even if there are two.
//
// A stream of events is no document: its body is closed at once, and empty.
//
// Bodies of other statuses end after 64 KiB, and are empty if their coding cannot be read; there is
// no error then. Bodies of 204 and 304 are empty.
func NewBody(next Step) Step {
	return &decoder{next: next}
}

type decoder struct{ next Step }

// Do implements Step.
func (d *decoder) Do(ctx context.Context, a *Ask) (*http.Response, error) {
	resp, err := d.next.Do(ctx, a)
	if err != nil {
		return nil, err
	}
	if err := d.decode(a, resp); err != nil {
		_ = resp.Body.Close()
		return nil, withURL(err, a.URL)
	}
	return resp, nil
}

func (d *decoder) decode(a *Ask, resp *http.Response) error {
	status := resp.StatusCode
	if status < 200 || status > 599 || status == http.StatusPartialContent {
		return fail(opHeaders, wayfind.CodeStatus, &StatusError{status})
	}
	switch {
	case a.Method == http.MethodHead:
		return nil
	case status == http.StatusNoContent, status == http.StatusNotModified:
		// They have no content (RFC 9110 §6.4.1), but HTTP/2 accepts content, and expects as many
		// bytes as the Content-Length of the absent content.
		resp.Body, resp.ContentLength = &limited{ReadCloser: resp.Body}, 0
		return nil
	}
	if IsEventStream(resp.Header) {
		_ = resp.Body.Close() // the rest may never come
		resp.Body, resp.ContentLength = http.NoBody, 0
		return nil
	}
	coding, err := codingOf(resp.Header)
	if status > 299 {
		d.lenient(resp, coding, err)
		return nil
	}
	if err != nil {
		return err
	}
	if a.Truncate {
		d.truncated(resp, coding, a)
		return nil
	}
	return d.strict(resp, coding, a)
}

// IsEventStream reports whether an answer is a stream of events, which may have no end.
func IsEventStream(header http.Header) bool {
	kind, _, _ := strings.Cut(header.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(kind), "text/event-stream")
}

type coding int

const (
	identity coding = iota
	gzipped
)

// codingOf returns the coding of a body. It accepts only the one coding that is requested: "gzip,
// gzip", "x-gzip" and lists with empty members are refused.
func codingOf(h http.Header) (coding, error) {
	values := h["Content-Encoding"]
	if len(values) == 0 {
		return identity, nil
	}
	if len(values) == 1 {
		switch strings.ToLower(strings.Trim(values[0], " \t")) {
		case "", "identity":
			return identity, nil
		case "gzip":
			return gzipped, nil
		}
	}
	return identity, fail(opBody, wayfind.CodeEncoding,
		fmt.Errorf("content encoding %q", strings.Join(values, ", ")))
}

// strict prepares the body of a document.
func (d *decoder) strict(resp *http.Response, c coding, a *Ask) error {
	limit, over := a.limit(), a.tooLarge()
	encoded := limit
	if c == gzipped {
		encoded = encodedLimit(limit)
	}
	if resp.ContentLength > encoded {
		return over
	}
	src := &source{ReadCloser: resp.Body, left: encoded, over: over}
	resp.Body = src
	if c == gzipped {
		resp.Body = &limited{ReadCloser: newGunzip(src), left: limit, over: over}
		markDecoded(resp)
	}
	return nil
}

// truncated prepares the body of a document that may be cut off.
func (d *decoder) truncated(resp *http.Response, c coding, a *Ask) {
	limit := a.limit()
	src := &source{ReadCloser: resp.Body, left: -1}
	resp.Body = &limited{ReadCloser: src, left: limit}
	if c == gzipped {
		src.left, src.over = encodedLimit(limit), a.tooLarge()
		resp.Body = &limited{ReadCloser: newGunzip(src), left: limit}
	}
	if c == gzipped || resp.ContentLength > limit {
		markDecoded(resp)
	}
}

// encodedLimit leaves room for data that gzip cannot shrink: 5 bytes for each
// stored block, and a header with a file name.
func encodedLimit(limit int64) int64 { return limit + limit/64 + 4<<10 }

// lenient prepares the body of an error page or a redirect.
func (d *decoder) lenient(resp *http.Response, c coding, err error) {
	page := &errorPage{source: source{ReadCloser: resp.Body, left: -1}}
	cut := &page.limited
	cut.ReadCloser, cut.left = &page.source, maxErrorBody
	switch {
	case err != nil:
		cut.left = 0
	case c == gzipped:
		cut.ReadCloser = &forgiving{newGunzip(&source{ReadCloser: resp.Body, left: encodedLimit(maxErrorBody), over: undecodable(errors.New("too long"))})}
	}
	if err != nil || c == gzipped {
		markDecoded(resp)
	} else if resp.ContentLength > maxErrorBody {
		resp.ContentLength = -1
	}
	resp.Body = cut
}

// errorPage reads an error page. It is one allocation, because most places of most sites have an
// error page.
type errorPage struct {
	limited limited
	source  source
}

func markDecoded(resp *http.Response) {
	resp.Header.Del("Content-Encoding")
	resp.Header.Del("Content-Length")
	resp.ContentLength = -1
	resp.Uncompressed = true
}

// tooLarge returns the error of a body beyond the limit.
func (a *Ask) tooLarge() error {
	return fail(opBody, wayfind.CodeTooLarge, &wayfind.TooLarge{Of: "bytes", Limit: a.limit(), Option: a.Option})
}

// limited returns at most left bytes. At the byte beyond, it returns the error over, or io.EOF if
// over is nil.
type limited struct {
	io.ReadCloser
	left int64
	over error
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, l.over
	}
	if l.left == 0 && l.over == nil {
		return 0, io.EOF
	}
	if l.over == nil {
		p = p[:min(int64(len(p)), l.left)]
	} else {
		p = p[:min(int64(len(p)), l.left+1)]
	}
	n, err := l.ReadCloser.Read(p)
	l.left -= int64(n)
	if l.left < 0 {
		return n - 1, l.over
	}
	return n, err
}

// source is the body from the connection, with typed errors and a bound (left < 0: no bound).
type source struct {
	io.ReadCloser
	left int64
	over error
	err  error // sticky; io.EOF at the end
}

func (s *source) Read(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	if s.left >= 0 {
		p = p[:min(int64(len(p)), s.left+1)]
	}
	n, err := s.ReadCloser.Read(p)
	switch {
	case s.left >= 0 && int64(n) > s.left:
		n, s.err = int(s.left), s.over
	case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		s.err = io.EOF
	case err != nil:
		s.err = exchangeError(opBody, err)
	}
	if s.left >= 0 {
		s.left -= int64(n)
	}
	return n, s.err
}
