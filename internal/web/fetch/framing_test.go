package fetch

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/net/http2"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

// TestALengthAboveTheCapIsRefusedUnread: a length over the cap is refused before the body is read,
// and no length causes an allocation.
func TestALengthAboveTheCapIsRefusedUnread(t *testing.T) {
	for _, tt := range []struct {
		name, framing string
		want          answer
	}{
		{"over the cap", "Content-Length: 262145", bad("body", wayfind.CodeTooLarge)},
		{"2^63-1", "Content-Length: 9223372036854775807", bad("body", wayfind.CodeTooLarge)},
		{"2^64", "Content-Length: 18446744073709551616", failed("headers", wayfind.CodeProtocol)},
		{"negative", "Content-Length: -1", failed("headers", wayfind.CodeProtocol)},
		{"plus", "Content-Length: +3", failed("headers", wayfind.CodeProtocol)},
		{"hexadecimal", "Content-Length: 0x3", failed("headers", wayfind.CodeProtocol)},
		{"a list", "Content-Length: 3, 3", failed("headers", wayfind.CodeProtocol)},
		{"two that differ", "Content-Length: 3\r\nContent-Length: 4", failed("headers", wayfind.CodeProtocol)},
		{"empty", "Content-Length: ", failed("headers", wayfind.CodeProtocol)},
		{"other transfer coding", "Transfer-Encoding: gzip, chunked", failed("headers", wayfind.CodeProtocol)},
		{"two transfer codings", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", failed("headers", wayfind.CodeProtocol)},
		{"identity", "Transfer-Encoding: identity", failed("headers", wayfind.CodeProtocol)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			arrived := &tap{}
			w.wire("http/1.1", func(c *tls.Conn) {
				says("HTTP/1.1 200 OK\r\n" + tt.framing + "\r\n\r\n")(c)
				for written := 0; written < 8<<20; written += 64 << 10 {
					if _, err := c.Write(make([]byte, 64<<10)); err != nil {
						return
					}
				}
			})
			got, _, _ := w.attempt(t, t.Context(), w.through(arrived))
			sameAnswer(t, tt.want, got)
			if n := arrived.size(); n > 128<<10 {
				t.Errorf("%d bytes were read", n)
			}
		})
	}
	w := newWorld(t)
	w.wire("http/1.1", says("HTTP/1.1 200 OK\r\nContent-Length: 60000000\r\n\r\nabc"))
	rt := w.stack(nil)
	if n := testkit.Allocated(func() {
		sameAnswer(t, brokenBody(wayfind.CodeTruncated), get(t, t.Context(), rt, site, Ask{MaxBytes: 64 << 20}))
	}); n > 4<<20 {
		t.Errorf("%.0f bytes allocated for three", n)
	}
}

// through lets a tap see what arrives here.
func (w *world) through(arrived *tap) func(*Options) {
	return func(o *Options) {
		o.Dial = func(ctx context.Context, addr netip.AddrPort) (net.Conn, error) {
			c, err := w.dial(ctx, addr)
			return arrived.over(c), err
		}
	}
}

// TestBrokenChunksAreErrors: chunks that are wrong, broken off or without an end.
func TestBrokenChunksAreErrors(t *testing.T) {
	many := strings.Repeat("X-A: "+strings.Repeat("y", 100)+"\r\n", 10_000)
	protocol, truncated := brokenBody(wayfind.CodeProtocol), brokenBody(wayfind.CodeTruncated)
	for _, tt := range []struct {
		name, body string
		want       answer
	}{
		{"sound", "3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nX: y\r\n\r\n", ok("abcde")},
		{"no size", "\r\nabc\r\n0\r\n\r\n", protocol},
		{"bad size", "zz\r\nabc\r\n0\r\n\r\n", protocol},
		{"negative", "-3\r\nabc\r\n0\r\n\r\n", protocol},
		{"plus", "+3\r\nabc\r\n0\r\n\r\n", protocol},
		{"0x", "0x3\r\nabc\r\n0\r\n\r\n", protocol},
		{"17 digits", "10000000000000003\r\nabc\r\n0\r\n\r\n", protocol},
		{"2^64-1", "ffffffffffffffff\r\nabc", truncated},
		{"2^63-1", "7fffffffffffffff\r\nabc", truncated},
		{"over the cap", "40001\r\n" + strings.Repeat("x", 0x40001) + "\r\n0\r\n\r\n", badBody(wayfind.CodeTooLarge)},
		{"no line end after a chunk", "3\r\nabc0\r\n\r\n", protocol},
		{"longer than its size", "3\r\nabcdef\r\n0\r\n\r\n", protocol},
		{"line feed alone", "3\nabc\r\n0\r\n\r\n", protocol},
		{"huge extension", "3;" + strings.Repeat("y", 10_000) + "\r\nabc\r\n0\r\n\r\n", protocol},
		{"many extensions", strings.Repeat("1;"+strings.Repeat("y", 2000)+"\r\nx\r\n", 1000) + "0\r\n\r\n", protocol},
		{"tiny chunks", strings.Repeat("1\r\nx\r\n", 1000) + "0\r\n\r\n", ok(strings.Repeat("x", 1000))},
		{"no terminator", "3\r\nabc\r\n", truncated},
		{"half a terminator", "3\r\nabc\r\n0\r\n", truncated},
		{"broken off in a size", "3\r\nabc\r\n1", truncated},
		{"broken off in a chunk", "5\r\nabc", truncated},
		{"trailers about framing", "3\r\nabc\r\n0\r\nContent-Length: 9\r\nTransfer-Encoding: x\r\n\r\n", ok("abc")},
		{"trailers without end", "3\r\nabc\r\n0\r\n" + many + "\r\n", brokenBody(wayfind.CodeHeadersTooLarge)},
		{"one long trailer", "3\r\nabc\r\n0\r\nX: " + strings.Repeat("y", 1<<20) + "\r\n\r\n", brokenBody(wayfind.CodeHeadersTooLarge)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			s := w.wire("http/1.1", says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"+tt.body))
			got, _, err := w.attempt(t, t.Context(), nil)
			sameAnswer(t, tt.want, got)
			if s.requests.Load() != 1 {
				t.Errorf("asked %d times: %v", s.requests.Load(), err)
			}
		})
	}
}

// TestInformationalAnswersCountAsHeader: informational answers are part of the limit of the header,
// however many there are and whatever comes after them.
func TestInformationalAnswersCountAsHeader(t *testing.T) {
	large := failed("headers", wayfind.CodeHeadersTooLarge)
	for _, tt := range []struct {
		name, one string
		times     int
		want      answer
	}{
		{"100 unasked", "100 Continue", 1, ok("hello")},
		{"100, five times", "100 Continue", 5, ok("hello")},
		{"102 and its like", "102 Processing\r\nX: y", 100, ok("hello")},
		{"103 with a link", "103 Early Hints\r\nLink: </x>", 50, ok("hello")},
		{"103, 10,000 times", "103 Early Hints\r\nLink: </x>", 10_000, large},
		{"100, 10,000 times", "100 Continue", 10_000, large},
		{"199, 10,000 times", "199 X", 10_000, large},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			arrived := &tap{}
			s := w.wire("http/1.1", says(strings.Repeat("HTTP/1.1 "+tt.one+"\r\n\r\n", tt.times)+helloH1))
			got, _, _ := w.attempt(t, t.Context(), w.through(arrived))
			sameAnswer(t, tt.want, got)
			if n := arrived.size(); n > maxHeaderBytes+32<<10 || s.requests.Load() != 1 {
				t.Errorf("%d bytes were read, %d requests", n, s.requests.Load())
			}
		})
		t.Run("h2 "+tt.name, func(t *testing.T) {
			h2Fault{"", func(f *frames, s uint32) {
				for range tt.times {
					if f.WriteHeaders(http2.HeadersFrameParam{StreamID: s, BlockFragment: block(":status", tt.one[:3], "link", "</x>"), EndHeaders: true}) != nil {
						return
					}
				}
				f.hello(s)
			}, tt.want, 1}.run(t)
		})
	}
}

func TestALongHeaderIsRefused(t *testing.T) {
	var many strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&many, "X-%d: y\r\n", i)
	}
	for name, header := range map[string]string{
		"endless lines": strings.Repeat("X: y\r\n", 50_000), "one of 1 MiB": "X: " + strings.Repeat("y", 1<<20), "100,000": many.String(),
	} {
		t.Run(name, func(t *testing.T) {
			w, arrived := newWorld(t), &tap{}
			s := w.wire("http/1.1", says("HTTP/1.1 200 OK\r\n"+header+"\r\n\r\n"))
			got, _, _ := w.attempt(t, t.Context(), w.through(arrived))
			sameAnswer(t, failed("headers", wayfind.CodeHeadersTooLarge), got)
			// The bytes that the kernel, TLS and a buffer hold beyond the 64 KiB.
			if n := arrived.size(); n > maxHeaderBytes+32<<10 || s.requests.Load() != 1 {
				t.Errorf("%d bytes were read, %d requests", n, s.requests.Load())
			}
		})
	}
	// With HTTP/2, net/http distinguishes a header that is a little too large from one that ends
	// the connection.
	for kilobytes, code := range map[int]wayfind.Code{70: wayfind.CodeHeadersTooLarge, 1000: wayfind.CodeProtocol} {
		t.Run(fmt.Sprint("h2 ", kilobytes), func(t *testing.T) {
			w := newWorld(t)
			w.site("shop.example.com", ip1, func(rw http.ResponseWriter, _ *http.Request) {
				for i := range kilobytes {
					rw.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("y", 1000))
				}
			}, "h2")
			sameAnswer(t, failed("headers", code), get(t, t.Context(), w.stack(nil), site))
		})
	}
}

// TestAFloodOfEarlyHintsIsRefused is about HTTP/2; the flood of HTTP/1.1 is a vector.
func TestAFloodOfEarlyHintsIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.site("shop.example.com", ip1, func(rw http.ResponseWriter, r *http.Request) {
			rw.Header().Set("Link", "</x>")
			for r.Context().Err() == nil {
				rw.WriteHeader(http.StatusEarlyHints)
			}
		}, "h2")
		sameAnswer(t, failed("headers", wayfind.CodeHeadersTooLarge), get(t, t.Context(), w.stack(nil), site))
	})
}
