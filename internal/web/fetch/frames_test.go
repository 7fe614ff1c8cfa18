package fetch

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/http2"

	"github.com/wayfindhq/wayfind"
)

// Frames are counted alike however the bytes come, and content is not.
func TestFramesAreCountedHoweverTheirBytesCome(t *testing.T) {
	var b bytes.Buffer
	w := http2.NewFramer(&b, nil)
	for range 3 {
		for _, err := range []error{
			w.WriteSettings(http2.Setting{ID: http2.SettingMaxFrameSize, Val: 1 << 14}), w.WriteSettingsAck(), w.WritePing(false, [8]byte{}),
			w.WriteData(1, false, make([]byte, 300)), w.WriteData(1, false, nil), w.WriteGoAway(0, 0, []byte("bye")),
			w.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: make([]byte, 20)}), w.WriteContinuation(1, true, make([]byte, 20)),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for size := 1; size <= b.Len(); size++ {
		var f framed
		var controls, headers int64
		for rest := b.Bytes(); len(rest) > 0; {
			n := min(size, len(rest))
			c, h := f.count(rest[:n])
			controls, headers, rest = controls+c, headers+h, rest[n:]
		}
		if controls != 15 || headers != 6 {
			t.Fatalf("in pieces of %d: %d and %d, want 15 and 6", size, controls, headers)
		}
	}
}

// Each request on a connection may come with as many frames again.
func TestEachRequestAllowsAsManyFramesAgain(t *testing.T) {
	var f framed
	for range 10 {
		f.allow()
		if f.controls.Add(-maxControlFrames) != 0 || f.headers.Add(-maxHeaderFrames) != 0 {
			t.Error("frames of an earlier request count")
		}
	}
}

// Informational responses are counted, however small they are.
func TestInformationalResponsesAreCounted(t *testing.T) {
	for n, fails := range map[int]bool{maxInformational: false, maxInformational + 1: true} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			w := newWorld(t)
			w.wire("http/1.1", says(strings.Repeat("HTTP/1.1 103 \r\n\r\n", n)+"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
			want := answer{Status: 200, Body: "ok"}
			if fails {
				want = failed("headers", wayfind.CodeHeadersTooLarge)
			}
			got, _, _ := w.attempt(t, t.Context(), nil)
			sameAnswer(t, want, got)
		})
	}
}
