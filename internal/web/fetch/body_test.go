package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/wayfindhq/wayfind"
	"github.com/wayfindhq/wayfind/internal/lab/testkit"
)

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
		err = z.Flush() // an empty block
	}
	if err != nil {
		t.Fatal(err)
	}
	block := b.Bytes()[head:]
	return append(b.Bytes()[:head:head], bytes.Repeat(block, mib)...)
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

func TestTheCapOfABodyIsExact(t *testing.T) {
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
	sameAnswer(t, ok("12345"), get(t, t.Context(), rt, site, Ask{MaxBytes: 5}))
	sameAnswer(t, badBody(wayfind.CodeTooLarge), get(t, t.Context(), rt, site, Ask{MaxBytes: 4}))
	sameAnswer(t, ok("12345"), get(t, t.Context(), rt, site, Ask{MaxBytes: 0}))
}

// TestABombCostsWhatMayBeRead: the number of bytes that are returned, read and allocated stays
// small.
func TestABombCostsWhatMayBeRead(t *testing.T) {
	packed := bomb(t, 256)
	if n := len(packed); n > 264<<10 {
		t.Fatalf("the bomb has %d bytes", n)
	}
	var left int
	allocations := testkit.Allocated(func() {
		body := bytes.NewReader(packed)
		resp, err := NewBody(canned{encoding: "gzip", stream: body}).Do(t.Context(), asking(t, site))
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
		t.Errorf("%.0f bytes were allocated", allocations)
	}
}

// TestANestedBombIsOpenedOnce: a bomb in a bomb is opened once.
func TestANestedBombIsOpenedOnce(t *testing.T) {
	inner := bomb(t, 64)
	for range 3 {
		outer := compress(t, inner, gzip.BestCompression)
		sameAnswer(t, ok(string(inner)), get(t, t.Context(), NewBody(canned{encoding: "gzip", body: outer}), site))
		inner = outer
	}
}

func TestOtherCodingsThanGzipAreRefused(t *testing.T) {
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

// Gzip that is not exactly one sound member is no document, even if its JSON was complete before
// the fault.
func TestGzipThatIsNotOneSoundMemberIsNoDocument(t *testing.T) {
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

func (c canned) Do(context.Context, *Ask) (*http.Response, error) {
	resp := &http.Response{
		StatusCode: max(c.status, 200), Header: http.Header{},
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

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

// TestStatusesWithoutContent: 204 and 304 have no content, whatever a peer sends after them, and
// the Content-Length of a 304 is the length of another answer (RFC 9110 §8.6).
func TestStatusesWithoutContent(t *testing.T) {
	for _, status := range []int{204, 304} {
		resp, err := NewBody(stepFunc(func(context.Context, *Ask) (*http.Response, error) {
			return &http.Response{StatusCode: status, Header: http.Header{}, ContentLength: 100, Body: io.NopCloser(endless{})}, nil
		})).Do(t.Context(), asking(t, site))
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.CopyN(io.Discard, resp.Body, 1<<20)
		if n != 0 || err != io.EOF || resp.ContentLength != 0 {
			t.Errorf("%d: %d bytes of %d, %v", status, n, resp.ContentLength, err)
		}
	}
	for _, proto := range []string{"h2", "http/1.1"} {
		w := newWorld(t)
		w.site("shop.example.com", ip1, func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Length", "100")
			rw.WriteHeader(http.StatusNotModified)
		}, proto)
		rt := w.stack(nil)
		for range 3 {
			sameAnswer(t, answer{Status: 304}, get(t, t.Context(), rt, site))
		}
		if w.dialCount() != 1 {
			t.Errorf("%s: %d dials", proto, w.dialCount())
		}
	}
}
