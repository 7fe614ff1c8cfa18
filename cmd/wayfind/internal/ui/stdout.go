package ui

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
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

// unwritten reports that standard output failed, and returns the exit status. If the reader has
// closed a pipe, it has read enough, and nothing is reported.
func (a *App) unwritten(err error) int {
	if errors.Is(err, syscall.EPIPE) {
		return a.Status
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	fmt.Fprintf(a.Err, "wayfind: standard output: %s\n", Show(err.Error()))
	return max(a.Status, ExitUnasked)
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
