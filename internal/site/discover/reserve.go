package discover

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/wayfindhq/wayfind/internal/run/fairshare"
)

// The memory of documents in Limits.Bytes. It includes the garbage that Go's collector leaves,
// which is as much as the live data.
const (
	// requestBytes is taken for each request before it is sent. It covers an error page, a small
	// document, and the data that a connection receives before it is read. The same amount is taken
	// again for each half of it that arrives, so a site that sends slowly holds no more than it has
	// sent.
	requestBytes = 16 << 10
	paidBytes    = requestBytes / 2
	// decoderBytes is taken before a compressed answer is decoded.
	decoderBytes = 48 << 10
	// readingFactor is the memory of a document while it is read, in multiples of its size. It is
	// for JSON that consists mostly of brackets, with its table and a few copies.
	readingFactor = 24
	// keptFactor is the memory of a document after it is read, in multiples of its size, without
	// its results: the body, and parts of it that a reading has copied.
	keptFactor = 3
	// turnTime is the time spent waiting for sites during which a call may hold much of
	// Limits.Bytes while others wait. A site that answers at all rarely needs it.
	turnTime = 6 * time.Second
)

// Shared returns the limits with a number of parsers and of bytes for documents: three quarters of
// the bytes for documents that calls hold until they end, and one quarter for documents while they
// are read.
func (l Limits) Shared(parsers int, bytes int64) Limits {
	l.Parsers = fairshare.New(int64(parsers))
	l.Reading = fairshare.New(max(bytes/4, 1))
	l.Bytes = fairshare.NewPool(bytes-bytes/4, turnTime)
	return l
}

// reserve takes n of the bytes that documents may occupy, and waits for them. The call's time-outs
// do not run meanwhile. The wait also ends when left is closed; a nil left never ends it. The error
// is the error of a context and no fact about the site.
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

// settle makes n the number of bytes that the hop has taken. They are returned when the call ends,
// because its documents are held until then.
func (h *hop) settle(n int64) {
	if h.taken > n {
		h.share.Return(h.taken - n)
		h.taken = n
	}
	_ = h.reserve(h.Engine.base, n-h.taken, h.left()) // else the Client is closed, or all callers have left
}

// metered is the body of a document that takes room as it arrives.
type metered struct {
	io.ReadCloser
	hop  *hop
	ctx  context.Context
	paid int64 // the bytes that may arrive before more room is taken
	next int64 // the room that is taken then
}

// meter makes the body of a response take room.
func (h *hop) meter(ctx context.Context, resp *http.Response) {
	m := &metered{ReadCloser: resp.Body, hop: h, ctx: ctx, paid: paidBytes, next: requestBytes}
	if resp.Uncompressed {
		m.paid, m.next = 0, decoderBytes
	}
	resp.Body = m
}

func (m *metered) Read(p []byte) (int, error) {
	if m.paid == 0 {
		if err := m.hop.reserve(m.ctx, m.next, m.hop.left()); err != nil {
			return 0, err
		}
		m.paid, m.next = paidBytes, requestBytes
	}
	n, err := m.ReadCloser.Read(p[:min(int64(len(p)), m.paid)])
	m.paid -= int64(n)
	return n, err
}

// parsing waits for a free parser for work of a size on documents of a domain. leave returns the
// parser. If ctx has ended, the call needs no parser.
func (eng *Engine) parsing(ctx context.Context, domain string, size int64, pause func() func()) (leave func()) {
	parser := eng.Opts.Limits.Parsers.Open(domain, pause)
	_ = parser.TakeFor(ctx, 1, size, nil)
	return parser.Close
}
