package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/security"
)

// cuttable is a whole answer of 600 bytes, as a server writes it.
type cuttable struct {
	name, proto string
	bytes       string
	header      int // the end of the header; from there on the answer has begun to arrive
	begun       int // bytes after which the client knows that it is answered
}

// document returns the content of the answers. Its gzip has about 400 bytes.
func document() []byte {
	var b bytes.Buffer
	for i := range 90 {
		fmt.Fprintf(&b, `{"a": %d}`, i*i*i%1009)
	}
	return b.Bytes()
}

func cuttables(t testing.TB) []cuttable {
	body := string(compress(t, document(), gzip.BestCompression))
	half := len(body) / 2
	chunks := fmt.Sprintf("%x\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n", half, body[:half], len(body)-half, body[half:])
	return []cuttable{
		ofOne("length", fmt.Sprintf("Content-Length: %d\r\n", len(body)), body),
		ofOne("chunked", "Transfer-Encoding: chunked\r\n", chunks),
		ofTwo(body),
	}
}

// ofOne pads an HTTP/1.1 answer to 600 bytes.
func ofOne(name, framing, body string) cuttable {
	head := "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n" + framing + "X-Padding: "
	head += strings.Repeat("x", 600-len(head)-len("\r\n\r\n")-len(body)) + "\r\n\r\n"
	return cuttable{name, "http/1.1", head + body, len(head), 1}
}

// ofTwo is an HTTP/2 answer to the first stream, with the server's preface.
func ofTwo(body string) cuttable {
	var b bytes.Buffer
	f := &frames{Framer: http2.NewFramer(&b, nil)}
	_ = f.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 100})
	_ = f.WriteSettingsAck()
	const frame = 9 // bytes of a frame's header
	f.header(1, false, ":status", "200", "content-encoding", "gzip", "x", strings.Repeat("~", 600-b.Len()-len(body)-3*frame-22))
	head := b.Len()
	_ = f.WriteData(1, false, []byte(body[:100]))
	_ = f.WriteData(1, true, []byte(body[100:]))
	return cuttable{"h2", "h2", b.String(), head, head}
}

// TestAnAnswerThatEndsAtAnyByteIsNoDocument ends each answer after each of its bytes in each
// way. Nothing but the whole of it is a document, the error says how and where
// it ended, time limits hold to the millisecond, and no more than one retry is
// made, none once an answer has begun.
func TestAnAnswerThatEndsAtAnyByteIsNoDocument(t *testing.T) {
	for _, whole := range cuttables(t) {
		if n := len(whole.bytes); n < 590 || n > 610 {
			t.Errorf("%s: %d bytes", whole.name, n)
		}
		for _, e := range []ending{hold, bye, fin, rst} {
			t.Run(whole.name+" "+string(e), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { sweep(t, whole, e) })
			})
		}
	}
}

func sweep(t *testing.T, whole cuttable, e ending) {
	w := newWorld(t)
	var cut atomic.Int32
	var s *wire
	s = w.wire(whole.proto, func(c *tls.Conn) {
		s.upTo(c, whole.bytes[:cut.Load()])
		e.apply(c)
	})
	// Handshakes are nearly all the time that this takes: cheap ones.
	conns := w.conns(nil)
	s.config.MaxVersion, conns.tls.CurvePreferences = tls.VersionTLS12, []tls.CurveID{tls.CurveP256}
	rt := NewBody(NewRetry(conns))
	for n := range len(whole.bytes) + 1 {
		cut.Store(int32(n))
		before, start := s.requests.Load(), time.Now()
		got, err := getErr(t, t.Context(), rt, site)
		took := time.Since(start)
		if problem := whole.judge(n, e, got, took, err); problem != "" {
			t.Errorf("%s, %s at %d: %s: %+v after %v, %v", whole.name, e, n, problem, got, took, err)
		}
		asked := s.requests.Load() - before
		if most := int32(2); asked > most || asked != 1 && (e == hold || n >= whole.begun) {
			t.Errorf("%s, %s at %d: asked %d times", whole.name, e, n, asked)
		}
	}
}

// judge returns the fault in the outcome of an answer that was cut at n.
func (whole cuttable) judge(n int, e ending, got answer, took time.Duration, err error) string {
	if n == len(whole.bytes) {
		if got.Body != string(document()) {
			return "no success"
		}
		return ""
	}
	stage, limit := opHeaders, headerTimeout
	if n >= whole.header {
		stage, limit = opBody, requestTimeout
	}
	failure, ok := errors.AsType[*wayfind.Error](err)
	switch {
	case !ok:
		return "success"
	case got.Op != stage || got.Kind != wayfind.ErrUnreachable:
		return "wrong stage or kind"
	case e == hold && (got.Code != wayfind.CodeTimeout || took != limit):
		return "no time-out in time"
	case (e == bye || e == fin) && got.Code != wayfind.CodeTruncated && got.Code != wayfind.CodeProtocol:
		return "wrong code for an end"
	case e == rst && (got.Code != wayfind.CodeNetwork || !failure.Temporary()):
		return "wrong code for a reset"
	}
	return ""
}

// TestResetsOfRealSocketsAreErrors resets connections of the kernel, at twelve places. What
// had arrived may be lost with a reset, so that the stage is open. With HTTP/2
// an acknowledgement that we write may be told of the reset, which the kernel
// tells once: then what we read ends without one.
func TestResetsOfRealSocketsAreErrors(t *testing.T) {
	for _, whole := range cuttables(t) {
		for i := range 12 {
			w := newWorld(t)
			l, policy := loopback(t)
			s := w.script(whole.proto)
			s.talk = func(c *tls.Conn) {
				s.upTo(c, whole.bytes[:i*len(whole.bytes)/12])
				_ = c.NetConn().(*net.TCPConn).SetLinger(0)
				_ = c.NetConn().Close()
			}
			go s.accept(l)
			got, _, err := w.attempt(t, t.Context(), func(o *Options) { o.Policy, o.Dial = policy, nil })
			codes := []wayfind.Code{wayfind.CodeNetwork}
			if whole.proto == "h2" {
				codes = append(codes, wayfind.CodeTruncated)
			}
			if e, ok := errors.AsType[*wayfind.Error](err); !ok || !slices.Contains(codes, got.Code) || !e.Temporary() {
				t.Errorf("%s, at %d twelfths: %+v, %v", whole.name, i, got, err)
			}
			if n := s.requests.Load(); n < 1 || n > 2 {
				t.Errorf("%s, at %d twelfths: asked %d times", whole.name, i, n)
			}
		}
	}
}

// loopback listens on a real socket, and lets the site be reached there.
func loopback(t testing.TB) (net.Listener, *security.Guard) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l, &security.Guard{
		ConnectTo: map[string]netip.AddrPort{"shop.example.com:443": netip.MustParseAddrPort(l.Addr().String())},
		AllowCIDR: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	}
}

// TestProgressMovesNoTimeLimit: progress moves no time limit, neither ours nor the
// caller's.
func TestProgressMovesNoTimeLimit(t *testing.T) {
	for _, whole := range cuttables(t) {
		for _, tt := range []struct {
			name   string
			every  time.Duration
			from   int           // sent at once before
			caller time.Duration // deadline; 0: none
			op     string
			limit  time.Duration
		}{
			{"header by the second", time.Second, 0, 0, opHeaders, headerTimeout},
			{"header just in time", headerTimeout - time.Millisecond, 0, 0, opHeaders, headerTimeout},
			{"body by the second", time.Second, whole.header, 0, opBody, requestTimeout},
			{"body just in time", requestTimeout - time.Millisecond, whole.header, 0, opBody, requestTimeout},
			{"both just in time", headerTimeout - time.Millisecond, whole.header - 1, 0, opBody, requestTimeout},
			{"deadline, header", time.Second, 0, 3 * time.Second, opHeaders, 3 * time.Second},
			{"deadline, body", 3*time.Second - time.Millisecond, whole.header, 3 * time.Second, opBody, 3 * time.Second},
		} {
			t.Run(whole.name+" "+tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t)
					var s *wire
					s = w.wire(whole.proto, func(c *tls.Conn) {
						s.upTo(c, whole.bytes[:tt.from])
						for i := tt.from; i < len(whole.bytes); i++ {
							time.Sleep(tt.every)
							if _, err := io.WriteString(c, whole.bytes[i:i+1]); err != nil {
								return
							}
						}
					})
					ctx, want := t.Context(), failed(tt.op, wayfind.CodeTimeout)
					if tt.caller > 0 {
						var cancel context.CancelFunc
						ctx, cancel = context.WithTimeout(ctx, tt.caller)
						defer cancel()
						want.Kind = nil // it is no failure of the site
					}
					if tt.op == opBody {
						want.Status = 200
					}
					got, took, _ := w.attempt(t, ctx, nil)
					sameAnswer(t, want, got)
					if took != tt.limit || s.requests.Load() != 1 {
						t.Errorf("took %v, %d requests", took, s.requests.Load())
					}
					time.Sleep(3 * tt.every) // until the server has noticed
				})
			})
		}
	}
}

// TestStagesJustInTimeEndWithTheWhole: stages that all use up their own time do not
// add up to more than the time of the whole.
func TestStagesJustInTimeEndWithTheWhole(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const early = time.Millisecond
		w := newWorld(t)
		s := w.wire("http/1.1", stall)
		w.answer("shop.example.com", func() ([]netip.Addr, error) {
			time.Sleep(lookupTimeout - early)
			return []netip.Addr{netip.MustParseAddr(ip1)}, nil
		})
		s.config.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) {
			time.Sleep(handshakeTimeout - 2*time.Second)
			return nil, nil
		}
		got, took, _ := w.attempt(t, t.Context(), func(o *Options) {
			o.Dial = func(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
				time.Sleep(dialTimeout - early)
				return w.dial(ctx, addr)
			}
		})
		sameAnswer(t, failed("headers", wayfind.CodeTimeout), got)
		if took != requestTimeout {
			t.Errorf("took %v", took)
		}
	})
}

// TestABodyWithoutCloseNotifyIsTruncated: the end of the connection is not the end of a body
// that only TLS can end (RFC 8446 §6.1).
func TestABodyWithoutCloseNotifyIsTruncated(t *testing.T) {
	plain, packed := "# Agents", string(compress(t, []byte("# Agents"), gzip.BestSpeed))
	wants := map[ending]answer{
		bye: ok(plain), fin: brokenBody(wayfind.CodeTruncated), rst: brokenBody(wayfind.CodeNetwork), hold: brokenBody(wayfind.CodeTimeout),
	}
	for header, body := range map[string]string{"": plain, "Content-Encoding: gzip\r\n": packed} {
		for e, want := range wants {
			t.Run(fmt.Sprintf("%s%s", header, e), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t)
					w.wire("http/1.1", func(c *tls.Conn) {
						says("HTTP/1.1 200 OK\r\n" + header + "\r\n" + body)(c)
						e.apply(c)
					})
					got, _, _ := w.attempt(t, t.Context(), nil)
					sameAnswer(t, want, got)
					if w.dialCount() != 1 {
						t.Errorf("%d dials", w.dialCount())
					}
				})
			})
		}
	}
}
