package client_test

import (
	"bufio"
	"bytes"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"github.com/wayfindhq/wayfind/client/clienttest"
	"github.com/wayfindhq/wayfind/internal/formats/adp"
)

// stderrLines collects the lines that net/http writes to the standard logger. It has no setting for
// that: see docs/ROUGH-EDGES.md.
type stderrLines struct {
	mu    sync.Mutex
	lines []string
}

func (l *stderrLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, string(p))
	return len(p), nil
}

// whatIsLogged catches the lines for the time of a test, which is the only one to
// run.
func whatIsLogged(t *testing.T) *stderrLines {
	l := &stderrLines{}
	output, flags := log.Writer(), log.Flags()
	t.Cleanup(func() {
		log.SetOutput(output)
		log.SetFlags(flags)
	})
	log.SetOutput(l)
	log.SetFlags(0)
	return l
}

// check counts the lines, and looks for control characters of a terminal.
func (l *stderrLines) check(t *testing.T, most int, begins string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lines) == 0 || len(l.lines) > most {
		t.Errorf("%d lines, want some, and at most %d", len(l.lines), most)
	}
	for _, line := range l.lines {
		text, ended := strings.CutSuffix(line, "\n")
		if !ended || !strings.HasPrefix(line, begins) || len(line) > 32<<10 ||
			strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || 0x7f <= r && r < 0xa0 || r == '\u202e' || r == '\u2028' }) {
			t.Errorf("%.300q", line)
			return
		}
	}
}

// smuggling answers each request, and sends a further, unrequested answer.
func smuggling(c net.Conn) {
	for r := bufio.NewReader(c); ; {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, req.Body)
		_, err = io.WriteString(c, "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno"+
			strings.Repeat("HTTP/1.1 200 OK\r\nX: \x1b[31m\x9b2J\u202eevil\u2028\r\n\r\n", 200))
		if err != nil {
			return
		}
	}
}

// HTTP/1.1: one line for each connection at most, quoted, however much was sent.
func TestAConnectionLogsOneLine(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		lines := whatIsLogged(t)
		host := internet.Host("shop.example", nil).Protocols("http/1.1").Raw(smuggling)
		_, _ = internet.Client().Resolve(t.Context(), "shop.example") // finds nothing
		time.Sleep(time.Minute)                                       // idle connections are read
		lines.check(t, host.Conns(), "Unsolicited response received on idle HTTP channel starting with ")
	})
}

// HTTP/2: frames of unknown types are limited like control frames, a thousand for each request and
// a thousand before the first. A log line does not contain their content.
func TestUnknownFramesLogAFewLines(t *testing.T) {
	inBubble(t, func(t *testing.T, internet *clienttest.Internet) {
		lines := whatIsLogged(t)
		var requests atomic.Int64
		internet.Host("shop.example", nil).Protocols("h2").Raw(func(c net.Conn) {
			f := http2.NewFramer(c, bytes.NewReader(nil))
			if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil || f.WriteSettings() != nil {
				return
			}
			go func() { // ends with the connection
				for in := http2.NewFramer(io.Discard, c); ; {
					frame, err := in.ReadFrame()
					if err != nil {
						return
					}
					if _, ok := frame.(*http2.HeadersFrame); ok {
						requests.Add(1)
					}
				}
			}()
			for n := range 20_000 {
				if f.WriteRawFrame(0x42, 0, 0, []byte("\x1b[31mevil")) != nil {
					return
				}
				if n%100 == 0 {
					time.Sleep(time.Millisecond) // in a bubble: until all is read
				}
			}
			t.Error("20,000 frames were taken")
		})
		_, _ = newClient(t, internet, withFormats(adp.Format())).Resolve(t.Context(), "shop.example") // finds nothing
		lines.check(t, 1000*(1+int(requests.Load())), "Transport: unhandled response frame type ")
	})
}
