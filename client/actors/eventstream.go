package actors

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Limits of an event stream. A stream that exceeds one of them ends with an error.
const (
	// maxLine is the maximum length of a line. The data of an event may be one line.
	maxLine = 1 << 20
	// maxEvent is the maximum size of the data of one event, all its lines together.
	maxEvent = 1 << 20
	// maxRetry is the longest pause that a stream may ask for.
	maxRetry = 24 * time.Hour
)

// frame is an event as the stream contains it.
type frame struct {
	kind  string // "message" if the stream names no type
	data  string
	id    string        // the last ID in the stream
	retry time.Duration // the last pause that the stream asked for
}

// frames reads an event stream (WHATWG HTML §9.2.6). It does not read beyond the end of an
// event, so that no caller waits for later bytes.
type frames struct {
	in      *bufio.Reader
	started bool // the first line was begun
	skipLF  bool // the last line ended in CR: a LF that follows belongs to it
	id      string
	retry   time.Duration
}

func newFrames(r io.Reader) *frames { return &frames{in: bufio.NewReader(r)} }

// next returns the next event. At the end of the stream it returns io.EOF, and ignores an
// event that does not end with an empty line. Other errors are errors of the reader and
// *limitError.
func (f *frames) next() (frame, error) {
	var kind string
	var data bytes.Buffer
	for {
		line, err := f.line()
		if err != nil {
			return frame{}, err
		}
		if len(line) == 0 {
			if data.Len() > 0 {
				return f.frame(kind, data.Bytes()), nil
			}
			kind = ""
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			kind = string(value)
		case "data":
			if data.Len()+len(value) > maxEvent {
				return frame{}, &limitError{"event", maxEvent}
			}
			data.Write(value)
			data.WriteByte('\n')
		case "id":
			if bytes.IndexByte(value, 0) < 0 {
				f.id = string(value)
			}
		case "retry":
			f.setRetry(string(value))
		}
	}
}

// frame returns an event made from its fields.
func (f *frames) frame(kind string, data []byte) frame {
	if kind == "" {
		kind = "message"
	}
	return frame{kind: kind, data: valid(bytes.TrimSuffix(data, []byte("\n"))), id: valid([]byte(f.id)), retry: f.retry}
}

// valid replaces invalid UTF-8, as a reader of the stream does.
func valid(b []byte) string { return strings.ToValidUTF8(string(b), "\ufffd") }

// setRetry sets the pause from a number of milliseconds that consists of digits only.
func (f *frames) setRetry(text string) {
	if strings.Trim(text, "0123456789") != "" || text == "" {
		return
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil || ms > maxRetry.Milliseconds() {
		ms = maxRetry.Milliseconds()
	}
	f.retry = time.Duration(ms) * time.Millisecond
}

// line returns a line without its end: CR LF, LF or CR. A byte order mark at the beginning is
// removed. Text without a line end is not a line.
func (f *frames) line() ([]byte, error) {
	var line []byte
	for {
		b, err := f.in.ReadByte()
		if err != nil {
			return nil, err
		}
		skip := f.skipLF
		f.skipLF = b == '\r'
		switch {
		case b == '\n' && skip:
		case b == '\n' || b == '\r':
			if !f.started {
				line = bytes.TrimPrefix(line, []byte("\ufeff"))
			}
			f.started = true
			return line, nil
		case len(line) == maxLine:
			return nil, &limitError{"line", maxLine}
		default:
			line = append(line, b)
		}
	}
}

// limitError is the error of a stream that exceeds a limit.
type limitError struct {
	what string
	most int
}

func (e *limitError) Error() string {
	return fmt.Sprintf("the stream has a longer %s than %d bytes", e.what, e.most)
}
