package ui

import (
	"io"
	"os"
	"sync"
	"time"
)

// patience is the time without output after which a person at a terminal is told what is waited for, and
// drawAgain the time between two drawings.
const (
	patience  = 700 * time.Millisecond
	drawAgain = 250 * time.Millisecond
)

// eraseLine moves to the begin of the line and erases it (ECMA-48: CR, EL).
const eraseLine = "\r\x1b[K"

// standardError is the standard error of a run. A line that says what is waited for is erased before anything
// else is written, and does not come back.
type standardError struct {
	to io.Writer

	mu    sync.Mutex
	drawn bool
	stop  chan struct{} // of the line; nil without one
}

// Write implements io.Writer.
func (e *standardError) Write(p []byte) (int, error) {
	e.quiet()
	return e.to.Write(p)
}

// quiet erases the line, for good. e may be nil.
func (e *standardError) quiet() {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stop == nil {
		return
	}
	close(e.stop)
	e.stop = nil
	if e.drawn {
		_, _ = io.WriteString(e.to, eraseLine)
	}
}

// draw writes the line until stop is closed.
func (e *standardError) draw(stop chan struct{}, words func() string, first, next time.Duration) {
	for wait := first; ; wait = next {
		select {
		case <-stop:
			return
		case <-time.After(wait):
		}
		line := Wrap(Show(words()), WidthOf(e.to)-1)[0]
		e.mu.Lock()
		if e.stop == stop {
			_, _ = io.WriteString(e.to, eraseLine+line)
			e.drawn = true
		}
		e.mu.Unlock()
	}
}

// Await shows a person at a terminal what is waited for, in one line on standard error, until something is
// written. Elsewhere it does nothing.
func (a *App) Await(words func() string) {
	if e, ok := a.Err.(*standardError); ok && IsTerminal(e.to) && os.Getenv("TERM") != "dumb" {
		e.await(words, patience, drawAgain)
	}
}

func (e *standardError) await(words func() string, first, next time.Duration) {
	e.quiet()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stop, e.drawn = make(chan struct{}), false
	go e.draw(e.stop, words, first, next)
}
