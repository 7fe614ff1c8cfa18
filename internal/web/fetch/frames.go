package fetch

import (
	"crypto/tls"
	"sync/atomic"
	"time"
)

// Bounds on what a server may send for each request. A dozen frames are usual.
const (
	// maxControlFrames bounds frames without content: settings, pings, window updates and similar
	// frames.
	maxControlFrames = 1_000
	// maxHeaderFrames bounds header frames. The headers of an answer have a bound of their own,
	// which is reached first. This one is for streams that have ended.
	maxHeaderFrames = 2 * maxInformational
)

// closePatience is the time that closing waits for a peer that does not read.
const closePatience = 250 * time.Millisecond

// Types and flags of frames (RFC 9113 §6).
const (
	frameHeader      = 9
	typeData         = 0
	typeHeaders      = 1
	typeContinuation = 9
	flagPadded       = 0x8
)

// framed is a TLS connection for HTTP/2. It counts the frames that cost work
// without content (RFC 9113 §10.5), because they have few bytes.
type framed struct {
	*tls.Conn
	// The number of frames that are accepted.
	controls, headers atomic.Int64

	// The state of the frame that is being read; there is one reader.
	header [frameHeader]byte
	have   int // bytes of header
	body   int // bytes of the payload still to come
}

func newFramed(c *tls.Conn) *framed {
	f := &framed{Conn: c}
	f.allow()
	return f
}

// allow resets the bounds for a request.
func (f *framed) allow() {
	f.controls.Store(maxControlFrames)
	f.headers.Store(maxHeaderFrames)
}

// Read implements net.Conn. It returns errFlood if there are too many frames.
func (f *framed) Read(p []byte) (int, error) {
	n, err := f.Conn.Read(p)
	controls, headers := f.count(p[:n])
	if f.controls.Add(-controls) < 0 || f.headers.Add(-headers) < 0 {
		return 0, errFlood
	}
	return n, err
}

// count parses the frames in the bytes read, and returns the numbers of control frames and of
// header frames.
func (f *framed) count(b []byte) (controls, headers int64) {
	for len(b) > 0 {
		if f.body > 0 {
			n := min(f.body, len(b))
			f.body, b = f.body-n, b[n:]
			continue
		}
		n := copy(f.header[f.have:], b)
		f.have, b = f.have+n, b[n:]
		if f.have < frameHeader {
			return controls, headers
		}
		f.have = 0
		f.body = int(f.header[0])<<16 | int(f.header[1])<<8 | int(f.header[2])
		switch kind, flags := f.header[3], f.header[4]; {
		case kind == typeHeaders, kind == typeContinuation:
			headers++
		case kind != typeData, f.body == 0, flags&flagPadded != 0:
			controls++
		}
	}
	return controls, headers
}

// Close does not wait long for a peer that does not read. crypto/tls alone would wait up to five
// seconds to send its alert.
func (f *framed) Close() error {
	defer time.AfterFunc(closePatience, func() { _ = f.NetConn().Close() }).Stop()
	return f.Conn.Close()
}
