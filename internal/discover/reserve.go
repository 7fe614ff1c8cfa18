package discover

import (
	"context"
	"io"
	"net/http"
)

// The share of documents in Limits.Bytes. The garbage that Go's collector lets
// stand, as much as the live data, is part of it.
const (
	// requestBytes is taken for each request before it is sent: an error page, a
	// small document, and its part of what a connection receives before anyone has
	// read it. As much is taken again for each half of it that comes, so a site
	// that sends slowly holds no more than it has sent.
	requestBytes = 64 << 10
	paidBytes    = requestBytes / 2
	// readingFactor is the memory of a document while it is read, in multiples
	// of its size: JSON that is mostly brackets, with the table over it and a
	// few copies.
	readingFactor = 24
	// keptFactor is the memory of a document once it is read, in multiples of
	// its size: the body, its text, and parts of it that a reading has copied.
	keptFactor = 6
)

// reserve takes n of the bytes that documents may occupy, and waits for it. The call's
// time-outs stand still meanwhile. left ends the waiting too; nil does not. The
// error is that of a context: nothing is known about the site.
func (h *hop) reserve(ctx context.Context, n int64, left <-chan struct{}) error {
	if n <= 0 {
		return nil
	}
	err := h.share.Take(ctx, n, left)
	if err == nil {
		h.taken += n
	}
	return err
}

// settle gives back the bytes that the hop has taken beyond n. The rest is
// given back when the call ends: until then its documents are held.
func (h *hop) settle(n int64) {
	if h.taken > n {
		h.share.Return(h.taken - n)
		h.taken = n
	}
}

// metered is the body of a document, which takes room as it comes.
type metered struct {
	io.ReadCloser
	hop  *hop
	ctx  context.Context
	paid int64 // the bytes that may come before more room is taken
}

// meter makes the body of a response take room. Those that are no document are
// no larger than the room that the request has taken.
func (h *hop) meter(ctx context.Context, resp *http.Response) {
	if resp.StatusCode >= 200 && resp.StatusCode <= 299 {
		resp.Body = &metered{ReadCloser: resp.Body, hop: h, ctx: ctx, paid: paidBytes}
	}
}

func (m *metered) Read(p []byte) (int, error) {
	if m.paid == 0 {
		if err := m.hop.reserve(m.ctx, requestBytes, m.hop.left()); err != nil {
			return 0, err
		}
		m.paid = paidBytes
	}
	n, err := m.ReadCloser.Read(p[:min(int64(len(p)), m.paid)])
	m.paid -= int64(n)
	return n, err
}

// parsing waits for a free parser for a domain. leave gives it back. When ctx
// has ended, the call needs no parser.
func (eng *Engine) parsing(ctx context.Context, domain string, pause func() func()) (leave func()) {
	parser := eng.Opts.Limits.Parsers.Open(domain, pause)
	_ = parser.Take(ctx, 1, nil)
	return parser.Close
}
