package cache

import (
	"bytes"
	"context"
	"io"
	"mime"
	"net/http"
)

// streams reports whether a response is a stream: its body may have no end, and each part is used
// when it comes.
func streams(h http.Header) bool {
	kind, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return kind == eventStream || kind == "multipart/x-mixed-replace"
}

// eventStream is the media type of server-sent events.
const eventStream = "text/event-stream"

// stream is a response whose body is open. The caller that sent the request reads it, from the
// network or through a tee.
type stream struct {
	resp *http.Response
	head *Entry // the entry without its body; nil if the response is too large
	open bool   // its header has no length
}

// newStream returns a stream of begin, the bytes that were already read, and the rest. The
// connection is closed when ctx ends.
func newStream(ctx context.Context, resp *http.Response, head *Entry, begin []byte) *stream {
	rest := resp.Body
	context.AfterFunc(ctx, func() { _ = rest.Close() })
	b := &streamBody{Reader: rest, closer: rest, head: head}
	if len(begin) > 0 {
		b.Reader = io.MultiReader(bytes.NewReader(begin), rest)
	}
	resp.Body = b
	return &stream{resp: resp, head: head}
}

// take returns the response to its caller, whose ctx ends it. closed is called when the response is
// over.
func (s *stream) take(ctx context.Context, facts Facts, closed func()) *http.Response {
	b := s.resp.Body.(*streamBody)
	stop := context.AfterFunc(ctx, closed)
	b.ctx, b.facts, b.stop, b.closed = ctx, facts, stop, func() { stop(); closed() }
	return s.resp
}

// streamBody is the body of a stream.
type streamBody struct {
	io.Reader
	closer io.Closer
	head   *Entry
	tee    *tee           // used in place of Reader if the flight reads the body
	off    int            // the number of bytes read so far
	resp   *http.Response // the caller's response, with a tee

	// Set by take, for the caller.
	ctx    context.Context
	facts  Facts
	stop   func() bool // stops waiting for the end of ctx
	closed func()
}

// Read reads from the network or from the tee. If the caller's context has ended, Read returns the
// error of the context.
func (b *streamBody) Read(p []byte) (int, error) {
	var n int
	var err error
	if b.tee != nil {
		if n, err = b.tee.read(b.ctx, p, &b.off); err == io.EOF {
			b.resp.Trailer = b.tee.from.Trailer.Clone()
		}
	} else {
		n, err = b.Reader.Read(p)
	}
	if err != nil {
		if err != io.EOF && b.ctx.Err() != nil {
			err = b.ctx.Err()
		}
		b.closed()
	}
	return n, err
}

// Close closes the body of the connection and leaves the flight.
func (b *streamBody) Close() error {
	err := b.closer.Close()
	if b.tee != nil {
		b.stop()
		b.tee.linger(b.closed)
		return err
	}
	b.closed()
	return err
}

// of returns the results of Of. The entry is the complete one as soon as there is one. There is
// none if the body has turned out to be too large.
func (b *streamBody) of() (*Entry, Facts, bool) {
	e := b.head
	if b.tee != nil {
		switch whole, passed := b.tee.ended(); {
		case passed:
			e = nil
		case whole != nil:
			e = whole
		}
	}
	if e == nil {
		return nil, Facts{}, false
	}
	return e, b.facts, true
}
