package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"golang.org/x/net/http2"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/golden"
)

func ok(body string) answer { return answer{Status: 200, Body: body} }

func bad(op string, code wayfind.Code) answer {
	return answer{Op: op, Code: code, Kind: wayfind.ErrInvalid}
}

func badBody(code wayfind.Code) answer {
	return answer{Status: 200, Op: "body", Code: code, Kind: wayfind.ErrInvalid}
}

func brokenBody(code wayfind.Code) answer {
	return answer{Status: 200, Op: "body", Code: code, Kind: wayfind.ErrUnreachable}
}

// rawCase is one answer as bytes on the wire.
type rawCase struct {
	Name, Raw string
}

// rawWants is the verdict on each case of the vectors that has bytes.
func rawWants() map[string]answer {
	protocol, status := failed("headers", wayfind.CodeProtocol), bad("headers", wayfind.CodeStatus)
	return map[string]answer{
		"CL+TE":                 ok("abc"),
		"dup CL differing":      protocol,
		"negative CL":           protocol,
		"plus CL":               protocol,
		"overflow CL":           protocol,
		"CL over cap":           bad("body", wayfind.CodeTooLarge),
		"huge CL":               bad("body", wayfind.CodeTooLarge),
		"short body":            brokenBody(wayfind.CodeTruncated),
		"long body":             ok("abc"),
		"close-delimited":       ok("abc"),
		"chunk truncated":       brokenBody(wayfind.CodeTruncated),
		"no final chunk":        brokenBody(wayfind.CodeTruncated),
		"10 KB chunk extension": brokenBody(wayfind.CodeProtocol),
		"HTTP/0.9":              protocol,
		"HTTP/2.0 status line":  protocol,
		"status 000":            status,
		"status 999":            status,
		"101":                   status,
		"204 with body":         {Status: 204},
		"206":                   status,
		"NUL in header":         protocol,
		"ESC in header":         protocol,
		"ESC in reason":         {Status: 404},
		"obs-fold":              ok("abc"),
		"space before colon":    ok("abc"),
		"bare LF":               ok("abc"),
		"dup Content-Type":      ok("abc"),
		"2 MB reason":           failed("headers", wayfind.CodeHeadersTooLarge),
		"103 flood":             failed("headers", wayfind.CodeHeadersTooLarge),

		"gzip garbage tail":              badBody(wayfind.CodeEncoding),
		"gzip bad crc":                   badBody(wayfind.CodeEncoding),
		"gzip truncated":                 brokenBody(wayfind.CodeTruncated),
		"gzip multi-member":              badBody(wayfind.CodeEncoding),
		"gzip bomb 256 MiB from 255 KiB": badBody(wayfind.CodeTooLarge),
		"x-gzip / br / deflate / 'gzip, gzip' / 'gzip,'": bad("body", wayfind.CodeEncoding),
		"CE gzip on plain body":                          badBody(wayfind.CodeEncoding),
	}
}

// packed makes the bytes of the cases that the vectors only describe.
func packed(t testing.TB) map[string]string {
	whole := string(compress(t, []byte(`{"a": 1}`), gzip.BestSpeed))
	badSum := []byte(whole)
	badSum[len(whole)-8] ^= 1
	as := func(coding, body string) string {
		return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n\r\n%s", coding, len(body), body)
	}
	return map[string]string{
		"gzip garbage tail":              as("gzip", whole+"XXXX"),
		"gzip bad crc":                   as("gzip", string(badSum)),
		"gzip truncated":                 as("gzip", whole[:len(whole)-9]),
		"gzip multi-member":              as("gzip", whole+whole),
		"gzip bomb 256 MiB from 255 KiB": as("gzip", string(bomb(t, 256))),
		"x-gzip / br / deflate / 'gzip, gzip' / 'gzip,'": as("gzip, gzip", whole), // the rest: TestP047_Codings
		"CE gzip on plain body":                          as("gzip", `{"a": 1}`),
	}
}

// bomb is the beginning of a gzip member of so many MiB of zeros, a KiB each.
func bomb(t testing.TB, mib int) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		err = z.Flush()
	}
	head := b.Len()
	if err == nil {
		_, err = z.Write(make([]byte, 1<<20))
	}
	if err == nil {
		err = z.Flush() // a block that stands for itself
	}
	if err != nil {
		t.Fatal(err)
	}
	block := b.Bytes()[head:]
	return append(b.Bytes()[:head:head], bytes.Repeat(block, mib)...)
}

// expand spells out the repetitions that the vectors abbreviate.
func expand(raw string) string {
	raw = strings.Replace(raw, "{10000*y}", strings.Repeat("y", 10000), 1)
	raw = strings.Replace(raw, "{2000000*A}", strings.Repeat("A", 2000000), 1)
	if strings.HasPrefix(raw, "{353676 x HTTP/1.1 103}") {
		raw = strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 20000)
	}
	return raw
}

// TestP040_P041_R09_RawResponses runs all vectors; those of P038, P039, P042,
// P046, P047 and P048 are among them.
func TestP040_P041_R09_RawResponses(t *testing.T) {
	var file struct{ Cases []rawCase }
	read(t, golden.Vectors(t, "http", "own_raw_responses.json"), &file)
	wants, made := rawWants(), packed(t)
	if len(file.Cases) != len(wants) {
		t.Errorf("%d of %d cases are in the file", len(file.Cases), len(wants))
	}
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			want, known := wants[c.Name]
			if !known {
				t.Fatal("a case without a verdict")
			}
			if bytes, described := made[c.Name]; described {
				c.Raw = bytes
			}
			w := newWorld(t)
			s := w.wire("http/1.1", says(expand(c.Raw)))
			got, _, _ := w.attempt(t, t.Context(), nil)
			sameAnswer(t, want, got)
			if s.requests.Load() != 1 {
				t.Errorf("asked %d times", s.requests.Load())
			}
		})
	}
}

// TestP040_R09_NotReused: a connection on which more or less came than the
// answer is closed, so that what is left is nobody's answer.
func TestP040_R09_NotReused(t *testing.T) {
	const next = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
	for _, first := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc" + next,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" + next,
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" + next,
		"HTTP/1.1 204 No\r\nContent-Length: 4\r\n\r\n" + next,
		"HTTP/1.1 204 No\r\n\r\nevil",
		"HTTP/1.1 304 No\r\nContent-Length: 4\r\n\r\n" + next,
		"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n" + next,
		"HTTP/1.1 206 Partial\r\nContent-Length: 4\r\n\r\nevil",
		"HTTP/1.1 999 X\r\nContent-Length: 4\r\n\r\nevil",
		"HTTP/1.1 200 OK\r\nContent-Length: 262145\r\n\r\nevil",
		"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 4\r\n\r\nevil",
		"HTTP/1.1 600 X\r\nContent-Length: 4\r\n\r\nevil",
	} {
		synctest.Test(t, func(t *testing.T) {
			quiet(t) // net/http logs what comes unasked
			w := newWorld(t)
			var open atomic.Int32
			s := w.wire("http/1.1", nil)
			s.talk = func(c *tls.Conn) {
				if s.requests.Load() > 1 {
					says(helloH1)(c)
					return
				}
				says(first)(c)
				open.Add(1)
				stall(c)
				open.Add(-1)
			}
			rt := w.stack(nil)
			_ = get(t, t.Context(), rt, site)
			synctest.Wait()
			if open.Load() != 0 {
				t.Errorf("%q: the connection is still open", first)
			}
			sameAnswer(t, ok("hello"), get(t, t.Context(), rt, site))
		})
	}
}

// TestP040_H2Statuses: the same of HTTP/2, where the connection lives on.
func TestP040_H2Statuses(t *testing.T) {
	status := bad("headers", wayfind.CodeStatus)
	for text, want := range map[string]answer{
		"000": status, "099": status, "204": {Status: 204}, "206": status, "600": status, "999": status, "2000": status, "+20": status,
		"-1": status, "2x": failed("headers", wayfind.CodeProtocol),
	} {
		t.Run(text, func(t *testing.T) {
			h2Fault{"", fields(":status", text), want, 1}.run(t)
		})
	}
}

// TestP041_Lengths: a length over the cap is refused before the body is read,
// and none makes us allocate.
func TestP041_Lengths(t *testing.T) {
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
			if n := arrived.sent.Len(); n > 128<<10 {
				t.Errorf("%d bytes were read", n)
			}
		})
	}
	w := newWorld(t)
	w.wire("http/1.1", says("HTTP/1.1 200 OK\r\nContent-Length: 60000000\r\n\r\nabc"))
	rt := w.stack(nil)
	if n := allocated(func() {
		sameAnswer(t, brokenBody(wayfind.CodeTruncated), get(t, WithLimits(t.Context(), 64<<20), rt, site))
	}); n > 4<<20 {
		t.Errorf("%d bytes allocated for three", n)
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

// allocated is how many bytes f allocates in all.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestR10_Chunks: chunks that are wrong, broken off or without an end.
func TestR10_Chunks(t *testing.T) {
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

// TestP039_R12_Informational: informational answers count as header, however
// many there are and whatever comes after.
func TestP039_R12_Informational(t *testing.T) {
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
			if n := arrived.sent.Len(); n > maxHeaderBytes+32<<10 || s.requests.Load() != 1 {
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

// TestP042_ControlsInTheHead: what a server puts into its reason phrase, names
// and values of fields is in no error, or escaped; of the status there is the
// number.
func TestP042_ControlsInTheHead(t *testing.T) {
	hostile := golden.NewHostile(t)
	controls := []string{"\x1b[2J", "\u009b2J", "\x9b2J", "\x00", "\x7f", "\b\b", "\rX: y", "\r\nX: y", "\u202e", "\U000e0041", "\xff\xfe"}
	for range 49 {
		controls = append(controls, hostile.Text())
	}
	errs := 0
	for _, c := range controls {
		for place, raw := range map[string]string{
			"reason":        "HTTP/1.1 200 " + c + "\r\nContent-Length: 3\r\n\r\nabc",
			"reason of 404": "HTTP/1.1 404 " + c + "\r\nContent-Length: 0\r\n\r\n",
			"reason of 999": "HTTP/1.1 999 " + c + "\r\nContent-Length: 0\r\n\r\n",
			"status":        "HTTP/1.1 " + c + " x\r\n\r\n",
			"version":       c + " 200 OK\r\n\r\n",
			"name":          "HTTP/1.1 200 OK\r\n" + c + "Y: y\r\nContent-Length: 3\r\n\r\nabc",
			"value":         "HTTP/1.1 200 OK\r\nY: " + c + "\r\nContent-Length: 3\r\n\r\nabc",
			"length":        "HTTP/1.1 200 OK\r\nContent-Length: " + c + "\r\n\r\nabc",
			"encoding":      "HTTP/1.1 200 OK\r\nContent-Encoding: " + c + "\r\nContent-Length: 3\r\n\r\nabc",
			"transfer":      "HTTP/1.1 200 OK\r\nTransfer-Encoding: " + c + "\r\n\r\nabc",
			"trailer":       "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n" + c + ": " + c + "\r\n\r\n",
		} {
			w := newWorld(t)
			w.raw("shop.example.com", ip1, says(raw))
			_, err := getErr(t, t.Context(), w.stack(nil), site)
			if err == nil {
				continue
			}
			errs++
			text := err.Error()
			if len(text) > 512 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
				t.Errorf("%s %+q: %+q", place, c, text)
			}
			if status, ok := errors.AsType[*StatusError](err); ok && (status.Status != 999 || !strings.Contains(text, "status 999 is no answer")) {
				t.Errorf("%s %+q: %+q for status %d", place, c, text, status.Status)
			}
		}
	}
	if t.Logf("%d errors", errs); errs < 200 {
		t.Errorf("only %d errors", errs)
	}
}

func read(t testing.TB, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestP038_HeaderLimit(t *testing.T) {
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
			// What the kernel, TLS and a buffer hold beyond the 64 KiB.
			if n := arrived.sent.Len(); n > maxHeaderBytes+32<<10 || s.requests.Load() != 1 {
				t.Errorf("%d bytes were read, %d requests", n, s.requests.Load())
			}
		})
	}
	// With HTTP/2, net/http tells what is a little too large from what ends
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

// TestP039_EarlyHints is about HTTP/2; the flood of HTTP/1.1 is a vector.
func TestP039_EarlyHints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.site("shop.example.com", ip1, func(rw http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				rw.Header().Set("Link", "</x>")
				rw.WriteHeader(http.StatusEarlyHints)
			}
		}, "h2")
		sameAnswer(t, failed("headers", wayfind.CodeHeadersTooLarge), get(t, t.Context(), w.stack(nil), site))
	})
}

// compress returns one gzip member.
func compress(t testing.TB, data []byte, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, level)
	if err == nil {
		_, err = z.Write(data)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// sends serves one body: with a length, or in chunks.
func (w *world) sends(proto, encoding string, body []byte, chunked bool) {
	w.site("shop.example.com", ip1, func(rw http.ResponseWriter, _ *http.Request) {
		if encoding != "" {
			rw.Header().Set("Content-Encoding", encoding)
		}
		rw.Header().Set("Content-Type", "application/json")
		if chunked {
			rw.(http.Flusher).Flush()
		} else {
			rw.Header().Set("Content-Length", fmt.Sprint(len(body)))
		}
		_, _ = rw.Write(body)
	}, proto)
}

func TestP045_Cap(t *testing.T) {
	const identity = -5 // no level of gzip
	for _, proto := range []string{"http/1.1", "h2"} {
		for _, size := range []int{DefaultMaxBytes, DefaultMaxBytes + 1} {
			for _, level := range []int{identity, gzip.NoCompression, gzip.BestCompression} {
				for _, chunked := range []bool{false, true} {
					t.Run(fmt.Sprint(proto, size, level, chunked), func(t *testing.T) {
						w := newWorld(t)
						plain := bytes.Repeat([]byte("x"), size)
						body, encoding := plain, ""
						if level != identity {
							body, encoding = compress(t, plain, level), "gzip"
						}
						w.sends(proto, encoding, body, chunked)
						want := ok(string(plain))
						if size > DefaultMaxBytes {
							want = badBody(wayfind.CodeTooLarge)
							if encoding == "" && !chunked {
								want.Status = 0 // by the length, before reading
							}
						}
						sameAnswer(t, want, get(t, t.Context(), w.stack(nil), site))
						if w.dialCount() != 1 {
							t.Errorf("%d dials", w.dialCount())
						}
					})
				}
			}
		}
	}
}

func TestLimitOfTheCaller(t *testing.T) {
	w := newWorld(t)
	w.sends("h2", "", []byte("12345"), true)
	rt := w.stack(nil)
	sameAnswer(t, ok("12345"), get(t, WithLimits(t.Context(), 5), rt, site))
	sameAnswer(t, badBody(wayfind.CodeTooLarge), get(t, WithLimits(t.Context(), 4), rt, site))
	sameAnswer(t, ok("12345"), get(t, WithLimits(t.Context(), 0), rt, site))
}

// TestP046_Bomb: what is given out, read and allocated stays small.
func TestP046_Bomb(t *testing.T) {
	packed := bomb(t, 256)
	if n := len(packed); n > 264<<10 {
		t.Fatalf("the bomb has %d bytes", n)
	}
	var left int
	allocations := allocated(func() {
		body := bytes.NewReader(packed)
		resp, err := NewBody(canned{encoding: "gzip", stream: body}).RoundTrip(request(t, t.Context(), site))
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, resp.Body)
		sameAnswer(t, badBody(wayfind.CodeTooLarge), answerOf(t, 200, "", err))
		if n != DefaultMaxBytes {
			t.Errorf("%d bytes were given out", n)
		}
		_ = resp.Body.Close()
		left = body.Len()
	})
	if read := len(packed) - left; read > 8<<10 {
		t.Errorf("%d bytes were read", read)
	}
	if allocations > 2<<20 {
		t.Errorf("%d bytes were allocated", allocations)
	}
}

// TestP046_Nested: a bomb in a bomb is opened once.
func TestP046_Nested(t *testing.T) {
	inner := compress(t, make([]byte, 64<<20), gzip.BestSpeed)
	if len(inner) > DefaultMaxBytes {
		inner = inner[:DefaultMaxBytes]
	}
	for range 3 {
		outer := compress(t, inner, gzip.BestCompression)
		sameAnswer(t, ok(string(inner)), get(t, t.Context(), NewBody(canned{encoding: "gzip", body: outer}), site))
		inner = outer
	}
}

func TestP047_Codings(t *testing.T) {
	body := compress(t, []byte("{}"), gzip.BestSpeed)
	for _, encoding := range []string{"br", "zstd", "deflate", "x-gzip", "gzip, gzip", "gzip,", "identity, gzip", "gzip;q=1"} {
		t.Run(encoding, func(t *testing.T) {
			for _, proto := range []string{"http/1.1", "h2"} {
				w := newWorld(t)
				w.sends(proto, encoding, body, false)
				sameAnswer(t, bad("body", wayfind.CodeEncoding), get(t, t.Context(), w.stack(nil), site))
			}
		})
	}
	w := newWorld(t)
	w.wire("http/1.1", says("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Encoding: gzip\r\n\r\n"+string(body)))
	sameAnswer(t, bad("body", wayfind.CodeEncoding), get(t, t.Context(), w.stack(nil), site))
	for encoding, body := range map[string][]byte{"GZIP": body, "identity": []byte("{}"), "": []byte("{}")} {
		w := newWorld(t)
		w.sends("http/1.1", encoding, body, false)
		sameAnswer(t, ok("{}"), get(t, t.Context(), w.stack(nil), site))
	}
}

// TestP048_R08_Gzip: gzip that is not exactly one sound member is no document,
// even where its JSON was complete before the fault.
func TestP048_R08_Gzip(t *testing.T) {
	whole := compress(t, []byte(`{"a": 1}`), gzip.BestSpeed)
	with := func(at int, b ...byte) []byte {
		changed := slices.Clone(whole)
		copy(changed[at:], b)
		return changed
	}
	name := func(flag byte, field string) []byte { // a header with one more field (RFC 1952 §2.3)
		return slices.Concat([]byte{0x1f, 0x8b, 8, flag, 0, 0, 0, 0, 0, 255}, []byte(field), whole[10:])
	}
	tests := map[string][]byte{
		"garbage tail": slices.Concat(whole, []byte("XXXX")),
		"one byte":     slices.Concat(whole, []byte("\n")),
		"zeros":        slices.Concat(whole, make([]byte, 512)),
		"two members":  slices.Concat(whole, whole),
		"plain":        []byte(`{"a": 1}`),
		"zlib":         {0x78, 0x9c, 3, 0, 0, 0, 0, 1},
		"empty":        nil,
		"first byte":   with(0, 0x1e),
		"second byte":  with(1, 0x8c),
		"no deflate":   with(2, 7),
		"bad block":    with(10, 0xff),
		"bad header":   name(2, "\x00\x00"),
		"endless name": name(8, strings.Repeat("x", 100_000)),
	}
	for bit := range 8 * 8 { // the sum and the size
		at := len(whole) - 8 + bit/8
		tests[fmt.Sprint("bit ", bit)] = with(at, whole[at]^1<<(bit%8))
	}
	for name, body := range tests {
		got := get(t, t.Context(), NewBody(canned{encoding: "gzip", body: body}), site)
		if got != badBody(wayfind.CodeEncoding) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for n := range len(whole) {
		got := get(t, t.Context(), NewBody(canned{encoding: "gzip", body: whole[:n]}), site)
		if got.Code != wayfind.CodeEncoding && got.Code != wayfind.CodeTruncated {
			t.Errorf("cut at %d: %+v", n, got)
		}
	}
	for name, body := range map[string][]byte{"whole": whole, "name": name(8, "a.json\x00"), "comment": name(16, "x\x00"), "extra": name(4, "\x01\x00x")} {
		if got := get(t, t.Context(), NewBody(canned{encoding: "gzip", body: body}), site); got != ok(`{"a": 1}`) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// canned answers without a network.
type canned struct {
	status   int
	encoding string
	body     []byte
	stream   io.Reader // instead of body
}

func (c canned) RoundTrip(req *http.Request) (*http.Response, error) {
	resp := &http.Response{
		StatusCode: max(c.status, 200), Header: http.Header{}, Request: req,
		Body: io.NopCloser(bytes.NewReader(c.body)), ContentLength: int64(len(c.body)),
	}
	if c.encoding != "" {
		resp.Header.Set("Content-Encoding", c.encoding)
	}
	if c.stream != nil {
		resp.Body, resp.ContentLength = io.NopCloser(c.stream), -1
	}
	return resp, nil
}

// TestErrorPages: they are no documents, so nothing in them is an error.
func TestErrorPages(t *testing.T) {
	long := bytes.Repeat([]byte("x"), maxErrorBody+1)
	for _, tt := range []struct {
		name string
		rt   canned
		want string
	}{
		{"long", canned{404, "", long, nil}, string(long[:maxErrorBody])},
		{"long gzip", canned{404, "gzip", compress(t, long, gzip.BestSpeed), nil}, string(long[:maxErrorBody])},
		{"gzip", canned{404, "gzip", compress(t, []byte("no"), gzip.BestSpeed), nil}, "no"},
		{"no gzip", canned{404, "gzip", []byte("plain"), nil}, ""},
		{"other coding", canned{404, "br", []byte("plain"), nil}, ""},
		{"redirect", canned{302, "", []byte("moved"), nil}, "moved"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sameAnswer(t, answer{Status: tt.rt.status, Body: tt.want}, get(t, t.Context(), NewBody(tt.rt), site))
		})
	}
}
