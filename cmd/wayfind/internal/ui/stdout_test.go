package ui

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// screen is a terminal that keeps everything.
type screen struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

// The line about the work comes after a while, is drawn anew, is erased before the first output, and
// does not come back.
func TestAwait(t *testing.T) {
	for _, write := range []func(*App){
		func(a *App) { _, _ = a.Out.Write([]byte("out")) },
		func(a *App) { _, _ = a.Err.Write([]byte("err")) },
		func(a *App) { a.End(false) },
	} {
		synctest.Test(t, func(t *testing.T) {
			var s screen
			a := New(nil, &s, &s, func(error) {})
			n := 0
			a.Err.(*standardError).await(func() string { n++; return "asking " + strings.Repeat("x", n) }, patience, drawAgain)
			time.Sleep(patience / 2)
			if synctest.Wait(); s.text() != "" {
				t.Errorf("it is drawn at once: %q", s.text())
			}
			time.Sleep(patience/2 + drawAgain + time.Millisecond)
			if synctest.Wait(); s.text() != eraseLine+"asking x"+eraseLine+"asking xx" {
				t.Errorf("it is drawn as %q", s.text())
			}
			write(a)
			after := s.text()
			if !strings.Contains(after, "asking xx"+eraseLine) {
				t.Errorf("it is not erased: %q", after)
			}
			time.Sleep(10 * drawAgain)
			if synctest.Wait(); s.text() != after {
				t.Errorf("it comes back: %q", s.text())
			}
		})
	}
}

// Nothing is drawn where nobody looks.
func TestAwaitIsForATerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s screen
		a := New(nil, &s, &s, func(error) {})
		a.Await(func() string { return "asking" })
		time.Sleep(10 * patience)
		if synctest.Wait(); s.text() != "" {
			t.Errorf("%q", s.text())
		}
	})
}
