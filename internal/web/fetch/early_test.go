package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"github.com/wayfindhq/wayfind"
)

// talk makes Conns for protocols that are spoken with live endpoints.
func (w *world) talk() *Conns { return w.conns(func(o *Options) { o.Interactive = true }) }

// postBody is more than a connection takes unread.
const postBody = 4 << 20

// post sends postBody bytes once, as client.Client.HTTP does.
func post(t testing.TB, ctx context.Context, rt Step) (answer, error) {
	t.Helper()
	message := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(make([]byte, postBody))), nil }
	a := asking(t, site)
	a.Method, a.Once, a.ContentLength, a.GetBody = http.MethodPost, true, postBody, message
	a.Body, _ = message()
	resp, err := rt.Do(ctx, a)
	if err != nil {
		return answerOf(t, 0, "", err), err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return answerOf(t, resp.StatusCode, "", err), err
	}
	return answer{Status: resp.StatusCode, Body: string(body)}, nil
}

// TestAnEarlyAnswerIsHeardOrFailsCleanly: a server that answers before it has read a message, and
// goes away, is heard or fails cleanly. The message is never sent twice.
func TestAnEarlyAnswerIsHeardOrFailsCleanly(t *testing.T) {
	whole, part := helloH1, helloH1[:len(helloH1)-2]
	one := func(text string, e ending) func(*wire, *tls.Conn) {
		return func(_ *wire, c *tls.Conn) {
			says(text)(c)
			time.Sleep(time.Second) // it arrives while we write
			e.apply(c)
		}
	}
	two := func(do ...func(*frames, uint32)) func(*wire, *tls.Conn) {
		return func(s *wire, c *tls.Conn) {
			f := s.frames(c, true)
			if f == nil {
				return
			}
			for stream := range f.streams {
				then(do...)(f, stream)
			}
		}
	}
	reset := func(code http2.ErrCode) func(*frames, uint32) {
		return func(f *frames, s uint32) { _ = f.WriteRSTStream(s, code) }
	}
	pause := func(*frames, uint32) { time.Sleep(time.Second) }
	lost := func(f *frames, _ uint32) { rst.apply(f.c) }
	for _, tt := range []struct {
		name, proto string
		talk        func(*wire, *tls.Conn)
		want        []answer // one of these
	}{
		{"answer, reset", "http/1.1", one(whole, rst), []answer{ok("hello")}},
		{"answer, end", "http/1.1", one(whole, fin), []answer{ok("hello")}},
		{"answer, silence", "http/1.1", one(whole, hold), []answer{ok("hello")}},
		{"half an answer, reset", "http/1.1", one(part, rst), []answer{brokenBody(wayfind.CodeNetwork)}},
		{"half an answer, end", "http/1.1", one(part, fin), []answer{brokenBody(wayfind.CodeTruncated), brokenBody(wayfind.CodeNetwork)}},
		{"no answer, reset", "http/1.1", one("", rst), []answer{failed("headers", wayfind.CodeNetwork)}},
		{"no answer, end", "http/1.1", one("", fin), []answer{failed("headers", wayfind.CodeNetwork), failed("headers", wayfind.CodeTruncated)}},
		{"answer, reset without error", "h2", two(greets, reset(http2.ErrCodeNo)), []answer{ok("hello")}},
		{"answer, reset with error", "h2", two(greets, pause, reset(http2.ErrCodeInternal)), []answer{ok("hello")}},
		{"answer, loss", "h2", two(greets, pause, lost), []answer{ok("hello")}},
		{"half an answer, reset", "h2", two(begun(reset(http2.ErrCodeInternal))), []answer{brokenBody(wayfind.CodeNetwork), failed("headers", wayfind.CodeNetwork)}},
		{"half an answer, loss", "h2", two(begun(pause), lost), []answer{brokenBody(wayfind.CodeNetwork)}},
		{"no answer, refused", "h2", two(reset(http2.ErrCodeRefusedStream)), []answer{failed("headers", wayfind.CodeNetwork)}},
		{"no answer, loss", "h2", two(pause, lost), []answer{failed("headers", wayfind.CodeNetwork)}},
	} {
		t.Run(tt.proto+" "+tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				s := w.script(tt.proto)
				s.talk = func(c *tls.Conn) { tt.talk(s, c) }
				w.name("shop.example.com", ip1)
				go s.accept(w.listen(ip1))
				start := time.Now()
				got, err := post(t, t.Context(), w.talk())
				matches := false
				for _, want := range tt.want {
					matches = matches || got == want
				}
				if !matches || s.requests.Load() != 1 || time.Since(start) > 2*time.Second {
					t.Errorf("%+v, %d requests, took %v: %v", got, s.requests.Load(), time.Since(start), err)
				}
				time.Sleep(5 * time.Second) // until the server has noticed
			})
		})
	}
}

// TestAServerThatNeverLetsUsWriteIsGivenUp: a server that never lets us write is given up with
// the caller's deadline, or ours.
func TestAServerThatNeverLetsUsWriteIsGivenUp(t *testing.T) {
	for _, limit := range []time.Duration{20 * time.Second, 0} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			var s *wire
			s = w.wire("h2", func(c *tls.Conn) {
				if f := s.frames(c, false); f != nil {
					settings(http2.SettingInitialWindowSize, 0)(f, 0)
					for range f.streams { // neither read nor answered
					}
				}
			})
			ctx, want, took := t.Context(), failed("headers", wayfind.CodeTimeout), interactiveTimeout
			if limit > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, limit)
				defer cancel()
				want.Kind, took = nil, limit
			}
			start := time.Now()
			got, err := post(t, ctx, w.talk())
			sameAnswer(t, want, got)
			if d := time.Since(start); d != took || s.requests.Load() != 1 {
				t.Errorf("took %v, %d requests: %v", d, s.requests.Load(), err)
			}
		})
	}
}
