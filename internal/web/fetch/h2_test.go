package fetch

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"github.com/wayfindhq/wayfind"
)

// h2Fault is the reaction of a scripted server to a request.
type h2Fault struct {
	name     string
	do       func(f *frames, stream uint32)
	want     answer
	requests int32 // in all; 2: one retry
}

// forever writes a frame again and again, until the client is gone.
func forever(write func(f *frames, stream uint32) error) func(*frames, uint32) {
	return func(f *frames, stream uint32) {
		for write(f, stream) == nil {
		}
	}
}

// begun does something in the middle of a body.
func begun(do func(f *frames, stream uint32)) func(*frames, uint32) {
	return func(f *frames, stream uint32) {
		f.header(stream, false, ":status", "200")
		_ = f.WriteData(stream, false, []byte("hel"))
		do(f, stream)
	}
}

// ours is replaced by the stream of the request.
const ours = 1 << 30

// frame writes one that a Framer would not.
func frame(t http2.FrameType, flags http2.Flags, stream uint32, payload string) func(*frames, uint32) {
	return func(f *frames, request uint32) {
		if stream == ours {
			stream = request
		}
		_ = f.WriteRawFrame(t, flags, stream, []byte(payload))
	}
}

// settings writes SETTINGS with one value.
func settings(id http2.SettingID, value uint32) func(*frames, uint32) {
	return func(f *frames, _ uint32) { _ = f.WriteSettings(http2.Setting{ID: id, Val: value}) }
}

// fields answers with these header fields.
func fields(pairs ...string) func(*frames, uint32) {
	return func(f *frames, s uint32) { f.header(s, true, pairs...) }
}

// then does one thing after the other.
func then(steps ...func(*frames, uint32)) func(*frames, uint32) {
	return func(f *frames, s uint32) {
		for _, step := range steps {
			step(f, s)
		}
	}
}

func hangUp(f *frames, _ uint32) { _ = f.c.NetConn().Close() }
func greets(f *frames, s uint32) { f.hello(s) }
func goAway(last uint32, code http2.ErrCode) func(*frames, uint32) {
	return func(f *frames, s uint32) {
		if last == ours {
			last = s
		}
		_ = f.WriteGoAway(last, code, []byte("\x1b[31mbye"))
	}
}

func h2Faults() []h2Fault {
	protocol, network, timeout := failed("headers", wayfind.CodeProtocol), failed("headers", wayfind.CodeNetwork), failed("headers", wayfind.CodeTimeout)
	large, truncated := failed("headers", wayfind.CodeHeadersTooLarge), failed("headers", wayfind.CodeTruncated)
	many := strings.Repeat("x", 1000)
	manyFields := func(n int) (pairs []string) {
		pairs = []string{":status", "200"}
		for i := range n {
			pairs = append(pairs, fmt.Sprint("x-", i), many)
		}
		return pairs
	}
	return []h2Fault{
		{"goaway below ours", goAway(0, http2.ErrCodeNo), network, 2},
		{"goaway below ours, calm", goAway(0, http2.ErrCodeEnhanceYourCalm), network, 2},
		{"goaway above ours, then silence", goAway(ours, http2.ErrCodeNo), timeout, 1},
		{"goaway above ours, then the end", then(goAway(ours, http2.ErrCodeNo), hangUp), truncated, 2},
		{"goaway above ours, then the answer", then(goAway(ours, http2.ErrCodeNo), greets), ok("hello"), 1},
		{"goaway in the body, below ours", begun(goAway(0, http2.ErrCodeNo)), brokenBody(wayfind.CodeNetwork), 1},
		{"goaway in the body, then silence", begun(goAway(ours, http2.ErrCodeNo)), brokenBody(wayfind.CodeTimeout), 1},
		{"goaway in the body, then the end", begun(then(goAway(ours, http2.ErrCodeInternal), hangUp)), brokenBody(wayfind.CodeTruncated), 1},
		{"end in the body", begun(hangUp), brokenBody(wayfind.CodeTruncated), 1},
		{"end before headers", hangUp, truncated, 2},

		{"ping flood", forever(func(f *frames, _ uint32) error { return f.WritePing(false, [8]byte{}) }), protocol, 1},
		{"settings flood", forever(func(f *frames, _ uint32) error { return f.WriteSettings() }), protocol, 1},
		{"window flood", forever(func(f *frames, s uint32) error { return f.WriteWindowUpdate(0, 1) }), protocol, 1},
		{"priority flood", forever(func(f *frames, s uint32) error { return f.WritePriority(s, http2.PriorityParam{}) }), protocol, 1},
		{"unknown frames", forever(func(f *frames, s uint32) error { return f.WriteRawFrame(0xfa, 0, s, []byte(many)) }), protocol, 1},
		{"empty data", begun(forever(func(f *frames, s uint32) error { return f.WriteData(s, false, nil) })), brokenBody(wayfind.CodeProtocol), 1},
		{"padding", begun(forever(func(f *frames, s uint32) error { return f.WriteDataPadded(s, false, nil, make([]byte, 255)) })), brokenBody(wayfind.CodeProtocol), 1},
		{"continuation flood", then(
			func(f *frames, s uint32) {
				_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: s, BlockFragment: block(":status", "200")})
			},
			forever(func(f *frames, s uint32) error { return f.WriteContinuation(s, false, block("x", many)) }),
		), protocol, 1},
		{"empty continuations", then(
			func(f *frames, s uint32) {
				_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: s, BlockFragment: block(":status", "200")})
			},
			forever(func(f *frames, s uint32) error { return f.WriteContinuation(s, false, nil) }),
		), protocol, 1},
		{"103 flood", forever(func(f *frames, s uint32) error {
			return f.WriteHeaders(http2.HeadersFrameParam{StreamID: s, BlockFragment: block(":status", "103"), EndHeaders: true})
		}), large, 1},
		{"header list of 70 KiB", func(f *frames, s uint32) { f.split(s, manyFields(70)...) }, large, 1},
		{"header list of 1 MiB", func(f *frames, s uint32) { f.split(s, manyFields(1024)...) }, protocol, 1},
		{"trailers of 1 MiB", begun(func(f *frames, s uint32) { f.split(s, manyFields(1024)[2:]...) }), brokenBody(wayfind.CodeProtocol), 1},

		{"window update of 0", frame(http2.FrameWindowUpdate, 0, 0, "\x00\x00\x00\x00"), protocol, 1},
		{"window update of 0 for the stream", frame(http2.FrameWindowUpdate, 0, ours, "\x00\x00\x00\x00"), protocol, 1},
		{"window overflow", frame(http2.FrameWindowUpdate, 0, 0, "\x7f\xff\xff\xff"), protocol, 1},
		{"frame too large", frame(http2.FrameData, 0, ours, strings.Repeat("x", 1<<20)), protocol, 1},
		{"ping of 7 bytes", frame(http2.FramePing, 0, 0, "1234567"), protocol, 1},
		{"settings of 5 bytes", frame(http2.FrameSettings, 0, 0, "12345"), protocol, 1},
		{"settings on a stream", frame(http2.FrameSettings, 0, ours, ""), protocol, 1},
		{"unasked settings ack", func(f *frames, _ uint32) { _ = f.WriteSettingsAck() }, protocol, 1},
		{"server push", func(f *frames, s uint32) {
			_ = f.WritePushPromise(http2.PushPromiseParam{StreamID: s, PromiseID: 2, BlockFragment: block(":method", "GET", ":path", "/"), EndHeaders: true})
		}, protocol, 1},
		{"headers on stream 2", func(f *frames, _ uint32) { f.header(2, true, ":status", "200") }, timeout, 1},
		{"data before headers", func(f *frames, s uint32) { _ = f.WriteData(s, true, []byte("hello")) }, protocol, 1},
		{"data on stream 7", func(f *frames, s uint32) { _ = f.WriteData(7, true, []byte("hello")) }, protocol, 1},
		{"data on stream 0", frame(http2.FrameData, 0, 0, "hello"), protocol, 1},
		{"continuation alone", func(f *frames, s uint32) { _ = f.WriteContinuation(s, true, block(":status", "200")) }, protocol, 1},
		{"bad compression", frame(http2.FrameHeaders, http2.FlagHeadersEndHeaders, ours, "\xff\xff\xff\xff\xff\xff"), protocol, 1},
		{"HTTP/1.1", func(f *frames, _ uint32) { says(helloH1)(f.c) }, protocol, 1},

		{"zero window", then(settings(http2.SettingInitialWindowSize, 0), greets), ok("hello"), 1},
		{"window beyond 2^31", settings(http2.SettingInitialWindowSize, 1<<31), protocol, 1},
		{"frame size of 1", settings(http2.SettingMaxFrameSize, 1), protocol, 1},
		{"frame size of 2^24", settings(http2.SettingMaxFrameSize, 1<<24), protocol, 1},
		{"push enabled", settings(http2.SettingEnablePush, 2), protocol, 1},
		{"unknown setting", then(settings(0xfafa, 1), greets), ok("hello"), 1},
		{"unknown frame", then(frame(0xfa, 0xff, ours, "?"), greets), ok("hello"), 1},

		{"no status", fields("x", "y"), protocol, 1},
		{"two statuses", fields(":status", "200", ":status", "404"), protocol, 1},
		{"status of a word", fields(":status", "OK"), protocol, 1},
		{"status after a field", fields("x", "y", ":status", "200"), protocol, 1},
		{"request's pseudo-header", fields(":status", "200", ":path", "/"), protocol, 1},
		{"upper case", fields(":status", "200", "X-A", "y"), protocol, 1},
		{"line feed in a value", fields(":status", "200", "x", "a\r\nb: c"), protocol, 1},
		{"header after the end", then(fields(":status", "200"), fields(":status", "404")), answer{Status: 200}, 1},
		{"status 101", fields(":status", "101"), protocol, 1},
		{"length too long", then(func(f *frames, s uint32) { f.header(s, false, ":status", "200", "content-length", "9") },
			func(f *frames, s uint32) { _ = f.WriteData(s, true, []byte("hello")) }), brokenBody(wayfind.CodeTruncated), 1},
		{"length too short", then(func(f *frames, s uint32) { f.header(s, false, ":status", "200", "content-length", "2") },
			func(f *frames, s uint32) { _ = f.WriteData(s, true, []byte("hello")) }), brokenBody(wayfind.CodeProtocol), 1},
		{"length over the cap", func(f *frames, s uint32) { f.header(s, false, ":status", "200", "content-length", "262145") }, bad("body", wayfind.CodeTooLarge), 1},
		{"two lengths", fields(":status", "200", "content-length", "1", "content-length", "2"), ok(""), 1},
	}
}

// split writes a header in as many frames as it takes.
func (f *frames) split(stream uint32, pairs ...string) {
	b := block(pairs...)
	first := b[:min(len(b), 16<<10)]
	b = b[len(first):]
	_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: first, EndHeaders: len(b) == 0, EndStream: true})
	for len(b) > 0 {
		part := b[:min(len(b), 16<<10)]
		b = b[len(part):]
		_ = f.WriteContinuation(stream, len(b) == 0, part)
	}
}

// Whatever the frames of a server, the outcome is a typed error or one retry, within the
// time limit and for a bounded number of bytes.
func TestHostileFramesEndInATypedErrorOrOneRetry(t *testing.T) {
	quiet(t)
	faults := h2Faults()
	for code := range http2.ErrCode(16) {
		reset := func(f *frames, s uint32) { _ = f.WriteRSTStream(s, code) }
		faults = append(faults,
			h2Fault{fmt.Sprint("reset, ", code), reset, failed("headers", wayfind.CodeNetwork), 2},
			h2Fault{fmt.Sprint("reset in the body, ", code), begun(reset), brokenBody(wayfind.CodeNetwork), 1})
	}
	for _, tt := range faults {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { tt.run(t) })
		})
	}
}

// quiet: net/http logs some frames, each of them.
func quiet(t *testing.T) {
	log.SetOutput(io.Discard)
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
}

func (fault h2Fault) run(t *testing.T) {
	w := newWorld(t)
	tap := &tap{}
	var s *wire
	s = w.wire("h2", func(c *tls.Conn) {
		if f := s.frames(c, true); f != nil {
			for stream := range f.streams {
				fault.do(f, stream)
			}
		}
	})
	s.below = tap.over
	got, took, err := w.attempt(t, t.Context(), nil)
	sameAnswer(t, fault.want, got)
	if took > requestTimeout || s.requests.Load() != fault.requests {
		t.Errorf("took %v, %d requests: %v", took, s.requests.Load(), err)
	}
	// Acknowledgements of all that may be read, in a record each.
	if most := 2 * allowance / 9 * 40 * int(fault.requests); tap.size() > most {
		t.Errorf("sent %d bytes", tap.size())
	}
}

// TestARefusedStreamIsServedAtTheSecondAttempt: a stream that the server did not process is served
// at the second attempt, over the same connection if it goes on.
func TestARefusedStreamIsServedAtTheSecondAttempt(t *testing.T) {
	for name, tt := range map[string]struct {
		first func(*frames, uint32)
		dials int
	}{
		"refused":      {func(f *frames, s uint32) { _ = f.WriteRSTStream(s, http2.ErrCodeRefusedStream) }, 2},
		"goaway":       {goAway(0, http2.ErrCodeNo), 2},
		"reset, other": {func(f *frames, s uint32) { _ = f.WriteRSTStream(s, http2.ErrCodeInternal) }, 1},
	} {
		for _, once := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				var s *wire
				s = w.wire("h2", func(c *tls.Conn) {
					if f := s.frames(c, true); f != nil {
						for stream := range f.streams {
							if s.requests.Load() == 1 {
								tt.first(f, stream)
							} else {
								f.hello(stream)
							}
						}
					}
				})
				budget := NewBudget(5)
				want, requests := ok("hello"), int32(2)
				if once {
					want, requests = failed("headers", wayfind.CodeNetwork), 1
				}
				got, _, err := w.attempt(t, t.Context(), nil, Ask{Budget: budget, Once: once})
				sameAnswer(t, want, got)
				if s.requests.Load() != requests || budget.Left() != 6-int(requests) || !once && w.dialCount() != tt.dials {
					t.Errorf("%s, once %v: %d requests, %d dials, %d retries left: %v", name, once, s.requests.Load(), w.dialCount(), budget.Left(), err)
				}
			})
		}
	}
}

// The frames of a server before a request. If they are noticed before the request is written, only
// the stage differs, not the number of attempts.
func TestHostileGreetingsEndInATypedErrorOrOneRetry(t *testing.T) {
	quiet(t)
	protocol, timeout := []wayfind.Code{wayfind.CodeProtocol, wayfind.CodeNetwork}, []wayfind.Code{wayfind.CodeTimeout}
	lost := []wayfind.Code{wayfind.CodeNetwork, wayfind.CodeTruncated}
	for _, tt := range []struct {
		name  string
		first func(*frames, uint32)
		codes []wayfind.Code
	}{
		{"no streams", settings(http2.SettingMaxConcurrentStreams, 0), []wayfind.Code{wayfind.CodeTimeout, wayfind.CodeNetwork}},
		{"no frames", func(*frames, uint32) {}, timeout},
		{"goaway", goAway(0, http2.ErrCodeNo), protocol},
		{"settings, goaway", then(settings(http2.SettingMaxConcurrentStreams, 1), goAway(0, http2.ErrCodeNo)), lost},
		{"the end", hangUp, lost},
		{"not settings", func(f *frames, _ uint32) { _ = f.WritePing(false, [8]byte{}) }, protocol},
		{"HTTP/1.1", func(f *frames, _ uint32) { says(helloH1)(f.c) }, protocol},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for range 20 { // schedules
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t)
					var s *wire
					s = w.wire("h2", func(c *tls.Conn) {
						if f := s.frames(c, false); f != nil {
							tt.first(f, 0)
							for range f.streams { // no answer
							}
						}
					})
					got, took, err := w.attempt(t, t.Context(), nil)
					if !slices.Contains(tt.codes, got.Code) || got.Kind != wayfind.ErrUnreachable || took > requestTimeout+retryBase || w.dialCount() > 2 {
						t.Errorf("%+v after %v, %d dials: %v", got, took, w.dialCount(), err)
					}
				})
			}
		})
	}
}

// TestAllowance: the limit on floods lets the frames through that answers need, including unread
// ones, over one connection.
func TestAllowance(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		page := bytes.Repeat([]byte("x"), 2<<20)
		w.site("shop.example.com", ip1, func(rw http.ResponseWriter, r *http.Request) { _, _ = rw.Write(page) }, "h2")
		rt := w.stack(nil)
		for i := range 10 {
			if i%2 == 0 {
				a := asking(t, site)
				a.MaxBytes = int64(len(page))
				resp, err := rt.Do(t.Context(), a)
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second) // until the window is full
				_ = resp.Body.Close()
				continue
			}
			sameAnswer(t, ok(string(page)), get(t, t.Context(), rt, site, Ask{MaxBytes: int64(len(page))}))
		}
		if w.dialCount() != 1 {
			t.Errorf("%d dials", w.dialCount())
		}
	})
}
