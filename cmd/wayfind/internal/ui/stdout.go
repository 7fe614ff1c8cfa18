package ui

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"
)

// standardOutput is the standard output of a run. The first write that fails ends the run, and
// later writes fail with the same error.
type standardOutput struct {
	to   io.Writer
	stop func(cause error)
	errs *standardError // its line is erased before something is written; may be nil

	mu  sync.Mutex
	err error
}

// Write implements io.Writer.
func (o *standardOutput) Write(p []byte) (n int, err error) {
	o.errs.quiet()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	if n, o.err = o.to.Write(p); o.err != nil {
		o.stop(o.err)
	}
	return n, o.err
}

// failure returns the error of the write that failed. o may be nil.
func (o *standardOutput) failure() error {
	if o == nil {
		return nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// FileOf returns the file of a stream, for example to ask whether it is a terminal. It returns nil if
// the stream is not a file.
func FileOf(stream any) *os.File {
	switch s := stream.(type) {
	case *standardOutput:
		stream = s.to
	case *standardError:
		stream = s.to
	}
	f, _ := stream.(*os.File)
	return f
}

// unwritten reports that standard output failed, and returns the outcome. If the reader has
// closed a pipe, it has read enough, and nothing is reported.
func (a *App) unwritten(err error) Outcome {
	if errors.Is(err, syscall.EPIPE) {
		return a.outcome
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	fmt.Fprintf(a.Err, "wayfind: standard output: %s\n", Show(err.Error()))
	return max(a.outcome, ExitUnasked)
}

// IsTerminal reports whether a stream is a terminal, at which a person may be asked.
func IsTerminal(stream any) bool {
	f := FileOf(stream)
	if f == nil {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// patience is the time without output after which a person at a terminal reads about the work, and
// drawAgain the time between two drawings.
const (
	patience  = 700 * time.Millisecond
	drawAgain = 250 * time.Millisecond
)

// eraseLine moves to the begin of the line and erases it (ECMA-48: CR, EL).
const eraseLine = "\r\x1b[K"

// standardError is the standard error of a run. A line about the work is erased before anything
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

// Await shows a person at a terminal a line about the work, on standard error, until something is
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

// lastTime is the time that [Last] waits for the reader of its line.
const lastTime = 200 * time.Millisecond

// Last writes a line just before the process is ended, whether or not its reader reads.
func Last(to io.Writer, line string) {
	written := make(chan struct{})
	go func() {
		defer close(written)
		_, _ = io.WriteString(to, line+"\n")
	}()
	select {
	case <-written:
	case <-time.After(lastTime):
	}
}
