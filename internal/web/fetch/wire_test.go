package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// ending is the way in which a scripted server ends.
type ending string

const (
	hold ending = "hold" // sends nothing more and keeps the connection
	bye  ending = "bye"  // ends TLS and the connection
	fin  ending = "fin"  // ends the connection below TLS
	rst  ending = "rst"  // resets it
)

func (e ending) apply(c *tls.Conn) {
	switch e {
	case hold:
		stall(c)
	case bye:
		_ = c.Close()
	case fin:
		_ = c.NetConn().Close()
	case rst:
		_ = c.NetConn().(interface{ Reset() error }).Reset()
	}
}

// wire is shop.example.com as a script: it answers with bytes, or frames, of
// the test's choice.
type wire struct {
	config   *tls.Config
	talk     func(c *tls.Conn)
	below    func(net.Conn) net.Conn // wraps the connection below TLS; or nil
	requests atomic.Int32            // headers that were read
}

// wire serves one protocol ("http/1.1", "h2") on ip1. For each connection talk
// is called once: after the header of the first request with HTTP/1.1, after
// the handshake with HTTP/2, where it goes on with [wire.frames].
func (w *world) wire(proto string, talk func(c *tls.Conn)) *wire {
	s := w.script(proto)
	s.talk = talk
	w.name("shop.example.com", ip1)
	go s.accept(w.listen(ip1))
	return s
}

// script is a wire that listens nowhere yet, and does not answer.
func (w *world) script(proto string) *wire {
	return &wire{talk: stall, config: &tls.Config{
		Certificates: []tls.Certificate{w.ca.leaf(w.t, leaf("shop.example.com"))},
		NextProtos:   []string{proto},
	}}
}

func (s *wire) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		if s.below != nil {
			c = s.below(c)
		}
		go s.serve(tls.Server(c, s.config))
	}
}

func (s *wire) serve(c *tls.Conn) {
	defer c.Close()
	if c.Handshake() != nil {
		return
	}
	if c.ConnectionState().NegotiatedProtocol != "h2" {
		if readHeader(c) != nil {
			return
		}
		s.requests.Add(1)
	}
	s.talk(c)
}

// upTo sends a part of an answer when there is a request.
func (s *wire) upTo(c *tls.Conn, part string) {
	if c.ConnectionState().NegotiatedProtocol == "h2" && s.hear(c) != nil {
		return
	}
	says(part)(c)
}

// hear reads the client's preface and frames up to its first request.
func (s *wire) hear(c *tls.Conn) error {
	if err := readPreface(c); err != nil {
		return err
	}
	f := http2.NewFramer(nil, c)
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return err
		}
		if frame.Header().Type == http2.FrameHeaders {
			s.requests.Add(1)
			return nil
		}
	}
}

func readPreface(c *tls.Conn) error {
	preface := make([]byte, len(http2.ClientPreface))
	_, err := io.ReadFull(c, preface)
	return err
}

// frames is one HTTP/2 connection of a wire. The client's bytes are read all the time; the test
// writes with the Framer.
type frames struct {
	*http2.Framer
	c       *tls.Conn
	streams chan uint32 // requests; closed with the connection
}

// frames reads the client's preface, and with greet sends the server's. It
// returns nil when the client is gone.
func (s *wire) frames(c *tls.Conn, greet bool) *frames {
	if readPreface(c) != nil {
		return nil
	}
	f := &frames{Framer: http2.NewFramer(c, c), c: c, streams: make(chan uint32, 100)}
	f.AllowIllegalWrites = true
	if greet {
		_ = f.WriteSettings()
		_ = f.WriteSettingsAck()
	}
	go f.listen(s)
	return f
}

func (f *frames) listen(s *wire) {
	defer close(f.streams)
	for {
		frame, err := f.ReadFrame()
		if err != nil {
			return
		}
		if _, ok := frame.(*http2.HeadersFrame); ok {
			s.requests.Add(1)
			f.streams <- frame.Header().StreamID
		}
	}
}

// header begins an answer on a stream: pairs of names and values.
func (f *frames) header(stream uint32, end bool, pairs ...string) {
	_ = f.WriteHeaders(http2.HeadersFrameParam{
		StreamID: stream, BlockFragment: block(pairs...), EndHeaders: true, EndStream: end,
	})
}

// hello answers a stream.
func (f *frames) hello(stream uint32) {
	f.header(stream, false, ":status", "200")
	_ = f.WriteData(stream, true, []byte("hello"))
}

// block is a compressed list of header fields (RFC 7541).
func block(pairs ...string) []byte {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	for i := 0; i < len(pairs); i += 2 {
		_ = e.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	return b.Bytes()
}

// attempt fetches site over its own connections and returns the time it took.
func (w *world) attempt(t testing.TB, ctx context.Context, change func(*Options), like ...Ask) (answer, time.Duration, error) {
	t.Helper()
	o := w.options()
	if change != nil {
		change(&o)
	}
	c := NewConns(o)
	defer c.Close()
	start := time.Now()
	a, err := getErr(t, ctx, NewBody(NewRetry(c)), site, like...)
	return a, time.Since(start), err
}
