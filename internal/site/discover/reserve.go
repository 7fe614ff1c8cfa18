package discover

import (
	"context"
	"io"
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

// metered is the body of a document that takes room as it arrives.
type metered struct {
	io.ReadCloser
	of   *request
	ctx  context.Context
	paid int64 // the bytes that may arrive before more room is taken
	next int64 // the room that is taken then
}

func (m *metered) Read(p []byte) (int, error) {
	if m.paid == 0 {
		if err := m.of.reserve(m.ctx, m.next, m.of.left()); err != nil {
			return 0, err
		}
		m.paid, m.next = paidBytes, requestBytes
	}
	n, err := m.ReadCloser.Read(p[:min(int64(len(p)), m.paid)])
	m.paid -= int64(n)
	return n, err
}
