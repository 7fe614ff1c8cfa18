package fetch

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"

	"github.com/wayfindhq/wayfind"
)

// gunzip decodes exactly one gzip member (RFC 1952). The check sum must match, and no data may
// follow. Go's reader would continue with a second member.
type gunzip struct {
	src    *source
	buffer *bufio.Reader
	reader *gzip.Reader
	err    error // sticky
}

func newGunzip(src *source) *gunzip {
	return &gunzip{src: src, buffer: bufio.NewReader(src)}
}

func (g *gunzip) Read(p []byte) (int, error) {
	if g.err != nil {
		return 0, g.err
	}
	if g.reader == nil {
		if g.err = g.open(); g.err != nil {
			return 0, g.err
		}
	}
	n, err := g.reader.Read(p)
	switch {
	case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
		g.err = g.end()
	case err != nil:
		g.err = g.fault(err)
	}
	return n, g.err
}

// Close closes the source.
func (g *gunzip) Close() error { return g.src.Close() }

func (g *gunzip) open() error {
	r, err := gzip.NewReader(g.buffer)
	if err != nil {
		if g.src.err != nil && !errors.Is(g.src.err, io.EOF) {
			return g.src.err
		}
		return undecodable(err) // also for an empty body, which has no gzip header
	}
	r.Multistream(false)
	g.reader = r
	return nil
}

// end checks that no data follows the member.
func (g *gunzip) end() error {
	_, err := g.buffer.ReadByte()
	switch {
	case err == nil:
		return undecodable(errors.New("data after the end of gzip"))
	case errors.Is(err, io.EOF):
		return io.EOF
	}
	return g.fault(err)
}

// fault distinguishes a body that was cut off from a damaged one.
func (g *gunzip) fault(err error) error {
	if g.src.err != nil && !errors.Is(g.src.err, io.EOF) {
		return g.src.err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fail(opBody, wayfind.CodeTruncated, err)
	}
	return undecodable(err)
}

func undecodable(err error) error {
	return fail(opBody, wayfind.CodeEncoding, err)
}

// forgiving ends a body at the point where it cannot be decoded.
type forgiving struct{ *gunzip }

func (f *forgiving) Read(p []byte) (int, error) {
	n, err := f.gunzip.Read(p)
	if e, ok := errors.AsType[*wayfind.Error](err); ok && errors.Is(e.Kind, wayfind.ErrInvalid) {
		err = io.EOF
	}
	return n, err
}
